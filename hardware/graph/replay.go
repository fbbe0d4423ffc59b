package graph

import (
	"fmt"
	"iter"
)

// runner is a thread under way: it goes on where it stands if the graph at hand begins with what it has done. Its
// coroutine stays for further runs, since a new stack has to grow first.
type runner struct {
	handle *Handle // nil between runs
	done   []step  // of the last run, to be filled anew
	resume func() (struct{}, bool)
	stop   func() // nil without a coroutine
}

// run lets a thread go on until it wants what the graph does not hold.
func (x *search) run(g *graph, t int) {
	x.current = g
	r := &x.runners[t]
	if r.handle == nil || g.threads[t].again || !r.matches(g, t) {
		r.end()
		r.begin(x, t)
	}
	g.threads[t].again = false
	x.replays++
	r.resume()
}

// matches reports whether what the thread has done is how the graph begins.
func (r *runner) matches(g *graph, t int) bool {
	ops := g.threads[t].ops
	if len(r.handle.done) > len(ops) {
		return false
	}
	for i, s := range r.handle.done {
		if n := &g.nodes[ops[i]]; n.stands() || n.kind != s.kind || n.result != s.result || n.flags&expired != 0 != s.late {
			return false
		}
	}
	return true
}

// stands reports whether a thread stands at an event that it has not got behind.
func (n *node) stands() bool {
	return n.flags&pending != 0 && (n.flags&waiting != 0 || n.kind == opTake)
}

// end gives the run up where it stands.
func (r *runner) end() {
	if r.handle != nil {
		r.handle.given = true
		r.resume()
		r.done, r.handle = r.handle.done[:0], nil
	}
}

// close ends the coroutine.
func (r *runner) close() {
	if r.stop != nil {
		r.stop()
		r.stop, r.handle = nil, nil
	}
}

// begin prepares a run, which the coroutine begins when it goes on.
func (r *runner) begin(x *search, t int) {
	r.handle = &Handle{
		x: x, thread: &x.program.Threads[t], number: int8(t), monitor: none, limit: noLimit, done: r.done, name: nobody,
	}
	if r.stop == nil {
		r.resume, r.stop = iter.Pull(func(yield func(struct{}) bool) {
			for on := true; on; on = yield(struct{}{}) {
				r.handle.run(yield)
			}
		})
	}
}

// run is a thread from its beginning until it is given up.
func (h *Handle) run(yield func(struct{}) bool) {
	defer func() {
		if p := recover(); p != nil && p != (abandoned{}) {
			panic(p)
		}
	}()
	h.yield = yield
	h.resumed()
	h.thread.Run(h)
	h.End()
}

// A ChangedError says that a thread, of the same declared values, does something else than before: it depends on
// something from outside, or on a load in a way that it has not declared.
type ChangedError struct {
	Thread, Operation int
	Was, Is           string // Was is empty if that is not known any more
	Place             string // in the code of the program, which Program.Changed knows
}

// Unwind is as for abandoned.
func (e *ChangedError) Unwind() {}

func (e *ChangedError) Error() string {
	was := "was something else"
	if e.Was != "" {
		was = "was " + e.Was
	}
	return fmt.Sprintf("thread %d, operation %d: %s, is %s: it depends on a load or on something from outside that is "+
		"not declared", e.Thread, e.Operation, was, e.Is)
}

// refresh compares an operation with what the graph holds of it, and renews what may have changed by a load before it
// that has read late.
func (h *Handle) refresh(id int16, r *request) {
	x, g := h.x, h.x.current
	n := &g.nodes[id]
	same := n.kind == r.kind || n.kind == opFailed && r.flags&exclusive != 0
	if same && n.count != 0 {
		p := &g.parts[n.first]
		same = x.places.start(p.location) == r.at && n.class&^Taken == r.class&^Taken
	}
	provisional := n.flags&unplaced != 0 ||
		n.kind == opUpdate && (n.pair < 0 || g.nodes[n.pair].flags&unplaced != 0)
	if same && !provisional {
		same = n.operands == r.operands && (n.kind != opWrite || n.value == r.value)
	}
	same = same && n.renew(r)
	if !same {
		h.changed(n.String(), r)
	}
	if !provisional {
		return
	}
	if !h.claimValues(r) {
		h.changed("", r)
	}
	n.update, n.joint, n.operands = r.update, r.joint, r.operands
	if n.kind == opWrite {
		n.value = r.value
		x.spread(g, id)
	}
}

// renew takes over what a compare-and-swap expects. It answers false if that is too late.
func (n *node) renew(r *request) bool {
	if n.flags&(pending|unplaced) == 0 {
		return n.expected == r.expected
	}
	if n.expected != r.expected {
		n.update, n.expected = r.update, r.expected
	}
	return true
}

// spread divides a written value among the parts.
func (x *search) spread(g *graph, id int16) {
	n := &g.nodes[id]
	for i := range int16(n.count) {
		p := &g.parts[n.first+i]
		p.value = n.value >> p.shift & x.places.mask(p.location)
	}
}
