package smmuv3_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/smmuv3"
)

// upperHalf is the first address of the upper half, of 39 bits.
const upperHalf = 0xffff_ff80_0000_0000

// refused checks that a read of the device is aborted, with an event or without one.
func (t *testbed) refused(iova uint64, event string) {
	t.Helper()
	if result, _ := t.access(bus.Read, iova, 8, 0); result != smmuv3.Aborted {
		t.Errorf("0x%x: %v, expected an abort", iova, result)
	}
	if event == "" {
		t.noEvent()
		return
	}
	t.expect(event)
}

// T10: what is wrong with a stream table entry.
func TestT10STE(t *testing.T) {
	const bad = "C_BAD_STE StreamID=8"
	const s2 = 25<<32 | 1<<38 | 5<<48 | 1<<51 | 1<<58 // 39 bits, from level 1, 4 KiB
	for _, c := range []struct {
		name   string
		dw     [4]uint64
		change func(s *smmuv3.Spec)
		event  string
	}{
		{"not valid", [4]uint64{0}, nil, bad},
		{"abort", [4]uint64{steAbort}, nil, ""},
		{"Config 3", [4]uint64{steValid | 3<<1}, nil, ""},
		{"stage 1 that there is not", [4]uint64{steStage1 | contexts}, func(s *smmuv3.Spec) { s.Stage1 = false }, bad},
		{"stage 2 that there is not", [4]uint64{steStage2, 0, s2}, func(s *smmuv3.Spec) { s.Stage2 = false }, bad},
		{"S1CDMax too large", [4]uint64{steStage1 | contexts | 17<<59}, nil, bad},
		{"S1Fmt reserved", [4]uint64{steStage1 | contexts | 3<<4 | 1<<59}, nil, bad},
		{
			"S1Fmt two levels", [4]uint64{steStage1 | contexts | 1<<4 | 1<<59},
			func(s *smmuv3.Spec) { s.TwoLevelCDs = false }, bad,
		},
		{"STRW 1", [4]uint64{steStage1 | contexts, 1 << 30}, nil, bad},
		{"STRW EL2 without HYP", [4]uint64{steStage1 | contexts, 2 << 30}, nil, bad},
		{
			"S1STALLD where nothing stalls", [4]uint64{steStage1 | contexts, 1 << 27},
			func(s *smmuv3.Spec) { s.StallModel, s.StallMax = smmu.TerminateOnly, 0 }, bad,
		},
		{"S2AA64 0", [4]uint64{steStage2, 0, s2 &^ (1 << 51)}, nil, bad},
		{"S2TG reserved", [4]uint64{steStage2, 0, s2 | 3<<46}, nil, bad},
		{"S2SL0 that does not fit", [4]uint64{steStage2, 0, s2 | 2<<38}, nil, bad},
		{"S2T0SZ too small", [4]uint64{steStage2, 0, s2 &^ (0x3f << 32)}, nil, bad},
		{"S2ENDI", [4]uint64{steStage2, 0, s2 | 1<<52}, nil, bad},
		{
			"S2S where nothing stalls", [4]uint64{steStage2, 0, s2 | 1<<57},
			func(s *smmuv3.Spec) { s.StallModel, s.StallMax = smmu.TerminateOnly, 0 }, bad,
		},
		{
			"CDs in no memory", [4]uint64{steStage1 | nowhere, steCache}, nil,
			"F_CD_FETCH StreamID=8 InputAddr=0x0 FetchAddr=0x900000000",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := timed()
			if c.change != nil {
				c.change(&spec)
			}
			bed := newTestbed(t, spec)
			bed.boot()
			bed.setSTE(stream, c.dw[:]...)
			bed.sync(two(cfgiSTE(stream))...)
			bed.refused(0x1000, c.event)
		})
	}
}

