package bus

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bits"
)

// SystemRegisters is the table of the system registers that a device contributes to a PE: one row a register.
// [NewSysFrame] makes it usable.
type SystemRegisters[T any] []SysRow[T]

// SysRow describes one system register of a device of type T.
type SysRow[T any] struct {
	reg     bits.SysReg
	read    func(*T) uint64
	write   func(*T, uint64)
	present func(*T) bool
}

// Sys is a system register. A nil read or write makes that access UNDEFINED.
func Sys[T any](reg bits.SysReg, read func(*T) uint64, write func(*T, uint64)) SysRow[T] {
	return SysRow[T]{reg: reg, read: read, write: write}
}

// If makes both accesses UNDEFINED on a device that does not have the register.
func (r SysRow[T]) If(present func(*T) bool) SysRow[T] {
	r.present = present
	return r
}

// SysFrame is a table of system registers expanded to a flat index over all encodings.
type SysFrame[T any] struct {
	rows  []SysRow[T] // row 0 is UNDEFINED
	index [1 << 16]uint8
}

// NewSysFrame expands a table. It refuses one that names a register twice or has more than 255 rows.
func NewSysFrame[T any](table SystemRegisters[T]) (*SysFrame[T], error) {
	if len(table) == 0 || len(table) > 255 {
		return nil, fmt.Errorf("system register table of %d rows: want 1 to 255", len(table))
	}
	f := &SysFrame[T]{rows: make([]SysRow[T], 1)}
	for _, r := range table {
		if f.index[r.reg] != 0 {
			return nil, fmt.Errorf("system register %#x appears twice", uint16(r.reg))
		}
		f.rows = append(f.rows, r)
		f.index[r.reg] = uint8(len(f.rows) - 1)
	}
	return f, nil
}

// MustSysFrame is [NewSysFrame] for tables that are written out in a model.
func MustSysFrame[T any](table SystemRegisters[T]) *SysFrame[T] {
	f, err := NewSysFrame(table)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return f
}

func (f *SysFrame[T]) find(t *T, reg bits.SysReg) *SysRow[T] {
	r := &f.rows[f.index[reg]]
	if r.present != nil && !r.present(t) {
		return &f.rows[0]
	}
	return r
}

// Read performs MRS; false where it is UNDEFINED.
func (f *SysFrame[T]) Read(t *T, reg bits.SysReg) (uint64, bool) {
	r := f.find(t, reg)
	if r.read == nil {
		return 0, false
	}
	return r.read(t), true
}

// Write performs MSR; false where it is UNDEFINED.
func (f *SysFrame[T]) Write(t *T, reg bits.SysReg, v uint64) bool {
	r := f.find(t, reg)
	if r.write == nil {
		return false
	}
	r.write(t, v)
	return true
}
