package tests

import (
	"fmt"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/sim"
)

// The GIC tests of kvm-unit-tests (arm/gic.c), under their names: programs on a booted machine's CPUs, with interrupt
// handlers of their own.

// gicGuest is such a program's machine: what each CPU acknowledged, and what its handler does instead of ending it.
// Programs run on coroutines, from which a test must not be ended: they report errors and go on.
type gicGuest struct {
	*testing.T
	m        *machine.Machine
	split    bool    // EOImode
	acked    [][]int // by CPU, in order
	spurious int
	wireHigh bool                     // the wire that was driven last
	handler  func(c *cpu.CPU, id int) // nil: ends the interrupt
}

// armBoard is the board of a machine.
func armBoard(m *machine.Machine) *machine.ArmBoard { return m.Board.(*machine.ArmBoard) }

// guestProgram runs a function on a CPU.
type guestProgram func(c *cpu.CPU)

type boundProgram struct {
	c *cpu.CPU
	f guestProgram
}

func (p boundProgram) Run(*sim.Proc) { p.f(p.c) }

func newGICGuest(t *testing.T, preset string, cpus int, eoiMode bool) *gicGuest {
	t.Helper()
	return newITSGuest(t, preset, cpus, eoiMode, nil)
}

// newITSGuest is newGICGuest with an ITS in place of the preset's.
func newITSGuest(t *testing.T, preset string, cpus int, eoiMode bool, its *machine.ITSSpec) *gicGuest {
	t.Helper()
	spec, ok := machine.Preset(preset)
	if !ok {
		t.Fatalf("no machine %s", preset)
	}
	spec.Sockets, spec.CPUs = 1, cpus
	board := spec.Board.(*machine.ArmSpec)
	if board.Driver.EOImode1 = eoiMode; its != nil {
		board.ITS = its
	}
	m, err := machine.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	if err := m.Boot(); err != nil {
		t.Fatal(err)
	}
	g := &gicGuest{T: t, m: m, split: eoiMode, acked: make([][]int, cpus)}
	for _, p := range m.CPUs {
		p.SetVector(g)
	}
	return g
}

// IRQ is the handler: it counts, as kvm-unit-tests' ipi_handler does.
func (g *gicGuest) IRQ(c *cpu.CPU) {
	id := int(g.mrs(c, gic.ICC_IAR1_EL1))
	if id == int(gic.Spurious) {
		g.spurious++
		return
	}
	g.acked[c.ID] = append(g.acked[c.ID], id)
	if g.handler != nil {
		g.handler(c, id)
		return
	}
	g.end(c, id)
}

func (g *gicGuest) end(c *cpu.CPU, id int) {
	g.msr(c, gic.ICC_EOIR1_EL1, uint64(id))
	if g.split {
		g.msr(c, gic.ICC_DIR_EL1, uint64(id))
	}
}

func (g *gicGuest) mrs(c *cpu.CPU, reg bits.SysReg) uint64 {
	v, ok := c.ReadSys(reg)
	if !ok {
		g.Errorf("%v: mrs %#x is UNDEFINED", c, uint16(reg))
	}
	return v
}

func (g *gicGuest) msr(c *cpu.CPU, reg bits.SysReg, v uint64) {
	if !c.WriteSys(reg, v) {
		g.Errorf("%v: msr %#x is UNDEFINED", c, uint16(reg))
	}
}

// run executes a program on a CPU, then lets everything that it set off happen.
func (g *gicGuest) run(id int, f guestProgram) {
	g.Helper()
	if err := g.m.Run(id, boundProgram{g.m.CPUs[id], f}); err != nil {
		g.Fatal(err)
	}
	g.drive()
}

func (g *gicGuest) drive() {
	g.Helper()
	if err := g.m.Drive(nil); err != nil {
		g.Fatal(err)
	}
}

// clear forgets what was acknowledged.
func (g *gicGuest) clear() {
	for i := range g.acked {
		g.acked[i] = nil
	}
	g.spurious = 0
}

