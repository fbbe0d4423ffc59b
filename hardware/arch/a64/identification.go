package a64

import "github.com/hwscript/hwscript/hardware/bits"

// Identification of the PE. DDI 0487, D19.2.
const (
	MIDR_EL1   bits.SysReg = 0xc000 // [3,0,0,0,0] Main ID Register.
	MPIDR_EL1  bits.SysReg = 0xc005 // [3,0,0,0,5] Multiprocessor Affinity Register.
	REVIDR_EL1 bits.SysReg = 0xc006 // [3,0,0,0,6] Revision ID Register.
	AIDR_EL1   bits.SysReg = 0xc807 // [3,1,0,0,7] Auxiliary ID Register.

	MIDR_EL1_Revision     bits.Field = 0xf << 0   // [3:0] Minor revision, p.
	MIDR_EL1_PartNum      bits.Field = 0xfff << 4 // [15:4] Part number.
	MIDR_EL1_Architecture bits.Field = 0xf << 16  // [19:16] 0xf: see the ID registers.
	MIDR_EL1_Variant      bits.Field = 0xf << 20  // [23:20] Major revision, r.
	MIDR_EL1_Implementer  bits.Field = 0xff << 24 // [31:24] Implementer; Implementer.

	MPIDR_EL1_Aff0 bits.Field = 0xff << 0  // [7:0] Affinity level 0.
	MPIDR_EL1_Aff1 bits.Field = 0xff << 8  // [15:8] Affinity level 1.
	MPIDR_EL1_Aff2 bits.Field = 0xff << 16 // [23:16] Affinity level 2.
	MPIDR_EL1_MT   bits.Field = 1 << 24    // [24] PEs at affinity level 0 are threads of one core.
	MPIDR_EL1_U    bits.Field = 1 << 30    // [30] A uniprocessor system.
	MPIDR_EL1_RES1 bits.Field = 1 << 31    // [31] Reads as one.
	MPIDR_EL1_Aff3 bits.Field = 0xff << 32 // [39:32] Affinity level 3.
)

// Features of the PE. DDI 0487, D19.2.
const (
	ID_AA64PFR0_EL1  bits.SysReg = 0xc020 // [3,0,0,4,0] AArch64 Processor Feature Register 0.
	ID_AA64PFR1_EL1  bits.SysReg = 0xc021 // [3,0,0,4,1] AArch64 Processor Feature Register 1.
	ID_AA64DFR0_EL1  bits.SysReg = 0xc028 // [3,0,0,5,0] AArch64 Debug Feature Register 0.
	ID_AA64ISAR0_EL1 bits.SysReg = 0xc030 // [3,0,0,6,0] AArch64 Instruction Set Attribute Register 0.
	ID_AA64ISAR1_EL1 bits.SysReg = 0xc031 // [3,0,0,6,1] AArch64 Instruction Set Attribute Register 1.
	ID_AA64MMFR0_EL1 bits.SysReg = 0xc038 // [3,0,0,7,0] AArch64 Memory Model Feature Register 0.
	ID_AA64MMFR1_EL1 bits.SysReg = 0xc039 // [3,0,0,7,1] AArch64 Memory Model Feature Register 1.
	ID_AA64MMFR2_EL1 bits.SysReg = 0xc03a // [3,0,0,7,2] AArch64 Memory Model Feature Register 2.
	CTR_EL0          bits.SysReg = 0xd801 // [3,3,0,0,1] Cache Type Register.
	DCZID_EL0        bits.SysReg = 0xd807 // [3,3,0,0,7] Data Cache Zero ID Register.

	ID_AA64PFR0_EL1_EL0       bits.Field = 0xf << 0  // [3:0] EL0: 1 AArch64 only, 2 both states.
	ID_AA64PFR0_EL1_EL1       bits.Field = 0xf << 4  // [7:4] EL1: 1 AArch64 only, 2 both states.
	ID_AA64PFR0_EL1_EL2       bits.Field = 0xf << 8  // [11:8] EL2: 0 none, 1 AArch64 only, 2 both states.
	ID_AA64PFR0_EL1_EL3       bits.Field = 0xf << 12 // [15:12] EL3: 0 none, 1 AArch64 only, 2 both states.
	ID_AA64PFR0_EL1_GIC       bits.Field = 0xf << 24 // [27:24] GIC system registers: 0 none, 1 v3 or v4.0, 3 v4.1.
	ID_AA64DFR0_EL1_PMUVer    bits.Field = 0xf << 8  // [11:8] PMU: 0 none, 1 PMUv3, 4 PMUv3 for Armv8.1.
	ID_AA64ISAR0_EL1_Atomic   bits.Field = 0xf << 20 // [23:20] LSE atomics: 0 none, 2 present, 3 with 128 bits.
	ID_AA64ISAR0_EL1_TLB      bits.Field = 0xf << 56 // [59:56] TLBI: 0 basic, 1 outer shareable, 2 with ranges.
	ID_AA64ISAR1_EL1_LRCPC    bits.Field = 0xf << 20 // [23:20] Load-acquire RCpc: 0 none, 1 LDAPR, 2 with offsets.
	ID_AA64MMFR0_EL1_PARange  bits.Field = 0xf << 0  // [3:0] PA size: 0 32 bits, 2 40 bits, 5 48 bits, 6 52 bits.
	ID_AA64MMFR0_EL1_ASIDBits bits.Field = 0xf << 4  // [7:4] ASIDs: 0 8 bits, 2 16 bits.
	ID_AA64MMFR0_EL1_ECV      bits.Field = 0xf << 60 // [63:60] Counter: 0 basic, 1 CNTVCTSS_EL0 and its kin exist.
	ID_AA64MMFR1_EL1_VH       bits.Field = 0xf << 8  // [11:8] Virtualisation host extensions.
	ID_AA64MMFR2_EL1_BBM      bits.Field = 0xf << 52 // [55:52] Break-before-make level.

	CTR_EL0_IminLine bits.Field = 0xf << 0  // [3:0] log2 of words in the smallest instruction cache line.
	CTR_EL0_DminLine bits.Field = 0xf << 16 // [19:16] log2 of words in the smallest data cache line.
	CTR_EL0_ERG      bits.Field = 0xf << 20 // [23:20] log2 of words in the exclusives reservation granule.
	CTR_EL0_CWG      bits.Field = 0xf << 24 // [27:24] log2 of words in the cache writeback granule.
	CTR_EL0_IDC      bits.Field = 1 << 28   // [28] No data cache clean is needed for instruction coherence.
	CTR_EL0_DIC      bits.Field = 1 << 29   // [29] No instruction cache invalidation is needed.
)

// Implementer is the value of MIDR_EL1.Implementer, an ASCII letter.
type Implementer uint8

// Implementers.
const (
	ImplementerArm       Implementer = 'A'
	ImplementerCavium    Implementer = 'C'
	ImplementerHiSilicon Implementer = 'H'
	ImplementerQualcomm  Implementer = 'Q'
)

// Part is the value of MIDR_EL1.PartNum; a number means something only together with the implementer.
type Part uint16

// Parts.
const (
	PartCortexA72  Part = 0xd08 // Arm.
	PartNeoverseN1 Part = 0xd0c // Arm.
	PartTSV110     Part = 0xd01 // HiSilicon, Kunpeng 920.
	PartFalkor     Part = 0xc00 // Qualcomm, Centriq 2400.
	PartThunderX2  Part = 0x0af // Cavium.
)