// T10: what is wrong with a context descriptor, and with addresses.
func TestT10CD(t *testing.T) {
	const bad = "C_BAD_CD StreamID=8"
	const fault = "F_TRANSLATION StreamID=8 CLASS=ClassIN RnW InputAddr=0x1000"
	for _, c := range []struct {
		name  string
		dw0   uint64
		event string
	}{
		{"not valid", cdBase &^ (1 << 31), bad},
		{"AA64 0", cdBase &^ (1 << 41), bad},
		{"ENDI", cdBase | 1<<15, bad},
		{"T0SZ 15", cdBase&^0x3f | 15, bad},
		{"T0SZ 40", cdBase&^0x3f | 40, bad},
		{"TG0 reserved", cdBase | 3<<6, bad},
		{"EPD0", cdBase | 1<<14, fault},
		{"EPD0 with T0SZ 0", cdBase&^0x3f | 1<<14, fault},
		{"upper half with TG1 0", cdBase &^ (1 << 30), bad},
		{"no pages", cdBase, fault},
		{"R 0", cdBase &^ (1 << 45), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			bed := newTestbed(t, timed())
			bed.boot()
			bed.stage1(1)
			bed.poke(contexts, c.dw0, tables, 0, mair)
			bed.sync(two(cfgiCD(stream, 0))...)
			bed.refused(0x1000, c.event)
		})
	}
}

// T10: each fault of a walk, with its event.
func TestT10Walks(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	bed.stage1(1)
	bed.poke(contexts, cdBase&^(7<<32)|2<<32|1<<48, tables, 0, mair) // 40 bits of output
	bed.sync(two(cfgiCD(stream, 0))...)
	bed.mapPage(tables, 0x1000, buffers|pageRO)
	bed.mapPage(tables, 0x2000, buffers|pageRW&^(1<<10))
	bed.mapPage(tables, 0x3000, 1<<40|pageRW)
	bed.mapPage(tables, 0x20_0000, buffers|pageRW)
	bed.poke(tables+0x1000+8*2, nowhere|table)
	bed.reaches(0x1000, buffers)
	if result, _ := bed.access(bus.Write, 0x1000, 8, 0); result != smmuv3.Aborted {
		t.Errorf("a write to a read-only page: %v", result)
	}
	bed.expect("F_PERMISSION StreamID=8 CLASS=ClassIN InputAddr=0x1000")
	bed.refused(0x2008, "F_ACCESS StreamID=8 CLASS=ClassIN RnW InputAddr=0x2008")
	bed.refused(0x3000, "F_ADDR_SIZE StreamID=8 CLASS=ClassIN RnW InputAddr=0x3000")
	bed.refused(0x40_0000, "F_WALK_EABT StreamID=8 CLASS=ClassTT RnW InputAddr=0x400000 FetchAddr=0x900000000")
	bed.refused(1<<39, "F_TRANSLATION StreamID=8 CLASS=ClassIN RnW InputAddr=0x8000000000")
	bed.refused(upperHalf, "F_TRANSLATION StreamID=8 CLASS=ClassIN RnW InputAddr=0xffffff8000000000")
}

// Bug 24: the class of an input fault is IN.
func TestInputClass(t *testing.T) {
	for _, wrong := range []bool{false, true} {
		spec := timed()
		spec.Mutants.InputClassCD = wrong
		bed := newTestbed(t, spec)
		bed.boot()
		bed.stage1(1)
		bed.access(bus.Read, 0x1000, 8, 0)
		want := smmu.ClassIN
		if wrong {
			want = smmu.ClassCD
		}
		if got := smmu.EventClass(smmu.EVT1_CLASS.Get(bed.event()[1])); got != want {
			t.Errorf("mutant %v: CLASS %d", wrong, got)
		}
	}
}

// T10: a fault without A ends as a read of zero.
func TestReadsZero(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	bed.stage1(1)
	bed.poke(contexts, cdBase&^(1<<46)|1<<48, tables, 0, mair)
	bed.sync(two(cfgiCD(stream, 0))...)
	if result, v := bed.access(bus.Read, 0x1000, 8, 77); result != smmuv3.Terminated || v != 0 {
		t.Errorf("%v, 0x%x", result, v)
	}
	bed.expect("F_TRANSLATION StreamID=8 CLASS=ClassIN RnW InputAddr=0x1000")
}

