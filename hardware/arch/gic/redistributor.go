package gic

import "github.com/hwscript/hwscript/hardware/bits"

// A redistributor is two frames of 64 KiB, RD_base and SGI_base; with virtual LPIs two more follow. All offsets below
// count from RD_base. IHI 0069, 12.10.
const (
	FrameSize               Bytes = 0x10000       // One frame.
	RedistributorStride     Bytes = 2 * FrameSize // From one redistributor to the next, GICR_TYPER.VLPIS = 0.
	RedistributorStrideVLPI Bytes = 4 * FrameSize // The same with GICR_TYPER.VLPIS = 1.
	SGIFrame                Bytes = FrameSize     // SGI_base relative to RD_base.
)

// Bytes is a size or a distance in the address map.
type Bytes uint64

// Redistributor Control Register. IHI 0069, 12.11.
const (
	GICR_CTLR = 0x0000 // Redistributor Control Register.

	GICR_CTLR_EnableLPIs bits.Field = 1 << 0  // [0] LPIs are supported and their tables are in use.
	GICR_CTLR_CES        bits.Field = 1 << 1  // [1] Clear Enable Supported: EnableLPIs can be cleared again.
	GICR_CTLR_IR         bits.Field = 1 << 2  // [2] GICR_INVLPIR and GICR_INVALLR exist.
	GICR_CTLR_RWP        bits.Field = 1 << 3  // [3] Register Write Pending. Not bit 31, which is the distributor's.
	GICR_CTLR_DPG0       bits.Field = 1 << 24 // [24] This PE takes no 1-of-N interrupts of Group 0.
	GICR_CTLR_DPG1NS     bits.Field = 1 << 25 // [25] This PE takes no 1-of-N interrupts of Non-secure Group 1.
	GICR_CTLR_DPG1S      bits.Field = 1 << 26 // [26] This PE takes no 1-of-N interrupts of Secure Group 1.
	GICR_CTLR_UWP        bits.Field = 1 << 31 // [31] Upstream Write Pending.
)

// Redistributor Type Register. IHI 0069, 12.11.
const (
	GICR_IIDR  = 0x0004 // Redistributor Implementer Identification Register.
	GICR_TYPER = 0x0008 // [1 x 8] Redistributor Type Register.

	GICR_TYPER_PLPIS            bits.Field = 1 << 0           // [0] Physical LPIs are supported.
	GICR_TYPER_VLPIS            bits.Field = 1 << 1           // [1] Virtual LPIs are supported; four frames.
	GICR_TYPER_Dirty            bits.Field = 1 << 2           // [2] GICR_VPENDBASER.Dirty works.
	GICR_TYPER_DirectLPI        bits.Field = 1 << 3           // [3] GICR_SETLPIR and its kin exist.
	GICR_TYPER_Last             bits.Field = 1 << 4           // [4] The last redistributor of a contiguous region.
	GICR_TYPER_DPGS             bits.Field = 1 << 5           // [5] GICR_CTLR.DPG0, DPG1NS and DPG1S work.
	GICR_TYPER_MPAM             bits.Field = 1 << 6           // [6] Memory partitioning and monitoring.
	GICR_TYPER_RVPEID           bits.Field = 1 << 7           // [7] GICR_VPENDBASER holds a vPEID.
	GICR_TYPER_Processor_Number bits.Field = 0xffff << 8      // [23:8] Number of the PE, as ITS commands name it.
	GICR_TYPER_CommonLPIAff     bits.Field = 0x3 << 24        // [25:24] PEs equal down to this level share LPI tables.
	GICR_TYPER_VSGI             bits.Field = 1 << 26          // [26] Virtual SGIs can be injected directly.
	GICR_TYPER_PPInum           bits.Field = 0x1f << 27       // [31:27] Extended PPIs: 0 none, 1 up to 1087, 2 up to 1119.
	GICR_TYPER_Affinity_Value   bits.Field = 0xffffffff << 32 // [63:32] Aff3.Aff2.Aff1.Aff0 of the PE.
)

// Power handshake. IHI 0069, 12.11 and 11.1.
const (
	GICR_STATUSR = 0x0010 // Error Reporting Status Register; optional.
	GICR_WAKER   = 0x0014 // Redistributor Wake Register.

	// Bits 0 and 31 are IMPLEMENTATION DEFINED; these are those of Arm's GIC-500, one of each for the whole GIC.
	GICR_WAKER_Sleep          bits.Field = 1 << 0  // [0] Software is about to switch the GIC off.
	GICR_WAKER_Quiescent      bits.Field = 1 << 31 // [31] The GIC can be switched off.
	GICR_WAKER_ProcessorSleep bits.Field = 1 << 1  // [1] Software says that the PE sleeps: latch, but do not present.
	GICR_WAKER_ChildrenAsleep bits.Field = 1 << 2  // [2] The interface to the PE is quiet.
)

