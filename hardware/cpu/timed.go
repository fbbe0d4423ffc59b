package cpu

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// timed is memory in time: the CPU's store buffer before the caches.
type timed struct {
	memory *mem.Memory
	outer  *outer     // nil: no fence waits for more than drains
	buffer []sim.Time // drain times of the store buffer's entries, a ring
	timedState
	c      *CPU
	writes []deviceWrite
	wire   sim.Channel // device writes on their way
}

// timedState is what changes while programs run, but for the contents of the buffers and of outer.
//
// Invariant: loads block, so nothing of a load is outstanding when a fence comes.
type timedState struct {
	drained     sim.Time // all stores so far have drained
	released    sim.Time // all store-releases so far have drained, and those to devices arrived
	delivered   sim.Time // all device writes so far have arrived
	storeFloor  sim.Time // no later store drains before: set by fences
	loadFloor   sim.Time // no later load is satisfied before
	accepts     sim.Time // when the interrupt controller accepts the next write that sends interrupts
	invalidated sim.Time // all TLB invalidations so far are complete
	first, used int      // of buffer
	arriving    int      // first of writes that has not arrived
}

// floor is the time before which a load of the given order is not satisfied: RCsc, an LDAR waits for an earlier STLR
// to drain.
func (t *timed) floor(order bus.Order) sim.Time {
	if order == bus.Acquire {
		return max(t.loadFloor, t.released)
	}
	return t.loadFloor
}

// leaves is the time before which a store of the given order does not drain: one that releases comes after the stores
// and the device writes before it.
func (t *timed) leaves(order bus.Order) sim.Time {
	if order.Releases() {
		return max(t.storeFloor, t.drained, t.delivered)
	}
	return t.storeFloor
}

// Load is Memory.
func (t *timed) Load(addr uint64, size uint8, order bus.Order) (uint64, mem.Outcome) {
	c := t.c
	c.step()
	for t.floor(order) > c.proc.Now() {
		c.stallUntil(Barrier, t.floor(order))
		c.step() // may take an interrupt, whose handler may raise the floor
	}
	return t.memory.Read(c.ID, addr, size, c.proc.Now())
}

// Store is Memory.
func (t *timed) Store(addr uint64, size uint8, v uint64, order bus.Order) mem.Outcome {
	c := t.c
	c.step()
	t.makeRoom(addr)
	return t.issue(addr, size, v, order)
}

// issue is a store to which the store buffer has given an entry.
func (t *timed) issue(addr uint64, size uint8, v uint64, order bus.Order) mem.Outcome {
	now := t.c.proc.Now()
	out := t.memory.Write(t.c.ID, addr, size, v, now, t.leaves(order))
	t.drained = max(t.drained, out.Done)
	if out.Done > now && !out.Merged {
		t.enter(out.Done)
	}
	if order.Releases() {
		t.released = max(t.released, out.Done)
	}
	if t.outer != nil {
		t.outer.stored(addr, out)
	}
	return out
}

// enter gives a store that drains at a time its entry in the store buffer. One that joined an earlier store's entry has
// none of its own.
func (t *timed) enter(drains sim.Time) {
	last := t.first + t.used
	if last >= len(t.buffer) {
		last -= len(t.buffer)
	}
	t.buffer[last] = drains
	t.used++
}

// lets reports whether a plain store to a line that the CPU has to itself drains at once, and is then forgotten.
func (t *timed) lets(now sim.Time) bool { return t.storeFloor <= now && t.outer == nil }

// hasRoom reports whether the store buffer has a free entry before any is looked for.
func (t *timed) hasRoom() bool { return t.used < len(t.buffer) }

// push is a store to a line that no other CPU looks at.
func (t *timed) push(addr uint64) mem.Outcome {
	if !t.hasRoom() {
		t.makeRoom(addr)
	}
	return t.issue(addr, 8, 0, bus.Plain)
}

// makeRoom waits until the store buffer has a free entry for a store to addr.
func (t *timed) makeRoom(addr uint64) {
	for {
		for t.used > 0 && t.buffer[t.first] <= t.c.proc.Now() {
			t.popEntry()
		}
		if t.used < len(t.buffer) {
			return
		}
		t.c.stallUntil(Transfer, t.buffer[t.first])
		t.c.step() // may take an interrupt, whose handler may fill the buffer
	}
}

