package graph

// kind is what an operation of a thread does.
type kind uint8

const (
	opRead   kind = iota
	opWrite       // also a store-exclusive that succeeds: its pair is the load-exclusive
	opUpdate      // the read of an atomic; its pair is the write, if there is one
	opHalf        // the write of an atomic: no operation of its own
	opFence
	opSync   // a context synchronization
	opPoint  // nothing
	opTake   // an interrupt is taken: an update of the line
	opFailed // a store-exclusive that has failed
	opClear  // another's write has cleared the exclusive monitor: a read of it
	opEnd    // the thread has ended: never in a graph
)

const (
	none    = int16(-1) // no event; as what is read, the initial value
	unknown = int16(-2) // what is read is not known yet
)

// node flags.
const (
	pending  uint8 = 1 << iota // a read that has not read yet
	unplaced                   // a write without a place in coherence order, an atomic that does not know its operands
	waiting                    // a read that waits for a value
	expired                    // its deadline has passed
	timed                      // it has a deadline
	succeeds                   // a compare-and-swap that has not been done and will write
	fails                      // ... or will not
)

// node is an event.
type node struct {
	class  Class
	half   Class // of the write of an atomic, when it comes
	kind   kind
	flags  uint8
	thread int8
	count  uint8 // of its parts
	op     int16 // its place in the thread
	pair   int16 // the other half of an atomic
	where  position
	first  int16 // of its parts
	load   int16 // number among the loads of its thread
	fence  Fence

	operands uint64 // of an atomic
	expected uint64 // of a compare-and-swap
	value    uint64 // read or written
	result   uint64 // what the program gets

	address, data, control, earlier Sources // earlier: of addresses before it
	compare                         Sources // of what is expected
	before                          Sources // loads of its thread that the model orders before it, whatever they read

	update  Function
	joint   Joint
	until   func(uint64) bool
	monitor int16 // the load-exclusive whose monitor is open when an event is waited for, none if there is none
}

// part is the access of a node to one location.
type part struct {
	node, location int16
	from           int16 // of a read: the part that it reads
	prev, next     int16 // of a write: its neighbours in coherence order
	rank           int16 // of a write that has a place: from 1
	shift          uint8
	value          uint64
}

// thread is what a graph holds of one thread.
type thread struct {
	ops      []int16 // its events in program order, halves left out
	loads    []int16 // its loads
	next     request
	status   status
	takes    int16 // interrupts taken
	passed   int16 // before the operation of this number no interrupt is taken
	pending  int16 // events that have to read and have not
	blocked  bool  // it stands at a wait or a taking that has not read
	later    bool  // a deadline has passed while it stood: an interrupt may be taken after all
	again    bool  // values have become known behind which it has gone on
	resolved bool  // the store-exclusive at which it stands does not fail
}

type status uint8

const (
	stale status = iota // what comes next is not known
	held                // it is not asked before all others are stuck
	ready
)

// graph is an execution, or part of one.
// Invariant: ob holds the edges of the model between all events that have read and been placed.
type graph struct {
	nodes    []node
	parts    []part
	threads  []thread
	first    []int16 // by location: the coherence-first write
	last     []int16
	ob       order
	open     int // events that are unplaced or have not been completed
	failures int // store-exclusives that have failed
	expiries int // deadlines that have passed
}

func (g *graph) copyFrom(s *graph) {
	g.nodes = append(g.nodes[:0], s.nodes...)
	g.parts = append(g.parts[:0], s.parts...)
	g.first = append(g.first[:0], s.first...)
	g.last = append(g.last[:0], s.last...)
	g.ob.copyFrom(&s.ob)
	g.open, g.failures, g.expiries = s.open, s.failures, s.expiries
	for i := range g.threads {
		to, from := &g.threads[i], &s.threads[i]
		ops, loads := append(to.ops[:0], from.ops...), append(to.loads[:0], from.loads...)
		*to = *from
		to.ops, to.loads = ops, loads
	}
}

// reset makes the graph empty.
func (g *graph) reset(threads int) {
	g.nodes, g.parts, g.first, g.last = g.nodes[:0], g.parts[:0], g.first[:0], g.last[:0]
	g.ob.count, g.ob.rows, g.ob.width = 0, g.ob.rows[:0], 1
	g.open, g.failures, g.expiries = 0, 0, 0
	g.threads = make([]thread, threads)
	for i := range g.threads {
		g.threads[i].passed = none
	}
}

