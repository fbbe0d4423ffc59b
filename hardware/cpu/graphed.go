package cpu

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Objects are the parts of an interrupt controller that belong to one CPU each, as an execution graph orders the
// accesses to them: each is in one of its numbered states, the first is 0.
type Objects interface {
	// Put brings the part of a CPU into a state, and State is the number of its present one.
	Put(cpu int, state uint64)
	State(cpu int) uint64
	// Raised reports whether the CPU's interrupt input is high in a state.
	Raised(cpu int, state uint64) bool
	// Shared reports whether a system register shows, or changes, the part of the CPU that accesses it.
	Shared(r bits.SysReg) bool
	// Sends answers the CPUs to whose parts a write of a system register sends an interrupt, and the messages that
	// Receive takes there; false if it is no such register.
	Sends(cpu int, r bits.SysReg, v uint64) (to []int, messages []uint64, sends bool)
	Receive(cpu int, message uint64)
}

// partObjects are the names of those parts in a graph, one for each CPU.
const partObjects = 1 << 62

// graphed is memory as an execution graph has it: what a load reads is the graph's to say, and time means nothing.
type graphed struct {
	c             *CPU
	h             *graph.Handle
	objects       Objects
	last          graph.Value // what the last load has read
	address, data graph.Value // declared for the next access
}

// A Loaded is where a value was loaded, for [CPU.Branch]: nil but in an execution graph, so that it costs nothing
// elsewhere.
type Loaded struct{ from *graph.Value }

// Loaded is the last load. It means something in an execution graph only.
func (c *CPU) Loaded() Loaded {
	if c.graph == nil {
		return Loaded{}
	}
	last := c.graph.last
	return Loaded{&last}
}

// Branch declares that whether what follows happens depends on what was loaded there. Programs in Go do not show it.
func (c *CPU) Branch(l Loaded) {
	if c.graph != nil {
		c.graph.h.Branch(*l.from)
	}
}

// Lines are the interrupt lines of the CPU as a thread of an execution graph.
func (c *CPU) Lines(objects Objects) []graph.Line {
	return []graph.Line{{
		Object: partObjects + 8*uint64(c.ID), Level: true,
		Raised:  func(state uint64) bool { return objects.Raised(c.ID, state) },
		Handler: func(*graph.Handle) { c.takeOne(Supervisor) },
	}}
}

// ExploreThread makes the CPU a thread of an execution graph, from its beginning. Without objects it has no interrupts
// and no system registers. The CPU's state has been restored.
func (c *CPU) ExploreThread(h *graph.Handle, objects Objects) {
	c.proc.SetClock(0)
	c.graph = &graphed{c: c, h: h, objects: objects}
	c.memory, c.exploring = c.graph, true
	c.maskGraph()
}

// EndThread is the end of the program: interrupts are unmasked.
func (c *CPU) EndThread() {
	c.interrupts.mask(Supervisor, false)
	c.maskGraph()
}

// Path names what the CPU's program has done so far, if it is a thread of a graph.
func (c *CPU) Path() (uint64, bool) {
	if c.graph == nil {
		return 0, false
	}
	return c.graph.h.Path(), true
}

// maskGraph tells the graph whether interrupts are masked.
func (c *CPU) maskGraph() {
	if c.graph != nil {
		c.graph.h.SetMasked(c.IRQMasked())
	}
}

// boundary is a point at which an interrupt may be taken.
func (g *graphed) boundary() {
	if g.objects != nil && !g.c.IRQMasked() {
		g.h.Point()
	}
}

// waitForInterrupt is WFI: an interrupt that is pending ends it, even a masked one.
func (g *graphed) waitForInterrupt() {
	raised := func(state uint64) bool { return g.objects.Raised(g.c.ID, state) }
	g.h.Wait(graph.Constant(partObjects+8*uint64(g.c.ID)), 8, graph.Sampled, raised, false)
}

// classes are what the orders of accesses are to the model: the read's, and the write's.
var classes = [...]struct{ read, write graph.Class }{
	bus.Plain:          {0, 0},
	bus.Acquire:        {graph.Acquire, 0},
	bus.AcquirePC:      {graph.AcquirePC, 0},
	bus.Release:        {0, graph.Release},
	bus.AcquireRelease: {graph.Acquire, graph.Release | graph.FullAtomic},
}

// done is the outcome of an access.
func (g *graphed) done() mem.Outcome { return mem.Outcome{Done: g.c.proc.Now()} }

// depends are the address, and what else the next access uses, with the dependencies declared for it.
func (g *graphed) depends(addr uint64, v uint64) (at, value graph.Value) {
	at, value = g.address.With(addr), g.data.With(v)
	g.address, g.data = graph.Value{}, graph.Value{}
	return at, value
}

// Load is Memory.
func (g *graphed) Load(addr uint64, size uint8, order bus.Order) (uint64, mem.Outcome) {
	at, _ := g.depends(addr, 0)
	g.last = g.h.Read(at, size, graph.Read|classes[order].read)
	return g.last.Bits, g.done()
}

// Store is Memory.
func (g *graphed) Store(addr uint64, size uint8, v uint64, order bus.Order) mem.Outcome {
	at, value := g.depends(addr, v)
	g.h.Write(at, size, graph.Write|classes[order].write, value)
	return g.done()
}

// Reserve is Memory.
func (g *graphed) Reserve(RMW) {}

