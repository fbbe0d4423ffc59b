package smmu

import "github.com/hwscript/hwscript/hardware/bits"

// Sizes of structures. IHI 0070, chapter 5.
const (
	STESize  Size = 64
	CDSize   Size = 64
	L1Size   Size = 8
	L2CDs4K  Log2 = 6  // log2 of the CDs of a leaf table of 4 KiB
	L2CDs64K Log2 = 10 // of 64 KiB
)

// Level 1 stream table descriptor. IHI 0070, 5.1.
const (
	L1STD0_Span  bits.Field = 0x1f << 0           // [4:0] 2^(Span-1) entries; 0 for none.
	L1STD0_L2Ptr bits.Field = 0x3fffffffffff << 6 // [51:6] The second level; bits below its size are ignored.
)

// MaxSpan is the largest Span that is not reserved.
const MaxSpan Log2 = 11

// Stream Table Entry. IHI 0070, 5.2.
const (
	STE0_V            bits.Field = 1 << 0              // [0] Valid.
	STE0_Config       bits.Field = 0x7 << 1            // [3:1] Which stages translate; STEConfig.
	STE0_S1Fmt        bits.Field = 0x3 << 4            // [5:4] Form of the table of CDs; CDTableFormat.
	STE0_S1ContextPtr bits.Field = 0x3fffffffffff << 6 // [51:6] Table of CDs.
	STE0_S1CDMax      bits.Field = 0x1f << 59          // [63:59] log2 of the number of CDs; 0: one, and no substreams.

	STE1_S1DSS    bits.Field = 0x3 << 0  // [1:0] Transactions without a substream; DefaultSubstream.
	STE1_S1CIR    bits.Field = 0x3 << 2  // [3:2] Accesses to CDs, inner; TableCache.
	STE1_S1COR    bits.Field = 0x3 << 4  // [5:4] Accesses to CDs, outer; TableCache.
	STE1_S1CSH    bits.Field = 0x3 << 6  // [7:6] Accesses to CDs; Shareability.
	STE1_DRE      bits.Field = 1 << 12   // [12] Destructive reads are allowed.
	STE1_CONT     bits.Field = 0xf << 13 // [16:13] Hint: StreamIDs that are alike.
	STE1_DCP      bits.Field = 1 << 17   // [17] Directed cache prefetch is allowed.
	STE1_PPAR     bits.Field = 1 << 18   // [18] PRI responses carry the PASID.
	STE1_MEV      bits.Field = 1 << 19   // [19] Events may be merged.
	STE1_S1STALLD bits.Field = 1 << 27   // [27] Stage 1 may not stall.
	STE1_EATS     bits.Field = 0x3 << 28 // [29:28] ATS; 0: not allowed.
	STE1_STRW     bits.Field = 0x3 << 30 // [31:30] Stream world; StreamWorld.
	STE1_MemAttr  bits.Field = 0xf << 32 // [35:32] Memory type, if MTCFG.
	STE1_MTCFG    bits.Field = 1 << 36   // [36] The memory type is MemAttr, else the incoming one.
	STE1_ALLOCCFG bits.Field = 0xf << 37 // [40:37] Allocation hints.
	STE1_SHCFG    bits.Field = 0x3 << 44 // [45:44] Shareability; 1: the incoming one.
	STE1_NSCFG    bits.Field = 0x3 << 46 // [47:46] Non-secure attribute.
	STE1_PRIVCFG  bits.Field = 0x3 << 48 // [49:48] Privilege; 2 unprivileged, 3 privileged, else the incoming one.
	STE1_INSTCFG  bits.Field = 0x3 << 50 // [51:50] Instruction or data; 2 data, 3 instruction, else the incoming one.

	STE2_S2VMID bits.Field = 0xffff << 0         // [15:0] The VMID.
	STE2_S2T0SZ bits.Field = 0x3f << 32          // [37:32] 64 minus the bits of an IPA.
	STE2_S2SL0  bits.Field = 0x3 << 38           // [39:38] Level at which stage 2 begins.
	STE2_S2IR0  bits.Field = 0x3 << 40           // [41:40] Walks, inner; TableCache.
	STE2_S2OR0  bits.Field = 0x3 << 42           // [43:42] Walks, outer; TableCache.
	STE2_S2SH0  bits.Field = 0x3 << 44           // [45:44] Walks; Shareability.
	STE2_S2TG   bits.Field = 0x3 << 46           // [47:46] Granule; Granule0.
	STE2_S2PS   bits.Field = 0x7 << 48           // [50:48] Size of output addresses; AddressSize.
	STE2_S2AA64 bits.Field = 1 << 51             // [51] Tables are AArch64's.
	STE2_S2ENDI bits.Field = 1 << 52             // [52] Tables are big-endian.
	STE2_S2AFFD bits.Field = 1 << 53             // [53] The access flag does not fault.
	STE2_S2PTW  bits.Field = 1 << 54             // [54] Stage 1 walks to Device memory fault.
	STE2_S2HD   bits.Field = 1 << 55             // [55] Hardware updates of dirty state.
	STE2_S2HA   bits.Field = 1 << 56             // [56] Hardware updates of the access flag.
	STE2_S2S    bits.Field = 1 << 57             // [57] Faults stall.
	STE2_S2R    bits.Field = 1 << 58             // [58] Faults are recorded.
	STE3_S2TTB  bits.Field = 0xffffffffffff << 4 // [51:4] Table of stage 2.
)

// STEConfig is the value of STE.Config. Bit 2: not aborted; bit 0: stage 1; bit 1: stage 2.
type STEConfig uint8

