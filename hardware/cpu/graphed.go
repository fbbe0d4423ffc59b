package cpu

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// graphed is memory as an execution graph has it: what a load reads is the graph's to say, and time means nothing.
type graphed struct {
	c             *CPU
	h             *graph.Handle
	objects       Objects
	last          graph.Value // what the last load has read
	result        graph.Value // what the last instruction that reads has answered
	address, data graph.Value // declared for the next access
	counted       uint64      // how often the counter was read
}

// A Loaded is where a value was loaded, for [CPU.Branch]: nil but in an execution graph, so that it costs nothing
// elsewhere.
type Loaded struct{ from *graph.Value }

// Loaded is the last load. It means something in an execution graph only.
func (c *CPU) Loaded() Loaded {
	if c.graph == nil {
		return Loaded{}
	}
	return c.graph.lastLoaded()
}

// lastLoaded and branch are kept out of line: they are rare, and kernel paths declare their branches everywhere.
//
//go:noinline
func (g *graphed) lastLoaded() Loaded {
	last := g.last
	return Loaded{&last}
}

//go:noinline
func (g *graphed) branch(l Loaded) { g.h.Branch(*l.from) }

// Branch declares that whether what follows happens depends on what was loaded there. Programs in Go do not show it.
func (c *CPU) Branch(l Loaded) {
	if c.graph != nil {
		c.graph.branch(l)
	}
}

// classes are what the orders of accesses are to the model: the read's, and the write's.
var classes = [...]struct{ read, write graph.Class }{
	bus.Plain:          {0, 0},
	bus.Acquire:        {graph.Acquire, 0},
	bus.AcquirePC:      {graph.AcquirePC, 0},
	bus.Release:        {0, graph.Release},
	bus.AcquireRelease: {graph.Acquire, graph.Release | graph.FullAtomic},
}

// ReadClass and WriteClass are what an order means for a load and for a store.
func ReadClass(o bus.Order) graph.Class  { return classes[o].read }
func WriteClass(o bus.Order) graph.Class { return classes[o].write }

// done is the outcome of an access.
func (g *graphed) done() mem.Outcome { return mem.Outcome{Done: g.c.proc.Now()} }

// depends are the address, and what else the next access uses, with the dependencies declared for it.
func (g *graphed) depends(addr uint64, v uint64) (at, value graph.Value) {
	at, value = g.address.With(addr), g.data.With(v)
	g.address, g.data = graph.Value{}, graph.Value{}
	return at, value
}

// loaded keeps what a load has read.
func (g *graphed) loaded(v graph.Value) uint64 {
	g.last, g.result = v, v
	return v.Bits
}

// Load is Memory.
func (g *graphed) Load(addr uint64, size uint8, order bus.Order) (uint64, mem.Outcome) {
	at, _ := g.depends(addr, 0)
	return g.loaded(g.h.Read(at, size, graph.Read|classes[order].read)), g.done()
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
	mask := uint64(1)<<(8*uint(a.Size)) - 1
	if a.Op == bus.CompareAndSwap {
		now, expected := value.With(a.V&mask), value.With(a.Compare&mask)
		return g.loaded(g.h.CompareAndSwap(at, a.Size, read, write, expected, now)), g.done()
	}
	if a.Op != bus.Swap {
		write |= graph.Derived
	}
	return g.loaded(g.h.Update(at, a.Size, read, write, func(old uint64) (now, result uint64, writes bool) {
		now, writes = a.Op.Apply(old, a.V&mask, 0)
		return now & mask, old, writes
	}, value)), g.done()
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

// MonitorCleared is Memory: the graph has it in the event register.
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
	g.c.stats.Loads++
	if g.c.tracing() {
		g.c.traceLoad(addr, order, v.Bits, g.done())
	}
	return g.loaded(v), ok
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
