package smmuv3_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/smmuv3"
)

// What a command needs of the SMMU to be legal; 0 for one that never is.
const (
	always = 1 << iota
	stage1
	stage2
	hyp
	ats
	pri
	stall
)

var commandCases = []struct {
	d0, d1 uint64
	want   string
	needs  int
}{
	{0x01 | 8<<32, 0, "CMD_PREFETCH_CONFIG StreamID=8", always},
	{
		0x02 | 1<<11 | 5<<12 | 8<<32, 0x1000 | 3,
		"CMD_PREFETCH_ADDR StreamID=8 SubstreamID=5 SSV Address=0x1000 Size=3", always,
	},
	{0x03 | 8<<32, 1, "CMD_CFGI_STE StreamID=8 Leaf", always},
	{0x04 | 8<<32, 3, "CMD_CFGI_STE_RANGE StreamID=8 Range=3", always},
	{0x04, 31, "CMD_CFGI_ALL Range=0x1f", always},
	{0x05 | 7<<12 | 8<<32, 0, "CMD_CFGI_CD StreamID=8 SubstreamID=7", stage1},
	{0x06 | 8<<32, 0, "CMD_CFGI_CD_ALL StreamID=8", stage1},
	{0x10 | 4<<32, 0, "CMD_TLBI_NH_ALL VMID=4", stage1},
	{0x11 | 4<<32 | 9<<48, 0, "CMD_TLBI_NH_ASID ASID=9 VMID=4", stage1},
	{
		0x12 | 9<<48 | 3<<12 | 2<<20, 0x8000 | 1<<10 | 3<<8 | 1,
		"CMD_TLBI_NH_VA ASID=9 SCALE=2 NUM=3 Address=0x8000 TG=Range4K TTL=3 Leaf", stage1,
	},
	{0x13, 0x1000, "CMD_TLBI_NH_VAA Address=0x1000", stage1},
	{0x18, 0, "CMD_TLBI_EL3_ALL", 0},
	{0x1a, 0, "CMD_TLBI_EL3_VA", 0},
	{0x20, 0, "CMD_TLBI_EL2_ALL", hyp},
	{0x21, 0, "CMD_TLBI_EL2_ASID", hyp},
	{0x22, 0, "CMD_TLBI_EL2_VA", hyp},
	{0x23, 0, "CMD_TLBI_EL2_VAA", hyp},
	{0x28, 0, "CMD_TLBI_S12_VMALL", stage2},
	{0x2a, 0, "CMD_TLBI_S2_IPA", stage2},
	{0x30, 0, "CMD_TLBI_NSNH_ALL", always},
	{0x40 | 1<<9, 52, "CMD_ATC_INV Global Size=0x34", ats},
	{0x41 | 8<<32, 4 | 2<<12, "CMD_PRI_RESP StreamID=8 Resp=PRISuccess PRGIndex=4", pri},
	{0x41, 3 << 12, "CMD_PRI_RESP Resp=3", 0},
	{0x44 | 1<<12 | 8<<32, 7, "CMD_RESUME StreamID=8 Ac STAG=7", stall},
	{0x45 | 8<<32, 0, "CMD_STALL_TERM StreamID=8", stall},
	{0x07, 0, "CMD_CFGI_VMS_PIDM", 0},
	{0x70, 0, "CMD_DPTI_ALL", 0},
	{0x73, 0, "CMD_DPTI_PA", 0},
	{0x03 | 1<<10, 0, "CMD_CFGI_STE SSec", 0},
	{0x80, 1, "unknown opcode 0x80, words 0x80 0x1", 0},
	{0x00, 0, "unknown opcode 0x00, words 0x0 0x0", 0},
	{cmdSync, 0, "CMD_SYNC", always},
	{cmdSync | 3<<12, 0, "CMD_SYNC CS=SIG_RESERVED", 0},
	// The constants of Linux's CMD_SYNC, by MSI and by SEV.
	{
		0x0fc01046 | 2<<32, 0x1_0000_1234,
		"CMD_SYNC MSIDATA=2 MSIATTR=0xf MSH=InnerShareable CS=SIG_IRQ MSIADDR=0x100001234", always,
	},
	{0x0fc02046, 0, "CMD_SYNC MSIATTR=0xf MSH=InnerShareable CS=SIG_SEV", always},
}

