package tests

import (
	"slices"

	"github.com/hwscript/hwscript/hardware/arch/gic"
)

// A mask excuses a difference between a recorded answer and ours, where the recorder departs from the architecture or
// chooses otherwise where that leaves a choice. It says what must hold in spite of the difference, so that it hides
// nothing else, and is counted wherever it is used.
type oracleMask struct {
	register string
	reason   string
	excuses  func(t oracleTarget, op *traceOp, ours uint64) bool
	memory   func(op *traceOp) bool // excuses a difference in memory
}

// The recorded machine's map.
const (
	oracleGICD = 0x0800_0000
	oracleITS  = 0x0808_0000
	oracleGICR = 0x080a_0000
	oracleSMMU = 0x0905_0000
)

// The INTIDs of the recorded machine that exist in spite of its GICD_TYPER.
const (
	hiddenFirst = 256
	hiddenLast  = 287
)

var gicMasks = slices.Concat(coreMasks, itsMasks)

var coreMasks = []oracleMask{
	{
		register: "GICD, INTIDs 256 to 287",
		reason:   "recorder: live beyond GICD_TYPER.ITLinesNumber; IHI 0069, 12.9: registers of absent INTIDs are RES0",
		excuses: func(_ oracleTarget, op *traceOp, ours uint64) bool {
			return hiddenINTID(op.addr-oracleGICD) && ours == 0
		},
	},
	{
		register: "GICD_IROUTER",
		reason:   "recorder keeps all 64 bits; IHI 0069, 12.9: [63:40] and [30:24] are RES0, and so is IRM with No1N",
		excuses: func(_ oracleTarget, op *traceOp, ours uint64) bool {
			const exist = uint64(gic.GICD_IROUTER_Aff0 | gic.GICD_IROUTER_Aff1 | gic.GICD_IROUTER_Aff2 |
				gic.GICD_IROUTER_Aff3)
			off := op.addr - oracleGICD
			return within(off, gic.GICD_IROUTER, 8*1020) && ours == op.value&(exist>>(off&4*8))
		},
	},
	{
		register: "GICR_PROPBASER, GICR_PENDBASER",
		reason: "recorder keeps writes while EnableLPIs is 1; IHI 0069, 12.11: they are UNPREDICTABLE, " +
			"here they are ignored",
		excuses: func(t oracleTarget, op *traceOp, _ uint64) bool {
			off := (op.addr - oracleGICR) % uint64(gic.RedistributorStride)
			ctlr := t.read(op.addr-off+gic.GICR_CTLR, 4)
			return within(off, gic.GICR_PROPBASER, 16) && gic.GICR_CTLR_EnableLPIs.Is(ctlr)
		},
	},
	{
		register: "GICR_PROPBASER",
		reason:   "recorder keeps all 64 bits; IHI 0069, 12.11: [63:59], [55:52] and [6:5] are RES0",
		excuses: func(_ oracleTarget, op *traceOp, ours uint64) bool {
			const exist = uint64(gic.GICR_PROPBASER_IDbits | gic.GICR_PROPBASER_InnerCache |
				gic.GICR_PROPBASER_Shareability | gic.GICR_PROPBASER_Physical_Address | gic.GICR_PROPBASER_OuterCache)
			return tableRegister(op, gic.GICR_PROPBASER, exist, ours)
		},
	},
	{
		register: "GICR_PENDBASER",
		reason: "recorder keeps all 64 bits and shows PTZ; IHI 0069, 12.11: PTZ is WO, and [63], [61:59], [55:52], " +
			"[15:12] and [6:0] are RES0",
		excuses: func(_ oracleTarget, op *traceOp, ours uint64) bool {
			const exist = uint64(gic.GICR_PENDBASER_InnerCache | gic.GICR_PENDBASER_Shareability |
				gic.GICR_PENDBASER_Physical_Address | gic.GICR_PENDBASER_OuterCache)
			return tableRegister(op, gic.GICR_PENDBASER, exist, ours)
		},
	},
	{
		register: "ICC_PMR_EL1",
		reason:   "recorder keeps bits above 7; IHI 0069, 12.2: [63:8] are RES0",
		excuses: func(_ oracleTarget, op *traceOp, ours uint64) bool {
			return op.reg == "ICC_PMR_EL1" && ours == gic.ICC_PMR_EL1_Priority.Get(op.value)
		},
	},
	{
		register: "ICC_BPR0_EL1, ICC_BPR1_EL1",
		reason: "recorder checks the minimum before it drops bits above 2, and so goes below it; IHI 0069, 12.2: a value " +
			"below the minimum gives the minimum",
		excuses: func(_ oracleTarget, op *traceOp, ours uint64) bool {
			least := map[string]uint64{"ICC_BPR0_EL1": 2, "ICC_BPR1_EL1": 3}[op.reg]
			return op.value < least && ours == least
		},
	},
}

func within(off, first, size uint64) bool { return off >= first && off < first+size }

// tableRegister: ours are the recorded bits that exist, of the half that was read.
func tableRegister(op *traceOp, register, exist, ours uint64) bool {
	off := (op.addr - oracleGICR) % uint64(gic.RedistributorStride)
	return op.addr >= oracleGICR && within(off, register, 8) && ours == op.value&(exist>>(off&4*8))
}

// hiddenINTID reports whether an offset of the distributor belongs to the INTIDs 256 to 287.
func hiddenINTID(off uint64) bool {
	for _, array := range []struct{ base, bits uint64 }{
		{gic.GICD_IGROUPR, 1}, {gic.GICD_ISENABLER, 1}, {gic.GICD_ICENABLER, 1}, {gic.GICD_ISPENDR, 1},
		{gic.GICD_ICPENDR, 1}, {gic.GICD_ISACTIVER, 1}, {gic.GICD_ICACTIVER, 1}, {gic.GICD_IPRIORITYR, 8},
		{gic.GICD_ICFGR, 2}, {gic.GICD_IROUTER, 64},
	} {
		if within(off, array.base+hiddenFirst*array.bits/8, (hiddenLast-hiddenFirst+1)*array.bits/8) {
			return true
		}
	}
	return false
}
