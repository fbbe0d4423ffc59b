// Package bits reads and writes the fields of registers and of entries in memory, and carries what the arch packages
// say about them: names, masks, comments.
//
// A field is only its mask; its shift is the number of zeros below it, which the compiler folds for a constant. So a
// field is declared once, as the manual prints it, and cannot disagree with itself:
//
//	const GICD_CTLR_RWP bits.Field = 1 << 31 // [31] Register Write Pending.
//
// Reading order: Field, then table.go, which holds the generated tables behind register decoding.
package bits

import "math/bits"

// Field is one field of a register or of an entry word: a run of ones where the field lies.
type Field uint64

// Get returns the field of w, shifted down.
func (f Field) Get(w uint64) uint64 { return w & uint64(f) >> f.Shift() }

// Put returns w with the field set to v. Bits of v that do not fit are dropped, as a register drops them.
func (f Field) Put(w, v uint64) uint64 { return w&^uint64(f) | v<<f.Shift()&uint64(f) }

// Is reports whether any bit of the field is set in w.
func (f Field) Is(w uint64) bool { return w&uint64(f) != 0 }

// Flag is the value of a field of one bit.
func Flag(on bool) uint64 {
	if on {
		return 1
	}
	return 0
}

// Shift is the position of the field's lowest bit.
func (f Field) Shift() int { return bits.TrailingZeros64(uint64(f)) }

// Width is the number of the field's bits.
func (f Field) Width() int { return bits.OnesCount64(uint64(f)) }

// Max is the largest value that fits the field.
func (f Field) Max() uint64 { return uint64(f) >> f.Shift() }

// SysReg is the encoding of a system register in its instruction set: on Arm op0:op1:CRn:CRm:op2 in 2:3:4:4:3 bits, as
// MRS and MSR hold it; on RISC-V the CSR number.
type SysReg uint16

// The parts of an Arm system register's encoding.
const (
	SysRegOp0 Field = 0x3 << 14
	SysRegOp1 Field = 0x7 << 11
	SysRegCRn Field = 0xf << 7
	SysRegCRm Field = 0xf << 3
	SysRegOp2 Field = 0x7 << 0
)
