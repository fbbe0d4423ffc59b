package riscv

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mmu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// cycles is what something takes on a hart of 1 GHz whose cache answers in a cycle.
func cycles(h *Hart, f func()) int64 {
	began := h.Now()
	f()
	return int64((h.Now() - began) / ns)
}

// The stall of the fences of openC906, with and without the instruction cache that each of them empties: x0,x0,
// x0,asid, va absent, va present. Sizes of the joint TLB change the first two.
func TestC906Fences(t *testing.T) {
	for _, c := range []struct {
		joint int
		wipe  bool
		want  [4]int64
	}{
		{128, false, [4]int64{65, 513, 11, 14}}, {128, true, [4]int64{329, 777, 275, 278}},
		{256, false, [4]int64{129, 1025, 11, 14}}, {512, true, [4]int64{521, 2313, 275, 278}},
	} {
		spec := C906(c.joint)
		spec.CPU = testSpec().CPU
		spec.Quirks.SfenceWipesICache = c.wipe
		b := newBench(t, 1, spec)
		b.run(0, func(h *Hart) {
			s := b.scene(0)
			enter(h, 5, s.root)
			var got [4]int64
			for i, f := range [...][2]rv.Operand{
				{}, {{}, rv.Reg(5)}, {rv.Reg(va + page), rv.Reg(5)}, {rv.Reg(va), rv.Reg(5)},
			} {
				see(h, va)
				got[i] = cycles(h, func() { h.SfenceVMA(f[0], f[1]) })
			}
			if got != c.want {
				t.Errorf("%d entries, wipe %v: %v, want %v", c.joint, c.wipe, got, c.want)
			}
		})
		b.clean()
	}
}

// A walk of three entries that are in the cache takes 21 cycles, and one of two 19; the joint TLB answers after 4, and
// after 6 for a page of 2 MiB.
func TestC906Walks(t *testing.T) {
	spec := C906(128)
	spec.CPU = testSpec().CPU
	b := newBench(t, 1, spec)
	b.run(0, func(h *Hart) {
		s := b.scene(0)
		big := uint64(0x80_0000)
		b.memory.Poke(b.entry(s.root, big, 2, 1), 8, pte(ramBase, leafFlags))
		enter(h, 5, s.root)
		see(h, va)
		see(h, big)
		again := func(address uint64, drop func()) int64 {
			pa, _ := h.Translate(address, mmu.Access{})
			h.Load(pa, 8, bus.Plain)
			drop()
			return cycles(h, func() { h.Translate(address, mmu.Access{}) })
		}
		for _, c := range []struct {
			name    string
			address uint64
			drop    func()
			want    int64
		}{
			{"uTLB", va, func() {}, 0},
			{"joint", va, func() { h.dtlb.clear() }, 4},
			{"joint, 2 MiB", big, func() { h.dtlb.clear() }, 6},
			{"walk", va, func() { h.SfenceVMA(x0, x0) }, 21},
			{"walk, 2 MiB", big, func() { h.SfenceVMA(x0, x0) }, 19},
		} {
			if got := again(c.address, c.drop); got != c.want {
				t.Errorf("%s: %d cycles, want %d", c.name, got, c.want)
			}
		}
	})
}

// All cores can be built, and translate.
func TestCores(t *testing.T) {
	for name, spec := range map[string]Spec{"C906": C906(128), "C920": C920(), "U74": U74()} {
		clock := spec.CPU.Clock
		spec.CPU = testSpec().CPU
		if spec.CPU.Clock = clock; clock < 1000*sim.Megahertz {
			t.Errorf("%s: %d Hz", name, clock)
		}
		b := newBench(t, 1, spec)
		b.run(0, func(h *Hart) {
			s := b.scene(0)
			enter(h, 5, s.root)
			if got := see(h, va); got != before {
				t.Errorf("%s: %d", name, got)
			}
			if want := uint16(5) & (1<<spec.ASIDBits - 1); h.asid != want {
				t.Errorf("%s: ASID %d, want %d", name, h.asid, want)
			}
		})
		b.clean()
	}
}
