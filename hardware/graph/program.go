package graph

// A Program is what an exploration executes. Everything that its functions use must come from the graph, or be set by
// the thread itself from its beginning: a thread is run again whenever what it has read changes.
type Program struct {
	Threads []Thread
	// Initial is the value of memory, or of an object, before the execution.
	Initial func(at uint64, size uint8) uint64
	// Ordered says that threads share what is not in the graph, but only as far as an execution orders what uses it: they
	// are run again, in an order of the execution, before End.
	Ordered bool
	// Restart is called before they are.
	Restart func()
	// Resumed is called when a thread goes on, in whatever order the exploration takes them.
	Resumed func(thread int)
	// Changed is told where a thread does something else than before, while it stands there.
	Changed func(e *ChangedError)
	// Begin is called when the exploration begins, and each time it begins again: what End has seen before does not
	// count.
	Begin func()
	// End examines an execution all of whose threads have come as far as they can.
	End func(e *Execution) Verdict
}

// A Thread is sequential code.
type Thread struct {
	Run   func(h *Handle)
	Lines []Line // by which it is interrupted
}

// A Line is an object that holds what is pending. A thread that does not mask it may be interrupted before each
// operation and at its end, by any value that is raised: not 0, if Raised is nil. Taking the interrupt writes 0, unless
// the line has a level, which the handler lowers. A silent line is no interrupt but what hardware does by itself, some
// time after the value is raised, whatever the thread masks.
type Line struct {
	Object  uint64
	Raised  func(v uint64) bool
	Level   bool
	Silent  bool
	Handler func(h *Handle)
}

func (l *Line) raised(v uint64) bool {
	if l.Raised == nil {
		return v != 0
	}
	return l.Raised(v)
}

// A Function is what an atomic, or an access to a device, does to the value that it finds. Without write nothing is
// written.
type Function func(old uint64) (now, result uint64, write bool)

// A Joint is what an access does that reads several objects at once: it changes their states in place. Those that it
// leaves as they are it has only read.
type Joint func(states []uint64) (result uint64)

// A Value is a number and the loads from which it comes.
type Value struct {
	Bits uint64
	From Sources
}

// Constant is a value that comes from no load.
func Constant(v uint64) Value { return Value{Bits: v} }

// With is another number made of the same loads and others.
func (v Value) With(bits uint64, others ...Value) Value {
	for _, o := range others {
		v.From = v.From.Or(o.From)
	}
	v.Bits = bits
	return v
}

// request is an operation that a thread wants to do.
type request struct {
	kind     kind
	where    position
	class    Class
	half     Class // of the write of an atomic
	flags    uint8
	size     uint8
	unmasked bool // something may come before it: an interrupt, or what only silent lines do
	masked   bool // no interrupt
	at       uint64
	value    uint64
	operands uint64 // of an atomic, all in one number
	expected uint64 // of a compare-and-swap
	pair     int16  // of a store-exclusive: the load
	fence    Fence

	address, data, control, earlier Sources
	compare                         Sources    // of what a compare-and-swap expects
	before                          [2]Sources // control and earlier as the operation before has left them

	update  Function
	joint   Joint
	objects []uint64 // of a joint access
	until   func(uint64) bool
	cleared func() // of a wait for an event: called when the monitor has been cleared
}

// Handle is a thread's access to its execution.
type Handle struct {
	x       *search
	thread  *Thread
	number  int8
	yield   func(struct{}) bool
	pos     int      // operations done
	where   position // of the next operation
	takes   int16    // interrupts taken
	loads   int16
	masked  bool
	silent  bool // what runs is no program
	given   bool // up: the run ends where it stands
	ordered bool // it is run in an order of the execution, which has been explored
	limit   int  // operations that it may do then
	control Sources
	earlier Sources
	before  [2]Sources // control and earlier when the last operation was done
	looked  Sources    // loads that the program may look at for the present operation, besides those in control

	name     uint64  // of what it has done: see claims
	decided  Sources // the loads of which decision is the name of the values
	decision uint64
	monitor  int16 // the operation of the load-exclusive that is open, none if there is none
	done     []step
}

