package smmu

import "github.com/hwscript/hwscript/hardware/bits"

// Frame is the size of the register space: page 0 and page 1. IHI 0070, 6.2.
const (
	FrameSize Size = 0x2_0000
	PageSize  Size = 0x1_0000
)

// Size is a number of bytes.
type Size uint64

// Identification Register 0. IHI 0070, 6.3.1.
const (
	SMMU_IDR0 = 0x0000 // Identification Register 0: what the implementation supports.

	SMMU_IDR0_S2P         bits.Field = 1 << 0    // [0] Stage 2 is supported.
	SMMU_IDR0_S1P         bits.Field = 1 << 1    // [1] Stage 1 is supported.
	SMMU_IDR0_TTF         bits.Field = 0x3 << 2  // [3:2] Formats of translation tables; TableFormats.
	SMMU_IDR0_COHACC      bits.Field = 1 << 4    // [4] The SMMU's own accesses are coherent.
	SMMU_IDR0_BTM         bits.Field = 1 << 5    // [5] Broadcast TLB maintenance is received.
	SMMU_IDR0_HTTU        bits.Field = 0x3 << 6  // [7:6] Hardware updates of access flag (1) and dirty state (2).
	SMMU_IDR0_DORMHINT    bits.Field = 1 << 8    // [8] The dormant hint is given.
	SMMU_IDR0_HYP         bits.Field = 1 << 9    // [9] EL2 contexts are supported.
	SMMU_IDR0_ATS         bits.Field = 1 << 10   // [10] PCIe ATS is supported.
	SMMU_IDR0_NS1ATS      bits.Field = 1 << 11   // [11] Split-stage ATS is not supported.
	SMMU_IDR0_ASID16      bits.Field = 1 << 12   // [12] ASIDs have 16 bits, else 8.
	SMMU_IDR0_MSI         bits.Field = 1 << 13   // [13] MSIs are supported.
	SMMU_IDR0_SEV         bits.Field = 1 << 14   // [14] Events are sent to PEs.
	SMMU_IDR0_ATOS        bits.Field = 1 << 15   // [15] Address translation operations by register.
	SMMU_IDR0_PRI         bits.Field = 1 << 16   // [16] Page requests are supported.
	SMMU_IDR0_VMW         bits.Field = 1 << 17   // [17] VMID wildcards are supported.
	SMMU_IDR0_VMID16      bits.Field = 1 << 18   // [18] VMIDs have 16 bits, else 8.
	SMMU_IDR0_CD2L        bits.Field = 1 << 19   // [19] Two-level tables of context descriptors.
	SMMU_IDR0_VATOS       bits.Field = 1 << 20   // [20] The virtual ATOS page exists.
	SMMU_IDR0_TTENDIAN    bits.Field = 0x3 << 21 // [22:21] Endianness of table walks; TableEndianness.
	SMMU_IDR0_ATSRECERR   bits.Field = 1 << 23   // [23] ATS errors are recorded if SMMU_CR2 says so.
	SMMU_IDR0_STALL_MODEL bits.Field = 0x3 << 24 // [25:24] Whether faults can stall; StallModel.
	SMMU_IDR0_TERM_MODEL  bits.Field = 1 << 26   // [26] Faults are terminated with an abort only, never RAZ/WI.
	SMMU_IDR0_ST_LEVEL    bits.Field = 0x3 << 27 // [28:27] 1: two-level stream tables are supported.
)

// TableFormats is the value of SMMU_IDR0.TTF.
type TableFormats uint8

// Formats of translation tables.
const (
	TablesAArch32 TableFormats = 1
	TablesAArch64 TableFormats = 2
	TablesBoth    TableFormats = 3
)

// TableEndianness is the value of SMMU_IDR0.TTENDIAN.
type TableEndianness uint8

// Endianness of table walks.
const (
	EndianMixed  TableEndianness = 0
	EndianLittle TableEndianness = 2
	EndianBig    TableEndianness = 3
)

// StallModel is the value of SMMU_IDR0.STALL_MODEL.
type StallModel uint8

// What a fault may do to a transaction.
const (
	StallOrTerminate StallModel = 0
	TerminateOnly    StallModel = 1
	StallOnly        StallModel = 2
)

