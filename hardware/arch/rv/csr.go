package rv

import "github.com/hwscript/hwscript/hardware/bits"

// Supervisor CSRs. Volume II, 2.2 and 12.1.
const (
	SSTATUS  bits.SysReg = 0x100 // [0x100] Supervisor status.
	SIE      bits.SysReg = 0x104 // [0x104] Supervisor interrupt enable.
	STVEC    bits.SysReg = 0x105 // [0x105] Supervisor trap handler base.
	SSCRATCH bits.SysReg = 0x140 // [0x140] Supervisor scratch: the kernel's current task.
	SEPC     bits.SysReg = 0x141 // [0x141] Supervisor exception program counter.
	SCAUSE   bits.SysReg = 0x142 // [0x142] Supervisor trap cause.
	STVAL    bits.SysReg = 0x143 // [0x143] Supervisor trap value: the faulting address.
	SIP      bits.SysReg = 0x144 // [0x144] Supervisor interrupt pending.
	SATP     bits.SysReg = 0x180 // [0x180] Supervisor address translation and protection.
	TIME     bits.SysReg = 0xc01 // [0xc01] Timer, as it counts for RDTIME.

	SSTATUS_SIE bits.Field = 1 << 1  // [1] Supervisor interrupts are enabled.
	SSTATUS_SUM bits.Field = 1 << 18 // [18] Supervisor mode may access user pages.
	SSTATUS_MXR bits.Field = 1 << 19 // [19] Executable pages may be read.

	SIE_SSIE bits.Field = 1 << 1 // [1] Software interrupts are enabled.
	SIE_STIE bits.Field = 1 << 5 // [5] Timer interrupts are enabled.
	SIE_SEIE bits.Field = 1 << 9 // [9] External interrupts are enabled.

	SIP_SSIP bits.Field = 1 << 1 // [1] A software interrupt is pending.
	SIP_STIP bits.Field = 1 << 5 // [5] A timer interrupt is pending.
	SIP_SEIP bits.Field = 1 << 9 // [9] An external interrupt is pending.

	SATP_MODE bits.Field = 0xf << 60    // [63:60] Translation scheme; SatpMode.
	SATP_ASID bits.Field = 0xffff << 44 // [59:44] Address space; the bits that there are are the lowest.
	SATP_PPN  bits.Field = 1<<44 - 1    // [43:0] Page number of the root table.
)

// SatpMode is the scheme of address translation. Volume II, 12.1.11, table of satp.MODE.
type SatpMode uint8

// The schemes of RV64. What is not here is reserved, 14 and 15 for custom use.
const (
	Bare SatpMode = 0
	Sv39 SatpMode = 8
	Sv48 SatpMode = 9
	Sv57 SatpMode = 10
)

// Machine CSRs. Volume II, 2.2 and 3.1.
const (
	MSTATUS  bits.SysReg = 0x300 // [0x300] Machine status.
	MIE      bits.SysReg = 0x304 // [0x304] Machine interrupt enable.
	MIP      bits.SysReg = 0x344 // [0x344] Machine interrupt pending.
	MHARTID  bits.SysReg = 0xf14 // [0xf14] Hart ID.
	MXSTATUS bits.SysReg = 0x7c0 // [0x7c0] Extended status of T-Head cores.

	MSTATUS_SIE bits.Field = 1 << 1  // [1] Supervisor interrupts are enabled.
	MSTATUS_MIE bits.Field = 1 << 3  // [3] Machine interrupts are enabled.
	MSTATUS_SUM bits.Field = 1 << 18 // [18] Supervisor mode may access user pages.
	MSTATUS_MXR bits.Field = 1 << 19 // [19] Executable pages may be read.
	MSTATUS_TVM bits.Field = 1 << 20 // [20] satp and sfence.vma trap in supervisor mode.

	MIE_SSIE bits.Field = 1 << 1  // [1] Supervisor software interrupts are enabled.
	MIE_MSIE bits.Field = 1 << 3  // [3] Machine software interrupts are enabled.
	MIE_STIE bits.Field = 1 << 5  // [5] Supervisor timer interrupts are enabled.
	MIE_MTIE bits.Field = 1 << 7  // [7] Machine timer interrupts are enabled.
	MIE_SEIE bits.Field = 1 << 9  // [9] Supervisor external interrupts are enabled.
	MIE_MEIE bits.Field = 1 << 11 // [11] Machine external interrupts are enabled.

	MIP_SSIP bits.Field = 1 << 1  // [1] A supervisor software interrupt is pending.
	MIP_MSIP bits.Field = 1 << 3  // [3] A machine software interrupt is pending; the line of MSWI.
	MIP_STIP bits.Field = 1 << 5  // [5] A supervisor timer interrupt is pending.
	MIP_MTIP bits.Field = 1 << 7  // [7] A machine timer interrupt is pending; the line of MTIMER.
	MIP_SEIP bits.Field = 1 << 9  // [9] A supervisor external interrupt is pending.
	MIP_MEIP bits.Field = 1 << 11 // [11] A machine external interrupt is pending.

	MXSTATUS_CLINTEE bits.Field = 1 << 17 // [17] The supervisor's registers of the CLINT have effect.
	MXSTATUS_MAEE    bits.Field = 1 << 21 // [21] Bits 63 to 59 of a page table entry are T-Head's attributes.
)
