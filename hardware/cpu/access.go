package cpu

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// An Abort is an access to an address where there is neither memory nor a device, or that is not aligned to its size.
type Abort struct {
	CPU  int
	Addr uint64
	Size uint8
	At   sim.Time
}

func (a *Abort) Error() string {
	if a.Addr%uint64(a.Size) != 0 {
		return fmt.Sprintf("CPU%d: access of %d bytes at 0x%x is not aligned", a.CPU, a.Size, a.Addr)
	}
	return fmt.Sprintf("CPU%d: no memory and no device at 0x%x", a.CPU, a.Addr)
}

// Check reports the abort that an access would take, nil if it would not. Programs from outside (a script's) ask
// before they access; the kernel paths only use addresses that they were given.
func (c *CPU) Check(addr uint64, size uint8) *Abort {
	mapped := c.ports.Memory.Contains(addr, uint64(size)) || c.ports.Devices.Find(bus.Addr(addr)) != nil
	if addr%uint64(size) != 0 || !mapped {
		return &Abort{CPU: c.ID, Addr: addr, Size: size, At: c.proc.Now()}
	}
	return nil
}

// mustCheck panics on an access that would abort.
func (c *CPU) mustCheck(addr uint64, size uint8) {
	if abort := c.Check(addr, size); abort != nil {
		panic("BUG: " + abort.Error())
	}
}

// Load reads size bytes (1, 2, 4 or 8).
func (c *CPU) Load(addr uint64, size uint8, order bus.Order) uint64 {
	if !c.ports.Memory.Contains(addr, uint64(size)) || addr%uint64(size) != 0 {
		return c.deviceLoad(addr, size)
	}
	if c.explored != nil {
		return c.exploredLoad(addr, size, order)
	}
	c.step(mem.LocationObject(addr), false)
	for c.floor(order) > c.proc.Now() {
		c.stallUntil(Barrier, c.floor(order))
		c.step(mem.LocationObject(addr), false) // may take an interrupt, whose handler may raise the floor
	}
	c.stats.Loads++
	now := c.proc.Now()
	v, out := c.ports.Memory.Read(c.ID, addr, size, now)
	c.seen = out.Version
	if c.tracing() {
		c.trace("load%s %s -> 0x%x%s", ordered(order), c.symbol(addr), v, travelled(out, now))
	}
	c.charge(out, now)
	return v
}

// floor is the time before which a load of the given order is not satisfied: RCsc, an LDAR waits for an earlier STLR
// to drain.
func (c *CPU) floor(order bus.Order) sim.Time {
	if order == bus.Acquire {
		return max(c.loadFloor, c.released)
	}
	return c.loadFloor
}

// charge stalls until the access is done.
func (c *CPU) charge(out mem.Outcome, now sim.Time) {
	kind := CacheHit
	if out.Distance != mem.Own {
		kind = Transfer
		c.stats.Transfers[out.Distance]++
	}
	c.stall(kind, out.Done-now)
}

// Store writes size bytes (1, 2, 4 or 8).
func (c *CPU) Store(addr uint64, size uint8, v uint64, order bus.Order) {
	if !c.ports.Memory.Contains(addr, uint64(size)) || addr%uint64(size) != 0 {
		c.deviceStore(addr, size, v)
		return
	}
	if c.explored != nil {
		c.exploredStore(addr, size, v, order)
		return
	}
	c.step(mem.LocationObject(addr), true)
	c.makeRoom(addr)
	c.stats.Stores++
	floor := c.storeFloor
	if order.Releases() {
		floor = max(floor, c.drained)
	}
	now := c.proc.Now()
	out := c.ports.Memory.Write(c.ID, addr, size, v, now, floor)
	c.retire(out, now)
	if order.Releases() {
		c.released = max(c.released, out.Done)
	}
	if c.tracing() {
		c.trace("store%s %s <- 0x%x%s", ordered(order), c.symbol(addr), v, travelled(out, now))
	}
	c.stall(CacheHit, c.spec.StoreIssue)
}