// Identification registers 1 to 6. IHI 0070, 6.3.2 to 6.3.8.
const (
	SMMU_IDR1 = 0x0004 // Identification Register 1: sizes.

	SMMU_IDR1_SIDSIZE        bits.Field = 0x3f << 0  // [5:0] Bits of a StreamID.
	SMMU_IDR1_SSIDSIZE       bits.Field = 0x1f << 6  // [10:6] Bits of a SubstreamID, 0 for none.
	SMMU_IDR1_PRIQS          bits.Field = 0x1f << 11 // [15:11] log2 of the most entries of the PRI queue.
	SMMU_IDR1_EVENTQS        bits.Field = 0x1f << 16 // [20:16] log2 of the most entries of the Event queue.
	SMMU_IDR1_CMDQS          bits.Field = 0x1f << 21 // [25:21] log2 of the most entries of the Command queue.
	SMMU_IDR1_ATTR_PERMS_OVR bits.Field = 1 << 26    // [26] Incoming permission attributes can be overridden.
	SMMU_IDR1_ATTR_TYPES_OVR bits.Field = 1 << 27    // [27] Incoming memory types can be overridden.
	SMMU_IDR1_REL            bits.Field = 1 << 28    // [28] Preset bases are relative to the registers.
	SMMU_IDR1_QUEUES_PRESET  bits.Field = 1 << 29    // [29] Bases of queues are fixed.
	SMMU_IDR1_TABLES_PRESET  bits.Field = 1 << 30    // [30] Bases of tables are fixed.
	SMMU_IDR1_ECMDQ          bits.Field = 1 << 31    // [31] Enhanced command queues exist.

	SMMU_IDR2 = 0x0008 // Identification Register 2: the VATOS page.

	SMMU_IDR2_BA_VATOS bits.Field = 0x3ff << 0 // [9:0] Page of the VATOS registers.

	SMMU_IDR3 = 0x000c // Identification Register 3.

	SMMU_IDR3_HAD  bits.Field = 1 << 2    // [2] Hierarchical permissions can be disabled.
	SMMU_IDR3_PBHA bits.Field = 1 << 3    // [3] Page-based hardware attributes.
	SMMU_IDR3_XNX  bits.Field = 1 << 4    // [4] Execute-never by exception level at stage 2.
	SMMU_IDR3_PPS  bits.Field = 1 << 5    // [5] Page requests carry their PASID always.
	SMMU_IDR3_MPAM bits.Field = 1 << 7    // [7] Memory partitioning and monitoring.
	SMMU_IDR3_FWB  bits.Field = 1 << 8    // [8] Stage 2 can override memory types.
	SMMU_IDR3_STT  bits.Field = 1 << 9    // [9] Small translation tables.
	SMMU_IDR3_RIL  bits.Field = 1 << 10   // [10] Range invalidation and level hint.
	SMMU_IDR3_BBML bits.Field = 0x3 << 11 // [12:11] Level of support for break-before-make.

	SMMU_IDR4 = 0x0010 // Identification Register 4: the implementation's own.
	SMMU_IDR5 = 0x0014 // Identification Register 5: addresses.

	SMMU_IDR5_OAS       bits.Field = 0x7 << 0     // [2:0] Size of output addresses; AddressSize.
	SMMU_IDR5_GRAN4K    bits.Field = 1 << 4       // [4] Granule of 4 KiB.
	SMMU_IDR5_GRAN16K   bits.Field = 1 << 5       // [5] Granule of 16 KiB.
	SMMU_IDR5_GRAN64K   bits.Field = 1 << 6       // [6] Granule of 64 KiB.
	SMMU_IDR5_VAX       bits.Field = 0x3 << 10    // [11:10] 1: input addresses have up to 52 bits.
	SMMU_IDR5_STALL_MAX bits.Field = 0xffff << 16 // [31:16] The most transactions that stall at a time.

	SMMU_IIDR = 0x0018 // Implementation Identification Register.

	SMMU_IIDR_Implementer bits.Field = 0xfff << 0  // [11:0] JEP106 code of the implementer.
	SMMU_IIDR_Revision    bits.Field = 0xf << 12   // [15:12] Minor revision.
	SMMU_IIDR_Variant     bits.Field = 0xf << 16   // [19:16] Major revision.
	SMMU_IIDR_ProductID   bits.Field = 0xfff << 20 // [31:20] Product.

	SMMU_AIDR = 0x001c // Architecture Identification Register.

	SMMU_AIDR_ArchMinorRev bits.Field = 0xf << 0 // [3:0] n of SMMUv3.n.
	SMMU_AIDR_ArchMajorRev bits.Field = 0xf << 4 // [7:4] 0: SMMUv3.

	SMMU_IDR6 = 0x0190 // Identification Register 6: enhanced command queues.

	SMMU_IDR6_BA_DOORBELLS          bits.Field = 0x3ff << 0 // [9:0] Page of the doorbells.
	SMMU_IDR6_CMDQ_CONTROL_LOG2NUMQ bits.Field = 0xf << 16  // [19:16] log2 of the queues of a control page.
	SMMU_IDR6_CMDQ_CONTROL_LOG2NUMP bits.Field = 0xf << 24  // [27:24] log2 of the control pages.
)

