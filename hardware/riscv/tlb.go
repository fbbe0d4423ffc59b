package riscv

import (
	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/mmu"
)

// entry is one page table entry in a translation cache: a leaf, a pointer to a table, or one that is invalid.
type entry struct {
	page   uint64 // the virtual address above shift
	out    uint64 // of a leaf: the first address of the range; of a table: its address
	pte    uint64 // as it was read
	at     uint64 // where
	asid   uint16
	vpn    uint8 // the low bits of the virtual page number that it came by
	shift  uint8 // log2 of the bytes that it covers
	height int8
	kind   mmu.Kind
	perm   mmu.Perm
	global bool
	valid  bool
	used   bool // since all ways of the set were used
}

// maps reports whether the entry is one of an address in an address space.
func (e *entry) maps(va uint64, asid uint16) bool {
	return e.valid && va>>e.shift == e.page && (e.asid == asid || e.global)
}

// physical is the output of an address that a leaf maps.
func (e *entry) physical(va uint64) uint64 { return e.out | va&(1<<e.shift-1) }

// shifts are the sizes that an entry can cover, from the smallest: a page, a group of pages, then one more level each.
var shifts = [...]uint8{12, 16, 21, 30, 39, 48}

// tlb is a translation cache of sets and ways. A set is looked up for each size that is there.
//
// Invariant: no two entries of one size, page and address space.
type tlb struct {
	spec    TLBSpec
	entries []entry // set after set
	next    []uint16
	last    int // the entry that was hit last
	sizes   [len(shifts)]int
}

func newTLB(s TLBSpec) tlb {
	if s.Ways == 0 {
		return tlb{}
	}
	return tlb{spec: s, entries: make([]entry, s.Sets*s.Ways), next: make([]uint16, s.Sets)}
}

// find looks an address up; probes counts the sizes beyond the smallest that were looked at.
func (t *tlb) find(va uint64, asid uint16) (e *entry, probes int) {
	if len(t.entries) == 0 {
		return nil, 0
	}
	if e := &t.entries[t.last]; e.maps(va, asid) {
		return e, t.probes(e.shift)
	}
	return t.search(va, asid)
}

// search is find by the sets, from the smallest size.
func (t *tlb) search(va uint64, asid uint16) (*entry, int) {
	if len(t.entries) == 0 {
		return nil, 0
	}
	probes := -1
	for i, shift := range shifts {
		if t.sizes[i] == 0 && i != 0 {
			continue
		}
		probes++
		first := t.set(va, shift)
		for w := range t.spec.Ways {
			e := &t.entries[first+w]
			if e.shift == shift && e.maps(va, asid) {
				t.touch(first, first+w)
				return e, probes
			}
		}
	}
	return nil, max(probes, 0)
}

// probes is how many sizes are looked at before one.
func (t *tlb) probes(shift uint8) (n int) {
	for i, s := range shifts {
		if s == shift {
			break
		}
		if i == 0 || t.sizes[i] != 0 {
			n++
		}
	}
	return n
}

// set is the first entry of the set of an address.
func (t *tlb) set(va uint64, shift uint8) int {
	return int(va>>shift&uint64(t.spec.Sets-1)) * t.spec.Ways
}

// touch notes a hit.
func (t *tlb) touch(first, n int) {
	t.last = n
	if t.spec.Replace != PLRU {
		return
	}
	t.entries[n].used = true
	set := t.entries[first : first+t.spec.Ways]
	for i := range set {
		if !set[i].used {
			return
		}
	}
	for i := range set {
		set[i].used = first+i == n
	}
}

// insert puts an entry in the place of one of the same page, a free one, or one that makes room.
func (t *tlb) insert(e entry) {
	if len(t.entries) == 0 {
		return
	}
	first := t.set(e.page<<e.shift, e.shift)
	n := t.victim(first, &e)
	t.remove(&t.entries[n])
	e.valid = true
	t.entries[n] = e
	t.sizes[sizeOf(e.shift)]++
	t.touch(first, n)
}

func (t *tlb) victim(first int, e *entry) int {
	free := -1
	for w := range t.spec.Ways {
		old := &t.entries[first+w]
		switch {
		case !old.valid:
			if free < 0 {
				free = first + w
			}
		case old.page == e.page && old.shift == e.shift && (old.asid == e.asid || old.global || e.global):
			return first + w
		}
	}
	if free >= 0 {
		return free
	}
	set := t.entries[first : first+t.spec.Ways]
	if t.spec.Replace == PLRU {
		for i := range set {
			if !set[i].used {
				return first + i
			}
		}
	}
	next := &t.next[first/t.spec.Ways]
	n := first + int(*next)
	*next = uint16((int(*next) + 1) % t.spec.Ways)
	return n
}

func (t *tlb) remove(e *entry) {
	if e.valid {
		e.valid = false
		t.sizes[sizeOf(e.shift)]--
	}
}

// sizeOf is the place of a size in shifts.
func sizeOf(shift uint8) int {
	for i, s := range shifts {
		if s == shift {
			return i
		}
	}
	panic("BUG: a translation of a size that there is not")
}

// clear drops everything.
func (t *tlb) clear() {
	for i := range t.entries {
		t.remove(&t.entries[i])
	}
}

// drop drops what a fence covers, and says how many entries that were.
func (t *tlb) drop(s *scope) (n int) {
	for i := range t.entries {
		if e := &t.entries[i]; e.valid && s.covers(e) {
			t.remove(e)
			n++
		}
	}
	return n
}

// copyFrom makes the cache hold what another of its geometry holds.
func (t *tlb) copyFrom(o *tlb) {
	copy(t.entries, o.entries)
	copy(t.next, o.next)
	t.last, t.sizes = o.last, o.sizes
}

// clone is a copy of its own.
func (t *tlb) clone() tlb {
	c := newTLB(t.spec)
	c.copyFrom(t)
	return c
}

// scope is what a fence of translations covers.
type scope struct {
	byVA, byASID bool
	superpageVPN bool // a quirk: a superpage only by the page through which it came
	va           uint64
	asid         uint16
}

// covers reports whether the fence drops an entry. By address it drops no pointers to tables, and by address space
// nothing global. What is invalid ends a walk, and is covered as a leaf is.
func (s *scope) covers(e *entry) bool {
	switch {
	case s.byASID && (e.global || e.asid != s.asid):
		return false
	case !s.byVA:
		return true
	case e.kind == mmu.Table || s.va>>e.shift != e.page:
		return false
	}
	return !s.superpageVPN || e.shift == uint8(rv.PageShift) || e.vpn == uint8(s.va>>rv.PageShift)
}
