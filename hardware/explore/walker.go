package explore

import (
	"github.com/hwscript/hwscript/hardware/sim"
)

// A walker executes one subject over and over, and is the policy of its engine.
//
// Its stack of nodes is the execution under way: node d is the state before step d, with the step that is taken there.
// Nodes below fresh repeat steps of the execution before; there, nothing is computed anew.
type walker struct {
	subject Subject
	engine  *sim.Engine
	options Options
	mode    mode
	report  Report
	objects objectTable

	nodes  []node // as many as are in use; those beyond keep their memory
	depth  int    // steps begun in this execution
	fresh  int    // steps before have been computed already
	base   int    // nodes before are not the walker's: another task has the other steps there
	bound  int    // most preemptions, negative for any
	cutAt  int    // cutting: depth at which executions are given up as tasks
	tasks  []task
	random *priorities
	script *reader   // replaying: the decisions
	closed int       // steps of this execution whose consequences have been drawn
	asleep []sleeper // at node base, if that is not the root
	start  sim.Time
	past   events // scratch
	tail   events // scratch
	races  []int  // scratch

	known    events         // channels met so far, by number
	programs events         // of them, those of programs
	channels []*sim.Channel // the same in the order in which they were met
	diverged *DivergedError // an execution could not be repeated

	disabling bool // some step has withdrawn another

	free      bool // the rest of this execution is not explored
	redundant bool
	given     bool // cutting: given up as a task
	cut       Limit
	deadlines int
}

// mode says what a walker does with its executions.
type mode uint8

const (
	reduced  mode = iota // source sets and sleep sets
	plain                // every order
	bounding             // backtracking by races, conservatively, within a bound
	cutting              // every order with sleep sets, up to a depth
	sampling             // random
	replay               // one given schedule
)

func newWalker(s Subject, o Options, m mode) *walker {
	w := &walker{subject: s, engine: s.Engine(), options: o, mode: m, bound: -1, start: s.Engine().Now()}
	w.engine.SetPolicy(w)
	return w
}

// execute makes one execution and examines it.
func (w *walker) execute() Verdict {
	w.depth, w.free, w.redundant, w.given, w.cut, w.deadlines = 0, false, false, false, 0, 0
	for i := range w.nodes[:min(w.fresh+1, len(w.nodes))] {
		w.nodes[i].used, w.nodes[i].asked, w.nodes[i].repeated = 0, 0, 0
	}
	w.closed = w.fresh
	w.engine.Rewind(w.start)
	w.subject.Begin()
	err := w.engine.Drive(nil)
	w.finish()
	switch {
	case w.diverged != nil:
		err = w.diverged
	case w.cut != 0 || w.redundant || w.given:
		err = nil
	}
	v := w.subject.End(Ending{Err: err, Deadlines: w.deadlines})
	w.note(v)
	return v
}

// note counts an execution.
func (w *walker) note(v Verdict) {
	r := &w.report
	if w.given || w.diverged != nil {
		return
	}
	r.Steps += w.depth
	if w.redundant {
		r.Redundant++
		return
	}
	r.Executions++
	r.Longest = max(r.Longest, w.depth)
	r.Limits |= w.cut
	if w.cut != 0 {
		return
	}
	r.count(v.Outcome, 1)
	if v.Finding == "" {
		return
	}
	r.Failures++
	if f := (Failure{Finding: v.Finding, Length: w.depth}); f.less(r.Failure) {
		f.Schedule = w.schedule()
		r.Failure = &f
	}
}

// Next is sim.Policy.
func (w *walker) Next(ready []*sim.Channel) int {
	w.finish()
	if d := w.depth - 1; d >= 0 && d < w.fresh && !w.free && w.nodes[d].repeated != w.nodes[d].touched {
		w.diverge(w.depth)
	}
	if w.diverged != nil {
		return -1
	}
	if w.depth >= w.options.Steps {
		w.cut = StepLimit
		return -1
	}
	if ready[0].Deadline() {
		w.deadlines++
	}
	d := w.depth
	if d < len(w.nodes) && !w.free {
		w.depth++
		return w.repeat(&w.nodes[d], ready)
	}
	if w.mode == cutting && d == w.cutAt {
		w.split()
		return -1
	}
	if w.free {
		w.depth++
		return 0
	}
	for _, ch := range ready {
		w.meet(ch)
	}
	n := w.push(ready)
	i := w.pick(n, ready)
	if i < 0 {
		// Everything that could happen has been explored from an equivalent state. The execution goes on, since ending
		// programs in their middle costs more.
		w.nodes = w.nodes[:d]
		w.free, w.redundant = true, true
		w.depth++
		return 0
	}
	w.depth++
	n.begin(ready[i], w.engine)
	return i
}

