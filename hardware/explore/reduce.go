package explore

// finish draws the consequences of the step that has just ended: which earlier steps had to come before it, and which
// of them could as well have come after.
func (w *walker) finish() {
	d := w.depth - 1
	if d < w.closed || w.free {
		return
	}
	w.closed = w.depth
	if w.mode == sampling || w.mode == replay || w.mode == plain {
		return
	}
	w.order(d)
	n := &w.nodes[d]
	n.past = append(n.past[:0], w.past...)
	if w.mode == cutting {
		return
	}
	for _, i := range w.races {
		if i >= w.base {
			w.reverse(i, d)
		}
	}
	if w.disabling {
		w.reverseDisabling(d)
	}
}

// reverseDisabling makes sure that step d is also explored before the step that had withdrawn it, though there is
// another step between that has made it possible again.
func (w *walker) reverseDisabling(d int) {
	channel := w.nodes[d].channel
	for i := d - 1; i >= w.base && w.nodes[i].channel != channel; i-- {
		if contains(w.nodes[i].disabled, channel) {
			w.nodes[i].explore(channel)
		}
	}
}

// order finds the steps that have to come before step d, w.past, and among them those that race with it, w.races: they
// depend on each other, and nothing between them keeps the order.
func (w *walker) order(d int) {
	n := &w.nodes[d]
	past := w.past[:0]
	w.races = w.races[:0]
	for i := d - 1; i >= 0; i-- {
		if past.has(i) {
			continue
		}
		p := &w.nodes[i]
		switch {
		case p.channel == n.channel || i == n.cause:
		case p.event.dependent(&n.event):
			w.races = append(w.races, i)
		default:
			continue
		}
		past.put(i)
		past.join(p.past)
	}
	w.past = past
}

// reverse makes sure that step d is also explored before step i, with which it races: at node i, some step is explored
// with which what does not depend on step i can begin. This is the source set of Abdulla, Aronis, Jonsson, Sagonas,
// "Optimal dynamic partial order reduction", POPL 2014, algorithm 1.
func (w *walker) reverse(i, d int) {
	n := &w.nodes[i]
	tail := w.tail[:0]
	candidate := int32(0)
	for j := i + 1; j <= d; j++ {
		s := &w.nodes[j]
		if j < d && s.past.has(i) {
			continue
		}
		initial := !s.past.meets(tail)
		tail.put(j)
		if !initial {
			continue
		}
		if contains(n.backtrack, s.channel) && w.mode == reduced {
			w.tail = tail
			return
		}
		if candidate == 0 || j == d {
			candidate = s.channel
		}
	}
	w.tail = tail
	n.explore(candidate)
	if w.mode == bounding {
		// Where the running program was switched to, the other may come without a preemption: Coons, Musuvathi,
		// McKinley, "Bounded partial-order reduction", OOPSLA 2013.
		w.nodes[n.block].explore(candidate)
	}
}

// explore adds a channel to the node's source set. Should it not be ready, which the theory excludes, all that are
// take its place.
func (n *node) explore(channel int32) {
	if contains(n.ready, channel) {
		if !contains(n.backtrack, channel) {
			n.backtrack = append(n.backtrack, channel)
		}
		return
	}
	for _, ch := range n.ready {
		if !contains(n.backtrack, ch) {
			n.backtrack = append(n.backtrack, ch)
		}
	}
}

// advance moves the stack to the next execution, depth first; false if there is none.
func (w *walker) advance() bool {
	for len(w.nodes) > w.base {
		d := len(w.nodes) - 1
		n := &w.nodes[d]
		n.done.add(&n.event)
		for k := len(n.choices) - 1; k >= 0; k-- {
			if c := &n.choices[k]; c.taken+1 < c.count {
				c.taken++
				n.choices = n.choices[:k+1]
				w.fresh = d
				return true
			}
		}
		if w.mode == reduced || w.mode == cutting {
			n.sleep = append(n.sleep, sleeper{n.channel, n.done})
		}
		for n.next++; n.next < len(n.backtrack); n.next++ {
			if ch := n.backtrack[n.next]; !n.asleep(ch) && w.affordable(n, ch) {
				n.restart()
				n.channel = ch
				w.fresh = d
				return true
			}
		}
		w.nodes = w.nodes[:d]
	}
	return false
}

// affordable reports whether a step stays within the bound on preemptions. Only programs' channels preempt.
func (w *walker) affordable(n *node, channel int32) bool {
	if w.bound < 0 || n.preemptions < w.bound || channel == n.running || !contains(n.ready, n.running) ||
		!w.programs.has(int(channel)) {
		return true
	}
	w.report.Limits |= PreemptionLimit
	return false
}

// search explores from the stack as it is, up to a number of executions.
func (w *walker) search(most int) (complete bool) {
	for {
		w.execute()
		if w.diverged != nil {
			return false
		}
		if w.options.Stop != nil && w.report.Executions&0x3f == 0 && w.options.Stop() {
			w.report.Limits |= Stopped
			return false
		}
		if !w.advance() {
			return true
		}
		if w.report.Executions+w.report.Redundant >= most {
			w.report.Limits |= ExecutionLimit
			return false
		}
	}
}

// A task is a subtree: the steps that lead to it, and what sleeps at its root.
type task struct {
	prefix []taskStep
	asleep []sleeper
}

type taskStep struct {
	channel int32
	choices []choice
}

// split makes the present state the root of a task.
func (w *walker) split() {
	d := len(w.nodes)
	n := node{}
	n.inherit(&w.nodes[d-1], d-1, true)
	t := task{asleep: n.sleep}
	for i := range w.nodes {
		p := &w.nodes[i]
		t.prefix = append(t.prefix, taskStep{p.channel, append([]choice(nil), p.choices...)})
	}
	w.tasks = append(w.tasks, t)
	w.given = true
}

// load makes a task's subtree the walker's.
func (w *walker) load(t *task, objects *objectTable, m mode) {
	w.mode, w.objects, w.report = m, objects.clone(), Report{}
	w.nodes, w.fresh, w.base, w.asleep = w.nodes[:0], 0, len(t.prefix), t.asleep
	for i := range t.prefix {
		n := node{channel: t.prefix[i].channel, last: -1, choices: append([]choice(nil), t.prefix[i].choices...)}
		if i > 0 {
			n.last = t.prefix[i-1].channel
		}
		n.backtrack = append(n.backtrack, n.channel)
		w.nodes = append(w.nodes, n)
	}
}
