package arm_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

const (
	ns = sim.Nanosecond

	midr     = 0x480f_d010 // HiSilicon TSV110
	affinity = 0x12_0034_0506
)

// defaultSpec is a PE whose system registers cost nothing, so that a test's times are its own.
func defaultSpec() arm.Spec {
	return arm.Spec{
		CPU:  &cpu.Spec{Clock: 2 * sim.Gigahertz, StoreBuffer: 4},
		MIDR: midr, Affinity: affinity, CounterFreq: 100 * sim.Megahertz,
	}
}

// bench is one PE with memory and the register file of a CPU interface.
type bench struct {
	testing.TB
	engine *sim.Engine
	pe     *arm.PE
	gic    *interfaceRegs
	input  sim.Channel
	timers timerLines
}

func newBench(t testing.TB, spec arm.Spec) *bench {
	t.Helper()
	if err := spec.Validate(); err != nil {
		t.Fatal(err)
	}
	b := &bench{TB: t, engine: sim.NewEngine()}
	b.gic = &interfaceRegs{regs: map[bits.SysReg]uint64{gic.ICC_PMR_EL1: 0}}
	memory, err := mem.New(mem.Spec{Base: 0x4000_0000, Size: 2 << 20, Places: make([]mem.Place, 1)},
		func(_ int, at sim.Time) { b.pe.Wake(at) })
	if err != nil {
		t.Fatal(err)
	}
	b.pe = arm.New(0, spec, b.engine)
	b.pe.Connect(memory, &bus.Map{}, b.gic, nil)
	b.pe.ConnectTimers(&timerLine{lines: &b.timers, name: "CNTP"}, &timerLine{lines: &b.timers, name: "CNTV"})
	b.engine.Register(&b.input, "input")
	t.Cleanup(b.engine.Close)
	return b
}

// A program is a function on a PE.
type program func()

func (p program) Run(*sim.Proc) { p() }

// run runs a program to its end.
func (b *bench) run(p program) {
	b.Helper()
	if err := b.pe.Start(p); err != nil {
		b.Fatal(err)
	}
	if err := b.engine.Drive(nil); err != nil {
		b.Fatal(err)
	}
}

// read is MRS of a register that exists.
func (b *bench) read(r bits.SysReg) uint64 {
	b.Helper()
	v, ok := b.pe.CPU.ReadSys(r)
	if !ok {
		b.Errorf("MRS of %s is UNDEFINED", name(r))
	}
	return v
}

// write is MSR to a register that can be written.
func (b *bench) write(r bits.SysReg, v uint64) {
	b.Helper()
	if !b.pe.CPU.WriteSys(r, v) {
		b.Errorf("MSR of %s is UNDEFINED", name(r))
	}
}

// reads checks the value of a register.
func (b *bench) reads(r bits.SysReg, want uint64) {
	b.Helper()
	if got := b.read(r); got != want {
		b.Errorf("%s at %s is 0x%x, want 0x%x", name(r), b.pe.Now(), got, want)
	}
}

func name(r bits.SysReg) string {
	n, _ := arm.DecodeSysReg(r, 0)
	return n
}

// The levels of the inputs that a test drives.
const (
	irqLow uint64 = iota
	irqHigh
	fiqLow
	fiqHigh
)

// drive changes an input at a time.
func (b *bench) drive(at sim.Time, level uint64) { b.engine.Post(&b.input, at, b, level) }

// Fire is sim.Handler.
func (b *bench) Fire(_ sim.Time, level uint64) {
	if level == fiqLow || level == fiqHigh {
		b.pe.SetFIQ(level == fiqHigh)
		return
	}
	b.pe.SetIRQ(level == irqHigh)
}

// vector is a function that takes the PE's interrupts.
type vector func()

func (v vector) IRQ(*cpu.CPU) { v() }

// interfaceRegs stands for the GIC's CPU interface: what it was given can be read and written.
type interfaceRegs struct{ regs map[bits.SysReg]uint64 }

func (g *interfaceRegs) ReadSys(r bits.SysReg) (uint64, bool) {
	v, ok := g.regs[r]
	return v, ok
}

func (g *interfaceRegs) WriteSys(r bits.SysReg, v uint64) bool {
	if _, ok := g.regs[r]; !ok {
		return false
	}
	g.regs[r] = v
	return true
}
