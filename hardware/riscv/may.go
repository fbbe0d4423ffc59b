package riscv

import (
	"slices"

	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/mmu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// May are the translations of an address that a hart may use in an address space: those made of values that each entry
// had at some moment since the last fence that covers it, while satp led there.
func (o *Oracle) May(h *Hart, va uint64, asid uint16) []Translation {
	m := may{o: o, history: o.of(h), va: va, asid: asid, now: h.Now()}
	for i := range m.history.satps {
		t := &m.history.satps[i]
		if t.mode == rv.Bare || !mmu.SvCanonical(t.mode, va) {
			continue
		}
		m.tenure = t
		m.table(t.stage.Root, t.stage.Top, path{})
	}
	return m.found
}

// path is how a search came to a table. What a global entry is part of, a cache keeps as a whole over fences of one
// address space, the entries above it included.
type path struct {
	global bool // an entry on it is
	only   bool // it stands only if one is, there or below
}

// may is a search for translations, from one root.
type may struct {
	o       *Oracle
	history *history
	tenure  *tenure
	va      uint64
	asid    uint16
	now     sim.Time
	found   []Translation
	visited []visit
}

// visit is a table that a search has been to.
type visit struct {
	tenure *tenure
	table  uint64
	height int8
	path   path
}

// table goes through the values that the entry of a table could have. In the last table each entry of the group of
// pages around the address may stand for all of them (Svnapot).
func (m *may) table(table uint64, height int8, p path) {
	stage := &m.tenure.stage
	here := visit{m.tenure, table, height, p}
	if slices.Contains(m.visited, here) {
		return
	}
	m.visited = append(m.visited, here)
	var w mmu.Walk
	if w.Resume(stage, m.va, table, height, p.global) != mmu.Reading {
		return
	}
	own := w.Descriptor()
	m.entry(own, height, p, false)
	if height > 0 || !m.history.hart.spec.Format.Napot {
		return
	}
	const group = 1<<rv.NapotBits<<mmu.EntryShift - 1
	for at := own &^ group; at <= own|group; at += 1 << mmu.EntryShift {
		if at != own {
			m.entry(at, height, p, true)
		}
	}
}

// entry goes through the values of one entry; of another one than the address's own, those count that stand for a
// group.
func (m *may) entry(at uint64, height int8, p path, grouped bool) {
	stage := &m.tenure.stage
	for _, v := range m.o.know(at) {
		e := stage.Format.Decode(stage, height, v.pte)
		p := path{p.global || e.Global, p.only}
		shift := shifts[0]
		if height > 0 {
			shift = shifts[height+1]
		}
		leaf, root := e.Kind != mmu.Table, height == stage.Top
		if grouped && e.Group == 0 || !m.readable(&v, leaf, true, shift, root) {
			continue
		}
		p.only = p.only || !m.readable(&v, leaf, false, shift, root)
		if e.Kind == mmu.Table && height > 0 {
			m.table(e.Address, height-1, p)
			continue
		}
		if !p.global && (p.only || m.tenure.asid != m.asid) {
			continue
		}
		kind := e.Kind
		if kind == mmu.Table {
			kind = mmu.Invalid // a pointer where there are no tables below
		}
		m.add(Translation{
			At: at, PTE: v.pte, Kind: kind, Output: e.Address, Shift: shift + e.Group, Perm: e.Perm, Global: p.global,
			ASID: m.tenure.asid, Root: stage.Root,
		})
	}
}

// add notes a translation once.
func (m *may) add(t Translation) {
	for i := range m.found {
		if m.found[i] == t {
			return
		}
	}
	m.found = append(m.found, t)
}

// readable reports whether a walk could have read a value at a moment when satp had the tag, or any for what is global,
// since the last fence that covers it. The entry of a root is read while satp points to that root; the tables below may
// be known from an earlier walk.
func (m *may) readable(v *value, leaf, global bool, shift uint8, root bool) bool {
	fence := m.history.full
	for i := range m.history.fences {
		f := &m.history.fences[i]
		if f.covers(m, leaf, global, shift) {
			fence = max(fence, f.at)
		}
	}
	for i := range m.history.satps {
		t := &m.history.satps[i]
		if t.mode == rv.Bare || t.asid != m.tenure.asid && !global || root && t.stage.Root != m.tenure.stage.Root {
			continue
		}
		from := max(fence, t.from, v.from)
		if until := min(t.to, v.to, m.now); from <= until && v.to > max(fence, t.from) {
			return true
		}
	}
	return false
}

// covers reports whether a fence covers an entry on the way of a search.
func (f *fenceRecord) covers(m *may, leaf, global bool, shift uint8) bool {
	switch {
	case f.asid.Register && (global || uint16(f.asid.Value) != m.tenure.asid):
		return false
	case !f.va.Register:
		return true
	}
	return leaf && f.va.Value>>shift == m.va>>shift
}