// T2: each command, as it is taken apart, and on which SMMUs it is legal.
func TestT2Commands(t *testing.T) {
	for _, c := range commandCases {
		if got := smmuv3.DecodeCommand(c.d0, c.d1); got != c.want {
			t.Errorf("%s, expected %s", got, c.want)
		}
		for have := 0; have < 128; have++ {
			spec := smmuv3.DefaultSpec()
			spec.Stage1, spec.Stage2 = have&stage1 != 0, have&stage2 != 0
			spec.HYP, spec.ATS, spec.PRI = have&hyp != 0, have&ats != 0, have&pri != 0
			if have&stall == 0 {
				spec.StallModel, spec.StallMax = smmu.TerminateOnly, 0
			}
			spec.TLBSets, spec.ConfigEntries = 1, 1
			if have&always == 0 || !spec.Stage1 && !spec.Stage2 {
				continue
			}
			legal := newTestbed(t, spec).smmu.Legal(c.d0, c.d1) == uint8(smmu.CERROR_NONE)
			if want := c.needs != 0 && have&c.needs == c.needs; legal != want {
				t.Errorf("%s on an SMMU with features 0b%b: legal %v", c.want, have, legal)
			}
		}
	}
}

// The two words of CMD_SYNC in the fields of the manual make Linux's constants.
func TestT2SyncConstants(t *testing.T) {
	for _, c := range []struct {
		signal smmu.SyncSignal
		want   uint64
	}{{smmu.SIG_IRQ, 0x0fc01046}, {smmu.SIG_SEV, 0x0fc02046}} {
		v := smmu.CMD0_Opcode.Put(0, uint64(smmu.CMD_SYNC))
		v = smmu.CMD_SYNC0_CS.Put(v, uint64(c.signal))
		v = smmu.CMD_SYNC0_MSH.Put(v, uint64(smmu.InnerShareable))
		if v = smmu.CMD_SYNC0_MSIATTR.Put(v, 0xf); v != c.want {
			t.Errorf("0x%x, expected 0x%x", v, c.want)
		}
	}
}

// What each TLB invalidation drops: of another address, ASID, VMID, of a global page, of a larger leaf.
func TestInvalidations(t *testing.T) {
	const global = 1 << 11 // clear in a global page
	for _, c := range []struct {
		name   string
		d0, d1 uint64
		entry  uint64
		drops  bool
	}{
		{"NH_VA", 0x12 | 1<<48, 0x1000, 0, true},
		{"NH_VA, another address", 0x12 | 1<<48, 0x2000, 0, false},
		{"NH_VA, another ASID", 0x12 | 2<<48, 0x1000, 0, false},
		{"NH_VA, another ASID, global", 0x12 | 2<<48, 0x1000, global, true},
		{"NH_VA, another VMID", 0x12 | 1<<48 | 1<<32, 0x1000, 0, false},
		{"NH_VAA", 0x13, 0x1000, 0, true},
		{"NH_ASID", 0x11 | 1<<48, 0, 0, true},
		{"NH_ASID, another", 0x11 | 2<<48, 0, 0, false},
		{"NH_ASID, global", 0x11 | 1<<48, 0, global, false},
		{"NH_ALL", 0x10, 0, 0, true},
		{"NH_ALL, another VMID", 0x10 | 1<<32, 0, 0, false},
		{"S12_VMALL", 0x28, 0, 0, true},
		{"S2_IPA", 0x2a, 0x1000, 0, false},
		{"NSNH_ALL", 0x30, 0, 0, true},
		{"range before", 0x12 | 1<<48, 0x0000 | 1<<10, 0, false},
		{"range of two pages", 0x12 | 1<<48 | 1<<12, 0x0000 | 1<<10, 0, true},
		{"range of 2^5 pages", 0x12 | 1<<48 | 5<<20, 0x0000 | 1<<10, 0, true},
		{"range behind", 0x12 | 1<<48 | 5<<20, 0x2000 | 1<<10, 0, false},
		{"range, level 3", 0x12 | 1<<48 | 1<<12, 0x0000 | 1<<10 | 3<<8, 0, true},
		{"range, level 2", 0x12 | 1<<48 | 1<<12, 0x0000 | 1<<10 | 2<<8, 0, false},
		{"everything", 0x12 | 1<<48 | 31<<12 | 31<<20, 1 << 10, 0, true},
	} {
		bed := newTestbed(t, timed())
		bed.boot()
		bed.stage1(1)
		bed.mapPage(tables, 0x1000, buffers|pageRW&^c.entry)
		bed.reaches(0x1000, buffers)
		bed.mapPage(tables, 0x1000, buffers+0x1000|pageRW&^c.entry)
		bed.sync(c.d0, c.d1)
		if c.drops {
			bed.reaches(0x1000, buffers+0x1000)
		} else {
			bed.reaches(0x1000, buffers)
		}
		if t.Failed() {
			t.Fatalf("%s", c.name)
		}
	}
}

