// Package a64 is the part of the Arm architecture manual that a PE's system registers and translation tables need:
// encodings, fields, values. It has no behaviour; the PE model (arm) and the kernel's code (linux) share it and nothing
// else.
//
// Documents:
//   - Arm DDI 0487, Architecture Reference Manual for A-profile: chapters D19 (system registers), C5 (the encodings),
//     D13 (the PMU), D12 (the generic timer), D8.3 (translation table descriptors).
//
// Conventions are those of package gic in the sibling directory: names are the manual's; a bits.SysReg is a
// register, with its op0, op1, CRn, CRm and op2 repeated in the comment; a bits.Field belongs to the register whose
// name it starts with. The registers of the GIC's CPU interface are in package gic.
//
// Reading order: identification.go, process.go, exception.go, timer.go, pmu.go, descriptor.go.
package a64

//go:generate go run github.com/hwscript/hwscript/hardware/arch/gen .
