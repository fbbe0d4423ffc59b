package opensbi_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/opensbi"
	"github.com/hwscript/hwscript/hardware/riscv"
)

// A candidate, which nobody has shown on hardware: a part without ASIDs whose ITLB ignores every sfence.vma but x0,x0
// (SiFive CIP-1200). Firmware with range limit 0 makes that of function 1, and `sfence.vma x0,asid` of function 2: an
// instruction page that was changed is then fetched by its old translation.
func TestCandidateFU740(t *testing.T) {
	for _, c := range []struct {
		function rv.Function
		quirk    bool
		found    int
	}{
		{rv.RemoteSfenceVMA, false, 0}, {rv.RemoteSfenceVMAASID, false, 0},
		{rv.RemoteSfenceVMA, true, 0}, {rv.RemoteSfenceVMAASID, true, 1},
	} {
		b := newBenchOf(t, opensbi.Spec{}, func(s *riscv.Spec) {
			s.ASIDBits, s.Quirks.ITLBIgnoresPartial = 0, c.quirk
		}, 1, 2, 3, 4)
		moved := b.page()
		code := leaf(b.page()) | uint64(rv.PTE_X)
		b.memory.Poke(b.table, 8, code)
		b.run(1, func(h *riscv.Hart) { b.enter(h); h.Fetch(va) })
		b.run(0, func(h *riscv.Hart) {
			h.WriteEntry(b.table, leaf(moved)|uint64(rv.PTE_X))
			h.Drain()
			call(h, rv.RFENCE, c.function, 0b10, 1, va, 4096, 0)
		})
		b.run(1, func(h *riscv.Hart) { h.Fetch(va) })
		if n := len(b.oracle.Findings()); n != c.found {
			t.Errorf("function %d, quirk %v: %v", c.function, c.quirk, b.oracle.Findings())
		}
	}
}
