package a64

import "github.com/hwscript/hwscript/hardware/bits"

// Process state and the special-purpose registers that hold it. DDI 0487, C5.2.
const (
	NZCV      bits.SysReg = 0xda10 // [3,3,4,2,0] Condition Flags.
	DAIF      bits.SysReg = 0xda11 // [3,3,4,2,1] Interrupt Mask Bits.
	SPSel     bits.SysReg = 0xc210 // [3,0,4,2,0] Stack Pointer Select.
	CurrentEL bits.SysReg = 0xc212 // [3,0,4,2,2] Current Exception Level.
	PAN       bits.SysReg = 0xc213 // [3,0,4,2,3] Privileged Access Never.
	SP_EL0    bits.SysReg = 0xc208 // [3,0,4,1,0] Stack Pointer, EL0: the kernel's current task.
	SPSR_EL1  bits.SysReg = 0xc200 // [3,0,4,0,0] Saved Program Status Register, EL1.
	ELR_EL1   bits.SysReg = 0xc201 // [3,0,4,0,1] Exception Link Register, EL1.

	DAIF_F bits.Field = 1 << 6 // [6] FIQ is masked.
	DAIF_I bits.Field = 1 << 7 // [7] IRQ is masked.
	DAIF_A bits.Field = 1 << 8 // [8] SError is masked.
	DAIF_D bits.Field = 1 << 9 // [9] Watchpoint, breakpoint and step exceptions are masked.

	CurrentEL_EL bits.Field = 0x3 << 2 // [3:2] Exception level.
	SPSel_SP     bits.Field = 1 << 0   // [0] SP_ELx is in use, not SP_EL0.
	PAN_PAN      bits.Field = 1 << 22  // [22] Privileged accesses to user pages fault.

	SPSR_EL1_M   bits.Field = 0xf << 0 // [3:0] Mode: 0 EL0t, 4 EL1t, 5 EL1h.
	SPSR_EL1_F   bits.Field = 1 << 6   // [6] FIQ was masked.
	SPSR_EL1_I   bits.Field = 1 << 7   // [7] IRQ was masked.
	SPSR_EL1_A   bits.Field = 1 << 8   // [8] SError was masked.
	SPSR_EL1_D   bits.Field = 1 << 9   // [9] Debug exceptions were masked.
	SPSR_EL1_PAN bits.Field = 1 << 22  // [22] Privileged accesses to user pages faulted.
)

// Software thread and context identifiers. DDI 0487, D19.2.
const (
	TPIDR_EL0      bits.SysReg = 0xde82 // [3,3,13,0,2] EL0 Read/Write Software Thread ID Register.
	TPIDRRO_EL0    bits.SysReg = 0xde83 // [3,3,13,0,3] EL0 Read-Only Software Thread ID Register.
	TPIDR_EL1      bits.SysReg = 0xc684 // [3,0,13,0,4] EL1 Software Thread ID Register: the kernel's per-CPU offset.
	CONTEXTIDR_EL1 bits.SysReg = 0xc681 // [3,0,13,0,1] Context ID Register, EL1.
)
