package riscv

import (
	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mmu"
)

// Translate makes an address of the program physical, by the caches or by a walk, and takes its time.
func (h *Hart) Translate(va uint64, a mmu.Access) (uint64, *Exception) {
	if h.untranslated() {
		return va, nil
	}
	a.Privileged = !h.user
	micro := &h.dtlb
	if a.Execute {
		micro = &h.itlb
	}
	return h.translate(micro, va, a)
}

// untranslated reports whether addresses are physical for what runs.
func (h *Hart) untranslated() bool { return h.mode == rv.Bare || h.CPU.Privilege() == cpu.Firmware }

// hot is the page of RAM that the program has loaded or stored last, with what it may do there at its privilege: the
// entry of the DTLB that was hit, in a form that costs the host little. It goes with each fence, each write of satp,
// each change of privilege, and when the DTLB changes.
type hot struct {
	page        uint64
	delta       uint64 // from virtual to physical
	read, write bool
}

// heat makes an entry that was used the hot one.
func (h *Hart) heat(va uint64, e *entry) {
	h.hot = hot{}
	at := e.physical(va) &^ (1<<rv.PageShift - 1)
	if h.oracle != nil || len(h.dtlb.entries) == 0 || !h.memory.Contains(at, 1<<rv.PageShift) {
		return
	}
	read, write := mmu.ReadPrivileged, mmu.WritePrivileged
	if h.user {
		read, write = mmu.ReadUnprivileged, mmu.WriteUnprivileged
	}
	h.hot = hot{
		page: va >> rv.PageShift, delta: e.physical(va) - va,
		read:  e.perm&read != 0 && h.flagged(e, mmu.Access{}),
		write: e.perm&write != 0 && h.flagged(e, mmu.Access{Write: true}),
	}
}

// translate is Translate where there is translation.
func (h *Hart) translate(micro *tlb, va uint64, a mmu.Access) (uint64, *Exception) {
	if !mmu.SvCanonical(h.mode, va) {
		return 0, h.raise(pageFault(a), va)
	}
	e := h.find(micro, va, a)
	if h.oracle != nil {
		h.oracle.used(h, va, &e)
	}
	switch {
	case e.at == noEntry:
		return 0, h.raise(accessFault(a), va)
	case e.kind != mmu.Leaf || !h.allows(e.perm, a) || !h.flagged(&e, a):
		return 0, h.raise(pageFault(a), va)
	}
	if !a.Execute {
		h.heat(va, &e)
	}
	return e.physical(va), nil
}

// find is the entry that translates an address. If an interrupt's handler fences, or writes satp, while it is looked
// for, the search begins anew.
func (h *Hart) find(micro *tlb, va uint64, a mmu.Access) entry {
	for fresh := false; ; {
		began := h.generation
		e, ok := entry{}, false
		if !fresh {
			e, ok = h.cached(micro, va)
		}
		if !ok {
			e = h.walk(va, a, fresh)
		}
		switch {
		case began != h.generation:
		case h.settable(&e, a):
			fresh = true // the flags are set in memory, not in what is cached
		default:
			if !ok && e.kind == mmu.Leaf && rv.PTE_A.Is(e.pte) {
				h.joint.insert(e)
				micro.insert(e)
				h.hot = hot{}
			}
			return e
		}
	}
}

// noEntry stands for the address of an entry that could not be read.
const noEntry = ^uint64(0)

// cached looks an address up in the caches.
func (h *Hart) cached(micro *tlb, va uint64) (entry, bool) {
	if e, _ := micro.find(va, h.asid); e != nil {
		h.stats.MicroHits++
		return *e, true
	}
	found, probes := h.joint.find(va, h.asid)
	if found == nil {
		return entry{}, false
	}
	h.stats.JointHits++
	e := *found
	e.vpn = uint8(va >> rv.PageShift)
	if e.kind == mmu.Leaf {
		micro.insert(e)
		h.hot = hot{}
	}
	h.Exec(h.spec.Cost.JointHit + h.spec.Cost.JointProbe*int64(probes))
	return e, true
}

// allows reports whether permissions suffice: SUM lets the supervisor read and write user pages, and MXR lets what is
// executable be read. Volume II, 12.1.1.
func (h *Hart) allows(p mmu.Perm, a mmu.Access) bool {
	if h.csrs.mstatus&uint64(rv.MSTATUS_MXR) != 0 {
		if p&mmu.ExecutePrivileged != 0 {
			p |= mmu.ReadPrivileged
		}
		if p&mmu.ExecuteUnprivileged != 0 {
			p |= mmu.ReadUnprivileged
		}
	}
	if p&a.Needs() != 0 {
		return true
	}
	user := a
	user.Privileged = false
	return a.Privileged && !a.Execute && h.csrs.mstatus&uint64(rv.MSTATUS_SUM) != 0 && p&user.Needs() != 0
}

// flagged reports whether A, and for a store D, is set.
func (h *Hart) flagged(e *entry, a mmu.Access) bool {
	need := uint64(rv.PTE_A)
	if a.Write {
		need |= uint64(rv.PTE_D)
	}
	return e.pte&need == need
}

// settable reports whether hardware is to set flags of an entry that is used otherwise as it may be.
func (h *Hart) settable(e *entry, a mmu.Access) bool {
	return h.spec.HardwareAD && e.kind == mmu.Leaf && h.allows(e.perm, a) && !h.flagged(e, a)
}

