package litmus

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// plainSubject runs a test without interrupts: bare CPUs on explored memory.
type plainSubject struct {
	test    *Test
	engine  *sim.Engine
	memory  *mem.Explored
	threads []thread
	base    uint64
	regs    [maxSlots]uint64
}

// thread is one CPU's program.
type thread struct {
	s    *plainSubject
	cpu  *cpu.CPU
	idle cpu.Checkpoint
	code []Instruction
}

// Time does not matter here, but a CPU must cost something.
var cpuSpec = cpu.Spec{Clock: sim.Gigahertz, StoreBuffer: 16}

const ramBase = 0x4000_0000

// Subject makes a test executable under a memory model.
func (t *Test) Subject(spec mem.ExploredSpec) (explore.Subject, error) {
	if t.Handler >= 0 {
		return newMachineSubject(t, spec)
	}
	return newPlainSubject(t, spec)
}

func newPlainSubject(t *Test, spec mem.ExploredSpec) (*plainSubject, error) {
	s := &plainSubject{test: t, engine: sim.NewEngine(), threads: make([]thread, len(t.Threads))}
	memory, err := mem.New(mem.Spec{Base: ramBase, Size: 2 << 20, Places: make([]mem.Place, len(t.Threads))},
		func(c int, at sim.Time) { s.threads[c].cpu.Wake(at) })
	if err != nil {
		return nil, err
	}
	if s.base, err = memory.Alloc(uint64(len(t.Locations)) * mem.LineSize); err != nil {
		return nil, err
	}
	s.memory = memory.NewExplored(spec, s.engine)
	for i := range s.threads {
		c := cpu.New(i, cpuSpec, s.engine)
		c.Connect(cpu.Ports{Memory: memory, Devices: &bus.Map{}})
		c.Explore(s.memory)
		s.threads[i] = thread{s, c, c.Save(), t.Threads[i]}
	}
	return s, nil
}

// Engine is explore.Subject.
func (s *plainSubject) Engine() *sim.Engine { return s.engine }

// Begin is explore.Subject.
func (s *plainSubject) Begin() {
	s.memory.Reset()
	s.regs = [maxSlots]uint64{}
	for i := range s.threads {
		t := &s.threads[i]
		t.cpu.Restore(&t.idle)
		t.cpu.Proc().Start(t, 0)
	}
}

// End is explore.Subject.
func (s *plainSubject) End(e explore.Ending) explore.Verdict {
	return ending(s.test, &s.regs, s.memory, s.base, e)
}

// ending packs the outcome.
func ending(
	t *Test, regs *[maxSlots]uint64, memory *mem.Explored, base uint64, e explore.Ending,
) (v explore.Verdict) {
	if e.Err != nil {
		v.Finding = e.Err.Error()
	}
	for i := range t.Registers {
		v.Outcome |= regs[i] & maxValue << (i * valueBits)
	}
	for i := range t.Locations {
		value := memory.Peek(base+uint64(i)*mem.LineSize, 8)
		v.Outcome |= value & maxValue << ((len(t.Registers) + i) * valueBits)
	}
	return v
}

// Run is sim.Program.
func (t *thread) Run(*sim.Proc) { run(t.cpu, t.code, &t.s.regs, t.s.base, nil) }

// signal sends the interrupt of a test that has one.
type signal interface {
	sendSGI(c *cpu.CPU)
	storeSGIR(c *cpu.CPU)
}

// run executes the instructions of a thread.
func run(c *cpu.CPU, code []Instruction, regs *[maxSlots]uint64, base uint64, s signal) {
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