// T10: two-level stream tables, their spans, and their descriptors in the cache.
func TestT10TwoLevels(t *testing.T) {
	for _, wrong := range []bool{false, true} {
		spec := timed()
		spec.Mutants.SpanOffByOne = wrong
		bed := newTestbed(t, spec)
		bed.boot()
		bed.write(smmu.SMMU_CR0, commands|4)
		bed.drive()
		bed.write(smmu.SMMU_STRTAB_BASE_CFG, 16|8<<6|1<<16)
		bed.write(smmu.SMMU_CR0, allOn)
		bed.drive()
		const second = streamTable + 0x8000
		bed.poke(second+4*64, steBypass, steUseIncoming)
		bed.poke(second+7*64, steBypass, steUseIncoming)
		bad := func(sid uint32) {
			t.Helper()
			bed.dev.Master = &bus.Master{Name: "device", StreamID: sid}
			bed.refused(buffers, smmuv3.DecodeEvent([4]uint64{uint64(smmu.C_BAD_STREAMID) | uint64(sid)<<32}))
		}
		good := func(sid uint32) {
			t.Helper()
			bed.dev.Master = &bus.Master{Name: "device", StreamID: sid}
			bed.reaches(buffers, buffers)
		}
		bad(4) // no descriptor, which is cached
		bed.poke(streamTable, second|3)
		bad(4)
		bed.sync(0x03|4<<32, 1) // the STE alone
		bad(4)
		bed.sync(0x03|4<<32, 0)
		if !wrong {
			bad(4) // Span 3: four entries
		} else {
			good(4)
			continue
		}
		bed.poke(streamTable, second|4)
		bed.sync(0x04, 31)
		good(7)
		bed.poke(streamTable, second|12) // reserved
		bed.sync(0x04|7<<32, 0)          // of streams 6 and 7
		bad(7)
		bed.poke(streamTable, second|10) // more than SPLIT + 1
		bed.sync(0x04, 31)
		bad(7)
		bad(1 << 16)
	}
}

// T10: a structure that is not valid is cached as such, where the SMMU does so: Linux's order of writes relies on
// neither.
func TestNegativeCaching(t *testing.T) {
	for _, caches := range []bool{false, true} {
		spec := timed()
		spec.CacheInvalid = caches
		bed := newTestbed(t, spec)
		bed.boot()
		bed.refused(buffers, "C_BAD_STE StreamID=8")
		bed.setSTE(stream, steBypass, steUseIncoming)
		result, _ := bed.access(bus.Read, buffers, 8, 0)
		if (result == smmuv3.Aborted) != caches {
			t.Errorf("cached %v: %v", caches, result)
		}
		bed.sync(two(cfgiSTE(stream))...)
		bed.reaches(buffers, buffers)
	}
}