// walk reads page table entries until it has a leaf, or one that is none: an entry of kind Invalid then. It means
// nothing if the generation has changed meanwhile. One that is fresh uses no pointer that is cached.
func (h *Hart) walk(va uint64, a mmu.Access, fresh bool) entry {
	began := h.generation
	h.stats.Walks++
	h.Exec(h.spec.Cost.Walk)
	w := walking{h: h, va: va, asid: h.asid}
	for w.begin(fresh); w.Status == mmu.Reading; {
		h.stats.Reads++
		pte, ok := h.Implicit(w.Descriptor())
		h.Exec(h.spec.Cost.WalkRead)
		if began != h.generation {
			return entry{}
		}
		w.give(pte, ok)
	}
	e := w.result()
	if h.settable(&e, a) {
		h.setFlags(&e, a)
	}
	if began != h.generation {
		return entry{}
	}
	if h.spec.CacheInvalid && e.kind == mmu.Invalid && e.at != noEntry {
		h.joint.insert(e)
	}
	if e.kind == mmu.Leaf && h.speculates() {
		h.speculate(va + 1<<rv.PageShift)
	}
	return e
}

// setFlags sets A, and D for a store, in memory and in what was read, if the two are still the same.
func (h *Hart) setFlags(e *entry, a mmu.Access) {
	pte := e.pte | uint64(rv.PTE_A)
	if a.Write {
		pte |= uint64(rv.PTE_D)
	}
	issued := h.Now()
	if h.oracle != nil {
		h.oracle.know(e.at)
	}
	if h.Atomic(e.at, 8, bus.CompareAndSwap, pte, e.pte, bus.Plain) != e.pte {
		return
	}
	e.pte = pte
	if h.oracle != nil {
		h.oracle.Wrote(e.at, pte, issued, h.Now())
	}
}

// speculates reports whether the hart walks the next page as well, by its seed.
func (h *Hart) speculates() bool {
	h.walked++
	z := h.spec.Seed + h.walked*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	return uint8(z>>56) < h.spec.Speculate
}

// speculate walks an address that nobody has asked for, beside the program: it takes no time of it, does not fault,
// sets no flags, and leaves what it finds in the joint TLB.
func (h *Hart) speculate(va uint64) {
	if !mmu.SvCanonical(h.mode, va) {
		return
	}
	h.stats.Speculative++
	w := walking{h: h, va: va, asid: h.asid}
	for w.begin(false); w.Status == mmu.Reading; {
		pte, ok := uint64(0), h.memory.Contains(w.Descriptor(), 8)
		if ok {
			pte, _ = h.memory.ReadDrained(h.ID, w.Descriptor(), h.Now())
		}
		w.give(pte, ok)
	}
	if e := w.result(); e.kind == mmu.Leaf && rv.PTE_A.Is(e.pte) {
		h.joint.insert(e)
	}
}

// walking is a walk of one address, and what is cached of it on the way.
type walking struct {
	mmu.Walk
	h      *Hart
	va     uint64
	asid   uint16
	pte    uint64 // the last entry
	at     uint64 // where it is, noEntry if it could not be read
	global bool   // it, or one above it
}

// begin starts at the root, or at the lowest table that is cached.
func (w *walking) begin(fresh bool) {
	h := w.h
	if e, _ := h.walks.search(w.va, w.asid); !fresh && e != nil && e.height <= h.stage.Top {
		w.Resume(&h.stage, w.va, e.out, e.height-1, e.global)
		return
	}
	w.Begin(&h.stage, w.va)
}

// give goes on with an entry, ok if it could be read.
func (w *walking) give(pte uint64, ok bool) {
	w.pte, w.at = pte, w.Descriptor()
	if !ok {
		w.at, w.Status = noEntry, mmu.Faulted
		return
	}
	if w.h.oracle != nil {
		w.h.oracle.saw(w.h, w.va, w.at, pte)
	}
	height := w.Height
	w.global = w.Global() || rv.PTE_G.Is(pte)
	if w.Give(pte) == mmu.Reading {
		e := w.entry(mmu.Table, height)
		e.out = rv.PTE_PPN.Get(pte) << rv.PageShift
		w.h.walks.insert(e)
	}
}

// entry is the last entry read as a cache has it.
func (w *walking) entry(kind mmu.Kind, height int8) entry {
	shift := shifts[0]
	if height > 0 {
		shift = shifts[height+1]
	}
	return entry{
		page: w.va >> shift, shift: shift, pte: w.pte, at: w.at, asid: w.asid, vpn: uint8(w.va >> rv.PageShift),
		height: height, kind: kind, global: w.global && kind != mmu.Invalid,
	}
}

// result is what a walk that has ended found.
func (w *walking) result() entry {
	if w.Status != mmu.Finished {
		e := w.entry(mmu.Invalid, w.Height)
		if w.Fault == mmu.AddressSize {
			e.at = noEntry
		}
		return e
	}
	e := w.entry(mmu.Leaf, w.Height)
	r := &w.Result
	e.out, e.shift, e.perm, e.global = r.Output, r.Shift, r.Entry.Perm, r.Entry.Global
	e.page = w.va >> e.shift
	return e
}