// AddressSize is the value of fields that say how many bits an address has: IDR5.OAS, CD.IPS, STE.S2PS.
type AddressSize uint8

// Sizes of addresses.
const (
	Address32 AddressSize = 0
	Address36 AddressSize = 1
	Address40 AddressSize = 2
	Address42 AddressSize = 3
	Address44 AddressSize = 4
	Address48 AddressSize = 5
	Address52 AddressSize = 6
)

// Bits is the number of bits of an address; a reserved value is as the largest.
func (s AddressSize) Bits() uint8 { return [8]uint8{32, 36, 40, 42, 44, 48, 52, 52}[s&7] }

// Control registers. IHI 0070, 6.3.9 to 6.3.14.
const (
	SMMU_CR0    = 0x0020 // Control Register 0.
	SMMU_CR0ACK = 0x0024 // Control Register 0 update Acknowledge: CR0, as far as it has taken effect.

	SMMU_CR0_SMMUEN   bits.Field = 1 << 0   // [0] Translation is on.
	SMMU_CR0_PRIQEN   bits.Field = 1 << 1   // [1] The PRI queue is on.
	SMMU_CR0_EVENTQEN bits.Field = 1 << 2   // [2] The Event queue is on.
	SMMU_CR0_CMDQEN   bits.Field = 1 << 3   // [3] The Command queue is on.
	SMMU_CR0_ATSCHK   bits.Field = 1 << 4   // [4] ATS translated traffic is checked.
	SMMU_CR0_VMW      bits.Field = 0x7 << 6 // [8:6] Low bits of a VMID that invalidations ignore.

	SMMU_CR0ACK_SMMUEN   bits.Field = 1 << 0   // [0] Translation is on.
	SMMU_CR0ACK_PRIQEN   bits.Field = 1 << 1   // [1] The PRI queue is on.
	SMMU_CR0ACK_EVENTQEN bits.Field = 1 << 2   // [2] The Event queue is on.
	SMMU_CR0ACK_CMDQEN   bits.Field = 1 << 3   // [3] The Command queue is on.
	SMMU_CR0ACK_ATSCHK   bits.Field = 1 << 4   // [4] ATS translated traffic is checked.
	SMMU_CR0ACK_VMW      bits.Field = 0x7 << 6 // [8:6] Low bits of a VMID that invalidations ignore.

	SMMU_CR1 = 0x0028 // Control Register 1: attributes of the accesses to queues and tables.

	SMMU_CR1_QUEUE_IC bits.Field = 0x3 << 0  // [1:0] Queues, inner; TableCache.
	SMMU_CR1_QUEUE_OC bits.Field = 0x3 << 2  // [3:2] Queues, outer; TableCache.
	SMMU_CR1_QUEUE_SH bits.Field = 0x3 << 4  // [5:4] Queues; Shareability.
	SMMU_CR1_TABLE_IC bits.Field = 0x3 << 6  // [7:6] Stream table, inner; TableCache.
	SMMU_CR1_TABLE_OC bits.Field = 0x3 << 8  // [9:8] Stream table, outer; TableCache.
	SMMU_CR1_TABLE_SH bits.Field = 0x3 << 10 // [11:10] Stream table; Shareability.

	SMMU_CR2 = 0x002c // Control Register 2.

	SMMU_CR2_E2H         bits.Field = 1 << 0 // [0] EL2 contexts are EL2-E2H ones, with ASIDs.
	SMMU_CR2_RECINVSID   bits.Field = 1 << 1 // [1] C_BAD_STREAMID is recorded.
	SMMU_CR2_PTM         bits.Field = 1 << 2 // [2] Broadcast TLB maintenance is ignored.
	SMMU_CR2_REC_CFG_ATS bits.Field = 1 << 3 // [3] Configuration errors of ATS requests are recorded.

	SMMU_STATUSR = 0x0040 // Status Register.

	SMMU_STATUSR_DORMANT bits.Field = 1 << 0 // [0] Nothing is cached, nothing is being done.

	SMMU_GBPA = 0x0044 // Global Bypass Attribute Register: what is done with transactions while SMMUEN is 0.

	SMMU_GBPA_MemAttr  bits.Field = 0xf << 0  // [3:0] Memory type, if MTCFG.
	SMMU_GBPA_MTCFG    bits.Field = 1 << 4    // [4] The memory type is MemAttr, else the incoming one.
	SMMU_GBPA_ALLOCCFG bits.Field = 0xf << 8  // [11:8] Allocation hints.
	SMMU_GBPA_SHCFG    bits.Field = 0x3 << 12 // [13:12] Shareability; 1: the incoming one.
	SMMU_GBPA_PRIVCFG  bits.Field = 0x3 << 16 // [17:16] Privilege; 2 unprivileged, 3 privileged, else the incoming one.
	SMMU_GBPA_INSTCFG  bits.Field = 0x3 << 18 // [19:18] Instruction or data.
	SMMU_GBPA_ABORT    bits.Field = 1 << 20   // [20] Transactions are aborted.
	SMMU_GBPA_UPDATE   bits.Field = 1 << 31   // [31] Written with what is to change; 0 again when that has taken effect.

	SMMU_AGBPA = 0x0048 // Alternate Global Bypass Attribute Register: the implementation's own.
)

