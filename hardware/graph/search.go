package graph

// search is an exploration under way. See the package comment for the algorithm.
type search struct {
	program *Program
	model   *Model
	options Options
	places  *places
	known   []writers // by location
	claims  claims    // made here
	claimed claims    // made by others
	runners []runner
	current *graph
	pool    []*graph
	report  Report

	path     []uint16   // the choices on the way to the graph at hand
	lead     []uint16   // those with which it begins
	depth    int        // graphs on the way to the one at hand
	divide   int        // the depth at which the tree is divided into subtrees, 0 for nowhere
	divided  bool       // it is so deep
	parts    [][]uint16 // the paths to the subtrees
	sampled  *sampler   // takes one child only
	show     *show      // of one execution
	maxSteps int        // most graphs on the way, 0 for no limit
	stopped  bool
	restart  bool
	cut      bool // because a location has been cut
	replays  int
	total    int
	hopes    []Sources // scratch
	states   []uint64  // scratch: what a joint access makes of its objects
	learned  int       // the step at which something was learned that the exploration should have known

	found  []int16 // scratch
	shifts []uint8
}

func (x *search) get(g *graph) *graph {
	var h *graph
	if n := len(x.pool); n > 0 {
		h, x.pool = x.pool[n-1], x.pool[:n-1]
	} else {
		h = &graph{threads: make([]thread, len(x.program.Threads))}
	}
	h.copyFrom(g)
	return h
}

func (x *search) put(g *graph) { x.pool = append(x.pool, g) }

// take notes a choice. It answers false if the way that is to be gone makes another.
func (x *search) take(choice int) bool {
	if x.leading() && int(x.lead[len(x.path)]) != choice {
		return false
	}
	x.path = append(x.path, uint16(choice))
	return true
}

// back takes it back.
func (x *search) back() { x.path = x.path[:len(x.path)-1] }

// leading reports whether the next choice is given.
func (x *search) leading() bool { return len(x.path) < len(x.lead) }

// child visits a graph that the one at hand has become.
func (x *search) child(g *graph) {
	switch {
	case x.halted():
	case x.sampled != nil && !x.leading():
		x.offer(g)
	default:
		x.depth++
		x.visit(g)
		x.depth--
	}
}

func (x *search) halted() bool { return x.stopped || x.restart }

// visit explores all that a graph can become.
func (x *search) visit(g *graph) {
	x.report.Steps++
	if x.report.Steps&0x3ff == 0 {
		x.pause()
	}
	if x.report.Steps == x.maxSteps {
		x.stop(stepLimit)
	}
	if x.learned > 0 && x.report.Steps >= 2*x.learned+100 {
		x.restart = true
	}
	if x.divide != 0 && x.depth >= x.divide {
		x.divided = true
		x.part()
		return
	}
	if x.halted() {
		return
	}
	if x.advance(g) {
		return
	}
	if !x.leading() && x.show == nil && !x.alive(g) {
		x.report.Dead++
		return
	}
	if t := x.choose(g); t >= 0 {
		x.step(g, t)
		return
	}
	if g.open > 0 && x.early(g) {
		return
	}
	if t := x.chooseBehind(g); t >= 0 {
		x.step(g, t)
		return
	}
	for t := range g.threads {
		if t := &g.threads[t]; t.pending > 0 {
			x.report.Dead++
			return
		}
	}
	x.quiet(g)
}

// advance runs the threads that have been given something, and does what has become possible for events that were
// passed over. It answers true if that was a choice, which has been explored.
func (x *search) advance(g *graph) bool {
	for again := true; again; {
		for t := range g.threads {
			if th := &g.threads[t]; th.status == stale && (!th.blocked || th.again) {
				x.run(g, t)
			}
		}
		if g.open == 0 {
			return false
		}
		var explored bool
		if explored, again = x.close(g); explored {
			return true
		}
	}
	return false
}

// stop ends the search because of a limit.
func (x *search) stop(l Limit) {
	x.report.Limits |= l
	x.stopped = true
}

