package riscv

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mmu"
)

// unwatched is a hart in an address space, with the page at va in its TLB, and no oracle.
func unwatched(b *bench, run func(h *Hart)) {
	s := b.scene(0)
	b.harts[0].oracle = nil
	b.run(0, func(h *Hart) {
		enter(h, 5, s.root)
		see(h, va)
		run(h)
	})
}

// Accesses, misses and fences allocate nothing.
func TestNothingAllocates(t *testing.T) {
	unwatched(newBench(t, 1, testSpec()), func(h *Hart) {
		for name, f := range map[string]func(){
			"hit":            func() { h.LoadVirtual(va, 8, bus.Plain) },
			"store":          func() { h.StoreVirtual(va, 8, before, bus.Plain) },
			"fence and miss": func() { h.SfenceVMA(rv.Reg(va), rv.Reg(5)); h.LoadVirtual(va, 8, bus.Plain) },
			"all":            func() { h.SfenceVMA(rv.Operand{}, rv.Operand{}); h.LoadVirtual(va, 8, bus.Plain) },
			"fault":          func() { h.LoadVirtual(va+page, 8, bus.Plain) },
			"satp":           func() { enter(h, 5, h.stage.Root) },
			"sinval":         func() { h.SfenceWInval(); h.SinvalVMA(rv.Reg(va), rv.Reg(5)); h.SfenceInvalIR() },
		} {
			if n := testing.AllocsPerRun(100, f); n != 0 && !raceEnabled {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
	})
}

// What a TLB hit adds is the difference of the two.
func BenchmarkPhysical(b *testing.B) {
	unwatched(newBench(b, 1, testSpec()), func(h *Hart) {
		at, _ := h.Translate(va, mmu.Access{})
		b.ReportAllocs()
		for b.Loop() {
			h.Load(at, 8, bus.Plain)
		}
	})
}

func BenchmarkTLBHit(b *testing.B) {
	unwatched(newBench(b, 1, testSpec()), func(h *Hart) {
		b.ReportAllocs()
		for b.Loop() {
			h.LoadVirtual(va, 8, bus.Plain)
		}
	})
}

func BenchmarkFenceAndWalk(b *testing.B) {
	unwatched(newBench(b, 1, testSpec()), func(h *Hart) {
		b.ReportAllocs()
		for b.Loop() {
			h.SfenceVMA(rv.Reg(va), rv.Reg(5))
			h.LoadVirtual(va, 8, bus.Plain)
		}
	})
}
