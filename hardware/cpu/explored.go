package cpu

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Explore connects the CPU to explored memory, nil to go back to the timed one. It must be idle.
func (c *CPU) Explore(x *mem.Explored) {
	c.explored = x
	if x != nil {
		x.SetSink(c.ID, c)
	}
}

// Explored is the explored memory, nil while timed.
func (c *CPU) Explored() *mem.Explored { return c.explored }

// Depend declares that what follows depends on the last load. Timed, loads are satisfied in order, and it does nothing.
func (c *CPU) Depend(d mem.Dependency) {
	if c.explored != nil {
		c.explored.Depend(c.ID, d)
	}
}

// programObjects name the programs of the CPUs to the seam: what an interrupt changes.
const programObjects sim.Object = 1 << 62

func (c *CPU) touchProgram(write bool) {
	if c.vector != nil {
		c.engine.Touch(programObjects+sim.Object(c.ID), write)
	}
}

// boundary is a step that touches nothing but the program, at which an interrupt may be taken.
func (c *CPU) boundary() {
	c.proc.Announce(sim.Footprint{})
	if c.irqLevel {
		c.stepInterrupted()
	}
	c.unmaskedStep()
}

// unmaskedStep: the present step comes before or after the arrival of an interrupt.
func (c *CPU) unmaskedStep() {
	if !c.irqMasked {
		c.touchProgram(false)
	}
}

// local is a boundary where nothing but an interrupt could tell.
func (c *CPU) local() {
	c.explored.Break(c.ID)
	if c.vector != nil {
		c.boundary()
	}
}

// admit waits until the memory lets an access happen, in a step that the explorer chooses; false if the deadline passed
// first. What makes an access wait is the CPU's own doing, or a wait's condition: so it waits without a step, and is
// woken into the step of the access itself.
func (c *CPU) admit(a *mem.Access, deadline sim.Time) bool {
	for granted := false; !granted || c.explored.Blocked(c.ID, a); {
		if !c.explored.Blocked(c.ID, a) {
			c.boundary()
			granted = true
			continue
		}
		c.explored.Await(c.ID, a)
		c.expired = false
		granted = c.park(sim.WaitReason{What: waitsFor(a), Addr: a.Addr}, deadline)
		c.explored.EndAwait(c.ID)
		if c.expired {
			return false
		}
		if granted {
			c.unmaskedStep()
		}
	}
	return true
}

func waitsFor(a *mem.Access) string {
	switch a.Kind {
	case mem.CompleteAccess:
		return "its stores to complete"
	case mem.WaitAccess:
		return "a write to"
	}
	return "its stores to drain, to access"
}

func (c *CPU) exploredLoad(addr uint64, size uint8, order bus.Order) uint64 {
	a := mem.Access{Kind: mem.LoadAccess, Addr: addr, Size: size, Order: order}
	if c.explored.Spins(c.ID, &a) {
		spin := a
		spin.Kind = mem.SpinAccess
		c.admit(&spin, c.proc.Now()) // goes on when nothing else can happen any more
	}
	c.admit(&a, Forever)
	return c.satisfied(&a)
}

// about names the location of the next record.
func (c *CPU) about(addr uint64) { c.engine.About(mem.LocationObject(addr), c.proc.Name()) }

// satisfied makes a load happen.
func (c *CPU) satisfied(a *mem.Access) uint64 {
	c.stats.Loads++
	v, read := c.explored.Load(c.ID, a)
	c.seen = uint32(read)
	if c.tracing() {
		c.about(a.Addr)
		c.trace("load%s %s -> 0x%x", ordered(a.Order), c.symbol(a.Addr), v)
	}
	return v
}

func (c *CPU) exploredStore(addr uint64, size uint8, v uint64, order bus.Order) {
	x := c.explored
	a := mem.Access{Kind: mem.StoreAccess, Addr: addr, Size: size, Order: order}
	x.Break(c.ID)
	if c.vector != nil || x.Spec().Model == mem.SC || x.Blocked(c.ID, &a) {
		c.admit(&a, Forever)
	}
	c.stats.Stores++
	if c.tracing() {
		c.about(addr)
		c.trace("store%s %s <- 0x%x", ordered(order), c.symbol(addr), v)
	}
	x.Store(c.ID, addr, size, v, order)
}