// LPIs: direct injection and invalidation, and the tables in memory. IHI 0069, 12.11.
const (
	GICR_SETLPIR   = 0x0040 // [1 x 8] Set LPI Pending Register.
	GICR_CLRLPIR   = 0x0048 // [1 x 8] Clear LPI Pending Register.
	GICR_PROPBASER = 0x0070 // [1 x 8] Redistributor Properties Base Address Register: the configuration table.
	GICR_PENDBASER = 0x0078 // [1 x 8] Redistributor LPI Pending Table Base Address Register.
	GICR_INVLPIR   = 0x00a0 // [1 x 8] Redistributor Invalidate LPI Register.
	GICR_INVALLR   = 0x00b0 // [1 x 8] Redistributor Invalidate All Register.
	GICR_SYNCR     = 0x00c0 // Redistributor Synchronize Register.

	GICR_SETLPIR_pINTID bits.Field = 0xffffffff << 0 // [31:0] The LPI.
	GICR_CLRLPIR_pINTID bits.Field = 0xffffffff << 0 // [31:0] The LPI.
	GICR_INVLPIR_INTID  bits.Field = 0xffffffff << 0 // [31:0] The LPI.
	GICR_SYNCR_Busy     bits.Field = 1 << 0          // [0] An invalidation is under way.

	GICR_PROPBASER_IDbits           bits.Field = 0x1f << 0          // [4:0] Bits of an LPI's INTID, minus one.
	GICR_PROPBASER_InnerCache       bits.Field = 0x7 << 7           // [9:7] Inner cacheability; Cacheability.
	GICR_PROPBASER_Shareability     bits.Field = 0x3 << 10          // [11:10] Shareability of accesses; Shareability.
	GICR_PROPBASER_Physical_Address bits.Field = 0xffffffffff << 12 // [51:12] Table address, bits 51 to 12.
	GICR_PROPBASER_OuterCache       bits.Field = 0x7 << 56          // [58:56] Outer cacheability; Cacheability.

	GICR_PENDBASER_InnerCache       bits.Field = 0x7 << 7          // [9:7] Inner cacheability; Cacheability.
	GICR_PENDBASER_Shareability     bits.Field = 0x3 << 10         // [11:10] Shareability of accesses; Shareability.
	GICR_PENDBASER_Physical_Address bits.Field = 0xfffffffff << 16 // [51:16] Table address, bits 51 to 16.
	GICR_PENDBASER_OuterCache       bits.Field = 0x7 << 56         // [58:56] Outer cacheability; Cacheability.
	GICR_PENDBASER_PTZ              bits.Field = 1 << 62           // [62] Pending Table Zero: software has cleared it. WO.
)

// Identification registers at the end of RD_base. IHI 0069, 12.11; IHI 0029.
const (
	GICR_PIDR4 = 0xffd0 // Peripheral ID4 Register.
	GICR_PIDR5 = 0xffd4 // Peripheral ID5 Register.
	GICR_PIDR6 = 0xffd8 // Peripheral ID6 Register.
	GICR_PIDR7 = 0xffdc // Peripheral ID7 Register.
	GICR_PIDR0 = 0xffe0 // Peripheral ID0 Register.
	GICR_PIDR1 = 0xffe4 // Peripheral ID1 Register.
	GICR_PIDR2 = 0xffe8 // Peripheral ID2 Register.
	GICR_PIDR3 = 0xffec // Peripheral ID3 Register.
	GICR_CIDR0 = 0xfff0 // Component ID0 Register.
	GICR_CIDR1 = 0xfff4 // Component ID1 Register.
	GICR_CIDR2 = 0xfff8 // Component ID2 Register.
	GICR_CIDR3 = 0xfffc // Component ID3 Register.

	GICR_PIDR2_ArchRev bits.Field = 0xf << 4 // [7:4] Architecture version: 3 for GICv3, 4 for GICv4.
)

// SGI_base: the SGIs and PPIs of one PE, INTIDs 0 to 31. IHI 0069, 12.11.
const (
	GICR_IGROUPR0   = 0x10080 // Interrupt Group Register 0.
	GICR_ISENABLER0 = 0x10100 // Interrupt Set-Enable Register 0.
	GICR_ICENABLER0 = 0x10180 // Interrupt Clear-Enable Register 0.
	GICR_ISPENDR0   = 0x10200 // Interrupt Set-Pending Register 0.
	GICR_ICPENDR0   = 0x10280 // Interrupt Clear-Pending Register 0.
	GICR_ISACTIVER0 = 0x10300 // Interrupt Set-Active Register 0.
	GICR_ICACTIVER0 = 0x10380 // Interrupt Clear-Active Register 0.
	GICR_IPRIORITYR = 0x10400 // [8 x 4] Interrupt Priority Registers, eight bits an INTID.
	GICR_ICFGR0     = 0x10c00 // Interrupt Configuration Register 0: SGIs, always edge-triggered.
	GICR_ICFGR1     = 0x10c04 // Interrupt Configuration Register 1: PPIs.
	GICR_IGRPMODR0  = 0x10d00 // Interrupt Group Modifier Register 0; RES0 with one security state.
	GICR_NSACR      = 0x10e00 // Non-secure Access Control Register; RES0 with one security state.
	GICR_INMIR0     = 0x10f80 // Non-maskable Interrupt Register 0; RES0 without GICD_TYPER.NMI.
)
