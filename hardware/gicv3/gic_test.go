package gicv3_test

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/sim"
)

func TestSpecValidate(t *testing.T) {
	for _, c := range []struct {
		change func(*gicv3.Spec)
		want   string
	}{
		{func(s *gicv3.Spec) { s.MPIDRs = nil }, "0 MPIDRs: want 1 to 4096"},
		{func(s *gicv3.Spec) { s.NumSPIs = 40 }, "NumSPIs is 40: want a multiple of 32, or 988"},
		{func(s *gicv3.Spec) { s.NumSPIs = 1024 }, "NumSPIs is 1024"},
		{func(s *gicv3.Spec) { s.IDbits = 25 }, "IDbits is 25: want 10 to 24"},
		{func(s *gicv3.Spec) { s.IDbits = 12 }, "LPIs begin at 8192 and need at least 14"},
		{func(s *gicv3.Spec) { s.CPUPriorityBits = 3 }, "CPUPriorityBits is 3: want 4 to 8"},
		{func(s *gicv3.Spec) { s.DistributorPriorityBits = 9 }, "DistributorPriorityBits is 9"},
		{func(s *gicv3.Spec) { s.CommonLPIAff = 4 }, "CommonLPIAff is 4"},
		{func(s *gicv3.Spec) { s.RWPDelay = -1 }, "RWPDelay is -1 ps"},
		{func(s *gicv3.Spec) { s.Regions[0].Count = 3 }, "Regions hold 3 redistributors for 4 PEs"},
		{func(s *gicv3.Spec) { s.Regions = append(s.Regions, gicv3.Region{Count: 0}) }, "Regions[1].Count is 0"},
		{func(s *gicv3.Spec) { s.Regions[0].Base = 0x1000 }, "Regions[0].Base is 0x1000: want a multiple of 0x10000"},
		{func(s *gicv3.Spec) {
			s.Regions = []gicv3.Region{{Base: 0, Count: 2}, {Base: 0x20000, Count: 2}}
		}, "Regions[1] overlaps Regions[0]"},
		{func(s *gicv3.Spec) { s.MPIDRs[2] = 1 }, "MPIDRs[1] and MPIDRs[2] have the same affinity 0.0.0.1"},
		{func(s *gicv3.Spec) { s.MPIDRs[2] = 16 }, "Aff0 must be below 16 without RSS"},
		{func(s *gicv3.Spec) { s.A3V = false; s.MPIDRs[2] = 1 << 32 }, "Aff3 must be 0 without A3V"},
	} {
		spec := gicv3.DefaultSpec(4, redistBase)
		c.change(&spec)
		ports := make([]gicv3.CPUPort, len(spec.MPIDRs))
		_, err := gicv3.New(spec, sim.NewEngine(), wires(0), ports)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	if _, err := gicv3.New(gicv3.DefaultSpec(4, redistBase), sim.NewEngine(), wires(0), nil); err == nil {
		t.Error("a GIC without CPU ports was accepted")
	}
}

func TestLines(t *testing.T) {
	bed := newTestbed(t, gicv3.DefaultSpec(1, redistBase))
	for _, id := range []gic.INTID{0, 15, 16, 31, 1020, 8192} {
		if _, err := bed.gic.SPI(id); err == nil {
			t.Errorf("SPI(%d) was accepted", id)
		}
	}
	for _, id := range []gic.INTID{0, 15, 32} {
		if _, err := bed.gic.PPI(0, id); err == nil {
			t.Errorf("PPI(0, %d) was accepted", id)
		}
	}
}

// An SGI reaches the PE whose affinity is named, and nobody else, whatever the layout of affinities.
func TestSGIReachesAffinity(t *testing.T) {
	layouts := map[string]func(i uint64) uint64{
		"Aff0 to 15, then Aff1":        func(i uint64) uint64 { return i%16 | i/16<<8 },
		"one PE a cluster":             func(i uint64) uint64 { return i%4<<8 | (8+i/4%6+16*(i/24))<<16 },
		"Aff0 to 255 by RS, with Aff3": func(i uint64) uint64 { return i%256 | i/256<<32 },
	}
	for name, layout := range layouts {
		t.Run(name, func(t *testing.T) {
			spec := gicv3.DefaultSpec(300, redistBase)
			spec.RSS = true
			for i := range spec.MPIDRs {
				spec.MPIDRs[i] = layout(uint64(i))
			}
			bed := newTestbed(t, spec)
			bed.boot(true)
			rng := rand.New(rand.NewSource(1))
			for range 200 {
				from, to := rng.Intn(300), rng.Intn(300)
				bed.msr(from, gic.ICC_SGI1R_EL1, bed.sgi1r(3, to))
				bed.drive()
				for cpu, p := range bed.ports {
					if p.irq != (cpu == to) {
						t.Fatalf("SGI from CPU%d to CPU%d: CPU%d has irq %v", from, to, cpu, p.irq)
					}
				}
				if id := bed.mrs(to, gic.ICC_IAR1_EL1); id != 3 {
					t.Fatalf("acknowledged %d", id)
				}
				bed.msr(to, gic.ICC_EOIR1_EL1, 3)
				bed.msr(to, gic.ICC_DIR_EL1, 3)
			}
		})
	}
}

// With IRM everybody else is a target, and what the rest of the register says does not matter.
func TestBroadcast(t *testing.T) {
	bed := newTestbed(t, gicv3.DefaultSpec(40, redistBase))
	bed.boot(true)
	bed.msr(7, gic.ICC_SGI1R_EL1, gic.ICC_SGI1R_EL1_IRM.Put(bed.sgi1r(2, 7), 1))
	bed.drive()
	for cpu, p := range bed.ports {
		if p.irq != (cpu != 7) {
			t.Errorf("CPU%d: irq %v", cpu, p.irq)
		}
	}
	if s := bed.gic.Total(); s.SGIsSent != 39 || s.SGIsDelivered != 39 {
		t.Errorf("%+v", s)
	}
}

// GICR_TYPER.Last marks the end of each region; regions that touch are one.
func TestTyperLast(t *testing.T) {
	for _, vlpis := range []bool{false, true} {
		spec := gicv3.DefaultSpec(7, redistBase)
		spec.VLPIS = vlpis
		spec.Regions = []gicv3.Region{
			{Base: redistBase, Count: 2}, {Base: 0x4000_0000, Count: 1},
			{Base: 0x4000_0000 + bus.Addr(spec.Stride()), Count: 1}, {Base: 0x5000_0000, Count: 3},
		}
		bed := newTestbed(t, spec)
		for cpu, want := range []bool{false, true, false, true, false, false, true} {
			v, _ := bed.gic.Redistributor(cpu).ReadReg(gic.GICR_TYPER, bus.W64)
			if gic.GICR_TYPER_Last.Is(v) != want || gic.GICR_TYPER_Processor_Number.Get(v) != uint64(cpu) {
				t.Errorf("VLPIS %v: GICR_TYPER of CPU%d is %#x", vlpis, cpu, v)
			}
		}
	}
}

// An SGI that is under way when the GIC is reset does not arrive.
func TestResetDropsMessages(t *testing.T) {
	bed := newTestbed(t, gicv3.DefaultSpec(2, redistBase))
	bed.boot(false)
	bed.msr(0, gic.ICC_SGI1R_EL1, bed.sgi1r(1, 1))
	bed.gic.Reset()
	bed.boot(false)
	bed.drive()
	if bed.ports[1].irq || bed.readRedist(1, gic.GICR_ISPENDR0) != 0 {
		t.Error("a message arrived that was sent before the reset")
	}
}

// A wire that is high when the power comes back makes a level-sensitive PPI pending; an edge that came without power is
// lost.
func TestWiresWithoutPower(t *testing.T) {
	bed := newTestbed(t, gicv3.DefaultSpec(1, redistBase))
	level, _ := bed.gic.PPI(0, 27)
	bed.gic.SetPower(0, false)
	level.SetLine(true)
	bed.gic.SetPower(0, true)
	if got := bed.readRedist(0, gic.GICR_ISPENDR0); got != 1<<27 {
		t.Errorf("GICR_ISPENDR0 is %#x", got)
	}
	bed.redist(0, gic.GICR_ICFGR1, uint64(gic.Edge)<<(2*(27-16)))
	if got := bed.readRedist(0, gic.GICR_ISPENDR0); got != 0 {
		t.Errorf("edge-triggered: GICR_ISPENDR0 is %#x", got)
	}
}

// An SPI for a PE that loses its power stays pending in the distributor.
func TestSPIWithoutPower(t *testing.T) {
	bed := newTestbed(t, gicv3.DefaultSpec(2, redistBase))
	bed.boot(false)
	line, _ := bed.gic.SPI(40)
	line.SetLine(true)
	bed.gic.SetPower(0, false)
	if bed.ports[0].irq {
		t.Error("irq without power")
	}
	bed.gic.SetPower(0, true)
	bed.redist(0, gic.GICR_WAKER, 0)
	bed.msr(0, gic.ICC_PMR_EL1, 0xf0)
	bed.msr(0, gic.ICC_IGRPEN1_EL1, 1)
	if id := bed.mrs(0, gic.ICC_IAR1_EL1); id != 40 {
		t.Errorf("acknowledged %d", id)
	}
}

// The number of active priority registers follows the priority bits; the others are UNDEFINED.
func TestActivePriorityRegisters(t *testing.T) {
	for priorityBits, want := range map[int]int{4: 1, 5: 1, 6: 2, 7: 4, 8: 4} {
		spec := gicv3.DefaultSpec(1, redistBase)
		spec.CPUPriorityBits = priorityBits
		c := newTestbed(t, spec).gic.CPUInterface(0)
		for n := range 4 {
			_, ok0 := c.ReadSys(gic.ICC_AP0R0_EL1 + bits.SysReg(n))
			_, ok1 := c.ReadSys(gic.ICC_AP1R0_EL1 + bits.SysReg(n))
			if ok0 != (n < want) || ok1 != ok0 {
				t.Errorf("%d bits: AP0R%d %v, AP1R%d %v", priorityBits, n, ok0, n, ok1)
			}
		}
	}
}

// Every priority below the mask that the CPU interface can tell apart nests (bit 0 is never group priority).
func TestNesting(t *testing.T) {
	for _, priorityBits := range []int{4, 5, 6, 7, 8} {
		spec := gicv3.DefaultSpec(1, redistBase)
		spec.CPUPriorityBits = priorityBits
		bed := newTestbed(t, spec)
		bed.boot(false)
		bed.msr(0, gic.ICC_PMR_EL1, 0xff)
		step := max(1<<(8-priorityBits), 2)
		depth := 0
		for priority := 256 - 2*step; priority >= 0; priority -= step {
			id := 32 + depth
			bed.gic.Distributor().WriteReg(gic.GICD_IPRIORITYR+uint64(id), bus.W8, uint64(priority))
			bed.dist(gic.GICD_ISPENDR+uint64(id/32*4), 1<<(id%32))
			if got := bed.mrs(0, gic.ICC_IAR1_EL1); got != uint64(id) {
				t.Fatalf("%d bits, priority %#x: acknowledged %d, want %d", priorityBits, priority, got, id)
			}
			if got := bed.mrs(0, gic.ICC_RPR_EL1); got != uint64(priority) {
				t.Fatalf("%d bits: running at %#x, want %#x", priorityBits, got, priority)
			}
			depth++
		}
		for ; depth > 0; depth-- {
			bed.msr(0, gic.ICC_EOIR1_EL1, uint64(32+depth-1))
		}
		if got := bed.mrs(0, gic.ICC_RPR_EL1); got != uint64(gic.IdlePriority) {
			t.Errorf("%d bits: running at %#x in the end", priorityBits, got)
		}
	}
}

// EnableLPIs stays set where CES is 0; the table registers exist only with LPIs.
func TestLPIRegisters(t *testing.T) {
	spec := gicv3.DefaultSpec(1, redistBase)
	spec.CES = false
	bed := newTestbed(t, spec)
	bed.redist(0, gic.GICR_CTLR, 1)
	bed.redist(0, gic.GICR_CTLR, 0)
	if got := bed.readRedist(0, gic.GICR_CTLR); got != 1 {
		t.Errorf("GICR_CTLR is %#x", got)
	}
	spec.LPIS = false
	bed = newTestbed(t, spec)
	bed.redist(0, gic.GICR_CTLR, 1)
	bed.redist(0, gic.GICR_PROPBASER, 0xf)
	if a, b := bed.readRedist(0, gic.GICR_CTLR), bed.readRedist(0, gic.GICR_PROPBASER); a != 0 || b != 0 {
		t.Errorf("without LPIs GICR_CTLR is %#x, GICR_PROPBASER %#x", a, b)
	}
}

// FuzzRegisters accesses any offset with any size and any system register: nothing panics, a read that is refused gives
// zero, and reads of memory-mapped registers change nothing.
func FuzzRegisters(f *testing.F) {
	f.Add(uint64(gic.GICD_IROUTER+8*40), uint8(8), uint64(1), uint16(gic.ICC_PMR_EL1), true)
	f.Add(uint64(gic.GICR_ICFGR1), uint8(4), ^uint64(0), uint16(gic.ICC_SGI1R_EL1), false)
	f.Add(uint64(0x1_ffff), uint8(1), uint64(0xff), uint16(0xffff), true)
	f.Fuzz(func(t *testing.T, off uint64, w uint8, v uint64, reg uint16, ds bool) {
		spec := gicv3.DefaultSpec(2, redistBase)
		spec.DS, spec.NonSecureReset, spec.MBIS = ds, true, true
		bed := newTestbed(t, spec)
		frames := []bus.Device{bed.gic.Distributor(), bed.gic.Redistributor(1)}
		for _, frame := range frames {
			for _, o := range []uint64{off, off % uint64(gic.RedistributorStride)} {
				wrote := frame.WriteReg(o, bus.Width(w), v)
				first, ok := frame.ReadReg(o, bus.Width(w))
				second, _ := frame.ReadReg(o, bus.Width(w))
				if ok != wrote || !ok && first != 0 || first != second {
					t.Errorf("%#x, %d bytes: write %v, read %#x %v, again %#x", o, w, wrote, first, ok, second)
				}
			}
		}
		bed.gic.CPUInterface(1).WriteSys(bits.SysReg(reg), v)
		bed.gic.CPUInterface(1).ReadSys(bits.SysReg(reg))
		bed.drive()
	})
}

// Of the active priorities registers the bits of priorities that do not exist read as zero, and make nothing run.
func TestActivePrioritiesThatDoNotExist(t *testing.T) {
	spec := gicv3.DefaultSpec(1, redistBase)
	spec.CPUPriorityBits = 4
	c := newTestbed(t, spec).gic.CPUInterface(0)
	for _, reg := range []bits.SysReg{gic.ICC_AP0R0_EL1, gic.ICC_AP1R0_EL1} {
		c.WriteSys(reg, 0xffff_0000)
		running, _ := c.ReadSys(gic.ICC_RPR_EL1)
		if v, _ := c.ReadSys(reg); v != 0 || running != uint64(gic.IdlePriority) {
			t.Errorf("read back %#x, running priority %#x", v, running)
		}
	}
}
