package gic

import "github.com/hwscript/hwscript/hardware/bits"

// Distributor Control Register. Which interrupts the distributor forwards. IHI 0069, 12.9.
// The layout is that of a GIC with one security state, GICD_CTLR.DS = 1.
const (
	GICD_CTLR = 0x0000 // Distributor Control Register.

	GICD_CTLR_EnableGrp0 bits.Field = 1 << 0  // [0] Group 0 interrupts are forwarded.
	GICD_CTLR_EnableGrp1 bits.Field = 1 << 1  // [1] Group 1 interrupts are forwarded.
	GICD_CTLR_ARE        bits.Field = 1 << 4  // [4] Affinity routing is on; RAO/WI without GICv2 legacy.
	GICD_CTLR_DS         bits.Field = 1 << 6  // [6] One security state.
	GICD_CTLR_E1NWF      bits.Field = 1 << 7  // [7] 1-of-N interrupts may wake a sleeping PE.
	GICD_CTLR_nASSGIreq  bits.Field = 1 << 8  // [8] SGIs without an active state are requested; GICv4.1.
	GICD_CTLR_RWP        bits.Field = 1 << 31 // [31] Register Write Pending: the effects of a write are still spreading.
)

// The Non-secure view of the Distributor Control Register, GICD_CTLR.DS = 0. IHI 0069, 12.9.
const (
	GICD_CTLR_NS = 0x0000 // Distributor Control Register, Non-secure access, two security states.

	GICD_CTLR_NS_EnableGrp1  bits.Field = 1 << 0  // [0] Group 1 without affinity routing; RES0 when ARE_NS is 1.
	GICD_CTLR_NS_EnableGrp1A bits.Field = 1 << 1  // [1] Non-secure Group 1 interrupts are forwarded.
	GICD_CTLR_NS_ARE_NS      bits.Field = 1 << 4  // [4] Affinity routing is on for the Non-secure state.
	GICD_CTLR_NS_RWP         bits.Field = 1 << 31 // [31] Register Write Pending.
)

// Interrupt Controller Type Register. IHI 0069, 12.9.
const (
	GICD_TYPER = 0x0004 // Interrupt Controller Type Register.

	GICD_TYPER_ITLinesNumber bits.Field = 0x1f << 0  // [4:0] N: INTIDs up to 32(N+1)-1 exist, at most up to 1019.
	GICD_TYPER_CPUNumber     bits.Field = 0x7 << 5   // [7:5] PEs reachable without affinity routing, minus one.
	GICD_TYPER_ESPI          bits.Field = 1 << 8     // [8] The extended SPI range exists.
	GICD_TYPER_NMI           bits.Field = 1 << 9     // [9] Non-maskable interrupts are supported.
	GICD_TYPER_SecurityExtn  bits.Field = 1 << 10    // [10] Two security states.
	GICD_TYPER_num_LPIs      bits.Field = 0x1f << 11 // [15:11] log2 of the number of LPIs, minus one; 0: IDbits says it.
	GICD_TYPER_MBIS          bits.Field = 1 << 16    // [16] Message-based SPIs: GICD_SETSPI_NSR and its kin.
	GICD_TYPER_LPIS          bits.Field = 1 << 17    // [17] LPIs are supported.
	GICD_TYPER_DVIS          bits.Field = 1 << 18    // [18] Direct injection of virtual LPIs.
	GICD_TYPER_IDbits        bits.Field = 0x1f << 19 // [23:19] Bits of an INTID, minus one.
	GICD_TYPER_A3V           bits.Field = 1 << 24    // [24] Affinity level 3 may be other than zero.
	GICD_TYPER_No1N          bits.Field = 1 << 25    // [25] 1-of-N SPIs are not supported.
	GICD_TYPER_RSS           bits.Field = 1 << 26    // [26] SGIs reach Aff0 values up to 255, not only 15.
	GICD_TYPER_ESPI_range    bits.Field = 0x1f << 27 // [31:27] Last extended SPI, as ITLinesNumber.
)

