package riscv

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mmu"
)

// Exception is why an instruction did not do what it says. It is the hart's, and is overwritten by the next one.
type Exception struct {
	Hart  int
	Cause rv.Cause
	Value uint64 // the virtual address, as stval has it
}

func (e *Exception) Error() string {
	return fmt.Sprintf("CPU%d: %s at 0x%x", e.Hart, e.Cause, e.Value)
}

// raise makes an exception, with its registers.
func (h *Hart) raise(c rv.Cause, value uint64) *Exception {
	h.exception = Exception{h.ID, c, value}
	h.csrs.scause, h.csrs.stval = uint64(c), value
	if c == rv.FetchPage || c == rv.LoadPage || c == rv.StorePage {
		h.stats.PageFaults++
	}
	return &h.exception
}

// Abort is cpu.Architecture: an access to a physical address that faults.
func (h *Hart) Abort(a *cpu.Abort) {
	switch {
	case a.Fault == bus.Misaligned && a.Write:
		h.raise(rv.StoreMisaligned, a.Addr)
	case a.Fault == bus.Misaligned:
		h.raise(rv.LoadMisaligned, a.Addr)
	default:
		h.raise(accessFault(mmu.Access{Write: a.Write}), a.Addr)
	}
}

func accessFault(a mmu.Access) rv.Cause {
	switch {
	case a.Execute:
		return rv.FetchAccess
	case a.Write:
		return rv.StoreAccess
	}
	return rv.LoadAccess
}

func pageFault(a mmu.Access) rv.Cause {
	switch {
	case a.Execute:
		return rv.FetchPage
	case a.Write:
		return rv.StorePage
	}
	return rv.LoadPage
}