// choose picks the thread that goes on, negative if there is none: first those in an operation, then those at a wait.
func (x *search) choose(g *graph) int {
	wait := -1
	for i := range g.threads {
		t := &g.threads[i]
		if t.later {
			return i
		}
		if t.pending > 0 || t.blocked || t.status != ready {
			continue
		}
		switch {
		case x.undecided(t), t.next.kind != opEnd && t.next.flags&waiting == 0:
			return i
		case t.next.kind != opEnd && wait < 0:
			wait = i
		}
	}
	return wait
}

// chooseBehind picks a thread that can go on behind a load that has not read, negative if there is none.
func (x *search) chooseBehind(g *graph) int {
	for i := range g.threads {
		t := &g.threads[i]
		if t.pending == 0 || t.blocked {
			continue
		}
		if t.status != ready {
			x.run(g, i)
		}
		needs := t.next.before[0].Or(t.next.before[1]).Or(g.completed(i, x.model.Edges))
		if !x.undecided(t) {
			if t.next.kind == opEnd {
				continue
			}
			needs = needs.Or(t.next.control).Or(t.next.earlier)
			if !x.failsEarly(g, t) {
				needs = needs.Or(t.next.address)
			}
			if t.next.flags&waiting != 0 {
				needs = needs.Or(t.next.data)
			}
			if t.next.flags&monitored != 0 && t.next.pair >= 0 {
				needs = needs.Or(source(g.nodes[t.ops[t.next.pair]].load))
			}
		}
		if g.known(int8(i), needs) {
			return i
		}
	}
	return -1
}

// failsEarly reports whether a thread stands at a store-exclusive that may fail whatever its address is.
func (x *search) failsEarly(g *graph, t *thread) bool {
	return t.next.flags&exclusive != 0 && t.next.kind == opWrite && !t.resolved && g.failures < x.options.Failures
}

// undecided reports whether an interrupt may be taken where a thread stands.
func (x *search) undecided(t *thread) bool {
	return t.later || t.next.unmasked && t.passed < int16(len(t.ops))
}

// step explores the next operation of a thread.
func (x *search) step(g *graph, t int) {
	th := &g.threads[t]
	if x.undecided(th) {
		x.boundary(g, t)
		return
	}
	if len(g.nodes)+2 > x.options.Events || len(th.loads) == MaxLoads {
		x.giveUp()
		return
	}
	r := &th.next
	switch r.kind {
	case opRead, opUpdate:
		if r.flags&monitored != 0 && r.pair >= 0 {
			if x.take(0) {
				x.clear(g, t)
				x.back()
			}
			if !x.take(1) {
				return
			}
			defer x.back()
		}
		h := x.get(g)
		if id, ok := x.add(h, t, r); ok {
			x.choosePart(h, id, 0)
		}
		x.put(h)
	case opWrite:
		x.store(g, t)
	default:
		h := x.get(g)
		if _, ok := x.add(h, t, r); ok {
			x.child(h)
		}
		x.put(h)
	}
}

// clear explores that another thread's write clears the monitor before a wait for an event ends.
func (x *search) clear(g *graph, t int) {
	r := g.threads[t].next
	h := x.get(g)
	m := &h.nodes[h.threads[t].ops[r.pair]]
	first := &h.parts[m.first]
	clear := request{
		kind: opClear, flags: waiting, class: Sampled | Taken | m.class&Device, at: x.places.start(first.location),
		control: r.control, earlier: r.earlier, pair: r.pair, where: position{frame: clearing + 1},
	}
	for i := range int16(m.count) {
		clear.size += x.places.list[h.parts[m.first+i].location].size
	}
	if id, ok := x.add(h, t, &clear); ok {
		x.choosePart(h, id, 0)
	}
	x.put(h)
}

