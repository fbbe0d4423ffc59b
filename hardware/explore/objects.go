package explore

import "github.com/hwscript/hwscript/hardware/sim"

// footprint is what a step has touched, as sets of objects. Objects get the bits in the order in which they are first
// touched; those beyond the sixty-third share one, which only makes more steps depend on each other.
type footprint struct {
	reads, writes uint64
}

// dependent reports whether the order of two steps can matter.
func (f footprint) dependent(g footprint) bool {
	return f.writes&(g.reads|g.writes)|f.reads&g.writes != 0
}

func (f *footprint) add(g footprint) {
	f.reads |= g.reads
	f.writes |= g.writes
}

const objectSlots = 256

// objectTable numbers objects, by hashing with linear probing.
type objectTable struct {
	keys  [objectSlots]sim.Object
	bits  [objectSlots]uint8
	count int
}

func (t *objectTable) bit(o sim.Object) uint64 {
	slot := uint64(o) * 0x9e3779b97f4a7c15 >> 56
	for t.keys[slot] != 0 {
		if t.keys[slot] == o {
			return 1 << t.bits[slot]
		}
		slot = (slot + 1) % objectSlots
	}
	if t.count >= objectSlots/2 {
		return 1 << 63
	}
	t.keys[slot], t.bits[slot] = o, uint8(min(t.count, 63))
	t.count++
	return 1 << t.bits[slot]
}

// events is a set of steps of one execution, by number.
type events []uint64

func (s events) has(i int) bool { return i>>6 < len(s) && s[i>>6]>>(i&63)&1 != 0 }

// put adds a step.
func (s *events) put(i int) {
	for len(*s) <= i>>6 {
		*s = append(*s, 0)
	}
	(*s)[i>>6] |= 1 << (i & 63)
}

// join adds all of another set.
func (s *events) join(t events) {
	for len(*s) < len(t) {
		*s = append(*s, 0)
	}
	for i, w := range t {
		(*s)[i] |= w
	}
}

// meets reports whether the two sets have a step in common.
func (s events) meets(t events) bool {
	for i := range min(len(s), len(t)) {
		if s[i]&t[i] != 0 {
			return true
		}
	}
	return false
}
