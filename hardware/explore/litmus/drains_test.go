package litmus

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// plainSubject runs a test without interrupts on memory whose stores drain one by one.
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

// Subject makes a test executable on memory whose stores drain one by one.
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
func (t *thread) Run(*sim.Proc) { perform(t.cpu, t.code, &t.s.regs, t.s.base, nil) }
