package smmuv3_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/smmuv3"
)

const (
	s2Form   = 25<<32 | 1<<38 | 1<<40 | 1<<42 | 3<<44 | 5<<48 | 1<<51 | 1<<58 // 39 bits, from level 1, 4 KiB, recorded
	s2Page   = 0x7c3 | 0xf<<2                                                 // page, AF, read, write, write-back
	s2Read   = s2Page &^ (1 << 7)
	identity = 0x4000_0000
)

// block maps 2 MiB of IPA by stage 2.
func (t *testbed) block(ipa, pa, entry uint64) {
	t.poke(tables2+ipa>>30&511*8, tables2+0x1000|table)
	t.poke(tables2+0x1000+ipa>>21&511*8, pa|entry&^2)
}

// Stage 2 alone: addresses are IPAs, and only invalidations of stage 2 concern it.
func TestStage2(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	bed.setSTE(stream, steStage2, steUseIncoming, s2Form|5, tables2)
	bed.sync(two(cfgiSTE(stream))...)
	bed.block(0x20_0000, buffers, s2Page)
	bed.reaches(0x20_0123&^7, buffers+0x123&^7)
	bed.block(0x20_0000, buffers+0x20_0000, s2Page)
	bed.sync(0x12|5<<32, 0x20_0000)
	bed.sync(0x10|5<<32, 0)
	bed.sync(0x2a|6<<32, 0x20_0000)
	bed.reaches(0x20_0000, buffers)
	bed.sync(0x2a|5<<32, 0x20_1000) // any page of the block
	bed.reaches(0x20_0000, buffers+0x20_0000)
	bed.refused(0x40_0000, "F_TRANSLATION StreamID=8 CLASS=ClassIN S2 RnW InputAddr=0x400000 FetchAddr=0x400000")
	bed.refused(1<<39, "F_TRANSLATION StreamID=8 CLASS=ClassIN S2 RnW InputAddr=0x8000000000 FetchAddr=0x8000000000")
	bed.block(0x60_0000, buffers, s2Read)
	bed.reaches(0x60_0000, buffers)
	if result, _ := bed.access(bus.Write, 0x60_1008, 8, 0); result != smmuv3.Aborted {
		t.Errorf("a write where stage 2 permits none: %v", result)
	}
	bed.expect("F_PERMISSION StreamID=8 CLASS=ClassIN S2 InputAddr=0x601008 FetchAddr=0x601000")
}

// Both stages: the CD, the tables of stage 1 and its output are IPAs. Each fault of stage 2 says for what it was.
func TestNested(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	const shift = 0x1000_0000 // from IPA to physical address
	bed.setSTE(stream, steNested|(contexts-shift), steUseIncoming|steCache, s2Form|5, tables2)
	bed.poke(contexts, cdBase|1<<48, tables-shift, 0, mair)
	bed.sync(two(cfgiSTE(stream))...)
	l3 := uint64(tables + 0x10_0000)
	bed.poke(tables, tables-shift+0x1000|table)
	bed.poke(tables+0x1000, l3-shift|table)
	bed.poke(l3+8, 0x20_0000|pageRW)
	bed.refused(0x1000, "F_TRANSLATION StreamID=8 S2 RnW InputAddr=0x1000 FetchAddr=0x30500000")
	bed.block(contexts-shift&^0x1f_ffff, contexts&^0x1f_ffff, s2Page)
	bed.sync(two(cfgiSTE(stream))...)
	bed.refused(0x1000, "F_TRANSLATION StreamID=8 CLASS=ClassTT S2 RnW InputAddr=0x1000 FetchAddr=0x30600000")
	bed.block(tables-shift, tables, s2Page)
	bed.refused(0x1000, "F_TRANSLATION StreamID=8 CLASS=ClassIN S2 RnW InputAddr=0x1000 FetchAddr=0x200000")
	bed.block(0x20_0000, buffers, s2Page)
	bed.reaches(0x1000, buffers)
	bed.refused(0x2000, "F_TRANSLATION StreamID=8 CLASS=ClassIN RnW InputAddr=0x2000")

	// Invalidation by IPA does not reach what both stages have made; by VMID it does.
	bed.block(0x20_0000, buffers+0x20_0000, s2Page)
	bed.sync(0x2a|5<<32, 0x20_0000)
	bed.reaches(0x1000, buffers)
	bed.sync(0x10|5<<32, 0)
	bed.reaches(0x1000, buffers+0x20_0000)

	// Descriptors that stage 2 does not let be read.
	bed.block(tables-shift, tables, s2Page&^(1<<6))
	bed.sync(0x28|5<<32, 0)
	bed.refused(0x1000, "F_PERMISSION StreamID=8 CLASS=ClassTT S2 RnW InputAddr=0x1000 FetchAddr=0x30600000")
}

// A fragment of a larger leaf goes with any address of the leaf.
func TestFragments(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	bed.setSTE(stream, steNested|contexts, steUseIncoming|steCache, s2Form|5, tables2)
	bed.poke(contexts, cdBase|1<<48, tables, 0, mair)
	bed.sync(two(cfgiSTE(stream))...)
	bed.block(identity+contexts&0x3fe0_0000, contexts&^0x1f_ffff, s2Page)
	bed.block(tables, tables, s2Page)
	// Stage 1: a block of 2 MiB at 0. Stage 2: pages.
	bed.poke(tables, tables+0x1000|table)
	bed.poke(tables+0x1000, 0x4140_0000|pageRW&^2)
	bed.poke(tables2+0x1000+0x4140_0000>>21&511*8, tables2+0x2000|table)
	bed.poke(tables2+0x2000, buffers|s2Page, buffers+0x1000|s2Page)
	bed.reaches(0x0, buffers)
	bed.reaches(0x1000, buffers+0x1000)
	bed.poke(tables2+0x2000, buffers+0x4000|s2Page, buffers+0x5000|s2Page)
	bed.sync(0x12|1<<48|5<<32, 0x1f_f000) // an address of the block that nobody has used
	bed.reaches(0x0, buffers+0x4000)
	bed.reaches(0x1000, buffers+0x5000)
}

// EL2 contexts have no VMID, and with E2H an ASID.
func TestEL2(t *testing.T) {
	for _, e2h := range []bool{false, true} {
		spec := timed()
		spec.HYP = true
		bed := newTestbed(t, spec)
		if e2h {
			bed.cr2 |= uint64(smmu.SMMU_CR2_E2H)
		}
		bed.boot()
		bed.setSTE(stream, steStage1|contexts, steUseIncoming|steCache|2<<30)
		bed.poke(contexts, cdBase|1<<48, tables, 0, mair)
		bed.sync(two(cfgiSTE(stream))...)
		bed.mapPage(tables, 0x1000, buffers|pageRW)
		bed.reaches(0x1000, buffers)
		bed.mapPage(tables, 0x1000, buffers+0x1000|pageRW)
		bed.sync(0x30, 0)
		bed.sync(0x22|2<<48, 0x2000)
		bed.reaches(0x1000, buffers)
		bed.sync(0x21|2<<48, 0)
		bed.reaches(0x1000, buffers)
		bed.sync(0x22|2<<48, 0x1000)
		want := uint64(buffers + 0x1000) // without E2H an ASID does not count
		if e2h {
			want = buffers
		}
		bed.reaches(0x1000, want)
		bed.sync(0x20, 0)
		bed.reaches(0x1000, buffers+0x1000)
	}
}
