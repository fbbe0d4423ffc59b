package riscv

import (
	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/mmu"
)

// LoadVirtual reads size bytes (1, 2, 4 or 8) at an address of the program. A fault is a value: the program, as a
// kernel's fault handler, decides what comes of it.
func (h *Hart) LoadVirtual(va uint64, size uint8, order bus.Order) (uint64, *Exception) {
	if h.hot.read && h.hits(va, size) {
		h.stats.MicroHits++
		return h.Load(va+h.hot.delta, size, order), nil
	}
	pa, e := h.reach(va, size, mmu.Access{}, bus.Read)
	if e != nil {
		return 0, e
	}
	return h.Load(pa, size, order), nil
}

// StoreVirtual writes size bytes.
func (h *Hart) StoreVirtual(va uint64, size uint8, v uint64, order bus.Order) *Exception {
	if h.hot.write && h.hits(va, size) {
		h.stats.MicroHits++
		h.Store(va+h.hot.delta, size, v, order)
		return nil
	}
	pa, e := h.reach(va, size, mmu.Access{Write: true}, bus.Write)
	if e != nil {
		return e
	}
	h.Store(pa, size, v, order)
	return nil
}

// hits reports whether an access is to the hot page.
func (h *Hart) hits(va uint64, size uint8) bool {
	return va>>rv.PageShift == h.hot.page && va&uint64(size-1) == 0 && h.CPU.Privilege() == cpu.Supervisor
}

// reach is the physical address of an access that can be made.
func (h *Hart) reach(va uint64, size uint8, a mmu.Access, op bus.Op) (uint64, *Exception) {
	if va&uint64(size-1) != 0 {
		if a.Write {
			return 0, h.raise(rv.StoreMisaligned, va)
		}
		return 0, h.raise(rv.LoadMisaligned, va)
	}
	pa, e := h.Translate(va, a)
	if e == nil && h.Check(pa, size, op) != nil {
		e = h.raise(accessFault(a), va)
	}
	return pa, e
}

// LoadSupervisor reads 8 bytes at an address of the supervisor for firmware, as with mstatus.MPRV; false if that
// faults, which the supervisor then takes.
func (h *Hart) LoadSupervisor(va uint64) (uint64, bool) {
	pa, e := va, (*Exception)(nil)
	switch {
	case va&7 != 0:
		e = h.raise(rv.LoadMisaligned, va)
	case h.mode != rv.Bare:
		pa, e = h.translate(&h.dtlb, va, mmu.Access{Privileged: true})
	}
	if e == nil && h.Check(pa, 8, bus.Read) != nil {
		e = h.raise(rv.LoadAccess, va)
	}
	if e != nil {
		return 0, false
	}
	return h.Load(pa, 8, bus.Plain), true
}

// Fetch is the 32 bits of an instruction at an address of the program, by the instruction cache.
func (h *Hart) Fetch(va uint64) (uint32, *Exception) {
	a := mmu.Access{Execute: true}
	pa, e := h.Translate(va&^3, a)
	if e != nil {
		return 0, e
	}
	h.stats.Fetches++
	line, shift := pa&^(mem.LineSize-1), pa&4*8
	if l := h.icache.find(line); l != nil {
		return uint32(l.words[pa%mem.LineSize/8] >> shift), nil
	}
	words := [mem.LineSize / 8]uint64{}
	for i := range words {
		var ok bool
		if words[i], ok = h.Implicit(line + 8*uint64(i)); !ok {
			return 0, h.raise(rv.FetchAccess, va)
		}
	}
	h.stats.InstructionFills++
	h.icache.fill(line, &words)
	return uint32(words[pa%mem.LineSize/8] >> shift), nil
}

// WriteEntry stores a page table entry, as set_pte does, where an oracle that looks learns of it.
func (h *Hart) WriteEntry(at, pte uint64) {
	if h.oracle == nil {
		h.Store(at, 8, pte, bus.Plain)
		return
	}
	h.oracle.know(at)
	issued := h.Now()
	h.Store(at, 8, pte, bus.Plain)
	h.oracle.Wrote(at, pte, issued, h.Drained())
}
