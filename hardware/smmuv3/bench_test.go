package smmuv3_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/smmuv3"
)

// translating is a testbed, and an access that hits or misses the TLB.
func translating(t testing.TB, misses bool) func() {
	bed := newTestbed(t, timed())
	bed.boot()
	bed.stage1(1)
	spec := bed.smmu.Spec()
	pages := uint64(1)
	if misses {
		pages = 4 * uint64(spec.TLBSets*spec.TLBWays)
	}
	for i := range pages {
		bed.mapPage(tables, i<<12, buffers|pageRW)
	}
	bed.dev.Transaction = bus.Transaction{
		Master: &bus.Master{Name: "device", StreamID: stream}, Len: 8, Op: bus.Read, Attr: bus.Normal,
	}
	i := uint64(0)
	return func() {
		i = (i + 1) % pages
		bed.dev.Addr = bus.Addr(i << 12)
		bed.dev.Submit()
		if err := bed.eng.Drive(nil); err != nil || bed.dev.Result != smmuv3.Performed {
			t.Fatal(err, bed.dev.Result)
		}
	}
}

// unmapping is a testbed, and what a strict unmap sends: one TLBI by address and one CMD_SYNC with its MSI.
func unmapping(t testing.TB) func() {
	bed := newTestbed(t, timed())
	bed.boot()
	bed.stage1(1)
	bed.mapPage(tables, 0x1000, buffers|pageRW)
	return func() {
		bed.wires = bed.wires[:0]
		bed.put(tlbiVA(1, 0x1000))
		bed.put(cmdSyncMSI, buffers+0x1000)
		bed.smmu.WriteReg(smmu.SMMU_CMDQ_PROD, bus.W32, bed.prod)
		if err := bed.eng.Drive(nil); err != nil || bed.smmu.Stats().CommandErrors != 0 {
			t.Fatal(err)
		}
	}
}

// Translating and doing commands allocates nothing, nor does a fault.
func TestAllocatesNothing(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	bed.stage1(1)
	fault := func() {
		bed.begin(bed.dev, bus.Read, 0x9000, 8, 0)
		if err := bed.eng.Drive(nil); err != nil {
			t.Fatal(err)
		}
		bed.write(smmu.SMMU_EVENTQ_CONS, bed.read(smmu.SMMU_EVENTQ_PROD))
	}
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"a hit", translating(t, false)}, {"a miss", translating(t, true)}, {"TLBI and CMD_SYNC", unmapping(t)},
		{"a fault", fault},
	} {
		for range 20 {
			c.run()
		}
		if n := testing.AllocsPerRun(200, c.run); n != 0 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}

func BenchmarkTranslateHit(b *testing.B)  { benchmark(b, translating(b, false)) }
func BenchmarkTranslateMiss(b *testing.B) { benchmark(b, translating(b, true)) }
func BenchmarkUnmap(b *testing.B)         { benchmark(b, unmapping(b)) }

func benchmark(b *testing.B, run func()) {
	run()
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
}
