package explore

import "github.com/hwscript/hwscript/hardware/sim"

// A node is a state of the execution under way, and the step taken there.
type node struct {
	ready     []int32   // channels that could move
	last      int32     // the channel that moved before, -1 if none
	backtrack []int32   // channels to explore, in this order: the source set
	next      int       // the one being explored
	sleep     []sleeper // channels that need not be explored

	channel           int32
	program           bool
	cause             int       // step that made it possible, -1 if none
	event             footprint // of the step
	done              footprint // of the channel's step under all choices so far
	touched, repeated uint64    // sums of the objects touched at first, and now: the same if the step repeats

	past     events // steps that have to come before it
	choices  []choice
	used     int
	disabled []int32 // channels whose steps it has withdrawn
	answers  []bool  // of Before
	asked    int

	running     int32 // the program that would go on without a preemption, 0 if none
	preemptions int   // before this step
	block       int   // the node at which the running program was switched to
}

// A choice is a question within a step and the answer taken.
type choice struct {
	count, taken int32
}

// A sleeper is a channel whose next step has been explored from an equivalent state.
type sleeper struct {
	channel int32
	event   footprint
}

func (n *node) reset() {
	n.ready, n.backtrack, n.sleep = n.ready[:0], n.backtrack[:0], n.sleep[:0]
	n.next, n.running, n.preemptions, n.block = 0, 0, 0, 0
	n.restart()
}

// restart forgets the step taken, for another channel's.
func (n *node) restart() {
	n.event, n.done, n.choices, n.answers = footprint{}, footprint{}, n.choices[:0], n.answers[:0]
	n.past, n.disabled, n.used, n.asked = n.past[:0], n.disabled[:0], 0, 0
}

func (n *node) setReady(ready []*sim.Channel) {
	n.ready = n.ready[:0]
	for _, ch := range ready {
		n.ready = append(n.ready, ch.ID())
	}
}

// begin notes which step is taken. Steps are numbered from 0 here, from 1 by the engine.
func (n *node) begin(ch *sim.Channel, e *sim.Engine) {
	n.channel, n.program, n.cause = ch.ID(), ch.Program(), int(e.Cause(ch))-1
	n.event, n.disabled, n.touched, n.repeated = footprint{}, n.disabled[:0], 0, 0
}

// inherit takes over from the state before: the channels that sleep on, and the program that runs.
func (n *node) inherit(p *node, number int, sleep bool) {
	n.last, n.running, n.block, n.preemptions = p.channel, p.running, p.block, p.preemptions+p.cost()
	if p.program {
		n.running = p.channel
		if p.channel != p.running {
			n.block = number
		}
	}
	if sleep {
		for _, s := range p.sleep {
			if !s.event.dependent(&p.event) {
				n.sleep = append(n.sleep, s)
			}
		}
	}
}

// cost is 1 if the step taken is a preemption: another program's, though the running one could go on.
func (n *node) cost() int {
	if n.program && n.channel != n.running && contains(n.ready, n.running) {
		return 1
	}
	return 0
}

func (n *node) asleep(channel int32) bool {
	for i := range n.sleep {
		if n.sleep[i].channel == channel {
			return true
		}
	}
	return false
}

func contains(list []int32, v int32) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// preferred is the position of the channel that moved last, 0 if it cannot move.
func preferred(ready []int32, last int32) int {
	for i, ch := range ready {
		if ch == last {
			return i
		}
	}
	return 0
}

// order is the position that comes k-th when the preferred one comes first.
func order(k, preferred int) int {
	switch {
	case k == 0:
		return preferred
	case k <= preferred:
		return k - 1
	}
	return k
}

// rank is the k of a position: the inverse of order.
func rank(position, preferred int) int {
	switch {
	case position == preferred:
		return 0
	case position < preferred:
		return position + 1
	}
	return position
}