func (t *timed) popEntry() {
	t.first++
	if t.first == len(t.buffer) {
		t.first = 0
	}
	t.used--
}

// Reserve is Memory.
func (t *timed) Reserve(a RMW) { t.c.step() }

// Modify is Memory. A read-modify-write is no store-buffer entry: its value has come back from where the system orders
// accesses, so nothing of it is outstanding once it is done.
func (t *timed) Modify(a RMW) (uint64, mem.Outcome) {
	return t.modify(a.Addr, a.Size, a.Op, a.V, a.Compare, a.Order)
}

// modify is Modify with its argument in the host's registers.
func (t *timed) modify(
	addr uint64, size uint8, op bus.AtomicOp, v, compare uint64, order bus.Order,
) (uint64, mem.Outcome) {
	floor := max(t.leaves(order), t.floor(order))
	old, out := t.memory.Atomic(t.c.ID, addr, size, op, v, compare, t.c.proc.Now(), floor)
	t.drained = max(t.drained, out.Done)
	if t.outer != nil {
		t.outer.soiled(addr)
	}
	if order.Releases() {
		t.released = max(t.released, out.Done)
	}
	return old, out
}

// Monitor is Memory: the version of the line is all that the monitor needs.
func (t *timed) Monitor() {}

// StoreExclusive is Memory.
func (t *timed) StoreExclusive(a RMW, held bool, version uint32) (bool, mem.Outcome) {
	if !held || t.memory.Version(a.Addr) != version {
		return false, mem.Outcome{Done: t.c.proc.Now() + t.c.spec.StoreIssue}
	}
	_, out := t.Modify(a)
	return true, out
}

// MonitorCleared is Memory.
func (t *timed) MonitorCleared() bool {
	m := &t.c.monitor
	drains, written := t.memory.Written(t.c.ID, m.line*mem.LineSize, m.version)
	return written && drains <= t.c.proc.Now()
}

// sleepMonitored sleeps until somebody else takes the line of the exclusive monitor, or until the CPU is woken; false
// if an interrupt was taken instead.
func (t *timed) sleepMonitored(why sim.WaitReason) (woken bool) {
	m := &t.c.monitor
	deadline := Forever
	if drains, inFlight := t.memory.Watch(t.c.ID, m.line*mem.LineSize, 8, m.version, nil); inFlight {
		deadline = drains
	}
	woken = t.c.park(why, deadline)
	t.memory.Unwatch(t.c.ID)
	return woken
}

// Clean is Memory: it leaves and drains as a store does.
func (t *timed) Clean(addr uint64, discard bool) mem.Outcome {
	t.c.step()
	t.makeRoom(addr)
	now := t.c.proc.Now()
	out := t.memory.Clean(t.c.ID, addr, discard, now, t.storeFloor)
	t.drained = max(t.drained, out.Done)
	if out.Done > now {
		t.enter(out.Done)
	}
	if t.outer != nil {
		t.outer.stored(addr, out)
	}
	return out
}

// Synchronize is Memory.
func (t *timed) Synchronize() { t.c.step() }

// Fence is Memory. An interrupt that came before has made its stores before. A completing fence holds up the program,
// and with it everything behind the fence; an ordering one holds up the kinds of access that stand in f.After.
func (t *timed) Fence(f bus.Fence) sim.Time {
	t.c.step()
	return t.fence(f)
}

// complied reports whether a fence has nothing to wait for but itself, whatever it is.
func (t *timed) complied() bool {
	return t.outer == nil && max(t.drained, t.delivered, t.invalidated) <= t.c.proc.Now()
}