// Bug 23: the granule of a range is 2^(10 + 2 TG) bytes, not 2^TG.
func TestRangeByTG(t *testing.T) {
	for _, wrong := range []bool{false, true} {
		spec := timed()
		spec.Mutants.RangeByTG = wrong
		bed := mapped(t, spec)
		bed.mapPage(tables, 0x1000, 0)
		bed.sync(0x12|1<<48|1<<12, 1<<10) // pages 0 and 1
		if result, _ := bed.access(bus.Read, 0x1000, 8, 0); (result == smmuv3.Performed) != wrong {
			t.Errorf("mutant %v: %v", wrong, result)
		}
	}
}

// VMID wildcards: the low bits do not count in invalidations.
func TestVMW(t *testing.T) {
	spec := timed()
	spec.VMW = true
	bed := newTestbed(t, spec)
	bed.boot()
	bed.write(smmu.SMMU_CR0, allOn|2<<6)
	bed.drive()
	bed.setSTE(stream, steStage1|contexts, steUseIncoming|steCache, 0x13)
	bed.poke(contexts, cdBase|1<<48, tables, 0, mair)
	bed.sync(two(cfgiSTE(stream))...)
	bed.mapPage(tables, 0x1000, buffers|pageRW)
	bed.reaches(0x1000, buffers)
	bed.mapPage(tables, 0x1000, buffers+0x1000|pageRW)
	bed.sync(0x12|1<<48|0x14<<32, 0x1000)
	bed.reaches(0x1000, buffers)
	bed.sync(0x12|1<<48|0x10<<32, 0x1000)
	bed.reaches(0x1000, buffers+0x1000)
}

// BTM: a PE's broadcast is heard, unless PTM is set; by address or ASID it leaves contexts of ASET.
func TestBroadcast(t *testing.T) {
	for _, c := range []struct {
		btm, ptm, aset bool
		d0             uint64
		heard          bool
	}{
		{true, false, false, 0x12 | 1<<48, true}, {true, true, false, 0x12 | 1<<48, false},
		{false, false, false, 0x12 | 1<<48, false}, {true, false, true, 0x12 | 1<<48, false},
		{true, false, true, 0x10, true}, {true, false, true, 0x11 | 1<<48, false},
	} {
		spec := timed()
		spec.BTM = c.btm
		bed := newTestbed(t, spec)
		if c.ptm {
			bed.cr2 |= uint64(smmu.SMMU_CR2_PTM)
		}
		bed.boot()
		bed.stage1(1)
		if c.aset {
			bed.poke(contexts, cdBase|1<<48|1<<47, tables, 0, mair)
			bed.sync(two(cfgiCD(stream, 0))...)
		}
		bed.mapPage(tables, 0x1000, buffers|pageRW)
		bed.reaches(0x1000, buffers)
		bed.mapPage(tables, 0x1000, 0)
		bed.smmu.Broadcast(c.d0, 0x1000)
		if result, _ := bed.access(bus.Read, 0x1000, 8, 0); (result == smmuv3.Aborted) != c.heard {
			t.Errorf("%+v: %v", c, result)
		}
	}
}
