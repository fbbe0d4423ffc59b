package litmus

import (
	mathbits "math/bits"
	"slices"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
)

// A deliberately plain checker of the published Armv8 axioms (Deacon's aarch64.cat; Pulte et al., "Simplifying ARM
// concurrency", POPL 2018): it enumerates all ways in which reads can read and writes can be ordered, and keeps those
// that the axioms allow. What it shares with the model under test is the parser.
//
// It leaves load buffering out, as the model does: a read is ordered before every later write of its thread. Its
// atomics read memory, not the own store buffer.

// event is an access or a barrier. Initial writes come first.
type event struct {
	thread   int
	write    bool
	read     bool
	location int
	value    uint64
	order    bus.Order
	register int // of a read
	fence    *bus.Fence
	isb      bool
	pair     int // the other half of an atomic, -1 if none
	addr     relationRow
	data     relationRow
	ctrl     relationRow // sources on which the event depends
}

type relationRow = uint32

// relation holds, for each event, the set of events after it.
type relation []relationRow

func newRelation(n int) relation { return make(relation, n) }

func (r relation) add(a, b int) { r[a] |= 1 << b }

func (r relation) acyclic() bool {
	c := slices.Clone(r)
	for k := range c {
		for i := range c {
			if c[i]>>k&1 != 0 {
				c[i] |= c[k]
			}
		}
		if c[k]>>k&1 != 0 {
			return false
		}
	}
	for i := range c {
		if c[i]>>i&1 != 0 {
			return false
		}
	}
	return true
}

// candidate is a program with its fixed relations, and one choice of rf and co.
type candidate struct {
	test   *Test
	events []event
	rf     []int   // by read: the write
	co     [][]int // by location: the writes in order, the initial one first
	fixed  relation
	mode   bool // buffered atomics
	coi    bool // a store to the location of an earlier release does not pass it
}

func newCandidate(t *Test, buffered, coi bool) *candidate {
	c := &candidate{test: t, coi: coi, mode: buffered}
	for l := range t.Locations {
		c.events = append(c.events, event{thread: -1, write: true, location: l, pair: -1})
	}
	for i, code := range t.Threads {
		c.addThread(i, code)
	}
	c.rf = make([]int, len(c.events))
	c.co = make([][]int, len(t.Locations))
	c.fixed = c.preserved(buffered)
	return c
}

func (c *candidate) addThread(number int, code []Instruction) {
	last := -1 // the last read
	var addr, data, ctrl relationRow
	put := func(e event) {
		e.thread, e.addr, e.data, e.ctrl = number, addr, data, ctrl
		c.events = append(c.events, e)
	}
	for i := range code {
		in := &code[i]
		n := len(c.events)
		switch in.Kind {
		case Depend:
			switch bit := relationRow(1) << last; in.Dependency {
			case mem.AddressDependency:
				addr |= bit
			case mem.DataDependency:
				data |= bit
			default:
				ctrl |= bit
			}
			continue
		case Read:
			put(event{read: true, location: in.Location, order: in.Order, register: in.Register, pair: -1})
			last = n
		case Write:
			put(event{write: true, location: in.Location, value: in.Value, order: in.Order, pair: -1})
		case Swap:
			put(event{read: true, location: in.Location, order: in.Order, register: in.Register, pair: n + 1})
			put(event{write: true, location: in.Location, value: in.Value, order: in.Order, pair: n})
			last = n
		case ReadWriteExclusive: // not a full barrier, whatever its orders
			load, store := bus.Plain, bus.Plain
			if in.Order.Acquires() {
				load = bus.Acquire
			}
			if in.Order.Releases() {
				store = bus.Release
			}
			put(event{read: true, location: in.Location, order: load, register: in.Register, pair: n + 1})
			put(event{write: true, location: in.Location, value: in.Value, order: store, pair: n})
			last = n
		case Fence:
			f := in.Fence
			put(event{fence: &f, pair: -1})
			continue
		case ISB:
			put(event{isb: true, pair: -1})
			continue
		}
		addr, data = 0, 0
	}
}

// before reports program order.
func (c *candidate) before(a, b int) bool { return a < b && c.events[a].thread == c.events[b].thread }

// between finds an event of a kind between two.
func (c *candidate) between(a, b int, is func(e *event) bool) bool {
	for i := a + 1; i < b; i++ {
		if is(&c.events[i]) {
			return true
		}
	}
	return false
}

func fences(before, after bus.Access) func(e *event) bool {
	return func(e *event) bool {
		return e.fence != nil && e.fence.Domain != bus.NonShareable && e.fence.Before&before != 0 && e.fence.After&after != 0
	}
}

func (e *event) access() bus.Access {
	if e.write {
		return bus.Store
	}
	return bus.Load
}

// preserved is the order within threads that does not depend on what is read: bob, dob and aob but for rfi, and no load
// buffering.
func (c *candidate) preserved(buffered bool) relation {
	r := newRelation(len(c.events))
	for a := range c.events {
		for b := range c.events {
			e, f := &c.events[a], &c.events[b]
			if !c.before(a, b) || !e.read && !e.write || !f.read && !f.write {
				continue
			}
			if c.barrierOrdered(a, b) || c.dependencyOrdered(a, b) || e.read && f.write ||
				!buffered && e.write && e.pair >= 0 && f.write {
				r.add(a, b)
			}
			if c.coi && e.write && f.write && e.order.Releases() && e.location == f.location {
				r.add(a, b) // with po;[L] this is po;[L];coi
			}
		}
	}
	return r
}