// TableCache is the value of the cacheability fields of SMMU_CR1, CDs and STEs' S1C* fields.
type TableCache uint8

// Cacheabilities. CDs and STEs tell two kinds of write-back: 1 allocates on reads and writes, 3 on reads.
const (
	CacheNC   TableCache = 0
	CacheWB   TableCache = 1
	CacheWT   TableCache = 2
	CacheWBRA TableCache = 3
)

// Shareability is the value of shareability fields.
type Shareability uint8

// Shareabilities.
const (
	NonShareable   Shareability = 0
	OuterShareable Shareability = 2
	InnerShareable Shareability = 3
)

// Interrupts and global errors. IHI 0070, 6.3.15 to 6.3.21.
const (
	SMMU_IRQ_CTRL    = 0x0050 // Interrupt Control Register.
	SMMU_IRQ_CTRLACK = 0x0054 // Interrupt Control Acknowledge Register.

	SMMU_IRQ_CTRL_GERROR_IRQEN bits.Field = 1 << 0 // [0] Interrupts of global errors.
	SMMU_IRQ_CTRL_PRIQ_IRQEN   bits.Field = 1 << 1 // [1] Interrupts of the PRI queue.
	SMMU_IRQ_CTRL_EVENTQ_IRQEN bits.Field = 1 << 2 // [2] Interrupts of the Event queue.

	SMMU_IRQ_CTRLACK_GERROR_IRQEN bits.Field = 1 << 0 // [0] Interrupts of global errors.
	SMMU_IRQ_CTRLACK_PRIQ_IRQEN   bits.Field = 1 << 1 // [1] Interrupts of the PRI queue.
	SMMU_IRQ_CTRLACK_EVENTQ_IRQEN bits.Field = 1 << 2 // [2] Interrupts of the Event queue.

	SMMU_GERROR  = 0x0060 // Global Error status: a bit that differs from that of GERRORN is an active error.
	SMMU_GERRORN = 0x0064 // Global Error acknowledge.

	SMMU_GERROR_CMDQ_ERR           bits.Field = 1 << 0 // [0] A command failed; SMMU_CMDQ_CONS.ERR says why.
	SMMU_GERROR_EVENTQ_ABT_ERR     bits.Field = 1 << 2 // [2] A write to the Event queue was aborted.
	SMMU_GERROR_PRIQ_ABT_ERR       bits.Field = 1 << 3 // [3] A write to the PRI queue was aborted.
	SMMU_GERROR_MSI_CMDQ_ABT_ERR   bits.Field = 1 << 4 // [4] The MSI of a CMD_SYNC was aborted.
	SMMU_GERROR_MSI_EVENTQ_ABT_ERR bits.Field = 1 << 5 // [5] The MSI of the Event queue was aborted.
	SMMU_GERROR_MSI_PRIQ_ABT_ERR   bits.Field = 1 << 6 // [6] The MSI of the PRI queue was aborted.
	SMMU_GERROR_MSI_GERROR_ABT_ERR bits.Field = 1 << 7 // [7] The MSI of a global error was aborted.
	SMMU_GERROR_SFM_ERR            bits.Field = 1 << 8 // [8] Service failure mode.
	SMMU_GERROR_CMDQP_ERR          bits.Field = 1 << 9 // [9] An error of an enhanced command queue.

	SMMU_GERRORN_CMDQ_ERR           bits.Field = 1 << 0 // [0] A command failed.
	SMMU_GERRORN_EVENTQ_ABT_ERR     bits.Field = 1 << 2 // [2] A write to the Event queue was aborted.
	SMMU_GERRORN_PRIQ_ABT_ERR       bits.Field = 1 << 3 // [3] A write to the PRI queue was aborted.
	SMMU_GERRORN_MSI_CMDQ_ABT_ERR   bits.Field = 1 << 4 // [4] The MSI of a CMD_SYNC was aborted.
	SMMU_GERRORN_MSI_EVENTQ_ABT_ERR bits.Field = 1 << 5 // [5] The MSI of the Event queue was aborted.
	SMMU_GERRORN_MSI_PRIQ_ABT_ERR   bits.Field = 1 << 6 // [6] The MSI of the PRI queue was aborted.
	SMMU_GERRORN_MSI_GERROR_ABT_ERR bits.Field = 1 << 7 // [7] The MSI of a global error was aborted.
	SMMU_GERRORN_SFM_ERR            bits.Field = 1 << 8 // [8] Service failure mode.
	SMMU_GERRORN_CMDQP_ERR          bits.Field = 1 << 9 // [9] An error of an enhanced command queue.

	SMMU_GERROR_IRQ_CFG0 = 0x0068 // [1 x 8] Global Error IRQ Configuration Register 0: the MSI's address.
	SMMU_GERROR_IRQ_CFG1 = 0x0070 // Global Error IRQ Configuration Register 1: the MSI's data.
	SMMU_GERROR_IRQ_CFG2 = 0x0074 // Global Error IRQ Configuration Register 2: the MSI's attributes.

	SMMU_GERROR_IRQ_CFG0_ADDR    bits.Field = 0x3ffffffffffff << 2 // [51:2] Address, 0 for no MSI.
	SMMU_GERROR_IRQ_CFG1_DATA    bits.Field = 0xffffffff << 0      // [31:0] Data.
	SMMU_GERROR_IRQ_CFG2_MemAttr bits.Field = 0xf << 0             // [3:0] Memory type, as STE.MemAttr.
	SMMU_GERROR_IRQ_CFG2_SH      bits.Field = 0x3 << 4             // [5:4] Shareability.
)