// add appends an operation to a thread. It answers false if the locations had to be cut, or the model forbids it.
func (x *search) add(g *graph, t int, r *request) (int16, bool) {
	th := &g.threads[t]
	reads := r.kind == opRead || r.kind == opUpdate || r.kind == opTake
	if len(g.nodes)+2 > x.options.Events || reads && len(th.loads) == MaxLoads {
		x.giveUp()
		return none, false
	}
	n := node{
		class: r.class, kind: r.kind, flags: r.flags &^ (exclusive | monitored), thread: int8(t), op: int16(len(th.ops)),
		pair: none, load: none,
		fence: r.fence, value: r.value, result: r.value, half: r.half, address: r.address, data: r.data,
		control: r.control, earlier: r.earlier, operands: r.operands, where: r.where, update: r.update, joint: r.joint,
		compare: r.compare, expected: r.expected,
		until: r.until, monitor: none,
	}
	if (r.flags&monitored != 0 || r.kind == opClear) && r.pair >= 0 {
		n.monitor = th.ops[r.pair]
	}
	if r.kind == opWrite && r.flags&exclusive != 0 && r.pair >= 0 {
		n.pair = th.ops[r.pair]
	}
	if n.half&Derived != 0 { // the write depends on the read
		n.data = n.data.Or(source(int16(len(th.loads))))
	}
	id := g.add(n)
	th.ops = append(th.ops, id)
	th.status, th.resolved = stale, false
	if r.size != 0 && !x.locate(g, id, r) {
		return id, false
	}
	switch r.kind {
	case opRead, opUpdate, opTake, opClear:
		if r.kind == opTake {
			th.takes++
			g.nodes[id].where.frame = -th.takes
		}
		g.nodes[id].load = int16(len(th.loads))
		g.nodes[id].flags |= pending
		th.loads = append(th.loads, id)
		if r.flags&waiting == 0 {
			th.pending++
		}
	case opWrite:
		g.nodes[id].flags |= unplaced
		g.nodes[id].result = 0
		if n.pair >= 0 {
			g.nodes[n.pair].pair = id
		}
		g.open++
		x.spread(g, id)
	}
	if !g.local(id, x.model.Edges) {
		return id, false
	}
	if r.kind == opWrite {
		x.learn(g, id)
	}
	return id, r.kind != opUpdate || r.half&(Derived|Conditional) != 0 || x.addHalf(g, id)
}

// locate gives an event its locations.
func (x *search) locate(g *graph, id int16, r *request) bool {
	found, shifts, ok := x.places.find(r.at, r.size, x.program.Initial, x.found[:0], x.shifts[:0])
	for i := 1; ok && i < len(r.objects); i++ {
		found, shifts, ok = x.places.find(r.objects[i], 8, x.program.Initial, found, shifts)
	}
	if !ok {
		x.cut, x.restart = true, true
		return false
	}
	x.found, x.shifts = found, shifts
	for len(x.known) < len(x.places.list) {
		x.known = append(x.known, writers{})
	}
	g.locate(len(x.places.list))
	g.addParts(id, found, shifts)
	return true
}

// close completes atomics and places writes that wait only for what is known now. It answers whether that was a choice,
// which has been explored, or, if not, whether a program has been given something.
func (x *search) close(g *graph) (explored, given bool) {
	for id := int16(0); int(id) < len(g.nodes); id++ {
		n := &g.nodes[id]
		if n.flags&unplaced == 0 || !g.ready(n) {
			continue
		}
		if n.kind == opUpdate {
			n.flags &^= unplaced
			g.open--
			return !x.complete(g, id), true
		}
		if n.pair < 0 || g.nodes[n.pair].flags&(pending|unplaced) == 0 {
			x.place(g, id)
			return true, false
		}
	}
	return false, false
}

// early places the write of an atomic whose read is open, when nothing else can be done: the own thread may forward it.
func (x *search) early(g *graph) bool {
	for id := range int16(len(g.nodes)) {
		n := &g.nodes[id]
		if n.flags&unplaced != 0 && n.pair >= 0 && n.class&writes != 0 && g.known(n.thread, n.data) {
			x.place(g, id)
			return true
		}
	}
	return false
}