// position is where an operation stands in the code of its thread: in the thread itself, 0, or in the handler of the
// interrupt that is the n-th taken; and its number there. Interrupts do not shift it.
type position struct{ frame, number int16 }

// step is what a thread has been given.
type step struct {
	kind   kind
	late   bool // its deadline had passed
	result uint64
}

// noLimit is more operations than there are.
const noLimit = int(^uint(0) >> 1)

// abandoned unwinds a thread that is not needed any more.
type abandoned struct{}

// Unwind marks a panic that ends a thread on purpose, for code that threads pass through.
func (abandoned) Unwind() {}

// Read loads a value. The class is Read, or System, with what the instruction adds.
func (h *Handle) Read(at Value, size uint8, class Class) Value {
	v, _ := h.load(request{kind: opRead, class: class, at: at.Bits, size: size, address: at.From})
	return v
}

// Write stores a value. The class is Write, or System.
func (h *Handle) Write(at Value, size uint8, class Class, v Value) {
	h.do(request{
		kind: opWrite, class: class | writes, at: at.Bits, size: size, address: at.From, value: v.Bits, data: v.From,
		pair: none,
	})
}

// Update reads and writes at once. Classes are those of the two halves; data is what the function uses besides.
func (h *Handle) Update(at Value, size uint8, read, write Class, f Function, data ...Value) Value {
	r := request{
		kind: opUpdate, class: read, half: write | writes, at: at.Bits, size: size, address: at.From, update: f,
	}
	for _, d := range data {
		r.data = r.data.Or(d.From)
		r.operands = r.operands*31 + d.Bits
	}
	v, _ := h.load(r)
	return v
}

// CompareAndSwap is an update that writes only if it finds what is expected, and then the new value.
func (h *Handle) CompareAndSwap(at Value, size uint8, read, write Class, expected, now Value) Value {
	v, _ := h.load(request{
		kind: opUpdate, class: read, half: write | Conditional | writes, at: at.Bits, size: size, address: at.From,
		data: now.From, operands: now.Bits, compare: expected.From, expected: expected.Bits,
		update: func(old uint64) (uint64, uint64, bool) { return now.Bits, old, old == expected.Bits },
	})
	return v
}

// Access reads several objects of 8 bytes and changes some of them, all at once, in a state of the first that is ready:
// any, if ready is nil. It does not wait for that where it stands, but comes when it is. To the model it is an access
// to the first. The class is that of both halves.
func (h *Handle) Access(objects []uint64, class Class, ready func(uint64) bool, f Joint, data ...Value) Value {
	r := request{
		kind: opUpdate, class: class, half: class | Derived | writes, at: objects[0], size: 8, objects: objects, joint: f,
		until: ready,
	}
	for _, d := range data {
		r.data = r.data.Or(d.From)
		r.operands = r.operands*31 + d.Bits
	}
	v, _ := h.load(r)
	return v
}

// WaitEvent is WFE: it waits until a thread's event register, an object, is not 0, and clears it. When another thread
// writes what an open monitor watches, the register is set, and cleared is called; that may be before or after the wait
// begins. A WFE comes after what has set the register, and before all that is behind it.
func (h *Handle) WaitEvent(at uint64, size uint8, cleared func()) {
	h.load(request{
		kind: opUpdate, class: Taken, half: System | Taken | Derived | writes, at: at, size: size, update: acknowledge,
		until: isSet, flags: waiting | monitored, pair: none, cleared: cleared,
	})
}

func isSet(v uint64) bool { return v != 0 }

// monitored marks the request of a wait that the clearing of the exclusive monitor may end.
const monitored = unplaced

// Monitor says that the last operation, a read, was a load-exclusive: it opens the monitor.
func (h *Handle) Monitor() { h.monitor = int16(h.pos - 1) }

