package tests

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/sim"
)

// The GIC tests of the Linux selftests (tools/testing/selftests/kvm/arm64), under their names.

// vgicShape is one of vgic_irq's configurations.
type vgicShape struct {
	edge, eoiMode bool
}

func eachVGICShape(t *testing.T, test func(g *gicGuest, shape vgicShape)) {
	for _, edge := range []bool{true, false} {
		for _, eoiMode := range []bool{false, true} {
			t.Run(fmt.Sprintf("edge=%v/EOImode=%d", edge, boolInt(eoiMode)), func(t *testing.T) {
				g := newGICGuest(t, "virt", 2, eoiMode)
				g.configure(edge)
				test(g, vgicShape{edge, eoiMode})
			})
		}
	}
}

// vgicInterrupts is the number of INTIDs of the machine virt.
const vgicInterrupts = 256

// priorityLevels is how many priorities vgic_irq cycles through, and prioritySteps how far apart they are.
const (
	priorityLevels = 32
	prioritySteps  = 8
)

// configure is guest_init: everything enabled, PPIs and SPIs of one trigger, priorities that cycle.
func (g *gicGuest) configure(edge bool) {
	g.Helper()
	config := uint64(0)
	if edge {
		config = 0xaaaa_aaaa
	}
	g.run(0, func(c *cpu.CPU) {
		store := func(addr, v uint64) { c.Store(addr, 4, v, bus.Plain) }
		store(g.gicr(0, gic.GICR_ICFGR1), config)
		store(g.gicr(0, gic.GICR_ISENABLER0), 0xffff_ffff)
		for id := uint64(0); id < 32; id++ {
			c.Store(g.gicr(0, gic.GICR_IPRIORITYR+id), 1, vgicPriority(id), bus.Plain)
		}
		for id := uint64(32); id < vgicInterrupts; id++ {
			if id%16 == 0 {
				store(g.gicd(gic.GICD_ICFGR+id/4), config)
			}
			if id%32 == 0 {
				store(g.gicd(gic.GICD_ISENABLER+id/8), 0xffff_ffff)
			}
			c.Store(g.gicd(gic.GICD_IPRIORITYR+id), 1, vgicPriority(id), bus.Plain)
			c.Store(g.gicd(gic.GICD_IROUTER+8*id), 8, 0, bus.Plain)
		}
		g.msr(c, gic.ICC_PMR_EL1, 0xff)
	})
}

// vgicPriority cycles through all priorities but the lowest, which no mask lets pass.
func vgicPriority(id uint64) uint64 { return id % (priorityLevels - 1) * prioritySteps }

// A vgicInjection makes an interrupt pending, from a program; wires are also lowered again.
type vgicInjection struct {
	name        string
	first, last int
	inject      func(g *gicGuest, c *cpu.CPU, id int, level bool)
}

// vgicInjections are the ways that the machine has: by a register of SGIs, by wires, by ISPENDR.
func vgicInjections() []vgicInjection {
	return []vgicInjection{
		{"SGI", 0, 15, func(g *gicGuest, c *cpu.CPU, id int, level bool) {
			if level {
				g.msr(c, gic.ICC_SGI1R_EL1, g.sgi1r(id, 0))
			}
		}},
		{"PPI wire", 16, 31, func(g *gicGuest, _ *cpu.CPU, id int, level bool) {
			line, err := armBoard(g.m).GIC().PPI(0, gic.INTID(id))
			g.wire(line, err, level)
		}},
		{"SPI wire", 32, vgicInterrupts - 1, func(g *gicGuest, _ *cpu.CPU, id int, level bool) {
			line, err := armBoard(g.m).GIC().SPI(gic.INTID(id))
			g.wire(line, err, level)
		}},
		{"ISPENDR", 0, vgicInterrupts - 1, func(g *gicGuest, c *cpu.CPU, id int, level bool) {
			if level {
				c.Store(g.word(id, gic.GICD_ISPENDR, gic.GICR_ISPENDR0), 4, 1<<(id%32), bus.Plain)
			}
		}},
	}
}

// wire drives a wire, and remembers its level.
func (g *gicGuest) wire(l bus.Line, err error, level bool) {
	if err != nil {
		g.Error(err)
		return
	}
	l.SetLine(level)
	g.wireHigh = level
}

// word is the address of an interrupt's word in one of the registers of one bit an INTID, seen from CPU 0.
func (g *gicGuest) word(id int, dist, redist uint64) uint64 {
	if id < 32 {
		return g.gicr(0, redist)
	}
	return g.gicd(dist + uint64(id/32*4))
}

