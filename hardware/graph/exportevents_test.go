package graph

import "slices"

// Done is the number of operations that a thread has done.
func (h *Handle) Done() int { return h.pos }

// Point is an event of an execution: an operation, or the write of an atomic. Thread is negative for the initial value.
type Point struct {
	Thread, Op int
	Half       bool
}

func (g *graph) point(id int16) Point {
	n := &g.nodes[id]
	return Point{int(n.thread), int(n.op), n.kind == opHalf}
}

// Operations is the number of operations of a thread.
func (e *Execution) Operations(t int) int { return len(e.g.threads[t].ops) }

// Half reports whether an operation is an atomic that writes.
func (e *Execution) Half(t, op int) bool { return e.g.half(e.g.threads[t].ops[op]) >= 0 }

// Value is what an event reads or writes.
func (e *Execution) Value(p Point) uint64 {
	id := e.g.threads[p.Thread].ops[p.Op]
	if p.Half {
		id = e.g.half(id)
	}
	return e.g.nodes[id].value
}

// Sources are the writes that a read reads, by byte; of one that waits for ever the last writes.
func (e *Execution) Sources(t, op int) (list []Point) {
	g := e.g
	id := g.threads[t].ops[op]
	n := &g.nodes[id]
	for i := range int16(n.count) {
		p := &g.parts[n.first+i]
		from := p.from
		if n.flags&pending != 0 {
			from = g.last[p.location]
		}
		w := Point{Thread: -1}
		if from >= 0 {
			w = g.point(g.parts[from].node)
		}
		for range e.x.places.list[p.location].size {
			list = append(list, w)
		}
	}
	return list
}

// Order are the writes of a byte, in coherence order.
func (e *Execution) Order(at uint64) (list []Point) {
	l, ok := e.x.places.owner[at]
	if !ok || int(l) >= len(e.g.first) {
		return nil
	}
	for w := e.g.first[l]; w >= 0; w = e.g.parts[w].next {
		list = append(list, e.g.point(e.g.parts[w].node))
	}
	return list
}

// Deadlines are the waits that have ended without a value, in the order in which they have.
func (e *Execution) Deadlines() (list []Point) {
	var ids []int16
	for id := range int16(len(e.g.nodes)) {
		if e.g.nodes[id].flags&expired != 0 {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b int16) int {
		if e.g.ob.has(a, b) {
			return -1
		}
		return 1
	})
	for _, id := range ids {
		list = append(list, e.g.point(id))
	}
	return list
}