func (c *CPU) exploredAtomic(addr uint64, size uint8, op bus.AtomicOp, v, compare uint64, order bus.Order) uint64 {
	a := mem.Access{
		Kind: mem.AtomicAccess, Addr: addr, Size: size, Order: order, Atomic: op, Value: v, Compare: compare,
	}
	c.explored.Break(c.ID)
	c.admit(&a, Forever)
	c.stats.Atomics++
	old := c.explored.Atomic(c.ID, &a)
	if c.tracing() {
		c.about(addr)
		c.trace("%s%s %s, 0x%x -> 0x%x", op, ordered(order), c.symbol(addr), v, old)
	}
	return old
}

// exploredStoreExclusive fails if another write has come since the load-exclusive, and may fail anyway, but not twice
// in a row: a loop that retries ends.
func (c *CPU) exploredStoreExclusive(addr uint64, size uint8, v uint64, order bus.Order) bool {
	a := mem.Access{Kind: mem.AtomicAccess, Addr: addr, Size: size, Order: order, Atomic: bus.Swap, Value: v}
	c.explored.Break(c.ID)
	c.admit(&a, Forever)
	m := c.monitor
	c.monitor.set = false
	held := m.set && m.addr == addr/mem.LineSize && c.explored.Exclusive(c.ID, addr, int32(m.version))
	if held && !c.failed && c.engine.Choose(sim.ChooseFail, 2) != 0 {
		held, c.failed = false, true
	} else {
		c.failed = false
	}
	if c.tracing() {
		c.about(addr)
		c.trace("store exclusive%s %s <- 0x%x: %s", ordered(order), c.symbol(addr), v, choose(held, "done", "failed"))
	}
	if held {
		c.stats.Atomics++
		c.explored.Atomic(c.ID, &a)
	}
	return held
}

func (c *CPU) exploredFence(f bus.Fence) {
	a := mem.Access{Kind: mem.CompleteAccess, Fence: f}
	if f.Completion && c.explored.Blocked(c.ID, &a) {
		c.explored.Break(c.ID)
		c.admit(&a, Forever)
	} else {
		c.local()
	}
	c.stats.Fences++
	c.explored.Fence(c.ID, f)
	if c.tracing() {
		c.trace("%s", f)
	}
}

// exploredWait is a wait as one step: it becomes possible with each value that satisfies it.
func (c *CPU) exploredWait(
	addr uint64, size uint8, order bus.Order, pred func(v uint64) bool, timeout sim.Time,
) (uint64, bool) {
	a := mem.Access{Kind: mem.WaitAccess, Addr: addr, Size: size, Order: order, Pred: pred}
	deadline := Forever
	if timeout != Forever {
		deadline = c.proc.Now() + min(timeout, Forever/2)
	}
	c.explored.Break(c.ID)
	done := c.admit(&a, deadline)
	if !done {
		a.Kind = mem.LoadAccess
		c.admit(&a, Forever)
	}
	return c.satisfied(&a), done
}

func (c *CPU) exploredDeviceStore(region *bus.Region, addr uint64, size uint8, v uint64) {
	a := mem.Access{Kind: mem.StoreAccess, Addr: addr, Size: size}
	c.explored.Break(c.ID)
	c.admit(&a, Forever)
	c.stats.DeviceWrites++
	if c.tracing() {
		c.trace("write %s+0x%x <- 0x%x", region.Name, addr-uint64(region.Base), v)
	}
	c.explored.StoreDevice(c.ID, addr, size, v, region.Object)
}

// DrainDevice is mem.DeviceSink: a device write arrives.
func (c *CPU) DrainDevice(addr uint64, size uint8, v uint64) {
	region := c.ports.Devices.Find(bus.Addr(addr))
	c.engine.Touch(region.Object, true)
	region.Device.WriteReg(addr-uint64(region.Base), bus.Width(size), v) // a hole ignores the write
}

func (c *CPU) exploredDeviceLoad(region *bus.Region, addr uint64, size uint8) uint64 {
	a := mem.Access{Kind: mem.DeviceAccess, Addr: addr, Size: size, Device: region.Object}
	c.explored.Break(c.ID)
	c.admit(&a, Forever)
	c.stats.DeviceReads++
	c.engine.Touch(region.Object, true)
	v, _ := region.Device.ReadReg(addr-uint64(region.Base), bus.Width(size)) // a hole reads as zero
	if c.tracing() {
		c.trace("read %s+0x%x -> 0x%x", region.Name, addr-uint64(region.Base), v)
	}
	return v
}
