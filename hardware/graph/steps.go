package graph

// A Step is an operation of an execution, or half of an atomic, as a reader meets it.
type Step struct {
	Thread, Op int // the number of the operation in its thread
	Kind       StepKind
	At         uint64 // the location
	Size       uint8  // in bytes, 0 if there is no location
	Read       uint64
	Written    uint64
	From       int  // the step that has written what this one reads; Initial or NothingRead
	Private    bool // memory that no other thread accesses, or an operation that does nothing to others
	Late       bool // one that the program does later has come before
	Forever    bool // a wait that nothing ends
	Expired    bool // a wait whose deadline has passed
}

// StepKind is what a step does.
type StepKind uint8

// The kinds.
const (
	StepRead   StepKind = iota
	StepWrite           // also a store-exclusive
	StepAtomic          // also an access to a register
	StepBegin           // the read of an atomic between which and the write other threads come
	StepEnd             // that write
	StepFence
	StepSynchronize // a context synchronization
	StepPoint       // nothing
	StepTake        // of an interrupt
	StepFailed      // a store-exclusive
)

// Steps that are not there.
const (
	Initial     = -1 // what is read is the initial value
	NothingRead = -2
)

// A Watcher follows a program that is performed for a reader.
type Watcher interface {
	Begin()              // of the performance: what the program has done before does not count
	Done(thread, op int) // it has done an operation, and what comes before its next; op is -1 before the first
}

// Show repeats an execution, which the watcher follows in program order, and answers its steps in an order that agrees
// with ordered-before: threads go on as long as they can, and in program order where they can. found is false if the
// path leads nowhere: it is another program's.
func Show(p *Program, m *Model, o Options, path Path, w Watcher) (steps []Step, v Verdict, found bool, err error) {
	x := newSearch(p, m, o.WithDefaults())
	x.lead, x.places.cuts = path.Choices, path.Cuts
	x.show = &show{watcher: w}
	err = x.try(x.begin)
	return x.show.steps, x.show.verdict, x.show.found && err == nil, err
}

// show is a search for one execution.
type show struct {
	watcher Watcher
	steps   []Step
	verdict Verdict
	found   bool
}

// begin tells the watcher that all begins.
func (s *show) begin() {
	if s != nil && s.watcher != nil {
		s.watcher.Begin()
	}
}

// done tells the watcher of an operation.
func (s *show) done(thread, op int) {
	if s != nil && s.watcher != nil {
		s.watcher.Done(thread, op)
	}
}

// mattering counts the operations that a reader has to look at.
func (g *graph) mattering() (n int) {
	shared := g.shared()
	for id := range int16(len(g.nodes)) {
		if g.nodes[id].op >= 0 && g.nodes[id].kind != opHalf && g.matters(id, shared) {
			n++
		}
	}
	return n
}

// turns counts how often the thread changes between those that matter.
func (g *graph) turns() (n int) {
	shared := g.shared()
	last := int8(-1)
	for _, id := range g.listing() {
		if t := g.nodes[id].thread; g.matters(id, shared) && t != last {
			last = t
			n++
		}
	}
	return n
}

// shared tells the locations that more than one thread accesses.
func (g *graph) shared() []bool {
	shared, owner := make([]bool, len(g.first)), make([]int8, len(g.first))
	for i := range g.parts {
		p := &g.parts[i]
		if p.location < 0 { // of an event that was taken back
			continue
		}
		t := g.nodes[p.node].thread + 1
		shared[p.location] = shared[p.location] || owner[p.location] != 0 && owner[p.location] != t
		owner[p.location] = t
	}
	return shared
}

// matters reports whether an event is of interest between threads.
func (g *graph) matters(id int16, shared []bool) bool {
	n := &g.nodes[id]
	switch {
	case n.kind == opSync || n.kind == opPoint:
		return false
	case n.count == 0 || n.class&(System|Device|Taken) != 0 || n.flags&pending != 0:
		return true
	}
	for i := range int16(n.count) {
		if shared[g.parts[n.first+i].location] {
			return true
		}
	}
	return false
}

// steps are the execution in the order of its listing.
func (x *search) steps(g *graph) (steps []Step) {
	shared := g.shared()
	number := make([]int, len(g.nodes)) // of the step in which an event is
	last := make([]int16, len(g.threads))
	for i := range last {
		last[i] = -1
	}
	list := g.listing()
	for i, id := range list {
		number[id] = i
		if w := g.half(id); w >= 0 {
			number[w] = i
		}
	}
	for i, id := range list {
		n := &g.nodes[id]
		s := Step{
			Thread: int(n.thread), Op: int(n.op), Kind: n.step(), From: NothingRead, Private: !g.matters(id, shared),
			Late: n.op < last[n.thread], Forever: n.flags&pending != 0, Expired: n.flags&expired != 0,
		}
		last[n.thread] = max(last[n.thread], n.op)
		if w := g.half(id); w >= 0 && number[w] != i {
			s.Kind = StepBegin
		}
		x.describe(g, id, &s, number)
		steps = append(steps, s)
	}
	return steps
}

func (n *node) step() StepKind {
	return [...]StepKind{
		opRead: StepRead, opWrite: StepWrite, opUpdate: StepAtomic, opHalf: StepEnd, opFence: StepFence,
		opSync: StepSynchronize, opPoint: StepPoint, opTake: StepTake, opFailed: StepFailed, opClear: StepRead,
	}[n.kind]
}

