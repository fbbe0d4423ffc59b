package tests

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
)

// itsMasks excuse the recorded ITS.
var itsMasks = []oracleMask{
	{
		register: "GITS_CBASER, GITS_CWRITER, GITS_CREADR",
		reason: "recorder keeps reserved bits; IHI 0069, 12.19: CBASER's [62], [58:56], [52] and [9:8] are RES0, " +
			"CWRITER's and CREADR's [63:20] and [4:1]",
		excuses: func(_ oracleTarget, op *traceOp, ours uint64) bool {
			off := op.addr - oracleITS
			exist := uint64(gic.GITS_CWRITER_Offset)
			if within(off, gic.GITS_CBASER, 8) {
				exist = uint64(gic.GITS_CBASER_Size | gic.GITS_CBASER_Shareability | gic.GITS_CBASER_Physical_Address |
					gic.GITS_CBASER_OuterCache | gic.GITS_CBASER_InnerCache | gic.GITS_CBASER_Valid)
			}
			return op.kind == "r" && within(off, gic.GITS_CBASER, 24) && ours == op.value&(exist>>(off&4*8)) &&
				ours != op.value
		},
	},
	{
		register: "GITS_CREADR",
		reason:   "recorder lets software write it while the ITS is enabled; IHI 0069, 12.19: it is read-only",
		excuses: func(t oracleTarget, op *traceOp, ours uint64) bool {
			enabled := gic.GITS_CTLR_Enabled.Is(t.read(oracleITS+gic.GITS_CTLR, 4))
			return op.kind == "r" && op.addr == oracleITS+gic.GITS_CREADR && enabled &&
				ours == t.read(oracleITS+gic.GITS_CWRITER, 8)
		},
	},
	{
		register: "tables of devices and collections",
		reason:   "IHI 0069, 5.2: what the entries look like is IMPLEMENTATION DEFINED",
		memory: func(op *traceOp) bool {
			return within(op.addr, oracleDevices, oracleTableSize) || within(op.addr, oracleCollections, oracleTableSize)
		},
	},
}

// The recorded tables of the ITS.
const (
	oracleDevices     = 0x4110_0000
	oracleCollections = 0x4120_0000
	oracleTableSize   = 0x1_0000
)