// check wants each CPU of a set to have acknowledged one interrupt exactly once, and the others none.
func (g *gicGuest) check(id int, expected func(cpu int) bool) {
	g.Helper()
	for i, acked := range g.acked {
		want := ""
		if expected(i) {
			want = fmt.Sprint([]int{id})
		}
		if got := fmt.Sprint(acked); got != want && !(want == "" && len(acked) == 0) {
			g.Errorf("CPU%d acknowledged %s, want %s", i, got, want)
		}
	}
	if g.spurious != 0 {
		g.Errorf("%d spurious interrupts", g.spurious)
	}
}

// gicd and gicr are addresses of registers.
func (g *gicGuest) gicd(off uint64) uint64 { return armBoard(g.m).DistributorBase() + off }

func (g *gicGuest) gicr(cpu int, off uint64) uint64 {
	spec := armBoard(g.m).GIC().Spec()
	return uint64(spec.RedistributorBase(cpu)) + off
}

// sgi1r names one CPU as the target of an SGI.
func (g *gicGuest) sgi1r(id, target int) uint64 {
	m := armBoard(g.m).GIC().Spec().MPIDRs[target]
	v := gic.ICC_SGI1R_EL1_INTID.Put(0, uint64(id))
	v = gic.ICC_SGI1R_EL1_TargetList.Put(v, 1<<(m&0xf))
	v = gic.ICC_SGI1R_EL1_Aff1.Put(v, m>>8&0xff)
	v = gic.ICC_SGI1R_EL1_Aff2.Put(v, m>>16&0xff)
	return gic.ICC_SGI1R_EL1_Aff3.Put(v, m>>32&0xff)
}

// eachGICGuest runs a test on both machines and in both EOI modes.
func eachGICGuest(t *testing.T, test func(g *gicGuest)) {
	for _, preset := range []string{"virt", "kunpeng920"} {
		for _, eoiMode := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/EOImode=%d", preset, boolInt(eoiMode)), func(t *testing.T) {
				test(newGICGuest(t, preset, 8, eoiMode))
			})
		}
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestGICv3IPI is gicv3-ipi: to oneself, to every other CPU by target lists, to all others by broadcast.
func TestGICv3IPI(t *testing.T) {
	const ipi, sender = 1, 3
	eachGICGuest(t, func(g *gicGuest) {
		g.run(sender, func(c *cpu.CPU) { g.msr(c, gic.ICC_SGI1R_EL1, g.sgi1r(ipi, sender)) })
		g.check(ipi, func(cpu int) bool { return cpu == sender })

		g.clear() // "target-list"
		g.run(sender, func(c *cpu.CPU) {
			for target := range g.acked {
				if target != sender {
					g.msr(c, gic.ICC_SGI1R_EL1, g.sgi1r(ipi, target))
				}
			}
		})
		g.check(ipi, func(cpu int) bool { return cpu != sender })

		g.clear() // "broadcast"
		g.run(sender, func(c *cpu.CPU) {
			g.msr(c, gic.ICC_SGI1R_EL1, gic.ICC_SGI1R_EL1_IRM.Put(g.sgi1r(ipi, sender), 1))
		})
		g.check(ipi, func(cpu int) bool { return cpu != sender })
	})
}

// TestGICv3Active is gicv3-active: the handler writes ICACTIVER instead of ending the interrupt. The SGI completes:
// it is no longer active, though its priority still runs.
func TestGICv3Active(t *testing.T) {
	const ipi, sender = 1, 2
	eachGICGuest(t, func(g *gicGuest) {
		g.handler = func(c *cpu.CPU, id int) {
			c.Store(g.gicr(c.ID, gic.GICR_ICACTIVER0), 4, 1<<id, bus.Plain)
		}
		var active, running uint64
		g.run(sender, func(c *cpu.CPU) { g.msr(c, gic.ICC_SGI1R_EL1, g.sgi1r(ipi, sender)) })
		g.run(sender, func(c *cpu.CPU) {
			active = c.Load(g.gicr(sender, gic.GICR_ISACTIVER0), 4, bus.Plain)
			running = g.mrs(c, gic.ICC_AP1R0_EL1)
		})
		g.check(ipi, func(cpu int) bool { return cpu == sender })
		if active != 0 || running == 0 {
			g.Errorf("GICR_ISACTIVER0 is %#x, ICC_AP1R0_EL1 %#x", active, running)
		}
	})
}