// fence is Fence in a step that has begun.
func (t *timed) fence(f bus.Fence) sim.Time {
	if f.Completion {
		return t.complete(f)
	}
	if f.Before&bus.Store != 0 {
		if f.After&(bus.Store|bus.DeviceOutput) != 0 {
			t.storeFloor = max(t.storeFloor, t.drained)
		}
		if f.After&(bus.Load|bus.DeviceInput) != 0 {
			t.loadFloor = max(t.loadFloor, t.drained)
		}
	}
	if f.Before&bus.DeviceOutput != 0 {
		if f.After&bus.Store != 0 {
			t.storeFloor = max(t.storeFloor, t.delivered)
		}
		if f.After&bus.Load != 0 {
			t.loadFloor = max(t.loadFloor, t.delivered)
		}
	}
	return 0
}

// complete is when the accesses before a fence are complete for its domain. For the non-shareable domain the own
// buffer counts.
func (t *timed) complete(f bus.Fence) sim.Time {
	var point sim.Time
	if f.Before&bus.Store != 0 {
		if f.Domain != bus.NonShareable {
			point = t.drained
		}
		if f.Domain > bus.InnerShareable && t.outer != nil {
			point = t.outer.complete(point)
		}
	}
	if f.Before&bus.DeviceOutput != 0 {
		point = max(point, t.delivered)
	}
	if f.Before&bus.AnyAccess == bus.AnyAccess && f.Domain != bus.NonShareable {
		point = max(point, t.invalidated)
	}
	return point
}

// Wait is Memory. Between two looks the CPU holds the line and costs nothing; looks that find that the wait goes on are
// the memory's.
func (t *timed) Wait(
	addr uint64, size uint8, order bus.Order, pred func(v uint64) bool, timeout sim.Time,
) (uint64, bool) {
	c := t.c
	deadline := Forever
	if timeout != Forever {
		c.step() // an interrupt that came before takes nothing from the timeout
		if now := c.proc.Now(); timeout < Forever-now {
			deadline = now + timeout
		}
	}
	until := pred
	if c.waiting.active {
		until = nil
	}
	for {
		v := c.loadPhysical(addr, size, order)
		seen := c.seen // the condition may load as well
		if pred(v) {
			return v, true
		}
		now := c.proc.Now()
		if now >= deadline {
			return v, false
		}
		if drains, inFlight := t.memory.Watch(c.ID, addr, size, seen, until); inFlight {
			c.parkUntil(min(drains, deadline))
			continue
		}
		c.park(sim.WaitReason{What: "a write to line", Addr: addr}, deadline)
		t.memory.Unwatch(c.ID)
	}
}

// A deviceWrite is on its way to a register.
type deviceWrite struct {
	region *bus.Region
	addr   uint64
	value  uint64
	size   uint8
}

// StoreDevice is Memory. Writes of one CPU arrive in order.
func (t *timed) StoreDevice(r *bus.Region, addr uint64, size uint8, v uint64, order bus.Order) sim.Time {
	c := t.c
	c.step()
	arrival := max(c.proc.Now(), t.leaves(order), t.delivered) + c.spec.DeviceWrite
	t.delivered = arrival
	if order.Releases() {
		t.released = max(t.released, arrival)
	}
	t.writes = append(t.writes, deviceWrite{r, addr, v, size})
	c.engine.Post(&t.wire, arrival, t, 0)
	return arrival
}

// Fire makes the next device write arrive.
func (t *timed) Fire(now sim.Time, _ uint64) {
	w := t.writes[t.arriving]
	t.arriving++
	if t.arriving == len(t.writes) {
		t.writes, t.arriving = t.writes[:0], 0
	}
	t.c.arrive(w.region, w.addr, w.size, w.value, now)
}

// LoadDevice is Memory.
func (t *timed) LoadDevice(r *bus.Region, addr uint64, size uint8, order bus.Order) uint64 {
	c := t.c
	c.step()
	c.stallUntil(DeviceTime, max(t.delivered, t.floor(order)))
	c.stall(DeviceTime, c.spec.DeviceRead/2)
	c.step()
	return c.reach(r, addr, size)
}

// ReachSystem is Memory.
func (t *timed) ReachSystem() { t.c.step() }

// Interrupted is Memory.
func (t *timed) Interrupted() { t.memory.Unwatch(t.c.ID) }

// Depend is Memory: loads are satisfied in order.
func (t *timed) Depend(mem.Dependency) {}
