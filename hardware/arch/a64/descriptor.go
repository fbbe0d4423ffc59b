package a64

import "github.com/hwscript/hwscript/hardware/bits"

// Descriptors of VMSAv8-64 translation tables, of which an SMMU reads the same. DDI 0487, D8.3.
const (
	PTE_Valid      bits.Field = 1 << 0   // [0] Not a fault.
	PTE_Table      bits.Field = 1 << 1   // [1] A table; at the last level: a page, and 0 is reserved.
	PTE_nG         bits.Field = 1 << 11  // [11] Stage 1: of one ASID.
	PTE_AF         bits.Field = 1 << 10  // [10] Access flag.
	PTE_SH         bits.Field = 0x3 << 8 // [9:8] Shareability.
	PTE_AP         bits.Field = 0x3 << 6 // [7:6] Stage 1: bit 0 unprivileged too, bit 1 read-only. Stage 2: read, write.
	PTE_NS         bits.Field = 1 << 5   // [5] Stage 1: Non-secure.
	PTE_AttrIndx   bits.Field = 0x7 << 2 // [4:2] Stage 1: index of a byte of MAIR.
	PTE_DBM        bits.Field = 1 << 51  // [51] Dirty state is kept by hardware.
	PTE_Contiguous bits.Field = 1 << 52  // [52] One of a run with one translation.
	PTE_PXN        bits.Field = 1 << 53  // [53] Not executable, privileged.
	PTE_XN         bits.Field = 1 << 54  // [54] Not executable; with unprivileged accesses: by those.

	PTE_Address bits.Field = 0xfffffffff << 12 // [47:12] Output address, or the next table's.

	PTETABLE_PXN bits.Field = 1 << 59   // [59] Nothing below is executable, privileged.
	PTETABLE_XN  bits.Field = 1 << 60   // [60] Nothing below is executable.
	PTETABLE_AP  bits.Field = 0x3 << 61 // [62:61] Below: bit 0 nothing unprivileged, bit 1 nothing writable.

	PTES2_MemAttr bits.Field = 0xf << 2  // [5:2] Stage 2: memory type.
	PTES2_S2AP    bits.Field = 0x3 << 6  // [7:6] Stage 2: bit 0 readable, bit 1 writable.
	PTES2_XN      bits.Field = 0x3 << 53 // [54:53] Stage 2: bit 1 not executable.
)
