package gicv3_test

import (
	"fmt"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/sim"
)

const redistBase bus.Addr = 0x080a_0000

// port is a PE that does nothing but look at its inputs.
type port struct {
	eng      *sim.Engine
	irq, fiq bool
	changes  int
}

func (p *port) SetIRQ(level bool) { p.irq = level; p.changes++ }
func (p *port) SetFIQ(level bool) { p.fiq = level; p.changes++ }
func (p *port) Now() sim.Time     { return p.eng.Now() }

// wires is a constant latency.
type wires sim.Time

func (w wires) SGI(_, _ int, _ uint64) sim.Time { return sim.Time(w) }

// testbed is a GIC between PEs that do nothing by themselves.
type testbed struct {
	testing.TB
	eng   *sim.Engine
	gic   *gicv3.GIC
	ports []*port
	spec  gicv3.Spec
}

const sgiLatency = 10 * sim.Nanosecond

func newTestbed(t testing.TB, spec gicv3.Spec) *testbed {
	t.Helper()
	bed := &testbed{TB: t, eng: sim.NewEngine(), spec: spec}
	ports := make([]gicv3.CPUPort, len(spec.MPIDRs))
	for i := range ports {
		p := &port{eng: bed.eng}
		bed.ports = append(bed.ports, p)
		ports[i] = p
	}
	var err error
	if bed.gic, err = gicv3.New(spec, bed.eng, wires(sgiLatency), ports); err != nil {
		t.Fatal(err)
	}
	return bed
}

// drive lets everything that is under way arrive.
func (t *testbed) drive() {
	if err := t.eng.Drive(nil); err != nil {
		t.Fatal(err)
	}
}

func (t *testbed) dist(off uint64, v uint64) {
	t.Helper()
	if !t.gic.Distributor().WriteReg(off, bus.W32, v) {
		t.Fatalf("GICD+%#x: no such register", off)
	}
}

func (t *testbed) readDist(off uint64) uint64 {
	t.Helper()
	v, ok := t.gic.Distributor().ReadReg(off, bus.W32)
	if !ok {
		t.Fatalf("GICD+%#x: no such register", off)
	}
	return v
}

func (t *testbed) redist(cpu int, off uint64, v uint64) {
	t.Helper()
	if !t.gic.Redistributor(cpu).WriteReg(off, bus.W32, v) {
		t.Fatalf("GICR%d+%#x: no such register", cpu, off)
	}
}

func (t *testbed) readRedist(cpu int, off uint64) uint64 {
	t.Helper()
	v, ok := t.gic.Redistributor(cpu).ReadReg(off, bus.W32)
	if !ok {
		t.Fatalf("GICR%d+%#x: no such register", cpu, off)
	}
	return v
}

func (t *testbed) msr(cpu int, reg bits.SysReg, v uint64) {
	t.Helper()
	if !t.gic.CPUInterface(cpu).WriteSys(reg, v) {
		t.Fatalf("msr %#x: UNDEFINED", uint16(reg))
	}
}

func (t *testbed) mrs(cpu int, reg bits.SysReg) uint64 {
	t.Helper()
	v, ok := t.gic.CPUInterface(cpu).ReadSys(reg)
	if !ok {
		t.Fatalf("mrs %#x: UNDEFINED", uint16(reg))
	}
	return v
}

// boot does to the GIC what Linux does (gic_dist_init, gic_cpu_init), and enables everything. All interrupts have
// priority 0xa0.
func (t *testbed) boot(split bool) {
	t.Helper()
	const all = 0xffff_ffff
	t.dist(gic.GICD_CTLR, 0)
	for w := uint64(1); w < 32; w++ {
		t.dist(gic.GICD_IGROUPR+4*w, all)
		t.dist(gic.GICD_ISENABLER+4*w, all)
		t.dist(gic.GICD_ICFGR+8*w, 0xaaaa_aaaa)
		t.dist(gic.GICD_ICFGR+8*w+4, 0xaaaa_aaaa)
	}
	for off := uint64(32); off < 1020; off += 4 {
		t.dist(gic.GICD_IPRIORITYR+off, 0xa0a0_a0a0)
	}
	t.dist(gic.GICD_CTLR, 0x12)
	for cpu := range t.ports {
		t.redist(cpu, gic.GICR_WAKER, 0)
		t.redist(cpu, gic.GICR_IGROUPR0, all)
		t.redist(cpu, gic.GICR_ISENABLER0, all)
		for off := uint64(0); off < 32; off += 4 {
			t.redist(cpu, gic.GICR_IPRIORITYR+off, 0xa0a0_a0a0)
		}
		t.msr(cpu, gic.ICC_PMR_EL1, 0xf0)
		t.msr(cpu, gic.ICC_BPR1_EL1, 0)
		mode := uint64(0)
		if split {
			mode = 1
		}
		t.msr(cpu, gic.ICC_CTLR_EL1, gic.ICC_CTLR_EL1_EOImode.Put(0, mode))
		t.msr(cpu, gic.ICC_IGRPEN1_EL1, 1)
	}
}

// sgi1r composes a value of ICC_SGI1R_EL1 for one target.
func (t *testbed) sgi1r(id uint64, cpu int) uint64 {
	m := t.spec.MPIDRs[cpu]
	v := gic.ICC_SGI1R_EL1_INTID.Put(0, id)
	v = gic.ICC_SGI1R_EL1_TargetList.Put(v, 1<<(m&0xf))
	v = gic.ICC_SGI1R_EL1_RS.Put(v, m>>4&0xf)
	v = gic.ICC_SGI1R_EL1_Aff1.Put(v, m>>8&0xff)
	v = gic.ICC_SGI1R_EL1_Aff2.Put(v, m>>16&0xff)
	return gic.ICC_SGI1R_EL1_Aff3.Put(v, m>>32&0xff)
}

func name(what string, n int) string { return fmt.Sprintf("%s=%d", what, n) }