// meet remembers a channel.
func (w *walker) meet(ch *sim.Channel) {
	id := int(ch.ID())
	if w.known.has(id) {
		return
	}
	w.known.put(id)
	w.channels = append(w.channels, ch)
	if ch.Program() {
		w.programs.put(id)
	}
}

// repeat takes the step that a node says.
func (w *walker) repeat(n *node, ready []*sim.Channel) int {
	for i, ch := range ready {
		if ch.ID() == n.channel {
			if w.depth > w.fresh {
				n.setReady(ready)
				n.begin(ch, w.engine)
			}
			return i
		}
	}
	w.diverge(w.depth)
	return -1
}

// diverge notes that a step did not repeat.
func (w *walker) diverge(step int) {
	if w.diverged == nil {
		w.diverged = &DivergedError{Step: step, Channel: w.channelName(w.nodes[step-1].channel)}
	}
}

func (w *walker) channelName(id int32) string {
	for _, ch := range w.channels {
		if ch.ID() == id {
			return ch.Name()
		}
	}
	return ""
}

// push makes the node of a state that is new.
func (w *walker) push(ready []*sim.Channel) *node {
	d := len(w.nodes)
	if d < cap(w.nodes) {
		w.nodes = w.nodes[:d+1]
	} else {
		w.nodes = append(w.nodes, node{})
	}
	n := &w.nodes[d]
	n.reset()
	n.setReady(ready)
	n.last = -1
	if d > 0 {
		n.inherit(&w.nodes[d-1], d-1, w.mode == reduced || w.mode == cutting)
	}
	if d == w.base && d > 0 {
		n.sleep = append(n.sleep[:0], w.asleep...)
	}
	return n
}

// pick chooses the first step to explore at a new node, as a rule the channel that moved last; negative if all sleep.
func (w *walker) pick(n *node, ready []*sim.Channel) int {
	switch w.mode {
	case sampling:
		i := w.random.next(ready)
		n.backtrack = append(n.backtrack, ready[i].ID())
		return i
	case replay:
		i := w.script.next(len(ready), preferred(n.ready, n.last))
		n.backtrack = append(n.backtrack, ready[i].ID())
		return i
	}
	first, before := -1, n.last
	if w.mode == bounding && n.running != 0 {
		before = n.running
	}
	for k := range ready {
		i := order(k, preferred(n.ready, before))
		if n.asleep(ready[i].ID()) {
			continue
		}
		if first < 0 {
			first = i
		} else if w.mode == reduced || w.mode == bounding {
			break
		}
		n.backtrack = append(n.backtrack, ready[i].ID())
	}
	return first
}

// Choose is sim.Policy.
func (w *walker) Choose(_ sim.Choice, count int) int {
	if w.free || w.diverged != nil {
		return 0
	}
	n := &w.nodes[w.depth-1]
	if n.used < len(n.choices) {
		c := n.choices[n.used]
		n.used++
		if int(c.count) != count {
			w.diverge(w.depth)
			return 0
		}
		return int(c.taken)
	}
	taken := 0
	switch w.mode {
	case sampling:
		taken = w.random.choose(count)
	case replay:
		taken = w.script.next(count, 0)
	}
	n.choices = append(n.choices, choice{int32(count), int32(taken)})
	n.used++
	return taken
}

// Touch is sim.Policy.
func (w *walker) Touch(f sim.Footprint) {
	if f.Object == 0 || w.free || w.depth == 0 {
		return
	}
	n := &w.nodes[w.depth-1]
	n.repeated += uint64(f.Object)
	if w.depth <= w.fresh {
		return
	}
	n.touched += uint64(f.Object)
	number := w.objects.number(f.Object)
	if f.Write {
		n.event.writes.put(number)
	} else {
		n.event.reads.put(number)
	}
}

// Disabled is sim.Policy.
func (w *walker) Disabled(ch *sim.Channel) {
	if w.depth > w.fresh && !w.free && w.depth > 0 {
		n := &w.nodes[w.depth-1]
		n.disabled = append(n.disabled, ch.ID())
		w.disabling = true
	}
}

// Before is sim.Policy. What it answers is kept, since a repeated step must hear the same.
func (w *walker) Before(step uint64) bool {
	if w.mode != reduced && w.mode != cutting || w.free {
		return true
	}
	n := &w.nodes[w.depth-1]
	if w.depth > w.fresh {
		w.order(w.depth - 1)
		n.answers = append(n.answers[:n.asked], w.past.has(int(step)-1))
	}
	if n.asked == len(n.answers) {
		w.diverge(w.depth) // it had not asked as often
		return true
	}
	n.asked++
	return n.answers[n.asked-1]
}
