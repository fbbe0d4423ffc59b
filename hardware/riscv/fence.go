package riscv

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/mmu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// operand is "x0", or the value of a register.
func operand(o rv.Operand) string {
	if !o.Register {
		return "x0"
	}
	return fmt.Sprintf("0x%x", o.Value)
}

// sinvals are the fences of sinval.vma that have not taken effect.
type sinvals struct {
	list [8]sinval
	used int
}

// sinval is one of them. It covers what the last sfence.w.inval before it has ordered.
type sinval struct {
	va, asid rv.Operand
	ordered  sim.Time
}

// fenceAllowed reports whether what runs may fence translations. Volume II, 12.2.1: not user mode, and not the
// supervisor with mstatus.TVM.
func (h *Hart) fenceAllowed() bool {
	p := h.Privilege()
	return p == rv.Machine || p == rv.Supervisor && h.csrs.mstatus&uint64(rv.MSTATUS_TVM) == 0
}

// SfenceVMA is sfence.vma: the hart's own earlier stores are before its later walks, and what is cached of the address
// space and the address is dropped, or of all where an operand is x0.
func (h *Hart) SfenceVMA(va, asid rv.Operand) *Exception {
	if !h.fenceAllowed() {
		return h.raise(rv.IllegalInstruction, 0)
	}
	if h.Engine().Tracing {
		h.Engine().Trace(h.Now(), h.CPU.String(), "sfence.vma %s, %s", operand(va), operand(asid))
	}
	h.FenceTranslations(va, asid)
	return nil
}

// FenceTranslations is sfence.vma where it is allowed, as it always is for firmware.
func (h *Hart) FenceTranslations(va, asid rv.Operand) {
	h.Drain()
	h.invalidate(va, asid)
	if h.oracle != nil {
		h.oracle.fenced(h, va, asid, h.Now())
	}
	if h.spec.Quirks.SfenceWipesICache {
		h.icache.clear()
		h.Exec(h.spec.Cost.ICacheWipe)
	}
}

// SinvalVMA is sinval.vma: sfence.vma without its order, which SfenceWInval before it and SfenceInvalIR behind it give.
func (h *Hart) SinvalVMA(va, asid rv.Operand) *Exception {
	if !h.fenceAllowed() {
		return h.raise(rv.IllegalInstruction, 0)
	}
	h.Boundary()
	p := &h.pending
	if p.used == len(p.list) {
		h.settleSinvals()
	}
	p.list[p.used] = sinval{va, asid, h.ordered}
	p.used++
	if !h.spec.DelaySinval {
		h.invalidate(va, asid)
	}
	return nil
}

// SfenceWInval is sfence.w.inval: earlier stores are before later sinval.vma.
func (h *Hart) SfenceWInval() *Exception {
	if h.Privilege() == rv.User {
		return h.raise(rv.IllegalInstruction, 0)
	}
	h.Drain()
	h.ordered = h.Now()
	return nil
}

// SfenceInvalIR is sfence.inval.ir: earlier sinval.vma are before later walks.
func (h *Hart) SfenceInvalIR() *Exception {
	if h.Privilege() == rv.User {
		return h.raise(rv.IllegalInstruction, 0)
	}
	h.Boundary()
	h.settleSinvals()
	return nil
}

// settleSinvals makes those that are pending take effect.
func (h *Hart) settleSinvals() {
	p := &h.pending
	for _, s := range p.list[:p.used] {
		if h.spec.DelaySinval {
			h.invalidate(s.va, s.asid)
		}
		if h.oracle != nil {
			h.oracle.fenced(h, s.va, s.asid, s.ordered)
		}
	}
	p.used = 0
}

// invalidate drops what a fence covers, and takes its time. An address that is none in the present mode has no effect;
// of an ASID, the bits count that there are.
func (h *Hart) invalidate(va, asid rv.Operand) {
	h.generation++
	h.hot = hot{}
	h.stats.Fences++
	if va.Register && h.mode != rv.Bare && !mmu.SvCanonical(h.mode, va.Value) {
		h.Exec(h.spec.Cost.FenceAbsent)
		return
	}
	s := scope{
		byVA: va.Register && h.spec.OverFence != IgnoreVA, byASID: asid.Register && h.spec.OverFence != IgnoreASID,
		va: va.Value, asid: uint16(asid.Value & (1<<h.spec.ASIDBits - 1)),
	}
	if h.spec.OverFence == AlwaysFull {
		s.byVA, s.byASID = false, false
	}
	if s.byVA && s.byASID && h.spec.Quirks.VAASIDUsesSatp {
		s.asid = h.asid
	}
	dropped := h.joint.drop(&s) + h.walks.drop(&s)
	if h.spec.UntaggedMicro {
		s.byASID = false
	}
	s.superpageVPN = h.spec.Quirks.UTLBSuperpageVPN
	dropped += h.dtlb.drop(&s)
	if !h.spec.Quirks.ITLBIgnoresPartial || !va.Register && !asid.Register {
		dropped += h.itlb.drop(&s)
	}
	h.stats.Dropped += uint64(dropped)
	h.Exec(h.spec.Cost.fence(&s, asid.Register, dropped))
}

// fence is what a fence takes by its form.
func (c *Cost) fence(s *scope, byASID bool, dropped int) int64 {
	switch {
	case s.byVA && dropped > 0:
		return c.FencePresent
	case s.byVA:
		return c.FenceAbsent
	case byASID:
		return c.FenceASID
	}
	return c.FenceAll
}

// FenceI is fence.i: the hart's own earlier stores are before its later fetches.
func (h *Hart) FenceI() {
	h.Drain()
	h.icache.clear()
	h.Exec(h.spec.Cost.ICacheWipe)
}
