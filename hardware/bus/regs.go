package bus

import (
	"fmt"
	mathbits "math/bits"
)

// Addr is a physical address.
type Addr uint64

// Width is a set of access sizes; the value of a single size is its number of bytes.
type Width uint8

// The sizes of access.
const (
	W8  Width = 1
	W16 Width = 2
	W32 Width = 4
	W64 Width = 8
)

// Mask has a one for each bit of a value of the (single) width.
func (w Width) Mask() uint64 { return ^uint64(0) >> (64 - 8*uint(w)) }

// widest is the largest of the sizes.
func (w Width) widest() Width { return 1 << (mathbits.Len8(uint8(w)) - 1) }

// A Device is a register frame on the bus; offsets count from its base. Both methods report false where the rule of the
// package comment applies: such a read gives zero, and such a write did nothing.
type Device interface {
	ReadReg(off uint64, w Width) (uint64, bool)
	WriteReg(off uint64, w Width, v uint64) bool
}

// Registers is the table of a frame: one row a register, or an array of registers. [NewFrame] makes it usable.
type Registers[T any] []Row[T]

// Row describes one register of a device of type T, or an array with one element for each interrupt.
type Row[T any] struct {
	off    uint64
	size   uint64 // bytes that the row covers
	widths Width

	read  func(*T) uint64
	write func(t *T, v, mask uint64)

	array    bool
	shift    uint8 // log2 of the bits of an array's element
	readIRQ  func(t *T, irq int) uint64
	writeIRQ func(t *T, irq int, v, mask uint64)
}

// Reg is a register as wide as its widest access. A narrower write merges with what a read gives.
func Reg[T any](off uint64, widths Width, read func(*T) uint64, write func(*T, uint64)) Row[T] {
	whole := widths.widest().Mask()
	masked := func(t *T, v, mask uint64) {
		if mask != whole {
			v |= read(t) &^ mask
		}
		write(t, v)
	}
	return Row[T]{off: off, size: uint64(widths.widest()), widths: widths, read: read, write: masked}
}

// Halves is a register of 64 bits whose halves can be written alone: write gets a mask of the bits that the access has.
func Halves[T any](off uint64, read func(*T) uint64, write func(t *T, v, mask uint64)) Row[T] {
	return Row[T]{off: off, size: uint64(W64), widths: W32 | W64, read: read, write: write}
}

// PerIRQ is an array that holds a number of bits (1, 2, 8, 64) for each of n interrupts. Read gives the bits of the
// interrupts from irq on, of which the access takes as many as it has room for; write gets a mask of the bits that the
// access has.
func PerIRQ[T any](off uint64, bits, n int, widths Width,
	read func(t *T, irq int) uint64, write func(t *T, irq int, v, mask uint64)) Row[T] {
	return Row[T]{
		off: off, size: uint64(bits) * uint64(n) / 8, widths: widths,
		array: true, shift: uint8(mathbits.TrailingZeros(uint(bits))), readIRQ: read, writeIRQ: write,
	}
}

// Reserved is an area that the manual names and that reads as zero and ignores writes here, such as the registers of an
// optional feature. Unlike a hole it is not reported.
func Reserved[T any](off, size uint64, widths Width) Row[T] {
	return Row[T]{
		off: off, size: size, widths: widths, array: true,
		readIRQ:  func(*T, int) uint64 { return 0 },
		writeIRQ: func(*T, int, uint64, uint64) {},
	}
}

// Words is an array of n read-only registers of 32 bits, such as the identification registers at the end of a frame.
func Words[T any](off uint64, n int, read func(t *T, i int) uint64) Row[T] {
	return PerIRQ(off, 32, n, W32, read, func(*T, int, uint64, uint64) {})
}

// RAZ is the read function of a register that reads as zero.
func RAZ[T any](*T) uint64 { return 0 }

// WI is the write function of a register that ignores writes.
func WI[T any](*T, uint64) {}

// Frame is a table of registers expanded to a flat index, so that finding one costs the same whatever the table.
type Frame[T any] struct {
	rows  []Row[T] // row 0 is the hole
	index []uint8  // row of each word of 32 bits
	size  uint64
}

// wordShift turns an offset into a place in Frame.index.
const wordShift = 2

// NewFrame expands the table of a frame of the given size. It refuses a table that is not one: rows that overlap, leave
// the frame, are not aligned, or are more than 255.
func NewFrame[T any](size uint64, table Registers[T]) (*Frame[T], error) {
	f := &Frame[T]{rows: make([]Row[T], 1, len(table)+1), index: make([]uint8, size>>wordShift), size: size}
	if len(table) > 255 {
		return nil, fmt.Errorf("register table of %d rows: at most 255", len(table))
	}
	for _, r := range table {
		if err := f.place(r); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// MustFrame is [NewFrame] for tables that are written out in a model.
func MustFrame[T any](size uint64, table Registers[T]) *Frame[T] {
	f, err := NewFrame(size, table)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return f
}

// place adds one row to the index.
func (f *Frame[T]) place(r Row[T]) error {
	unit := max(uint64(W32), uint64(r.widths.widest()))
	switch {
	case r.widths == 0 || r.size == 0:
		return fmt.Errorf("register at %#x has no size", r.off)
	case r.off+r.size > f.size || r.off+r.size < r.off:
		return fmt.Errorf("register at %#x leaves the frame of %#x bytes", r.off, f.size)
	case r.off%unit != 0 || r.size%uint64(W32) != 0:
		return fmt.Errorf("register at %#x of %d bytes is not aligned", r.off, r.size)
	}
	f.rows = append(f.rows, r)
	for word := r.off >> wordShift; word < (r.off+r.size)>>wordShift; word++ {
		if other := f.index[word]; other != 0 {
			return fmt.Errorf("register at %#x overlaps the one at %#x", r.off, f.rows[other].off)
		}
		f.index[word] = uint8(len(f.rows) - 1)
	}
	return nil
}

// Size is the number of bytes of the frame.
func (f *Frame[T]) Size() uint64 { return f.size }

// find returns the row of an access and the access's place in it, nil where there is nothing of that size.
func (f *Frame[T]) find(off uint64, w Width) (*Row[T], uint64) {
	if off >= f.size {
		return nil, 0
	}
	r := &f.rows[f.index[off>>wordShift]]
	at := off - r.off
	if r.widths&w == 0 || w&(w-1) != 0 || off&uint64(w-1) != 0 || at+uint64(w) > r.size {
		return nil, 0
	}
	return r, at
}

// Read performs a read of a device's register.
func (f *Frame[T]) Read(t *T, off uint64, w Width) (uint64, bool) {
	r, at := f.find(off, w)
	if r == nil {
		return 0, false
	}
	bit := at * 8
	if !r.array {
		return r.read(t) >> bit & w.Mask(), true
	}
	return r.readIRQ(t, int(bit>>r.shift)) >> (bit & (1<<r.shift - 1)) & w.Mask(), true
}

// Write performs a write of a device's register.
func (f *Frame[T]) Write(t *T, off uint64, w Width, v uint64) bool {
	r, at := f.find(off, w)
	if r == nil {
		return false
	}
	bit := at * 8
	mask := w.Mask()
	v &= mask
	if !r.array {
		r.write(t, v<<bit, mask<<bit)
		return true
	}
	shift := bit & (1<<r.shift - 1)
	r.writeIRQ(t, int(bit>>r.shift), v<<shift, mask<<shift)
	return true
}
