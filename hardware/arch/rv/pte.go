package rv

import "github.com/hwscript/hwscript/hardware/bits"

// A page table entry of Sv39, Sv48 and Sv57. Volume II, 12.4; Svpbmt 12.14, Svnapot 12.13.
const (
	PTE_V    bits.Field = 1 << 0            // [0] The entry is valid.
	PTE_R    bits.Field = 1 << 1            // [1] Readable. With W and X clear, too, the entry points to the next table.
	PTE_W    bits.Field = 1 << 2            // [2] Writable; without R it is reserved.
	PTE_X    bits.Field = 1 << 3            // [3] Executable.
	PTE_U    bits.Field = 1 << 4            // [4] Accessible in user mode.
	PTE_G    bits.Field = 1 << 5            // [5] Global: the mapping, or all below it, exists in all address spaces.
	PTE_A    bits.Field = 1 << 6            // [6] Accessed.
	PTE_D    bits.Field = 1 << 7            // [7] Dirty.
	PTE_RSW  bits.Field = 0x3 << 8          // [9:8] For software.
	PTE_PPN  bits.Field = (1<<44 - 1) << 10 // [53:10] Page number of the page, or of the next table.
	PTE_RES0 bits.Field = 0x7f << 54        // [60:54] Reserved: must be zero.
	PTE_PBMT bits.Field = 0x3 << 61         // [62:61] Memory type of a page (Svpbmt); without it reserved.
	PTE_N    bits.Field = 1 << 63           // [63] One of a naturally aligned group (Svnapot); without it reserved.
)

// The attributes of T-Head cores, which take the place of PBMT, N and the two bits below. openC906, MMU.
const (
	PTETHEAD_Sec bits.Field = 1 << 59 // [59] Secure.
	PTETHEAD_SH  bits.Field = 1 << 60 // [60] Shareable.
	PTETHEAD_B   bits.Field = 1 << 61 // [61] Bufferable.
	PTETHEAD_C   bits.Field = 1 << 62 // [62] Cacheable.
	PTETHEAD_SO  bits.Field = 1 << 63 // [63] Strongly ordered.
)

// PageShift is log2 of the bytes of a page, and VPNBits what indexes a table.
const (
	PageShift Bits = 12
	VPNBits   Bits = 9

	// NapotBits is log2 of the pages of a group, which is 64 KiB: the only size that Svnapot has.
	NapotBits Bits = 4
)

// Bits is a number of bits of an address.
type Bits uint8
