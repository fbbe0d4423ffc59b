package litmus

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Time does not matter here, but a CPU must cost something.
var cpuSpec = cpu.Spec{Clock: sim.Gigahertz, StoreBuffer: 16}

const ramBase = 0x4000_0000

// lineObject is the interrupt that a test sends: no address of memory.
const lineObject = 1 << 62

// bench is what a test runs on: a CPU for each thread, and memory.
type bench struct {
	test *Test
	cpus []*cpu.CPU
	idle []cpu.Checkpoint
	base uint64
	regs [maxSlots]uint64
}

// Explore visits every execution of a test under a model. Outcomes are those that [Test.Describe] puts into words.
func (t *Test) Explore(m *graph.Model, o graph.Options) (*graph.Report, error) {
	b, err := newBench(t)
	if err != nil {
		return nil, err
	}
	return graph.Explore(b.program(), m, o)
}

func newBench(t *Test) (*bench, error) {
	b := &bench{test: t}
	engine := sim.NewEngine()
	memory, err := mem.New(mem.Spec{Base: ramBase, Size: 2 << 20, Places: make([]mem.Place, len(t.Threads))},
		func(int, sim.Time) {})
	if err != nil {
		return nil, err
	}
	if b.base, err = memory.Alloc(uint64(len(t.Locations)) * mem.LineSize); err != nil {
		return nil, err
	}
	for i := range t.Threads {
		c := cpu.New(i, &cpuSpec, engine)
		c.Connect(cpu.Ports{Memory: memory, Devices: &bus.Map{}})
		b.cpus, b.idle = append(b.cpus, c), append(b.idle, c.Save())
	}
	return b, nil
}

// program is the test as the graph explores it. The thread that is the handler does nothing but take the interrupt.
func (b *bench) program() *graph.Program {
	p := &graph.Program{End: b.end}
	for i := range b.test.Threads {
		run := func(h *graph.Handle) { b.run(h, i) }
		if i != b.test.Handler {
			p.Threads = append(p.Threads, graph.Thread{Run: run})
			continue
		}
		p.Threads = append(p.Threads, graph.Thread{
			Run: func(*graph.Handle) {}, Lines: []graph.Line{{Object: lineObject, Handler: run}},
		})
	}
	return p
}

// end packs the outcome: the registers, then what the locations hold.
func (b *bench) end(e *graph.Execution) (v graph.Verdict) {
	for i := range b.test.Registers {
		v.Outcome |= b.regs[i] & maxValue << (i * valueBits)
	}
	for i := range b.test.Locations {
		value := e.Final(b.base+uint64(i)*mem.LineSize, 8)
		v.Outcome |= value & maxValue << ((len(b.test.Registers) + i) * valueBits)
	}
	return v
}

// run executes a thread.
func (b *bench) run(h *graph.Handle, thread int) {
	c := b.cpus[thread]
	c.Restore(&b.idle[thread])
	c.JoinGraph(nil)
	c.ExploreThread(h)
	perform(c, b.test.Threads[thread], &b.regs, b.base, wires{h})
}

// wires send the interrupt of a test that has one.
type wires struct{ h *graph.Handle }

func (w wires) sendSGI(*cpu.CPU) {
	w.h.Write(graph.Constant(lineObject), 8, graph.System, graph.Constant(1))
}

func (w wires) storeSGIR(*cpu.CPU) {
	w.h.Write(graph.Constant(lineObject), 8, graph.Write|graph.Device, graph.Constant(1))
}

// signal sends the interrupt of a test that has one.
type signal interface {
	sendSGI(c *cpu.CPU)
	storeSGIR(c *cpu.CPU)
}

// perform executes instructions.
func perform(c *cpu.CPU, code []Instruction, regs *[maxSlots]uint64, base uint64, s signal) {
	for i := range code {
		in := &code[i]
		addr := base + uint64(in.Location)*mem.LineSize
		switch in.Kind {
		case Read:
			regs[in.Register] = c.Load(addr, 8, in.Order)
		case Write:
			c.Store(addr, 8, in.Value, in.Order)
		case Swap:
			regs[in.Register] = c.Atomic(addr, 8, bus.Swap, in.Value, 0, in.Order)
		case ReadWriteExclusive:
			regs[in.Register] = exclusive(c, addr, in)
		case Fence:
			c.Fence(in.Fence)
		case ISB:
			c.Synchronize()
		case Depend:
			c.Depend(in.Dependency)
		case SendSGI:
			s.sendSGI(c)
		case StoreSGIR:
			s.storeSGIR(c)
		}
	}
}

// exclusive is a loop around LDXR and STXR.
func exclusive(c *cpu.CPU, addr uint64, in *Instruction) uint64 {
	load, store := bus.Plain, bus.Plain
	if in.Order.Acquires() {
		load = bus.Acquire
	}
	if in.Order.Releases() {
		store = bus.Release
	}
	for {
		old := c.LoadExclusive(addr, 8, load)
		if c.StoreExclusive(addr, 8, in.Value, store) {
			return old
		}
	}
}