// makeRoom waits until the store buffer has a free entry for a store to addr.
func (c *CPU) makeRoom(addr uint64) {
	for {
		for c.used > 0 && c.buffer[c.first] <= c.proc.Now() {
			c.popEntry()
		}
		if c.used < len(c.buffer) {
			return
		}
		c.stallUntil(Transfer, c.buffer[c.first])
		c.step(mem.LocationObject(addr), true) // may take an interrupt, whose handler may fill the buffer
	}
}

func (c *CPU) popEntry() {
	c.first++
	if c.first == len(c.buffer) {
		c.first = 0
	}
	c.used--
}

// retire notes when a store drains and when it is acknowledged. One that joined an earlier store's entry has
// neither of its own.
func (c *CPU) retire(out mem.Outcome, now sim.Time) {
	c.drained = max(c.drained, out.Done)
	if out.Distance != mem.Own {
		c.stats.Transfers[out.Distance]++
	}
	if out.Merged {
		return
	}
	c.acked = max(c.acked, out.Done) + c.spec.OuterAck
	if out.Done > now {
		last := c.first + c.used
		if last >= len(c.buffer) {
			last -= len(c.buffer)
		}
		c.buffer[last] = out.Done
		c.used++
	}
}

// Atomic is a read-modify-write in one step; it answers the old value.
func (c *CPU) Atomic(addr uint64, size uint8, op bus.AtomicOp, v, compare uint64, order bus.Order) uint64 {
	c.mustCheck(addr, size)
	if c.explored != nil {
		return c.exploredAtomic(addr, size, op, v, compare, order)
	}
	c.step(mem.LocationObject(addr), true)
	return c.atomic(addr, size, op, v, compare, order)
}

// atomic performs a read-modify-write whose step has been announced.
func (c *CPU) atomic(addr uint64, size uint8, op bus.AtomicOp, v, compare uint64, order bus.Order) uint64 {
	c.stats.Atomics++
	floor := max(c.storeFloor, c.floor(order))
	if order.Releases() {
		floor = max(floor, c.drained)
	}
	now := c.proc.Now()
	old, out := c.ports.Memory.Atomic(c.ID, addr, size, op, v, compare, now, floor)
	// Not a store-buffer entry: its value has come back from where the system orders accesses, so nothing of it is
	// outstanding once it is done.
	c.drained = max(c.drained, out.Done)
	if order.Releases() {
		c.released = max(c.released, out.Done)
	}
	if c.tracing() {
		c.trace("%s%s %s, 0x%x -> 0x%x%s", op, ordered(order), c.symbol(addr), v, old, travelled(out, now))
	}
	c.charge(out, now)
	return old
}

// LoadExclusive is LDXR: a load that sets the exclusive monitor.
func (c *CPU) LoadExclusive(addr uint64, size uint8, order bus.Order) uint64 {
	c.mustCheck(addr, size)
	v := c.Load(addr, size, order)
	c.monitor = monitor{addr: addr / mem.LineSize, version: c.seen, set: true}
	return v
}

// StoreExclusive is STXR: it stores and answers true unless the line was written since the LoadExclusive. It may
// also fail without a cause (DDI 0487, B2.9), which only the explored policy makes it do.
func (c *CPU) StoreExclusive(addr uint64, size uint8, v uint64, order bus.Order) bool {
	c.mustCheck(addr, size)
	if c.explored != nil {
		return c.exploredStoreExclusive(addr, size, v, order)
	}
	c.step(mem.LocationObject(addr), true)
	m := c.monitor
	c.monitor.set = false
	held := m.set && m.addr == addr/mem.LineSize && m.version == c.ports.Memory.Version(addr)
	if !held || c.engine.Choose(sim.ChooseFail, 2) != 0 {
		c.stall(CacheHit, c.spec.StoreIssue)
		return false
	}
	c.atomic(addr, size, bus.Swap, v, 0, order)
	return true
}

func ordered(o bus.Order) string {
	if o == bus.Plain {
		return ""
	}
	return " " + o.String()
}

// travelled says how long an access takes to be done, a store to drain, and over which distance.
func travelled(out mem.Outcome, now sim.Time) string {
	switch {
	case out.Merged:
		return ", joins the store before it"
	case out.Distance == mem.Own && out.Done <= now+sim.Nanosecond:
		return ""
	}
	return fmt.Sprintf(", %s ns (%s)", (out.Done - now).Nanoseconds(), out.Distance)
}
