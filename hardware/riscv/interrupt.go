package riscv

import (
	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// The interrupts of the two privileges. Those of the supervisor are delegated to it.
const (
	supervisorBits = uint64(rv.MIP_SSIP | rv.MIP_STIP | rv.MIP_SEIP)
	machineBits    = uint64(rv.MIP_MSIP | rv.MIP_MTIP | rv.MIP_MEIP)
)

// interrupts are the pending bits: what software has written, and the wires.
type interrupts struct {
	written uint64 // of supervisorBits
	lines   uint64
}

// write is a write of those bits that a register lets be written.
func (i *interrupts) write(v, mask uint64) { i.written = i.written&^mask | v&mask }

// SetLine drives the wires of some bits of mip, at the engine's present.
func (h *Hart) SetLine(pending uint64, level bool) {
	if h.interrupts.lines &^= pending; level {
		h.interrupts.lines |= pending
	}
	h.updateInputs()
}

// SetPending sets bits of mip that software clears, at the engine's present: a pulse.
func (h *Hart) SetPending(pending uint64) {
	h.interrupts.written |= pending & supervisorBits
	h.updateInputs()
}

// ClearPending clears bits of mip that software has set, or a pulse.
func (h *Hart) ClearPending(pending uint64) {
	h.interrupts.written &^= pending
	h.updateInputs()
}

// pendingBits is mip. T-Head's wires of the supervisor have effect only with mxstatus.CLINTEE.
func (h *Hart) pendingBits() uint64 {
	i := &h.interrupts
	lines := i.lines
	if h.spec.Format.THead && h.csrs.mxstatus&uint64(rv.MXSTATUS_CLINTEE) == 0 {
		lines &^= uint64(rv.MIP_SSIP | rv.MIP_STIP)
	}
	return i.written | lines
}

// updateInputs drives the CPU's interrupt inputs.
func (h *Hart) updateInputs() {
	enabled := h.pendingBits() & h.csrs.mie
	h.SetInput(cpu.Firmware, enabled&machineBits != 0)
	h.SetInput(cpu.Supervisor, enabled&supervisorBits != 0)
}

// Taken is cpu.Architecture: a handler runs in a mode of its own, not in user mode.
func (h *Hart) Taken() (saved uint64) {
	saved = bits.Flag(h.user)
	h.SetUser(false)
	return saved
}

// Returned is cpu.Architecture. Whether the reservation of an LR survives is left open; here it does.
func (h *Hart) Returned(saved uint64) { h.SetUser(saved != 0) }

// Powered is cpu.Architecture.
func (h *Hart) Powered(cpu.Power) {}