// Configurations of a stream.
const (
	ConfigAbort  STEConfig = 0
	ConfigBypass STEConfig = 4
	ConfigS1     STEConfig = 5
	ConfigS2     STEConfig = 6
	ConfigNested STEConfig = 7
)

// CDTableFormat is the value of STE.S1Fmt.
type CDTableFormat uint8

// Forms of the table of CDs.
const (
	CDLinear  CDTableFormat = 0
	CDLeaf4K  CDTableFormat = 1
	CDLeaf64K CDTableFormat = 2
)

// DefaultSubstream is the value of STE.S1DSS.
type DefaultSubstream uint8

// What becomes of transactions without a substream where there are some.
const (
	DSSTerminate  DefaultSubstream = 0
	DSSBypass     DefaultSubstream = 1
	DSSSubstream0 DefaultSubstream = 2
)

// StreamWorld is the value of STE.STRW.
type StreamWorld uint8

// Stream worlds.
const (
	WorldNSEL1 StreamWorld = 0
	WorldEL2   StreamWorld = 2
)

// Level 1 context descriptor. IHI 0070, 5.3.
const (
	L1CD0_V     bits.Field = 1 << 0             // [0] Valid.
	L1CD0_L2Ptr bits.Field = 0xffffffffff << 12 // [51:12] The leaf table.
)

// Context Descriptor. IHI 0070, 5.4.
const (
	CD0_T0SZ bits.Field = 0x3f << 0    // [5:0] 64 minus the bits of an address below TTB0.
	CD0_TG0  bits.Field = 0x3 << 6     // [7:6] Granule below TTB0; Granule0.
	CD0_IR0  bits.Field = 0x3 << 8     // [9:8] Walks of TTB0, inner; TableCache.
	CD0_OR0  bits.Field = 0x3 << 10    // [11:10] Walks of TTB0, outer; TableCache.
	CD0_SH0  bits.Field = 0x3 << 12    // [13:12] Walks of TTB0; Shareability.
	CD0_EPD0 bits.Field = 1 << 14      // [14] No walks of TTB0.
	CD0_ENDI bits.Field = 1 << 15      // [15] Tables are big-endian.
	CD0_T1SZ bits.Field = 0x3f << 16   // [21:16] 64 minus the bits of an address below TTB1.
	CD0_TG1  bits.Field = 0x3 << 22    // [23:22] Granule below TTB1; Granule1.
	CD0_IR1  bits.Field = 0x3 << 24    // [25:24] Walks of TTB1, inner; TableCache.
	CD0_OR1  bits.Field = 0x3 << 26    // [27:26] Walks of TTB1, outer; TableCache.
	CD0_SH1  bits.Field = 0x3 << 28    // [29:28] Walks of TTB1; Shareability.
	CD0_EPD1 bits.Field = 1 << 30      // [30] No walks of TTB1.
	CD0_V    bits.Field = 1 << 31      // [31] Valid.
	CD0_IPS  bits.Field = 0x7 << 32    // [34:32] Size of output addresses; AddressSize.
	CD0_AFFD bits.Field = 1 << 35      // [35] The access flag does not fault.
	CD0_WXN  bits.Field = 1 << 36      // [36] Writable is not executable.
	CD0_UWXN bits.Field = 1 << 37      // [37] Writable unprivileged is not executable privileged.
	CD0_TBI  bits.Field = 0x3 << 38    // [39:38] The top byte is ignored, below TTB0 and TTB1.
	CD0_PAN  bits.Field = 1 << 40      // [40] Privileged accesses to unprivileged pages fault.
	CD0_AA64 bits.Field = 1 << 41      // [41] Tables are AArch64's.
	CD0_HD   bits.Field = 1 << 42      // [42] Hardware updates of dirty state.
	CD0_HA   bits.Field = 1 << 43      // [43] Hardware updates of the access flag.
	CD0_S    bits.Field = 1 << 44      // [44] Faults stall.
	CD0_R    bits.Field = 1 << 45      // [45] Faults are recorded.
	CD0_A    bits.Field = 1 << 46      // [46] Faults abort, else RAZ/WI.
	CD0_ASET bits.Field = 1 << 47      // [47] The ASID is not shared with PEs.
	CD0_ASID bits.Field = 0xffff << 48 // [63:48] The ASID.

	CD1_HAD0 bits.Field = 1 << 1              // [1] Hierarchical permissions below TTB0 are off.
	CD1_TTB0 bits.Field = 0xffffffffffff << 4 // [51:4] Table of the lower range.
	CD2_HAD1 bits.Field = 1 << 1              // [1] Hierarchical permissions below TTB1 are off.
	CD2_TTB1 bits.Field = 0xffffffffffff << 4 // [51:4] Table of the upper range.
	CD3_MAIR bits.Field = 0xffffffffffffffff  // [63:0] Memory attributes, eight bits each.
)

// Granule0 is the value of CD.TG0 and STE.S2TG.
type Granule0 uint8

// Granules below TTB0, and of stage 2.
const (
	Granule0_4K  Granule0 = 0
	Granule0_64K Granule0 = 1
	Granule0_16K Granule0 = 2
)

// Shift is log2 of the granule's bytes, 0 for the reserved value.
func (g Granule0) Shift() uint8 { return [4]uint8{12, 16, 14, 0}[g&3] }

// Granule1 is the value of CD.TG1.
type Granule1 uint8

// Granules below TTB1.
const (
	Granule1_16K Granule1 = 1
	Granule1_4K  Granule1 = 2
	Granule1_64K Granule1 = 3
)

// Shift is log2 of the granule's bytes, 0 for the reserved value.
func (g Granule1) Shift() uint8 { return [4]uint8{0, 14, 12, 16}[g&3] }