func (c *candidate) barrierOrdered(a, b int) bool {
	e, f := &c.events[a], &c.events[b]
	release := func(e *event) bool { return e.write && e.order.Releases() }
	full := func(i int) bool { return c.events[i].pair >= 0 && c.events[i].order == bus.AcquireRelease }
	barrier := c.between(a, b, fences(e.access(), f.access()))
	atomic := !c.mode && full(a) && e.pair != b // performed: also its own write before what is after
	for i := a + 1; i < b; i++ {
		atomic = atomic || full(i) && c.events[i].pair != b && c.events[i].pair != a && c.events[i].write
	}
	switch {
	case barrier, atomic, release(f):
		return true
	case release(e) && f.read && (f.order == bus.Acquire || f.order == bus.AcquireRelease):
		return true
	}
	return e.read && e.order.Acquires()
}

func (c *candidate) dependencyOrdered(a, b int) bool {
	e, f := &c.events[a], &c.events[b]
	if !e.read {
		return false
	}
	bit := relationRow(1) << a
	if f.addr&bit != 0 || f.data&bit != 0 {
		return true
	}
	// (ctrl | addr;po);[ISB];po;[R]
	for i := a + 1; i < b; i++ {
		if !c.events[i].isb {
			continue
		}
		if c.events[i].ctrl&bit != 0 || c.between(a, i, func(g *event) bool { return g.addr&bit != 0 }) {
			return true
		}
	}
	return false
}

// outcomes are what the axioms allow.
func (c *candidate) outcomes() []uint64 {
	var found []uint64
	c.eachOrder(0, func() {
		c.eachRead(0, func() {
			if o := c.outcome(); !slices.Contains(found, o) && c.allowed() {
				found = append(found, o)
			}
		})
	})
	slices.Sort(found)
	return found
}

// eachOrder enumerates co.
func (c *candidate) eachOrder(l int, do func()) {
	if l == len(c.co) {
		do()
		return
	}
	var writes []int
	for i := len(c.co); i < len(c.events); i++ {
		if e := &c.events[i]; e.write && e.location == l {
			writes = append(writes, i)
		}
	}
	permute(writes, func(order []int) {
		c.co[l] = append([]int{l}, order...)
		c.eachOrder(l+1, do)
	})
}

func permute(list []int, do func([]int)) {
	if len(list) == 0 {
		do(nil)
		return
	}
	for i := range list {
		rest := slices.Delete(slices.Clone(list), i, i+1)
		permute(rest, func(tail []int) { do(append([]int{list[i]}, tail...)) })
	}
}

// eachRead enumerates rf.
func (c *candidate) eachRead(i int, do func()) {
	for i < len(c.events) && !c.events[i].read {
		i++
	}
	if i == len(c.events) {
		do()
		return
	}
	for _, w := range c.co[c.events[i].location] {
		c.rf[i] = w
		c.eachRead(i+1, do)
	}
}

func (c *candidate) outcome() (v uint64) {
	for i := range c.events {
		if e := &c.events[i]; e.read {
			v |= c.events[c.rf[i]].value << (e.register * valueBits)
		}
	}
	for l, order := range c.co {
		v |= c.events[order[len(order)-1]].value << ((len(c.test.Registers) + l) * valueBits)
	}
	return v
}

// allowed checks the three axioms.
func (c *candidate) allowed() bool {
	internal := newRelation(len(c.events))
	external := slices.Clone(c.fixed)
	for a := range c.events {
		for b := range c.events {
			e, f := &c.events[a], &c.events[b]
			if c.before(a, b) && (e.read || e.write) && (f.read || f.write) && e.location == f.location {
				internal.add(a, b)
			}
		}
	}
	observed := func(a, b int) {
		internal.add(a, b)
		if c.events[a].thread != c.events[b].thread {
			external.add(a, b)
		}
	}
	for _, order := range c.co {
		for i := range order {
			for _, later := range order[i+1:] {
				observed(order[i], later)
			}
		}
	}
	for i := range c.events {
		if !c.events[i].read {
			continue
		}
		order := c.co[c.events[i].location]
		at := slices.Index(order, c.rf[i])
		observed(c.rf[i], i)
		for _, later := range order[at+1:] {
			if later != i {
				observed(i, later)
			}
		}
		if !c.atomic(i, order, at) {
			return false
		}
		c.forwarded(i, external)
	}
	return internal.acyclic() && external.acyclic()
}

// atomic: no other write comes between the two halves of an atomic.
func (c *candidate) atomic(read int, order []int, at int) bool {
	pair := c.events[read].pair
	return pair < 0 || at+1 < len(order) && order[at+1] == pair
}

// forwarded adds what a read from the own thread's write orders.
func (c *candidate) forwarded(read int, external relation) {
	w := c.rf[read]
	e, f := &c.events[w], &c.events[read]
	if e.thread != f.thread {
		return
	}
	for sources := e.addr | e.data; sources != 0; sources &= sources - 1 { // (addr | data);rfi
		external.add(mathbits.TrailingZeros32(sources), read)
	}
	waited := c.between(w, read, func(g *event) bool {
		return g.fence != nil && g.fence.Completion && g.fence.Before&bus.Store != 0 && g.fence.Domain != bus.NonShareable
	})
	if waited || e.pair >= 0 && (!c.mode || f.order.Acquires()) || f.pair >= 0 {
		external.add(w, read) // [range(rmw)];rfi;[A|Q]; the model's atomics read memory; behind a DSB nothing is forwarded
	}
}