// The stream table. IHI 0070, 6.3.24 and 6.3.25.
const (
	SMMU_STRTAB_BASE     = 0x0080 // [1 x 8] Stream Table Base Register.
	SMMU_STRTAB_BASE_CFG = 0x0088 // Stream Table Base Configuration Register.

	SMMU_STRTAB_BASE_ADDR bits.Field = 0x3fffffffffff << 6 // [51:6] Address.
	SMMU_STRTAB_BASE_RA   bits.Field = 1 << 62             // [62] Read-allocate hint.

	SMMU_STRTAB_BASE_CFG_LOG2SIZE bits.Field = 0x3f << 0 // [5:0] log2 of the number of entries.
	SMMU_STRTAB_BASE_CFG_SPLIT    bits.Field = 0x1f << 6 // [10:6] Bits of a StreamID that index the second level.
	SMMU_STRTAB_BASE_CFG_FMT      bits.Field = 0x3 << 16 // [17:16] Form of the table; StreamTableFormat.
)

// StreamTableFormat is the value of SMMU_STRTAB_BASE_CFG.FMT.
type StreamTableFormat uint8

// Forms of the stream table.
const (
	StreamTableLinear   StreamTableFormat = 0
	StreamTableTwoLevel StreamTableFormat = 1
)

// Identification at the end of page 0. IHI 0070, 6.3; IHI 0029.
const (
	SMMU_PIDR4 = 0x0fd0 // Peripheral ID4 Register, the first of PIDR4 to PIDR7, PIDR0 to PIDR3, CIDR0 to CIDR3.
)