// ClearMonitor closes it.
func (h *Handle) ClearMonitor() { h.monitor = none }

// WriteExclusive stores if the monitor is open and no other thread has written since, and may fail even so. One that
// succeeds has been done, as an atomic has.
func (h *Handle) WriteExclusive(at Value, size uint8, class Class, v Value) bool {
	r := h.do(request{
		kind: opWrite, class: class | Atomic | writes, at: at.Bits, size: size, address: at.From, value: v.Bits,
		data: v.From, flags: exclusive,
	})
	h.monitor = none
	return r == 0
}

// exclusive marks the request of a store-exclusive.
const exclusive = expired

// Refuse ends the exploration: the thread does what cannot be explored.
func (h *Handle) Refuse(err error) { panic(&refused{err}) }

// refused is an exploration that cannot go on.
type refused struct{ err error }

// Unwind is as for abandoned.
func (*refused) Unwind() {}

// Fence is a barrier.
func (h *Handle) Fence(f Fence) { h.do(request{kind: opFence, fence: f}) }

// Synchronize is a context synchronization: ISB, ERET.
func (h *Handle) Synchronize() { h.do(request{kind: opSync}) }

// Branch makes all that comes depend on a value.
func (h *Handle) Branch(v Value) uint64 {
	h.control = h.control.Or(v.From)
	return v.Bits
}

// Performing reports whether the threads are run in an order of the execution, which has been explored.
func (h *Handle) Performing() bool { return h.ordered }

// Settle stands until loads have read, so that what a program knows of them is what they read. With branch, all that
// comes depends on them.
func (h *Handle) Settle(s Sources, branch bool) {
	if branch {
		h.control = h.control.Or(s)
	} else {
		h.looked = h.looked.Or(s)
	}
	for !h.x.current.known(h.number, s) {
		t := &h.x.current.threads[h.number]
		t.next = request{
			kind: opPoint, control: h.control.Or(s), earlier: h.earlier, where: h.where, before: h.before,
			unmasked: h.interruptible(), masked: h.masked,
		}
		t.status = ready
		h.wait()
	}
}

// SetMasked keeps interrupts away, or no longer does.
func (h *Handle) SetMasked(masked bool) {
	if h.masked && !masked { // an interrupt comes behind the branches so far
		h.before = [2]Sources{h.control, h.earlier}
	}
	h.masked = masked
}

// End ends the thread here. It does not return.
func (h *Handle) End() {
	for {
		end := request{kind: opEnd, control: h.control, earlier: h.earlier, where: h.where}
		h.reach(&end)
		if !h.ordered { // it has done more before
			h.refresh(h.x.current.threads[h.number].ops[h.pos], &end)
		}
		h.wait()
	}
}

// Point is an operation that does nothing: an interrupt may be taken before it.
func (h *Handle) Point() { h.do(request{kind: opPoint}) }

// Path names what the thread has decided so far: two runs with the same name have come to the same place.
func (h *Handle) Path() uint64 { return h.follows() }

// Wait loads again and again until a value satisfies. With a deadline it may end without: false. What follows depends
// on the value, and on what the condition uses besides.
func (h *Handle) Wait(at Value, size uint8, class Class, until func(uint64) bool, deadline bool, uses ...Value) (
	Value, bool,
) {
	used := Value{}.With(0, uses...)
	r := request{
		data: used.From,
		kind: opRead, class: class, at: at.Bits, size: size, address: at.From, until: until, flags: waiting,
	}
	if deadline {
		r.flags |= timed
	}
	v, n := h.load(r)
	h.Branch(v.With(0, used))
	h.before[0] = h.control // an interrupt before the branch comes before the load of the next time
	return v, n.flags&expired == 0
}

// load does an operation that reads.
func (h *Handle) load(r request) (Value, *node) {
	v := h.do(r)
	v0 := Value{Bits: v, From: source(h.loads)}
	h.loads++
	return v0, &h.x.current.nodes[h.x.current.threads[h.number].ops[h.pos-1]]
}