// Identification and status of the distributor. IHI 0069, 12.9.
const (
	GICD_IIDR = 0x0008 // Distributor Implementer Identification Register.

	GICD_IIDR_Implementer bits.Field = 0xfff << 0 // [11:0] JEP106 code of the implementer.
	GICD_IIDR_Revision    bits.Field = 0xf << 12  // [15:12] Minor revision.
	GICD_IIDR_Variant     bits.Field = 0xf << 16  // [19:16] Major revision.
	GICD_IIDR_ProductID   bits.Field = 0xff << 24 // [31:24] Product.

	GICD_TYPER2 = 0x000c // Interrupt Controller Type Register 2.

	GICD_TYPER2_VID       bits.Field = 0x1f << 0 // [4:0] Bits of a vPEID, minus one.
	GICD_TYPER2_VIL       bits.Field = 1 << 7    // [7] VID is valid.
	GICD_TYPER2_nASSGIcap bits.Field = 1 << 8    // [8] SGIs without an active state are possible.

	GICD_STATUSR = 0x0010 // Error Reporting Status Register; optional.

	GICD_STATUSR_RRD  bits.Field = 1 << 0 // [0] A reserved location was read.
	GICD_STATUSR_WRD  bits.Field = 1 << 1 // [1] A reserved location was written.
	GICD_STATUSR_RWOD bits.Field = 1 << 2 // [2] A write-only location was read.
	GICD_STATUSR_WROD bits.Field = 1 << 3 // [3] A read-only location was written.
)

// Message-based SPIs: a write makes the SPI in INTID pending, or takes that back. IHI 0069, 12.9.
const (
	GICD_SETSPI_NSR = 0x0040 // Set Non-secure SPI Pending Register.
	GICD_CLRSPI_NSR = 0x0048 // Clear Non-secure SPI Pending Register.
	GICD_SETSPI_SR  = 0x0050 // Set Secure SPI Pending Register; WI with one security state.
	GICD_CLRSPI_SR  = 0x0058 // Clear Secure SPI Pending Register; WI with one security state.

	GICD_SETSPI_NSR_INTID bits.Field = 0x1fff << 0 // [12:0] The SPI.
	GICD_CLRSPI_NSR_INTID bits.Field = 0x1fff << 0 // [12:0] The SPI.
	GICD_SETSPI_SR_INTID  bits.Field = 0x1fff << 0 // [12:0] The SPI.
	GICD_CLRSPI_SR_INTID  bits.Field = 0x1fff << 0 // [12:0] The SPI.
)

// One bit, or a few, for each INTID. With affinity routing the first 32 INTIDs are RAZ/WI here: they belong to the
// redistributors. IHI 0069, 12.9.
const (
	GICD_IGROUPR    = 0x0080 // [32 x 4] Interrupt Group Registers, one bit an INTID.
	GICD_ISENABLER  = 0x0100 // [32 x 4] Interrupt Set-Enable Registers, one bit an INTID.
	GICD_ICENABLER  = 0x0180 // [32 x 4] Interrupt Clear-Enable Registers, one bit an INTID.
	GICD_ISPENDR    = 0x0200 // [32 x 4] Interrupt Set-Pending Registers, one bit an INTID.
	GICD_ICPENDR    = 0x0280 // [32 x 4] Interrupt Clear-Pending Registers, one bit an INTID.
	GICD_ISACTIVER  = 0x0300 // [32 x 4] Interrupt Set-Active Registers, one bit an INTID.
	GICD_ICACTIVER  = 0x0380 // [32 x 4] Interrupt Clear-Active Registers, one bit an INTID.
	GICD_IPRIORITYR = 0x0400 // [255 x 4] Interrupt Priority Registers, eight bits an INTID.
	GICD_ITARGETSR  = 0x0800 // [255 x 4] Interrupt Processor Targets Registers; RES0 with affinity routing.
	GICD_ICFGR      = 0x0c00 // [64 x 4] Interrupt Configuration Registers, two bits an INTID, of which the upper counts.
	GICD_IGRPMODR   = 0x0d00 // [32 x 4] Interrupt Group Modifier Registers; RES0 with one security state.
	GICD_NSACR      = 0x0e00 // [64 x 4] Non-secure Access Control Registers; RES0 with one security state.
	GICD_SGIR       = 0x0f00 // Software Generated Interrupt Register; RES0 with affinity routing.
	GICD_CPENDSGIR  = 0x0f10 // [4 x 4] SGI Clear-Pending Registers; RES0 with affinity routing.
	GICD_SPENDSGIR  = 0x0f20 // [4 x 4] SGI Set-Pending Registers; RES0 with affinity routing.
	GICD_INMIR      = 0x0f80 // [32 x 4] Non-maskable Interrupt Registers; RES0 without GICD_TYPER.NMI.
)

