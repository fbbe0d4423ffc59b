package graph

import "math/bits"

// order is a strict order of events: row i holds all events before event i.
// Invariant: it is transitive and has no cycle.
type order struct {
	width int // words of a row
	count int
	rows  []uint64
}

const wordBits = 64

func (o *order) row(i int16) []uint64 { return o.rows[int(i)*o.width : (int(i)+1)*o.width] }

func (o *order) has(a, b int16) bool {
	return o.rows[int(b)*o.width+int(a)>>6]>>(uint16(a)&63)&1 != 0
}

// grow adds an event with nothing before it.
func (o *order) grow() {
	if o.count == o.width*wordBits {
		o.widen()
	}
	for range o.width {
		o.rows = append(o.rows, 0)
	}
	o.count++
}

func (o *order) widen() {
	rows := make([]uint64, 0, (o.count+wordBits)*(o.width+1))
	for i := range o.count {
		rows = append(append(rows, o.row(int16(i))...), 0)
	}
	o.rows = rows
	o.width++
}

// add puts a, and all before it, before b. It answers false if b is before a.
func (o *order) add(a, b int16) bool {
	if a == b || o.has(b, a) {
		return false
	}
	if o.has(a, b) {
		return true
	}
	o.join(b, a)
	for i := range int16(o.count) {
		if o.has(b, i) {
			o.join(i, a)
		}
	}
	return true
}

// join puts a, and all before it, before i.
func (o *order) join(i, a int16) {
	to, from := o.row(i), o.row(a)
	for k := range to {
		to[k] |= from[k]
	}
	to[a>>6] |= 1 << (uint16(a) & 63)
}

func (o *order) copyFrom(p *order) {
	o.width, o.count = p.width, p.count
	o.rows = append(o.rows[:0], p.rows...)
}

// Sources is a set of loads of one thread, by their number in it: what a value, an address or a branch depends on.
type Sources [2]uint64

// MaxLoads is the number of loads of one thread, handlers included, whose values are told apart.
const MaxLoads = len(Sources{}) * wordBits

func source(load int16) (s Sources) {
	s[load>>6] = 1 << (uint16(load) & 63)
	return s
}

// Or is the union.
func (s Sources) Or(t Sources) Sources {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

// in reports whether all of a set is in another.
func (s Sources) in(t Sources) bool {
	for i := range s {
		if s[i]&^t[i] != 0 {
			return false
		}
	}
	return true
}

// Empty reports whether there is no load in the set.
func (s Sources) Empty() bool { return s == Sources{} }

// pop takes the lowest load out of a set that is not empty.
func (s *Sources) pop() int16 {
	for i := range s {
		if s[i] != 0 {
			k := bits.TrailingZeros64(s[i])
			s[i] &= s[i] - 1
			return int16(i*wordBits + k)
		}
	}
	panic("BUG: pop from an empty set of loads")
}