// TestGICv3MMIO has the shape of gicv2-mmio, whose GICv3 variant kvm-unit-tests has not written.
func TestGICv3MMIO(t *testing.T) {
	for _, preset := range []string{"virt", "kunpeng920"} {
		t.Run(preset, func(t *testing.T) {
			g := newGICGuest(t, preset, 4, true)
			g.run(0, func(c *cpu.CPU) {
				for _, off := range []uint64{gic.GICD_TYPER, gic.GICD_IIDR, gic.GICD_PIDR2} {
					g.readOnly(c, g.gicd(off))
				}
				for _, off := range []uint64{gic.GICR_TYPER, gic.GICR_IIDR, gic.GICR_PIDR2} {
					g.readOnly(c, g.gicr(1, off))
				}
				typer := c.Load(g.gicd(gic.GICD_TYPER), 4, bus.Plain)
				interrupts := min(32*(gic.GICD_TYPER_ITLinesNumber.Get(typer)+1), uint64(gic.FirstSpecial))
				g.priorities(c, interrupts)
			})
		})
	}
}

// readOnly is test_readonly_32: three patterns change nothing.
func (g *gicGuest) readOnly(c *cpu.CPU, addr uint64) {
	before := c.Load(addr, 4, bus.Plain)
	for _, pattern := range []uint64{0xffff_ffff, 0x55aa_55aa, 0} {
		c.Store(addr, 4, pattern, bus.Plain)
		if got := c.Load(addr, 4, bus.Plain); got != before {
			g.Errorf("%#x: %#x became %#x", addr, before, got)
		}
	}
}

// priorities is test_priorities, from the first SPI on.
func (g *gicGuest) priorities(c *cpu.CPU, interrupts uint64) {
	first, last, beyond := g.gicd(gic.GICD_IPRIORITYR+32), g.gicd(gic.GICD_IPRIORITYR+interrupts-4),
		g.gicd(gic.GICD_IPRIORITYR+interrupts)
	load := func(addr uint64) uint64 { return c.Load(addr, 4, bus.Plain) }
	store := func(addr, v uint64) { c.Store(addr, 4, v, bus.Plain) }

	original := load(first)
	store(first, 0xffff_ffff)
	mask := load(first)
	if one := mask & 0xff; mask != one*0x0101_0101 {
		g.Errorf("the priority mask is not the same for all: %#x", mask)
	} else if one&0xf0 != 0xf0 {
		g.Errorf("fewer than 4 priority bits: %#x", one)
	}
	store(first, 0)
	if got := load(first); got != 0 {
		g.Errorf("cleared priorities are %#x", got)
	}
	if interrupts < uint64(gic.FirstSpecial) {
		store(beyond, 0xffff_ffff)
		if got := load(beyond); got != 0 {
			g.Errorf("priorities beyond the last interrupt are %#x", got)
		}
	}
	const pattern = 0x1010_2030
	store(last, pattern)
	store(first, 0x4030_2010)
	if got, want := load(last), uint64(pattern)&mask; got != want {
		g.Errorf("the last SPIs' priorities are %#x, want %#x", got, want)
	}
	if got, want := load(first), 0x4030_2010&mask; got != want {
		g.Errorf("the priorities are %#x, want %#x", got, want)
	}
	c.Store(first+2, 1, 0x80, bus.Plain)
	if got := c.Load(first+2, 1, bus.Plain); got != 0x80 {
		g.Errorf("the byte is %#x", got)
	}
	if got, want := load(first), 0x4080_2010&mask; got != want {
		g.Errorf("after the write of a byte the priorities are %#x, want %#x", got, want)
	}
	store(first, original)
}
