package a64

import "github.com/hwscript/hwscript/hardware/bits"

// Exception handling. DDI 0487, D19.2.
const (
	VBAR_EL1 bits.SysReg = 0xc600 // [3,0,12,0,0] Vector Base Address Register, EL1.
	ISR_EL1  bits.SysReg = 0xc608 // [3,0,12,1,0] Interrupt Status Register.
	ESR_EL1  bits.SysReg = 0xc290 // [3,0,5,2,0] Exception Syndrome Register, EL1.
	FAR_EL1  bits.SysReg = 0xc300 // [3,0,6,0,0] Fault Address Register, EL1.

	VBAR_EL1_Base bits.Field = 0x1fffffffffffff << 11 // [63:11] Vector base address, bits 63 to 11.
	ISR_EL1_F     bits.Field = 1 << 6                 // [6] A physical FIQ is pending.
	ISR_EL1_I     bits.Field = 1 << 7                 // [7] A physical IRQ is pending.
	ISR_EL1_A     bits.Field = 1 << 8                 // [8] A physical SError is pending.
	ESR_EL1_ISS   bits.Field = 0x1ffffff << 0         // [24:0] Instruction specific syndrome.
	ESR_EL1_IL    bits.Field = 1 << 25                // [25] A 32-bit instruction.
	ESR_EL1_EC    bits.Field = 0x3f << 26             // [31:26] Exception class.
)

// ExceptionClass is a value of ESR_EL1.EC. DDI 0487, D19.2, ESR_EL1.
type ExceptionClass uint8

// DataAbortSame is a Data Abort without a change in Exception level.
const DataAbortSame ExceptionClass = 0x25

// FaultStatus is the Data Fault Status Code in the ISS of a Data Abort.
type FaultStatus uint8

// The Data Fault Status Codes.
const (
	ExternalAbort  FaultStatus = 0x10 // Synchronous External abort, not on a translation table walk.
	AlignmentFault FaultStatus = 0x21
)

// The ISS of a Data Abort.
const (
	ISS_DFSC bits.Field = 0x3f << 0 // [5:0] Data Fault Status Code, FaultStatus.
	ISS_WnR  bits.Field = 1 << 6    // [6] The access was a write.
)

// System control and address translation. DDI 0487, D19.2.
const (
	SCTLR_EL1 bits.SysReg = 0xc080 // [3,0,1,0,0] System Control Register, EL1.
	CPACR_EL1 bits.SysReg = 0xc082 // [3,0,1,0,2] Feature Access Control Register.
	TTBR0_EL1 bits.SysReg = 0xc100 // [3,0,2,0,0] Translation Table Base Register 0, EL1.
	TTBR1_EL1 bits.SysReg = 0xc101 // [3,0,2,0,1] Translation Table Base Register 1, EL1.
	TCR_EL1   bits.SysReg = 0xc102 // [3,0,2,0,2] Translation Control Register, EL1.
	MAIR_EL1  bits.SysReg = 0xc510 // [3,0,10,2,0] Memory Attribute Indirection Register, EL1.
	PAR_EL1   bits.SysReg = 0xc3a0 // [3,0,7,4,0] Physical Address Register.

	SCTLR_EL1_M     bits.Field = 1 << 0              // [0] Stage 1 translation is on.
	SCTLR_EL1_C     bits.Field = 1 << 2              // [2] Data accesses may be cacheable.
	SCTLR_EL1_I     bits.Field = 1 << 12             // [12] Instruction accesses may be cacheable.
	TTBR0_EL1_BADDR bits.Field = 0x7fffffffffff << 1 // [47:1] Table base address, bits 47 to 1.
	TTBR0_EL1_ASID  bits.Field = 0xffff << 48        // [63:48] Address space identifier.
	TTBR1_EL1_BADDR bits.Field = 0x7fffffffffff << 1 // [47:1] Table base address, bits 47 to 1.
	TTBR1_EL1_ASID  bits.Field = 0xffff << 48        // [63:48] Address space identifier.
	TCR_EL1_T0SZ    bits.Field = 0x3f << 0           // [5:0] 64 minus the address bits of TTBR0_EL1.
	TCR_EL1_TG0     bits.Field = 0x3 << 14           // [15:14] Granule of TTBR0_EL1: 0 4 KiB, 1 64 KiB, 2 16 KiB.
	TCR_EL1_T1SZ    bits.Field = 0x3f << 16          // [21:16] 64 minus the address bits of TTBR1_EL1.
	TCR_EL1_A1      bits.Field = 1 << 22             // [22] The ASID is that of TTBR1_EL1.
	TCR_EL1_TG1     bits.Field = 0x3 << 30           // [31:30] Granule of TTBR1_EL1: 1 16 KiB, 2 4 KiB, 3 64 KiB.
	TCR_EL1_IPS     bits.Field = 0x7 << 32           // [34:32] PA size, as in ID_AA64MMFR0_EL1.PARange.
	TCR_EL1_AS      bits.Field = 1 << 36             // [36] ASIDs have 16 bits.
)
