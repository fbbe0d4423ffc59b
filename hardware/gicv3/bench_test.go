package gicv3_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/sim"
)

// BenchmarkSGI is one IPI of Linux without the PEs: sent, travelled, acknowledged, ended, deactivated.
func BenchmarkSGI(b *testing.B) {
	for _, cpus := range []int{4, 96, 4096} {
		b.Run(name("cpus", cpus), func(b *testing.B) {
			t := newTestbed(b, gicv3.DefaultSpec(cpus, redistBase))
			t.boot(true)
			sender, target := t.gic.CPUInterface(0), t.gic.CPUInterface(cpus-1)
			to := t.sgi1r(5, cpus-1)
			b.ReportAllocs()
			for b.Loop() {
				sender.WriteSys(gic.ICC_SGI1R_EL1, to)
				t.drive()
				id, _ := target.ReadSys(gic.ICC_IAR1_EL1)
				target.WriteSys(gic.ICC_EOIR1_EL1, id)
				target.WriteSys(gic.ICC_DIR_EL1, id)
			}
			if s := t.gic.Stats(cpus - 1); s.Acknowledged != uint64(b.N) {
				b.Fatalf("%d of %d taken", s.Acknowledged, b.N)
			}
		})
	}
}

// BenchmarkSGIBroadcast is one write with IRM = 1 and what all targets do.
func BenchmarkSGIBroadcast(b *testing.B) {
	t := newTestbed(b, gicv3.DefaultSpec(96, redistBase))
	t.boot(true)
	b.ReportAllocs()
	for b.Loop() {
		t.gic.CPUInterface(0).WriteSys(gic.ICC_SGI1R_EL1, gic.ICC_SGI1R_EL1_IRM.Put(0, 1))
		t.drive()
		for cpu := 1; cpu < 96; cpu++ {
			c := t.gic.CPUInterface(cpu)
			id, _ := c.ReadSys(gic.ICC_IAR1_EL1)
			c.WriteSys(gic.ICC_EOIR1_EL1, id)
			c.WriteSys(gic.ICC_DIR_EL1, id)
		}
	}
}

// BenchmarkSPI is one edge of a wire to its deactivation.
func BenchmarkSPI(b *testing.B) {
	t := newTestbed(b, gicv3.DefaultSpec(96, redistBase))
	t.boot(true)
	line, _ := t.gic.SPI(40)
	t.gic.Distributor().WriteReg(gic.GICD_IROUTER+8*40, bus.W64, 3)
	c := t.gic.CPUInterface(3)
	b.ReportAllocs()
	for b.Loop() {
		line.SetLine(true)
		id, _ := c.ReadSys(gic.ICC_IAR1_EL1)
		line.SetLine(false)
		c.WriteSys(gic.ICC_EOIR1_EL1, id)
		c.WriteSys(gic.ICC_DIR_EL1, id)
	}
}

// BenchmarkNew is a GIC without its machine.
func BenchmarkNew(b *testing.B) {
	for _, cpus := range []int{4, 96, 4096} {
		b.Run(name("cpus", cpus), func(b *testing.B) {
			spec := gicv3.DefaultSpec(cpus, redistBase)
			ports := make([]gicv3.CPUPort, cpus)
			for i := range ports {
				ports[i] = &port{}
			}
			for b.Loop() {
				if _, err := gicv3.New(spec, sim.NewEngine(), wires(0), ports); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The path of an IPI allocates nothing.
func TestSGIAllocatesNothing(t *testing.T) {
	bed := newTestbed(t, gicv3.DefaultSpec(4, redistBase))
	bed.boot(true)
	from, to := bed.gic.CPUInterface(0), bed.gic.CPUInterface(1)
	ipi := func() {
		from.WriteSys(gic.ICC_SGI1R_EL1, bed.sgi1r(1, 1))
		bed.drive()
		id, _ := to.ReadSys(gic.ICC_IAR1_EL1)
		for _, reg := range []bits.SysReg{gic.ICC_EOIR1_EL1, gic.ICC_DIR_EL1} {
			to.WriteSys(reg, id)
		}
	}
	ipi()
	if n := testing.AllocsPerRun(100, ipi); n != 0 {
		t.Errorf("%v allocations per IPI", n)
	}
}
