package gic

import "github.com/hwscript/hwscript/hardware/bits"

// An entry of the first level of a table with two levels. IHI 0069, 5.2.
const (
	ITS_L1_Address bits.Field = 0xffffffffff << 12 // [51:12] Address of a page of the second level, bits 51 to 12.
	ITS_L1_Valid   bits.Field = 1 << 63            // [63] There is a page.
)

// The entries that only the ITS reads and writes are IMPLEMENTATION DEFINED. These are of the models here; all are 8
// bytes, and zero is an entry that maps nothing.
const (
	ITS_DTE_Size    bits.Field = 0x1f << 0          // [4:0] Bits of the device's EventIDs, minus one.
	ITS_DTE_ITTaddr bits.Field = 0xfffffffffff << 8 // [51:8] Interrupt translation table address, bits 51 to 8.
	ITS_DTE_Valid   bits.Field = 1 << 63            // [63] The device is mapped.

	ITS_ITE_pINTID bits.Field = 0xffffffff << 0 // [31:0] The LPI.
	ITS_ITE_ICID   bits.Field = 0xffff << 32    // [47:32] The collection.
	ITS_ITE_Valid  bits.Field = 1 << 63         // [63] The event is mapped.

	ITS_CTE_RDbase bits.Field = 0xfffffffff << 16 // [51:16] The redistributor, as MAPC names it.
	ITS_CTE_Valid  bits.Field = 1 << 63           // [63] The collection is mapped.
)