// describe says what a step accesses.
func (x *search) describe(g *graph, id int16, s *Step, number []int) {
	n := &g.nodes[id]
	for i := range int16(n.count) {
		p := &g.parts[n.first+i]
		if i == 0 {
			s.At = x.places.start(p.location)
		}
		s.Size += x.places.list[p.location].size
		if n.class&writes == 0 && n.class&(Read|Sampled|Taken) != 0 && n.flags&pending == 0 {
			from := Initial
			if p.from >= 0 {
				from = number[g.parts[p.from].node]
			}
			s.From = max(s.From, from)
		}
	}
	if n.class&writes != 0 {
		s.Written = n.value
		return
	}
	s.Read = n.value
	if w := g.half(id); w >= 0 {
		s.Written = g.nodes[w].value
	}
}

// listing is an order of the operations that agrees with ordered-before: of an atomic its read stands for both halves,
// unless others come between. Fences stand between what they order. Waits for ever are last.
func (g *graph) listing() []int16 {
	l := lister{g: g, listed: make([]uint64, g.ob.width), next: make([]int, len(g.threads))}
	for id := range int16(len(g.nodes)) {
		if n := &g.nodes[id]; n.op < 0 || n.flags&pending != 0 { // taken back, or not yet over
			l.mark(id)
		}
	}
	for l.pick() {
	}
	for t := range g.threads {
		if id, ok := g.waiter(t); ok {
			l.list = append(l.list, id)
		}
	}
	return l.list
}

// lister makes a listing.
type lister struct {
	g      *graph
	listed []uint64 // a bit for each event
	next   []int    // by thread: all operations before are listed
	halves []int16  // writes of atomics whose reads are listed alone
	list   []int16
	thread int // that of the last one
}

func (l *lister) has(id int16) bool { return l.listed[id>>6]>>(uint16(id)&63)&1 != 0 }

func (l *lister) mark(id int16) { l.listed[id>>6] |= 1 << (uint16(id) & 63) }

func (l *lister) put(id int16) {
	l.list = append(l.list, id)
	l.mark(id)
	l.thread = int(l.g.nodes[id].thread)
}

// due reports whether all that is before an event is listed, but for one other event.
func (l *lister) due(id, but int16) bool {
	for k, row := range l.g.ob.row(id) {
		rest := row &^ l.listed[k]
		if but >= 0 && int(but>>6) == k {
			rest &^= 1 << (uint16(but) & 63)
		}
		if rest != 0 {
			return false
		}
	}
	return true
}

// whole reports whether an operation can be listed, with both halves of an atomic.
func (l *lister) whole(id int16) bool {
	w := l.g.half(id)
	return l.due(id, none) && (w < 0 || l.due(w, id))
}

// putWhole lists an operation.
func (l *lister) putWhole(id int16) {
	if w := l.g.half(id); w >= 0 {
		l.mark(w)
	}
	l.put(id)
}

// pick lists one more operation: in program order if that can be, of the same thread if it can be.
func (l *lister) pick() bool {
	for i, w := range l.halves {
		if l.due(w, none) {
			l.halves = append(l.halves[:i], l.halves[i+1:]...)
			l.put(w)
			return true
		}
	}
	ended := len(l.halves) == 0
	for i := range len(l.next) {
		t := (l.thread + i) % len(l.next)
		id, ok := l.first(t)
		if ok && l.whole(id) {
			l.putWhole(id)
			return true
		}
		ended = ended && !ok
	}
	if ended {
		return false
	}
	// A model that lacks edges lets accesses pass a fence that would order them.
	if !l.pass(true) && !l.split() && !l.pass(false) {
		panic("BUG: the events of an execution are in no order")
	}
	return true
}

// pass lists an operation before earlier ones of its thread.
func (l *lister) pass(fenced bool) bool {
	for i := range len(l.next) {
		if id := l.passing((l.thread+i)%len(l.next), fenced); id >= 0 {
			l.putWhole(id)
			return true
		}
	}
	return false
}

// first is a thread's first operation that is not listed.
func (l *lister) first(t int) (int16, bool) {
	ops := l.g.threads[t].ops
	for ; l.next[t] < finished(l.g, t); l.next[t]++ {
		if id := ops[l.next[t]]; !l.has(id) {
			return id, true
		}
	}
	return none, false
}

// passing is a later operation of a thread that can be listed before earlier ones, none if there is none. Fenced, it
// passes those fences only that do not order it.
func (l *lister) passing(t int, fenced bool) int16 {
	var passed, held Access
	completes := false
	for _, id := range l.g.threads[t].ops[l.next[t]:finished(l.g, t)] {
		n := &l.g.nodes[id]
		a := accessOf(n.class) | accessOf(n.half)
		switch {
		case l.has(id) || n.kind == opSync || n.kind == opPoint || n.kind == opFailed:
		case n.kind == opFence:
			if n.fence.Before&passed == 0 {
				return id
			}
			if fenced {
				held |= n.fence.After
				completes = completes || n.fence.Completes
			}
		case !completes && held&a == 0 && l.whole(id):
			return id
		default:
			passed |= a
		}
	}
	return none
}

// split lists the read of an atomic alone.
func (l *lister) split() bool {
	for t := range l.next {
		for _, id := range l.g.threads[t].ops[l.next[t]:] {
			if w := l.g.half(id); w >= 0 && !l.has(id) && l.due(id, none) {
				l.put(id)
				l.halves = append(l.halves, w)
				return true
			}
		}
	}
	return false
}