// TestVGICIRQ is vgic_irq's test_injection: each interrupt of each range is taken exactly once; in the handler it
// is active, and pending only while a level-sensitive one's wire is high; afterwards no priority runs and nothing
// is left to acknowledge.
func TestVGICIRQ(t *testing.T) {
	eachVGICShape(t, func(g *gicGuest, shape vgicShape) {
		for _, way := range vgicInjections() {
			for id := way.first; id <= way.last && !g.Failed(); id++ {
				g.clear()
				g.handler = func(c *cpu.CPU, got int) {
					g.inHandler(c, got, g.wireHigh && !shape.edge)
					way.inject(g, c, id, false)
					g.end(c, got)
				}
				g.run(1, func(c *cpu.CPU) { way.inject(g, c, id, true) })
				if !slices.Equal(g.acked[0], []int{id}) || len(g.acked[1]) != 0 || g.spurious != 0 {
					g.Errorf("%s %d: acknowledged %v", way.name, id, g.acked)
				}
				g.idle()
			}
		}
	})
}

// inHandler checks the state of the interrupt that is being handled.
func (g *gicGuest) inHandler(c *cpu.CPU, id int, wantPending bool) {
	active := g.word(id, gic.GICD_ISACTIVER, gic.GICR_ISACTIVER0)
	pending := g.word(id, gic.GICD_ISPENDR, gic.GICR_ISPENDR0)
	if c.Load(active, 4, bus.Plain)>>(id%32)&1 == 0 {
		g.Errorf("INTID %d is not active in its handler", id)
	}
	if got := c.Load(pending, 4, bus.Plain)>>(id%32)&1 != 0; got != wantPending {
		g.Errorf("INTID %d: pending %v in its handler, want %v", id, got, wantPending)
	}
}

// idle checks that nothing runs and nothing is pending on CPU 0.
func (g *gicGuest) idle() {
	g.run(0, func(c *cpu.CPU) {
		if v := g.mrs(c, gic.ICC_AP1R0_EL1); v != 0 {
			g.Errorf("ICC_AP1R0_EL1 is %#x", v)
		}
		if v := g.mrs(c, gic.ICC_IAR1_EL1); v != uint64(gic.Spurious) {
			g.Errorf("ICC_IAR1_EL1 gives %d", v)
		}
	})
}

// TestVGICIRQFailures is vgic_irq's test_injection_failure: numbers that are not those of a wire are refused.
func TestVGICIRQFailures(t *testing.T) {
	g := newGICGuest(t, "virt", 1, true)
	for _, id := range []gic.INTID{vgicInterrupts, vgicInterrupts + 1, 1020, 1024, 1120, 5120, ^gic.INTID(0)} {
		if _, err := armBoard(g.m).GIC().SPI(id); err == nil {
			t.Errorf("SPI(%d) was accepted", id)
		}
		if _, err := armBoard(g.m).GIC().PPI(0, id); err == nil {
			t.Errorf("PPI(%d) was accepted", id)
		}
	}
}

// preemptionDepth is vgic_irq's number of nested interrupts.
const preemptionDepth = 4

// TestVGICIRQPreemption is vgic_irq's test_preemption: interrupts of rising priority are acknowledged in INTID
// order, each inside the one before, and ended in reverse.
func TestVGICIRQPreemption(t *testing.T) {
	eachVGICShape(t, func(g *gicGuest, _ vgicShape) {
		for _, way := range vgicInjections() {
			g.run(0, func(c *cpu.CPU) { g.nest(c, way) })
			g.idle()
		}
	})
}

// nest runs with interrupts masked, as vgic_irq does, and acknowledges by polling.
func (g *gicGuest) nest(c *cpu.CPU, way vgicInjection) {
	c.MaskIRQ(true)
	for i := range preemptionDepth {
		c.Store(g.priorityByte(way.first+i), 1, uint64(preemptionDepth-1-i)*prioritySteps, bus.Plain)
	}
	for i := range preemptionDepth {
		id := way.first + i
		way.inject(g, c, id, true)
		c.Delay(sim.Microsecond)
		if got := g.mrs(c, gic.ICC_IAR1_EL1); got != uint64(id) {
			g.Errorf("%s: acknowledged %d, want %d", way.name, got, id)
		}
		way.inject(g, c, id, false)
	}
	for i := preemptionDepth - 1; i >= 0; i-- {
		g.end(c, way.first+i)
	}
	for i := range preemptionDepth {
		id := way.first + i
		c.Store(g.priorityByte(id), 1, vgicPriority(uint64(id)), bus.Plain)
	}
}

