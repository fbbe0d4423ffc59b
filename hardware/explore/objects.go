package explore

import (
	"slices"

	"github.com/hwscript/hwscript/hardware/sim"
)

// footprint is what a step has touched.
type footprint struct {
	reads, writes objectSet
}

// dependent reports whether the order of two steps can matter.
func (f *footprint) dependent(g *footprint) bool {
	return f.writes.meets(&g.writes) || f.writes.meets(&g.reads) || f.reads.meets(&g.writes)
}

func (f *footprint) add(g *footprint) {
	f.reads.join(&g.reads)
	f.writes.join(&g.writes)
}

// objectSet is a set of objects, by their numbers in an objectTable. Most executions touch so few that one word holds
// them. A copy of a set is good until the set is changed.
type objectSet struct {
	low  uint64 // 0 to 63
	high events // the others, from 64
}

func (s *objectSet) put(number int) {
	if number < 64 {
		s.low |= 1 << number
		return
	}
	s.high.put(number - 64)
}

func (s *objectSet) join(t *objectSet) {
	s.low |= t.low
	if t.high != nil {
		s.high.join(t.high)
	}
}

func (s *objectSet) meets(t *objectSet) bool {
	return s.low&t.low != 0 || t.high != nil && s.high.meets(t.high)
}

// objectTable numbers objects from 0, in the order in which they are first touched, by hashing with linear probing.
type objectTable struct {
	slots []objectSlot // a power of two, at most half of them in use
	count int
}

type objectSlot struct {
	key    sim.Object // 0: free
	number int
}

// clone is a table of its own with the same numbers.
func (t *objectTable) clone() objectTable { return objectTable{slices.Clone(t.slots), t.count} }

// number is the object's number, a new one if it has none.
func (t *objectTable) number(o sim.Object) int {
	if 2*t.count >= len(t.slots) {
		t.grow()
	}
	s := t.find(o)
	if s.key == 0 {
		*s = objectSlot{o, t.count}
		t.count++
	}
	return s.number
}

// find is the slot that holds an object, or the free one where it would be.
func (t *objectTable) find(o sim.Object) *objectSlot {
	const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio, which spreads consecutive numbers
	mask := uint64(len(t.slots) - 1)
	for i := uint64(o) * golden >> 32; ; i++ {
		if s := &t.slots[i&mask]; s.key == 0 || s.key == o {
			return s
		}
	}
}

func (t *objectTable) grow() {
	old := t.slots
	t.slots = make([]objectSlot, max(256, 2*len(old)))
	for _, s := range old {
		if s.key != 0 {
			*t.find(s.key) = s
		}
	}
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