// Substreams: S1DSS, S1CDMax, tables of one and two levels.
func TestSubstreams(t *testing.T) {
	for _, c := range []struct {
		name      string
		dw0, dw1  uint64
		substream int // -1 for none
		want      string
	}{
		{"without one", steStage1 | contexts | 2<<59, 2, -1, "0"},
		{"1", steStage1 | contexts | 2<<59, 2, 1, "1"},
		{"3, two levels", steStage1 | contexts | 8<<59 | 1<<4, 2, 67, "67"},
		{"no leaf table", steStage1 | contexts | 8<<59 | 1<<4, 2, 130, "C_BAD_SUBSTREAMID StreamID=8 SubstreamID=0x82 SSV"},
		{"0 is for those without", steStage1 | contexts | 2<<59, 2, 0, "F_STREAM_DISABLED StreamID=8 SSV"},
		{"terminated without", steStage1 | contexts | 2<<59, 0, -1, "F_STREAM_DISABLED StreamID=8"},
		{"reserved as terminated", steStage1 | contexts | 2<<59, 3, -1, "F_STREAM_DISABLED StreamID=8"},
		{"bypass without", steStage1 | contexts | 2<<59, 1, -1, "bypass"},
		{"too large", steStage1 | contexts | 2<<59, 2, 4, "C_BAD_SUBSTREAMID StreamID=8 SubstreamID=4 SSV"},
		{"none allowed", steStage1 | contexts, 0, 1, "C_BAD_SUBSTREAMID StreamID=8 SubstreamID=1 SSV"},
		{"no stage 1", steBypass, 0, 1, "C_BAD_SUBSTREAMID StreamID=8 SubstreamID=1 SSV"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bed := newTestbed(t, timed())
			bed.boot()
			bed.setSTE(stream, c.dw0, c.dw1|steUseIncoming|steCache)
			cds := uint64(contexts)
			if c.dw0>>4&3 != 0 {
				bed.poke(contexts, 0, contexts+0x1_0000|1)
				cds = contexts + 0x1_0000 - 64*64
			}
			pages := map[string]uint64{"0": 0, "1": 1, "67": 67}
			for i, name := range []string{"0", "1", "67"} {
				root := uint64(tables + i*0x20_0000)
				bed.poke(cds+pages[name]*64, cdBase|(1+pages[name])<<48, root, 0, mair)
				bed.mapPage(root, 0x1000, buffers+uint64(i+1)*0x1000|pageRW)
			}
			bed.sync(two(cfgiSTE(stream))...)
			bed.dev.Master = &bus.Master{Name: "device", StreamID: stream, SubstreamID: uint32(max(c.substream, 0))}
			bed.dev.Substream = c.substream >= 0
			switch c.want {
			case "0", "1", "67":
				bed.reaches(0x1000, buffers+map[string]uint64{"0": 0x1000, "1": 0x2000, "67": 0x3000}[c.want])
			case "bypass":
				bed.reaches(buffers, buffers)
			default:
				bed.refused(0x1000, c.want)
			}
		})
	}
}

// The granules of stage 1.
func TestGranules(t *testing.T) {
	for _, c := range []struct {
		tg0, granule, bits uint64
	}{{0, 12, 39}, {2, 14, 47}, {1, 16, 42}} {
		bed := newTestbed(t, timed())
		bed.boot()
		bed.stage1(1)
		bed.poke(contexts, cdBase&^0x3f|(64-c.bits)|c.tg0<<6|1<<48, tables, 0, mair)
		bed.sync(two(cfgiCD(stream, 0))...)
		at := uint64(tables)
		for left := c.bits - c.granule; left > c.granule-3; left -= c.granule - 3 {
			bed.poke(at, at+1<<c.granule|table)
			at += 1 << c.granule
		}
		bed.poke(at+8, buffers|pageRW)
		bed.reaches(1<<c.granule+0x123&^7, buffers+0x123&^7)
	}
}

// The upper half, with its own table, and TBI.
func TestUpperHalf(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	bed.stage1(1)
	const upper = 25<<16 | 2<<22 | 1<<24 | 1<<26 | 3<<28
	bed.poke(contexts, cdBase&^(1<<30)|upper|2<<38|1<<48, tables, tables2, mair) // TBI of the upper half
	bed.sync(two(cfgiCD(stream, 0))...)
	bed.mapPage(tables, 0x1000, buffers|pageRW)
	bed.mapPage(tables2, 0x1000, buffers+0x1000|pageRW)
	bed.reaches(0x1000, buffers)
	bed.reaches(upperHalf|0x1000, buffers+0x1000)
	bed.reaches(0x12<<56|upperHalf&(1<<56-1)|0x1008, buffers+0x1008)
	bed.refused(0x12<<56|0x1000, "F_TRANSLATION StreamID=8 CLASS=ClassIN RnW InputAddr=0x1200000000001000")
}
