// Package rv is the RISC-V manuals in Go: CSR numbers, fields and their values, page table entries, the registers of
// CLINT and ACLINT, and the numbers of the supervisor binary interface. It has no behaviour: harts, timers, firmware
// and the kernel's code share it and nothing else.
//
// Documents:
//   - The RISC-V Instruction Set Manual, volume II, Privileged Architecture: chapters 2 and 3 (CSRs, machine), 12
//     (supervisor; Sv39 to Sv57, Svnapot, Svpbmt, Svinval).
//   - RISC-V Advanced Core Local Interruptor Specification: MSWI, MTIMER, SSWI.
//   - RISC-V Supervisor Binary Interface Specification, versions 0.1 and 2.0.
//   - T-Head C906 and C910 user manuals, and the RTL of openC906: mxstatus, the attributes of a page, the CLINT.
//
// Conventions are those of package gic in the sibling directory: names are the manual's, in capitals as kernels and
// firmware write them; a bits.SysReg is a CSR, its number repeated in the comment; an untyped constant is the offset of
// a register from the base of its frame; a bits.Field belongs to the register or entry whose name it starts with.
//
// Reading order: csr.go, pte.go, cause.go, clint.go, sbi.go.
package rv

//go:generate go run github.com/hwscript/hwscript/hardware/arch/gen .
