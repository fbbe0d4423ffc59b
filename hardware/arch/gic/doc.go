// Package gic is the GICv3 manual in Go: register offsets, system register encodings, fields and their values. It
// has no behaviour, so that the device models (gicv3, its) and the driver code (linux) share the manual and nothing
// else.
//
// Documents:
//   - Arm IHI 0069, Generic Interrupt Controller architecture, versions 3 and 4: chapter 12, Programmers' Model;
//     chapters 2 and 4 for INTIDs and the interrupt states.
//   - Arm IHI 0029, CoreSight architecture: the identification registers at the end of each frame.
//
// Conventions. Names are the manual's. An untyped constant is a register: its offset from the base of its frame,
// with "[count x bytes]" in the comment if it is the first of several. A bits.SysReg is a system register. A
// bits.Field is a field of the register whose name it starts with; its comment repeats its position as "[hi:lo]"
// and may end in the name of the type that holds its values. The generator checks all of this and writes
// fields_gen.go.
//
// Reading order: values.go, distributor.go, redistributor.go, cpuif.go, its.go, itscommand.go, itstable.go.
package gic

//go:generate go run github.com/hwscript/hwscript/hardware/arch/gen .