func (g *gicGuest) priorityByte(id int) uint64 {
	if id < 32 {
		return g.gicr(0, gic.GICR_IPRIORITYR) + uint64(id)
	}
	return g.gicd(gic.GICD_IPRIORITYR) + uint64(id)
}

// TestVGICIRQRestoreActive is vgic_irq's test_restore_active: interrupts made active by ISACTIVER and AP1R0, as after a
// migration, are ended by EOIR (and DIR) like any other.
func TestVGICIRQRestoreActive(t *testing.T) {
	eachVGICShape(t, func(g *gicGuest, _ vgicShape) {
		for _, id := range []int{3, 20, 40} {
			g.run(0, func(c *cpu.CPU) {
				addr := g.word(id, gic.GICD_ISACTIVER, gic.GICR_ISACTIVER0)
				c.Store(addr, 4, 1<<(id%32), bus.Plain)
				if c.Load(addr, 4, bus.Plain)>>(id%32)&1 == 0 {
					g.Errorf("INTID %d is not active after the write of ISACTIVER", id)
				}
				g.msr(c, gic.ICC_AP1R0_EL1, 1<<(vgicPriority(uint64(id))/prioritySteps))
				if got, want := g.mrs(c, gic.ICC_RPR_EL1), vgicPriority(uint64(id)); got != want {
					g.Errorf("running at %#x, want %#x", got, want)
				}
				g.end(c, id)
				if c.Load(addr, 4, bus.Plain)>>(id%32)&1 != 0 {
					g.Errorf("INTID %d is active after its end", id)
				}
			})
			g.idle()
		}
	})
}

// idlePort is a PE that nobody looks at.
type idlePort struct{}

func (idlePort) SetIRQ(bool)   {}
func (idlePort) SetFIQ(bool)   {}
func (idlePort) Now() sim.Time { return 0 }

// idleWires carry nothing.
type idleWires struct{}

func (idleWires) SGI(_, _ int, _ uint64) sim.Time { return 0 }

// TestVGICInit has those of vgic_init's cases that are about registers: v3_typer_accesses, v3_last_bit_redist_regions,
// v3_last_bit_single_rdist, and the refusals of v3_new_redist_regions.
func TestVGICInit(t *testing.T) {
	const stride = uint64(gic.RedistributorStride)
	region := func(base bus.Addr, n int) gicv3.Region { return gicv3.Region{Base: base, Count: n} }
	for _, c := range []struct {
		name    string
		regions []gicv3.Region
		last    []bool // nil: refused
	}{
		{"v3_last_bit_single_rdist", []gicv3.Region{region(0x10_0000, 4)}, []bool{false, false, false, true}},
		{"v3_last_bit_redist_regions", []gicv3.Region{region(0x10_0000, 2), region(0x40_0000, 2)},
			[]bool{false, true, false, true}},
		{"contiguous regions are one", []gicv3.Region{region(0x10_0000, 2), region(0x10_0000+2*bus.Addr(stride), 2)},
			[]bool{false, false, false, true}},
		{"too few redistributors", []gicv3.Region{region(0x10_0000, 3)}, nil},
		{"count 0", []gicv3.Region{region(0x10_0000, 0), region(0x40_0000, 4)}, nil},
		{"overlap", []gicv3.Region{region(0x10_0000, 2), region(0x12_0000, 2)}, nil},
		{"misaligned", []gicv3.Region{region(0x10_8000, 4)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := gicv3.DefaultSpec(4, 0)
			spec.Regions = c.regions
			ports := []gicv3.CPUPort{idlePort{}, idlePort{}, idlePort{}, idlePort{}}
			g, err := gicv3.New(spec, sim.NewEngine(), idleWires{}, ports)
			if err != nil {
				if c.last != nil {
					t.Fatal(err)
				}
				return
			}
			if c.last == nil {
				t.Fatal("accepted")
			}
			for i, last := range c.last {
				v, _ := g.Redistributor(i).ReadReg(gic.GICR_TYPER, bus.W64)
				if gic.GICR_TYPER_Last.Is(v) != last || gic.GICR_TYPER_Processor_Number.Get(v) != uint64(i) {
					t.Errorf("GICR_TYPER of CPU%d is %#x", i, v)
				}
			}
		})
	}
}