// locate makes room for locations.
func (g *graph) locate(count int) {
	for len(g.first) < count {
		g.first, g.last = append(g.first, none), append(g.last, none)
	}
}

// add appends an event without its edges.
func (g *graph) add(n node) int16 {
	id := int16(len(g.nodes))
	g.nodes = append(g.nodes, n)
	g.ob.grow()
	return id
}

// link puts an event before another. It answers false if that is a cycle.
func (g *graph) link(from, to int16) bool {
	a, b := g.operation(from), g.operation(to)
	return a == b && from != to || g.ob.add(a, b)
}

// operation is what stands in the order for an event: of an atomic that is one operation, its read.
func (g *graph) operation(id int16) int16 {
	if n := &g.nodes[id]; n.kind == opHalf && n.class&Single != 0 {
		return n.pair
	}
	return id
}

// addParts gives an event its locations.
func (g *graph) addParts(id int16, locations []int16, shifts []uint8) {
	n := &g.nodes[id]
	n.first, n.count = int16(len(g.parts)), uint8(len(locations))
	for i, l := range locations {
		g.parts = append(g.parts, part{
			node: id, location: l, from: unknown, prev: none, next: none, shift: shifts[i],
		})
	}
}

// rankOf is the place of what a part has written or read in coherence order, 0 for the initial value; negative if it
// is not known.
func (g *graph) rankOf(p *part) int16 {
	if g.nodes[p.node].class&writes != 0 {
		if p.rank == 0 {
			return none
		}
		return p.rank
	}
	switch p.from {
	case unknown:
		return none
	case none:
		return 0
	}
	return g.parts[p.from].rank
}

// locals visits the other parts of a thread that access a location, with whether they come before an operation in
// program order. The two halves of an atomic are one operation.
func (g *graph) locals(t int8, location int16, visit func(p *part, op int16) bool) bool {
	for _, id := range g.threads[t].ops {
		for k := id; k >= 0; k = g.half(k) {
			n := &g.nodes[k]
			for i := range int16(n.count) {
				if p := &g.parts[n.first+i]; p.location == location && !visit(p, n.op) {
					return false
				}
			}
		}
	}
	return true
}

// half is the write of an atomic, after its read.
func (g *graph) half(id int16) int16 {
	if n := &g.nodes[id]; n.kind == opUpdate || n.kind == opTake {
		return n.pair
	}
	return none
}

// coherent reports whether a part may stand at a place: a write directly behind rank, a read at it. What its thread did
// to the location before is not later, and what it does behind it is not earlier; of objects the model says that.
func (g *graph) coherent(at int16, rank int16) bool {
	p := &g.parts[at]
	n := &g.nodes[p.node]
	isWrite := n.class&writes != 0
	return n.object() || g.locals(n.thread, p.location, func(q *part, op int16) bool {
		r := g.rankOf(q)
		if r < 0 || q.node == p.node || q.node == n.pair && op == n.op {
			return true
		}
		later := op > n.op
		switch {
		case !later:
			return r <= rank
		case isWrite || g.nodes[q.node].class&writes != 0:
			return r > rank
		}
		return r >= rank
	})
}

// read lets a read part read a write, none for the initial value. It answers false if that is not consistent.
func (g *graph) read(at, from int16, edges []Edge) bool {
	p := &g.parts[at]
	rank, next := int16(0), g.first[p.location]
	if from >= 0 {
		rank, next = g.parts[from].rank, g.parts[from].next
	}
	if !g.coherent(at, rank) {
		return false
	}
	if !g.adjacent(at, from) {
		return false
	}
	p.from = from
	if from >= 0 {
		p.value = g.parts[from].value
		w := &g.nodes[g.parts[from].node]
		n := &g.nodes[p.node]
		if w.thread != n.thread || n.object() {
			if !g.link(g.parts[from].node, p.node) {
				return false
			}
		} else if !g.forward(p.node, g.parts[from].node, edges) {
			return false
		}
	}
	return next < 0 || g.parts[next].node == g.nodes[p.node].pair || g.link(p.node, g.parts[next].node)
}

