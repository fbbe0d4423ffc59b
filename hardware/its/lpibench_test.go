package its_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/its"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// idlePE is a PE that does nothing, and the wires between such.
type idlePE struct{ eng *sim.Engine }

func (idlePE) SetIRQ(bool)                   {}
func (idlePE) SetFIQ(bool)                   {}
func (p idlePE) Now() sim.Time               { return p.eng.Now() }
func (idlePE) SGI(int, int, uint64) sim.Time { return 0 }

// hardwareBed is a testbed with the redistributors of a GIC in place of its own, whose LPIs are enabled.
func hardwareBed(b *testing.B, pendingWrites bool) (*testbed, *gicv3.GIC) {
	const config, pending = 0x4140_0000, 0x4150_0000
	t := newBareTestbed(b, testSpec())
	spec := gicv3.DefaultSpec(testCPUs, redist)
	spec.PendingWrites, spec.NonSecureReset = pendingWrites, true
	pe := idlePE{t.eng}
	g, err := gicv3.New(spec, t.eng, pe, []gicv3.CPUPort{pe, pe, pe, pe})
	if err != nil {
		b.Fatal(err)
	}
	g.ConnectMemory(func(int) bus.Target { return t.mem.NewPort(&bus.Master{Name: "GICR"}, mem.Place{}, nil) })
	t.its, err = its.New(testSpec(), t.eng, its.Ports{
		Master: &bus.Master{Name: "ITS1"}, Memory: t.accesses.to, Redistributors: g, Latency: &t.latency,
	})
	if err != nil {
		b.Fatal(err)
	}
	t.devices.Regions()[1].Target = t.its.Translation()
	g.Distributor().WriteReg(gic.GICD_CTLR, bus.W32, 0x12)
	for rd := range testCPUs {
		r := g.Redistributor(rd)
		r.WriteReg(gic.GICR_WAKER, bus.W32, 0)
		attr := gic.GICR_PROPBASER_InnerCache.Put(0, uint64(gic.RaWaWb))
		attr = gic.GICR_PROPBASER_Shareability.Put(attr, uint64(gic.InnerShareable))
		r.WriteReg(gic.GICR_PROPBASER, bus.W64, attr|config|15)
		r.WriteReg(gic.GICR_PENDBASER, bus.W64, attr|pending+uint64(rd)<<16)
		r.WriteReg(gic.GICR_CTLR, bus.W32, 1)
		for reg, v := range map[bits.SysReg]uint64{gic.ICC_PMR_EL1: 0xf0, gic.ICC_IGRPEN1_EL1: 1} {
			g.CPUInterface(rd).WriteSys(reg, v)
		}
	}
	for at := uint64(0); at < 64; at += 8 {
		t.mem.Poke(config+at, 8, 0xa1a1_a1a1_a1a1_a1a1)
	}
	t.write(gic.GITS_BASER, t.baser(devices, gic.RaWaWb))
	t.write(gic.GITS_BASER+8, t.baser(collects, gic.RaWaWb))
	t.setQueue(1)
	t.enable(true)
	t.run(mapc(1, 1), mapd(0, 2, itts), mapti(0, 1, 8193, 1))
	return t, g
}

// BenchmarkLPI is one LPI without the PE: a device's message, looked up by the ITS and the redistributor, acknowledged
// and ended.
func BenchmarkLPI(b *testing.B) {
	for _, pendingWrites := range []bool{false, true} {
		b.Run(map[bool]string{false: "pending table left alone", true: "pending table written"}[pendingWrites],
			func(b *testing.B) {
				t, g := hardwareBed(b, pendingWrites)
				m, c := &messages{t: t}, g.CPUInterface(1)
				b.ReportAllocs()
				for b.Loop() {
					m.send(1)
					id, _ := c.ReadSys(gic.ICC_IAR1_EL1)
					c.WriteSys(gic.ICC_EOIR1_EL1, id)
				}
				if n := g.Stats(1).Acknowledged; n != uint64(b.N) {
					b.Fatalf("%d of %d taken", n, b.N)
				}
			})
	}
}
