package cpu

import (
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// explored is memory in every order that a model allows.
type explored struct {
	c *CPU
	x *mem.Explored
}

// Explore connects the CPU to explored memory. It must be idle.
func (c *CPU) Explore(x *mem.Explored) {
	e := &explored{c, x}
	c.memory, c.exploring = e, true
	x.SetSink(c.ID, e)
}

// programObjects name the programs of the CPUs to the seam: what an interrupt changes.
const programObjects sim.Object = 1 << 62

// Touch tells the seam that the present step depends on the CPU's program, or changes what it does next. A CPU whose
// interrupts nobody takes is not changed by them.
func (c *CPU) Touch(write bool) {
	if c.exploring && c.interrupts.handled() {
		c.engine.Touch(programObjects+sim.Object(c.ID), write)
	}
}

// unmaskedStep: the present step comes before or after the arrival of an interrupt.
func (c *CPU) unmaskedStep() {
	if !c.IRQMasked() {
		c.Touch(false)
	}
}

// local is a boundary where nothing but an interrupt could tell.
func (e *explored) local() {
	e.x.Break(e.c.ID)
	if e.c.interrupts.handled() {
		e.c.Boundary()
	}
}

// admit waits until the memory lets an access happen, in a step that the explorer chooses; false if the deadline passed
// first. What makes an access wait is the CPU's own doing, or a wait's condition: so it waits without a step, and is
// woken into the step of the access itself.
func (e *explored) admit(a *mem.Access, deadline sim.Time) bool {
	c := e.c
	for granted := false; !granted || e.x.Blocked(c.ID, a); {
		if !e.x.Blocked(c.ID, a) {
			c.Boundary()
			granted = true
			continue
		}
		e.x.Await(c.ID, a)
		c.waiting.expired = false
		granted = c.park(sim.WaitReason{What: waitsFor(a), Addr: a.Addr}, deadline)
		e.x.EndAwait(c.ID)
		if c.waiting.expired {
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

// done is the outcome of an access: time means nothing.
func (e *explored) done() mem.Outcome { return mem.Outcome{Done: e.c.proc.Now()} }

// Load is Memory.
func (e *explored) Load(addr uint64, size uint8, order bus.Order) (uint64, mem.Outcome) {
	a := mem.Access{Kind: mem.LoadAccess, Addr: addr, Size: size, Order: order}
	if e.x.Spins(e.c.ID, &a) {
		spin := a
		spin.Kind = mem.SpinAccess
		e.admit(&spin, e.c.proc.Now()) // goes on when nothing else can happen any more
	}
	e.admit(&a, Forever)
	return e.read(&a)
}

// read makes a load happen.
func (e *explored) read(a *mem.Access) (uint64, mem.Outcome) {
	v, write := e.x.Load(e.c.ID, a)
	out := e.done()
	out.Version = uint32(write)
	return v, out
}

// Store is Memory.
func (e *explored) Store(addr uint64, size uint8, v uint64, order bus.Order) mem.Outcome {
	a := mem.Access{Kind: mem.StoreAccess, Addr: addr, Size: size, Order: order}
	e.x.Break(e.c.ID)
	if e.c.interrupts.handled() || !e.x.BuffersStores() || e.x.Blocked(e.c.ID, &a) {
		e.admit(&a, Forever)
	}
	e.x.Store(e.c.ID, addr, size, v, order)
	return e.done()
}

// modify is a read-modify-write as the explored memory sees it.
func modify(a RMW) mem.Access {
	return mem.Access{
		Kind: mem.AtomicAccess, Addr: a.Addr, Size: a.Size, Order: a.Order, Atomic: a.Op, Value: a.V, Compare: a.Compare,
	}
}

// Reserve is Memory.
func (e *explored) Reserve(r RMW) {
	a := modify(r)
	e.x.Break(e.c.ID)
	e.admit(&a, Forever)
}

// Modify is Memory.
func (e *explored) Modify(r RMW) (uint64, mem.Outcome) {
	a := modify(r)
	return e.x.Atomic(e.c.ID, &a), e.done()
}

// Monitor is Memory.
func (e *explored) Monitor() {}

// StoreExclusive is Memory: the version is the number of the write that was read. A store-exclusive does not fail twice
// in a row without a cause: a loop that retries ends.
func (e *explored) StoreExclusive(a RMW, held bool, version uint32) (bool, mem.Outcome) {
	m := &e.c.monitor
	held = held && e.x.Exclusive(e.c.ID, a.Addr, int32(version))
	m.failed = held && !m.failed && e.c.engine.Choose(sim.ChooseFail, 2) != 0
	if !held || m.failed {
		return false, e.done()
	}
	_, out := e.Modify(a)
	return true, out
}

// MonitorCleared is Memory: explored, only SEV is an event.
func (e *explored) MonitorCleared() bool { return false }

// Clean is Memory. Nobody here looks behind the caches.
func (e *explored) Clean(uint64, bool) mem.Outcome {
	e.local()
	return e.done()
}

// Fence is Memory.
func (e *explored) Fence(f bus.Fence) sim.Time {
	a := mem.Access{Kind: mem.CompleteAccess, Fence: f}
	if f.Completion && e.x.Blocked(e.c.ID, &a) {
		e.x.Break(e.c.ID)
		e.admit(&a, Forever)
	} else {
		e.local()
	}
	e.x.Fence(e.c.ID, f)
	return 0
}

// Synchronize is Memory.
func (e *explored) Synchronize() {
	e.local()
	e.x.Synchronize(e.c.ID)
}

// Wait is Memory: one step, which becomes possible with each value that satisfies it.
func (e *explored) Wait(
	addr uint64, size uint8, order bus.Order, pred func(v uint64) bool, timeout sim.Time,
) (uint64, bool) {
	a := mem.Access{Kind: mem.WaitAccess, Addr: addr, Size: size, Order: order, Pred: pred}
	deadline := Forever
	if timeout != Forever {
		deadline = e.c.proc.Now() + min(timeout, Forever/2)
	}
	e.x.Break(e.c.ID)
	done := e.admit(&a, deadline)
	if !done {
		a.Kind = mem.LoadAccess
		e.admit(&a, Forever)
	}
	v, out := e.read(&a)
	e.c.stats.Loads++
	if e.c.tracing() {
		e.c.traceLoad(addr, order, v, out)
	}
	return v, done
}

// StoreDevice is Memory.
func (e *explored) StoreDevice(r *bus.Region, addr uint64, size uint8, v uint64, _ bus.Order) sim.Time {
	a := mem.Access{Kind: mem.StoreAccess, Addr: addr, Size: size}
	e.x.Break(e.c.ID)
	e.admit(&a, Forever)
	e.x.StoreDevice(e.c.ID, addr, size, v, r.Object)
	return 0
}

// DrainDevice is mem.DeviceSink: a device write arrives.
func (e *explored) DrainDevice(addr uint64, size uint8, v uint64) {
	e.c.arrive(e.c.ports.Devices.Find(bus.Addr(addr)), addr, size, v, e.c.engine.Now())
}

// LoadDevice is Memory.
func (e *explored) LoadDevice(r *bus.Region, addr uint64, size uint8, _ bus.Order) uint64 {
	a := mem.Access{Kind: mem.DeviceAccess, Addr: addr, Size: size, Device: r.Object}
	e.x.Break(e.c.ID)
	e.admit(&a, Forever)
	return e.c.reach(r, addr, size)
}

// ReachSystem is Memory. The interrupt controller says itself what it touches.
func (e *explored) ReachSystem() {
	e.x.Break(e.c.ID)
	e.c.Boundary()
}

// ReadSys is Memory.
func (e *explored) ReadSys(r bits.SysReg) (uint64, bool) {
	e.x.ReadSystem(e.c.ID)
	return e.c.ports.SysRegs.ReadSys(r)
}

// WriteSys is Memory.
func (e *explored) WriteSys(r bits.SysReg, v uint64) bool { return e.c.ports.SysRegs.WriteSys(r, v) }

// Interrupted is Memory.
func (e *explored) Interrupted() {
	e.x.EndAwait(e.c.ID)
	e.x.Enter(e.c.ID)
}

// Depend is Memory.
func (e *explored) Depend(d mem.Dependency) { e.x.Depend(e.c.ID, d) }