// adjacent reports whether an atomic's read may read a write: its own write has no place yet, or no other thread's is
// between.
func (g *graph) adjacent(at, from int16) bool {
	p := &g.parts[at]
	n := &g.nodes[p.node]
	if n.pair < 0 {
		return true
	}
	half := g.partAt(n.pair, p.location)
	return half == nil || half.rank == 0 || g.whole(n, half.prev, from)
}

// whole reports whether no other thread's write stands between what an atomic has read and the one before its own: of
// an object, no write at all.
func (g *graph) whole(n *node, last, from int16) bool {
	for q := last; q != from; q = g.parts[q].prev {
		if q < 0 || n.object() || g.nodes[g.parts[q].node].thread != n.thread {
			return false
		}
	}
	return true
}

// insert gives a write part the place behind another, none for the first. It answers false if that is not consistent.
func (g *graph) insert(at, behind int16) bool {
	p := &g.parts[at]
	next := g.first[p.location]
	rank := int16(0)
	if behind >= 0 {
		next, rank = g.parts[behind].next, g.parts[behind].rank
	}
	if !g.coherent(at, rank) || !g.atomic(at, behind, next) {
		return false
	}
	p.prev, p.next, p.rank = behind, next, rank+1
	if behind >= 0 {
		g.parts[behind].next = at
		if !g.link(g.parts[behind].node, p.node) {
			return false
		}
	} else {
		g.first[p.location] = at
	}
	if next >= 0 {
		g.parts[next].prev = at
		if !g.link(p.node, g.parts[next].node) {
			return false
		}
	} else {
		g.last[p.location] = at
	}
	for q := next; q >= 0; q = g.parts[q].next {
		g.parts[q].rank++
	}
	return g.readers(p.location, behind, func(r int16) bool { return r == p.node || g.link(r, p.node) })
}

// readers visits the events that read a write.
func (g *graph) readers(location, from int16, visit func(id int16) bool) bool {
	for i := range g.parts {
		if q := &g.parts[i]; q.location == location && q.from == from && g.nodes[q.node].class&writes == 0 {
			if !visit(q.node) {
				return false
			}
		}
	}
	return true
}

// atomic reports whether a write that comes between two others leaves atomics whole, itself if it is one: between what
// it reads and what it writes, no other thread writes.
func (g *graph) atomic(at, behind, next int16) bool {
	p := &g.parts[at]
	n := &g.nodes[p.node]
	from := unknown
	if n.pair >= 0 {
		from = g.partAt(n.pair, p.location).from
	}
	if from != unknown && !g.whole(n, behind, from) {
		return false
	}
	rank := int16(0)
	if behind >= 0 {
		rank = g.parts[behind].rank
	}
	for q := next; q >= 0; q = g.parts[q].next {
		w := &g.nodes[g.parts[q].node]
		if w.pair < 0 || w.thread == n.thread && !n.object() {
			continue
		}
		if r := g.rankOf(g.partAt(w.pair, p.location)); r >= 0 && r <= rank {
			return false
		}
	}
	return true
}

// partAt is the access of an event to a location, nil if there is none: an access to several objects changes some.
func (g *graph) partAt(id, location int16) *part {
	n := &g.nodes[id]
	for i := range int16(n.count) {
		if p := &g.parts[n.first+i]; p.location == location {
			return p
		}
	}
	return nil
}

// compose is the value of all parts of an event; of an access to several objects it is that of the first.
func (g *graph) compose(id int16) (v uint64) {
	n := &g.nodes[id]
	for i := range n.width() {
		p := &g.parts[n.first+i]
		v |= p.value << p.shift
	}
	return v
}

// width is the number of parts that make the value of an event.
func (n *node) width() int16 {
	if n.joint != nil {
		return 1
	}
	return int16(n.count)
}

// ready reports whether the operands of an event are known.
func (g *graph) ready(n *node) bool { return g.known(n.thread, n.data.Or(n.compare)) }

// known reports whether all loads of a set have read.
func (g *graph) known(t int8, s Sources) bool {
	for !s.Empty() {
		if g.nodes[g.threads[t].loads[s.pop()]].flags&pending != 0 {
			return false
		}
	}
	return true
}