// Interrupt Routing Registers. Where an SPI goes. The first of them, for INTID 32, is at GICD_IROUTER + 8*32.
// IHI 0069, 12.9.
const (
	GICD_IROUTER = 0x6000 // [1020 x 8] Interrupt Routing Registers, 64 bits an INTID.

	GICD_IROUTER_Aff0                   bits.Field = 0xff << 0  // [7:0] Affinity level 0.
	GICD_IROUTER_Aff1                   bits.Field = 0xff << 8  // [15:8] Affinity level 1.
	GICD_IROUTER_Aff2                   bits.Field = 0xff << 16 // [23:16] Affinity level 2.
	GICD_IROUTER_Interrupt_Routing_Mode bits.Field = 1 << 31    // [31] 1-of-N: any participating PE.
	GICD_IROUTER_Aff3                   bits.Field = 0xff << 32 // [39:32] Affinity level 3.
)

// The same for the extended SPIs, INTIDs 4096 to 5119. IHI 0069, 12.9.
const (
	GICD_IGROUPRnE    = 0x1000 // [32 x 4] Interrupt Group Registers, extended range.
	GICD_ISENABLERnE  = 0x1200 // [32 x 4] Interrupt Set-Enable Registers, extended range.
	GICD_ICENABLERnE  = 0x1400 // [32 x 4] Interrupt Clear-Enable Registers, extended range.
	GICD_ISPENDRnE    = 0x1600 // [32 x 4] Interrupt Set-Pending Registers, extended range.
	GICD_ICPENDRnE    = 0x1800 // [32 x 4] Interrupt Clear-Pending Registers, extended range.
	GICD_ISACTIVERnE  = 0x1a00 // [32 x 4] Interrupt Set-Active Registers, extended range.
	GICD_ICACTIVERnE  = 0x1c00 // [32 x 4] Interrupt Clear-Active Registers, extended range.
	GICD_IPRIORITYRnE = 0x2000 // [256 x 4] Interrupt Priority Registers, extended range.
	GICD_ICFGRnE      = 0x3000 // [64 x 4] Interrupt Configuration Registers, extended range.
	GICD_IROUTERnE    = 0x8000 // [1024 x 8] Interrupt Routing Registers, extended range.
)

// Identification registers at the end of the distributor's frame. IHI 0069, 12.9; IHI 0029.
const (
	GICD_PIDR4 = 0xffd0 // Peripheral ID4 Register.
	GICD_PIDR5 = 0xffd4 // Peripheral ID5 Register.
	GICD_PIDR6 = 0xffd8 // Peripheral ID6 Register.
	GICD_PIDR7 = 0xffdc // Peripheral ID7 Register.
	GICD_PIDR0 = 0xffe0 // Peripheral ID0 Register.
	GICD_PIDR1 = 0xffe4 // Peripheral ID1 Register.
	GICD_PIDR2 = 0xffe8 // Peripheral ID2 Register.
	GICD_PIDR3 = 0xffec // Peripheral ID3 Register.
	GICD_CIDR0 = 0xfff0 // Component ID0 Register.
	GICD_CIDR1 = 0xfff4 // Component ID1 Register.
	GICD_CIDR2 = 0xfff8 // Component ID2 Register.
	GICD_CIDR3 = 0xfffc // Component ID3 Register.

	GICD_PIDR2_ArchRev bits.Field = 0xf << 4 // [7:4] Architecture version: 3 for GICv3, 4 for GICv4.
)
