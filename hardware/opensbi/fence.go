package opensbi

import (
	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// kind is what a remote fence is of.
type kind uint64

const (
	instructions kind = iota
	addresses         // of all spaces
	space
)

// fence is a remote fence as it stands in a queue.
type fence struct {
	kind        kind
	asid        uint64
	start, size uint64
	senders     uint64 // who waits for it
}

const pageSize = 1 << rv.PageShift

// whole reports whether a fence is of everything. SBI, chapter 8.
func (r *fence) whole() bool { return r.start == 0 && r.size == 0 || r.size == all }

// request makes a fence on harts, and comes back when all have made it. sbi_tlb_request.
func (f *Firmware) request(h *hart, mask, from uint64, r fence) rv.Error {
	set, e := f.targets(mask, from)
	if e != rv.Success {
		return e
	}
	if r.kind != instructions && !r.whole() && (r.start+r.size < r.start) {
		return rv.InvalidAddress
	}
	if r.size > f.spec.RangeLimit {
		r.start, r.size = 0, all
	}
	own := h.cpu.ID
	r.senders = 1 << own
	for i := range f.harts {
		switch {
		case set>>i&1 == 0:
		case i == own:
			f.make(h, &r)
		default:
			f.send(h, &f.harts[i], &r)
		}
	}
	f.await(h)
	return rv.Success
}

// send puts a fence into the queue of another hart; while that is full, the sender serves its own. sbi_tlb_update.
func (f *Firmware) send(h, to *hart, r *fence) {
	h.cpu.Atomic(h.sync, 8, bus.Add, 1, 0, bus.Plain)
	for !f.put(h.cpu, to, r) {
		f.serve(h)
	}
	f.ask(h.cpu, to, fenceEvent)
}

// await is the sender's wait for its targets, in which it serves its own queue. sbi_tlb_sync.
func (f *Firmware) await(h *hart) {
	for {
		v, _ := h.cpu.Wait(h.sync, 8, bus.Acquire, settled, cpu.Forever)
		if uint32(v) == 0 {
			return
		}
		f.serve(h)
	}
}

// settled reports whether a sender's wait is over, or there is something in its own queue.
func settled(sync uint64) bool { return uint32(sync) == 0 || sync >= queuedOne }

// serve makes the oldest fence of a hart's own queue, and counts down those that wait for it; false if there is none.
// sbi_tlb_process_once.
func (f *Firmware) serve(h *hart) bool {
	r, ok := f.take(h)
	if !ok {
		return false
	}
	f.make(h, &r)
	for i := range f.harts {
		if r.senders>>i&1 != 0 {
			h.cpu.Atomic(f.harts[i].sync, 8, bus.Add, ^uint64(0), 0, bus.Release)
		}
	}
	return true
}

// make makes a fence on the hart itself, page by page.
func (f *Firmware) make(h *hart, r *fence) {
	asid := rv.Operand{}
	if r.kind == space {
		asid = rv.Reg(r.asid)
	}
	switch {
	case r.kind == instructions:
		h.FenceI()
	case r.whole() && f.spec.WholeIgnoresASID:
		h.FenceTranslations(rv.Operand{}, rv.Operand{})
	case r.whole():
		h.FenceTranslations(rv.Operand{}, asid)
	default:
		for done := uint64(0); done < r.size; done += pageSize {
			h.FenceTranslations(rv.Reg(r.start+done), asid)
		}
	}
}