// do does an operation: it answers what the graph holds of it, or waits until the graph holds it.
func (h *Handle) do(r request) uint64 {
	r.control, r.earlier, r.where = h.control, h.earlier, h.where
	h.reach(&r)
	h.where.number++
	g := h.x.current
	id := g.threads[h.number].ops[h.pos]
	h.refresh(id, &r)
	n := &g.nodes[id]
	if n.joint != nil && h.Performing() { // what it does beside the graph is done as the execution has it
		h.x.outcome(g, id)
	}
	if n.kind != opFailed {
		h.earlier = h.earlier.Or(r.address)
	}
	h.before = [2]Sources{h.control, h.earlier}
	h.pos++
	h.did(step{n.kind, n.flags&expired != 0, n.result})
	return n.result
}

// interruptible reports whether anything may come where the thread stands.
func (h *Handle) interruptible() bool {
	if h.silent {
		return false
	}
	for i := range h.thread.Lines {
		if !h.masked || h.thread.Lines[i].Silent {
			return true
		}
	}
	return false
}

// reach comes to the place of an operation, by way of the handlers of interrupts taken there.
func (h *Handle) reach(r *request) {
	for {
		for h.pos >= h.limit {
			h.wait()
		}
		g := h.x.current
		t := &g.threads[h.number]
		if h.pos == len(t.ops) {
			r.masked = h.masked
			r.unmasked = h.interruptible()
			r.before = h.before
			if r.flags&(exclusive|monitored) != 0 {
				r.pair = h.monitor
			}
			if t.status != ready {
				h.claim(r)
			}
			t.next, t.status = *r, ready
			h.wait()
			continue
		}
		n := &g.nodes[t.ops[h.pos]]
		switch {
		case n.stands():
			t.status, t.blocked = ready, true
			h.wait()
		case n.kind == opTake:
			h.handle(n.result)
			r.control, r.earlier = r.control.Or(h.control), r.earlier.Or(h.earlier)
		case n.kind == opClear:
			h.cleared(r, n.result)
		default:
			return
		}
	}
}

// handle runs the handler of the interrupt that is taken at the present operation. It has come before the branches
// since the operation before.
func (h *Handle) handle(line uint64) {
	h.pos++
	h.loads++
	h.did(step{opTake, false, line})
	masked, control, earlier, where := h.masked, h.control, h.earlier, h.where
	h.takes++
	h.where = position{frame: h.takes}
	h.masked, h.control, h.earlier = true, h.before[0], h.before[1]
	l := &h.thread.Lines[line]
	h.silent = l.Silent
	l.Handler(h)
	if !l.Silent {
		h.Synchronize()
		h.monitor = none
		control, earlier = h.control.Or(control), h.earlier.Or(earlier)
	}
	h.silent = false
	h.masked, h.control, h.earlier = masked, control, earlier
	h.where = where
}

// cleared sets the event register that a request waits for: the monitor has been cleared.
func (h *Handle) cleared(r *request, result uint64) {
	h.pos++
	h.Branch(Value{From: source(h.loads)})
	h.loads++
	h.did(step{opClear, false, result})
	h.before = [2]Sources{h.control, h.earlier}
	h.monitor = none
	masked, where := h.masked, h.where
	h.masked = true
	h.where = position{frame: clearing - where.number, number: where.frame}
	h.Write(Constant(r.at), r.size, System, Constant(1))
	h.masked, h.where = masked, where
	r.cleared()
	r.control, r.earlier, r.pair = h.control, h.earlier, none
}

// clearing is the frame of what is done when the monitor is cleared, less than that of any taking.
const clearing = -1 << 14

// wait lets the search go on.
func (h *Handle) wait() {
	if !h.yield(struct{}{}) || h.given {
		panic(abandoned{})
	}
	h.resumed()
}

// resumed tells the program that the thread goes on.
func (h *Handle) resumed() {
	if resumed := h.x.program.Resumed; resumed != nil {
		resumed(int(h.number))
	}
}