// Modify is Memory.
func (g *graphed) Modify(a RMW) (uint64, mem.Outcome) {
	at, value := g.depends(a.Addr, a.V)
	class := classes[a.Order]
	read, write := graph.Read|class.read, graph.Write|graph.Atomic|class.write
	switch a.Op {
	case bus.Swap:
	case bus.CompareAndSwap:
		write |= graph.Conditional
	default:
		write |= graph.Derived
	}
	mask, compare := uint64(1)<<(8*uint(a.Size))-1, graph.Constant(a.Compare)
	g.last = g.h.Update(at, a.Size, read, write, func(old uint64) (now, result uint64, writes bool) {
		now, writes = a.Op.Apply(old, a.V&mask, a.Compare&mask)
		return now & mask, old, writes
	}, value, compare)
	return g.last.Bits, g.done()
}

// Monitor is Memory.
func (g *graphed) Monitor() { g.h.Monitor() }

// StoreExclusive is Memory. The graph knows what the load has read.
func (g *graphed) StoreExclusive(a RMW, held bool, _ uint32) (bool, mem.Outcome) {
	if !held {
		g.h.ClearMonitor()
	}
	at, value := g.depends(a.Addr, a.V)
	return g.h.WriteExclusive(at, a.Size, graph.Write|classes[a.Order].write, value), g.done()
}

// MonitorCleared is Memory, as for [explored].
func (g *graphed) MonitorCleared() bool { return false }

// Clean is Memory. Nobody here looks behind the caches.
func (g *graphed) Clean(uint64, bool) mem.Outcome { return g.done() }

// Fence is Memory. What is complete for the own PE alone orders nothing that others see.
func (g *graphed) Fence(f bus.Fence) sim.Time {
	if f.Domain != bus.NonShareable {
		g.h.Fence(graph.Fence{
			Before: graph.Access(f.Before), After: graph.Access(f.After), Completes: f.Completion,
		})
	}
	return 0
}

// Synchronize is Memory.
func (g *graphed) Synchronize() { g.h.Synchronize() }

// Wait is Memory.
func (g *graphed) Wait(
	addr uint64, size uint8, order bus.Order, pred func(v uint64) bool, timeout sim.Time,
) (uint64, bool) {
	at, uses := g.depends(addr, 0)
	v, ok := g.h.Wait(at, size, graph.Read|classes[order].read, pred, timeout != Forever, uses)
	g.last = v
	g.c.stats.Loads++
	return v.Bits, ok
}

// refuse ends the exploration at an access that has no place in a graph.
func (g *graphed) refuse(what string) {
	g.h.Refuse(fmt.Errorf("%s: %s: expected accesses to memory only", g.c, what))
}

// StoreDevice is Memory.
func (g *graphed) StoreDevice(r *bus.Region, _ uint64, _ uint8, _ uint64, _ bus.Order) sim.Time {
	g.refuse("write to " + r.Name)
	return 0
}

// ReachDevice is Memory.
func (g *graphed) ReachDevice(r *bus.Region, _ uint64, _ uint8, _ bus.Order) {
	g.refuse("read of " + r.Name)
}

// ReachSystem is Memory.
func (g *graphed) ReachSystem() {
	if g.objects == nil {
		g.refuse("access to a system register")
	}
}

// ReadSys is Memory: what the register shows of the interrupt controller is read in the graph, and maybe changed.
func (g *graphed) ReadSys(r bits.SysReg) (v uint64, ok bool) {
	regs := g.c.ports.SysRegs
	if !g.objects.Shared(r) {
		return regs.ReadSys(r)
	}
	ok = true
	g.last = g.access(g.c.ID, graph.Sampled, func() uint64 {
		v, ok = regs.ReadSys(r)
		return v
	}, graph.Value{})
	return g.last.Bits, ok
}

// WriteSys is Memory.
func (g *graphed) WriteSys(r bits.SysReg, v uint64) (ok bool) {
	regs := g.c.ports.SysRegs
	if !g.objects.Shared(r) {
		return regs.WriteSys(r, v)
	}
	_, value := g.depends(0, v)
	if to, messages, sends := g.objects.Sends(g.c.ID, r, v); sends {
		for i := range to {
			g.access(to[i], graph.System, func() uint64 {
				g.objects.Receive(to[i], messages[i])
				return 0
			}, value)
		}
		return true
	}
	ok = true
	g.access(g.c.ID, graph.System, func() uint64 {
		ok = regs.WriteSys(r, v)
		return 0
	}, value)
	return ok
}

// access performs an access to the part of a CPU in the state that the graph has there.
func (g *graphed) access(part int, class graph.Class, perform func() uint64, uses graph.Value) graph.Value {
	at := graph.Constant(partObjects + 8*uint64(part))
	return g.h.Update(at, 8, class, class|graph.System|graph.Derived, func(old uint64) (now, result uint64, writes bool) {
		g.objects.Put(part, old)
		if part == g.c.ID {
			g.c.interrupts.level = 0
			if g.objects.Raised(part, old) {
				g.c.interrupts.level = 1 << Supervisor
			}
		}
		result = perform()
		g.c.interrupts.level = 0
		now = g.objects.State(part)
		return now, result, now != old
	}, uses)
}

// Interrupted is Memory.
func (g *graphed) Interrupted() {}

// Depend is Memory.
func (g *graphed) Depend(d mem.Dependency) {
	switch d {
	case mem.AddressDependency:
		g.address = g.address.With(0, g.last)
	case mem.DataDependency:
		g.data = g.data.With(0, g.last)
	case mem.ControlDependency:
		g.h.Branch(g.last)
	}
}
