package riscv

import (
	"slices"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/graph"
)

// walks counts the walks that something takes.
func walks(h *Hart, f func()) uint64 {
	began := h.stats.Walks
	f()
	return h.stats.Walks - began
}

// The ASID and global cases of cvw's tests of its TLB, under their names there and re-expressed: what is loaded again
// after something, and whether that walks.
func TestCVW(t *testing.T) {
	for _, c := range []struct {
		name  string
		flags uint64
		then  func(h *Hart, s scene)
		walks uint64
	}{
		{"tlbASID", 0, func(h *Hart, s scene) { enter(h, 6, s.root); enter(h, 5, s.root) }, 0},
		{"tlbASIDMISS", 0, func(h *Hart, s scene) { enter(h, 6, s.root) }, 1},
		{"tlbGLB", global, func(h *Hart, s scene) { enter(h, 6, s.root) }, 0},
		{"tlbGLBHIT", global, func(h *Hart, s scene) { enter(h, 6, s.root); see(h, va); enter(h, 7, s.root) }, 0},
		{"tlbGLBASID", global, func(h *Hart, s scene) { h.SfenceVMA(x0, rv.Reg(5)) }, 0},
		{"tlbGLBASID, x0 drops it", global, func(h *Hart, s scene) { h.SfenceVMA(x0, x0) }, 1},
		{"tlbGLBASID, by address", global, func(h *Hart, s scene) { h.SfenceVMA(rv.Reg(va), x0) }, 1},
		{"tlbMP", uint64(rv.PTE_X), func(h *Hart, s scene) { h.CPU.WriteSys(rv.SSTATUS, uint64(rv.SSTATUS_MXR)) }, 0},
		{"satp with the same ASID and another root", 0, func(h *Hart, s scene) { enter(h, 5, s.before) }, 0},
		{"ASID 0 is one like others", 0, func(h *Hart, s scene) { h.SfenceVMA(x0, rv.Reg(0)) }, 0},
	} {
		b := newBench(t, 1, testSpec())
		b.run(0, func(h *Hart) {
			s := b.scene(c.flags)
			enter(h, 5, s.root)
			see(h, va)
			c.then(h, s)
			if n := walks(h, func() { see(h, va) }); n != c.walks {
				t.Errorf("%s: %d walks, want %d", c.name, n, c.walks)
			}
		})
		b.clean()
	}
}

// A uTLB without tags is empty after a write of satp, but for nothing else the joint TLB answers.
func TestUntaggedMicro(t *testing.T) {
	spec := testSpec()
	spec.UntaggedMicro = true
	b := newBench(t, 1, spec)
	b.run(0, func(h *Hart) {
		s := b.scene(0)
		enter(h, 5, s.root)
		see(h, va)
		micro := h.stats.MicroHits
		enter(h, 5, s.root)
		if n := walks(h, func() { see(h, va) }); n != 0 || h.stats.MicroHits != micro || h.stats.JointHits != 1 {
			t.Errorf("%d walks, %+v", n, h.stats)
		}
	})
	b.clean()
}

// ucb-bar/fpga-zynq #94: without ASIDs, a fence before the write of satp comes too early, for all spaces are one.
func TestFenceBeforeSatpWithoutASIDs(t *testing.T) {
	for _, c := range []struct {
		early bool
		want  uint64
	}{{true, before}, {false, after}} {
		spec := testSpec()
		spec.ASIDBits = 0
		b := newBench(t, 1, spec)
		b.run(0, func(h *Hart) {
			s, second := b.scene(0), b.page()
			b.set(second, va, s.after, leafFlags)
			enter(h, 0, s.root)
			see(h, va)
			if c.early {
				h.SfenceVMA(x0, rv.Reg(0))
				see(h, va) // the program still runs
				enter(h, 0, second)
			} else {
				enter(h, 0, second)
				h.SfenceVMA(x0, rv.Reg(0))
			}
			mays := b.mays(h, va)
			if got := see(h, va); got != c.want || slices.Contains(mays, before) != c.early {
				t.Errorf("early %v: saw %d of %d", c.early, got, mays)
			}
		})
		b.clean()
	}
}

// What a policy drops beyond what it has to: the walks of two pages of two spaces, one global, after a fence by address
// and space.
func TestOverFence(t *testing.T) {
	for policy, want := range map[OverFence]uint64{Exact: 1, IgnoreVA: 2, IgnoreASID: 2, AlwaysFull: 4} {
		spec := testSpec()
		spec.OverFence = policy
		b := newBench(t, 1, spec)
		b.run(0, func(h *Hart) {
			s := b.scene(0)
			b.set(s.root, va+page, s.after, leafFlags)
			b.set(s.root, va+2*page, s.after, leafFlags|global)
			visit := func() {
				enter(h, 5, s.root)
				see(h, va)
				see(h, va+page)
				see(h, va+2*page)
				enter(h, 6, s.root)
				see(h, va)
			}
			visit()
			h.SfenceVMA(rv.Reg(va), rv.Reg(5))
			if n := walks(h, visit); n != want {
				t.Errorf("policy %d: %d walks, want %d", policy, n, want)
			}
		})
		b.clean()
	}
}

// Replacement: a set of two ways keeps what it must, and a third page of the set takes the place of the first in FIFO
// order, though that was used last.
func TestReplacement(t *testing.T) {
	spec := testSpec()
	spec.ITLB, spec.DTLB = TLBSpec{}, TLBSpec{}
	b := newBench(t, 1, spec)
	b.run(0, func(h *Hart) {
		s := b.scene(0)
		for i := range uint64(3) {
			b.set(s.root, va+8*i*page, s.before, leafFlags)
		}
		enter(h, 5, s.root)
		see(h, va)
		see(h, va+8*page)
		see(h, va)
		see(h, va+16*page)
		if n := walks(h, func() { see(h, va+8*page) }); n != 0 {
			t.Error("the second went")
		}
		if n := walks(h, func() { see(h, va) }); n != 1 {
			t.Error("the first, which came first, did not go")
		}
	})
	spec.DTLB, spec.Joint = TLBSpec{Sets: 1, Ways: 2, Replace: PLRU}, TLBSpec{}
	b = newBench(t, 1, spec)
	b.run(0, func(h *Hart) {
		s := b.scene(0)
		b.set(s.root, va+page, s.before, leafFlags)
		b.set(s.root, va+2*page, s.before, leafFlags)
		enter(h, 5, s.root)
		see(h, va)
		see(h, va+page)
		see(h, va)
		see(h, va+2*page)
		if n := walks(h, func() { see(h, va) }); n != 0 {
			t.Error("the one that was used last went")
		}
	})
}

// Explored, a walk and a fence end the exploration and say what they are: nothing is verified of them.
func TestExplorationIsRefused(t *testing.T) {
	for name, run := range map[string]func(h *Hart){
		"a walk of page tables":            func(h *Hart) { see(h, va) },
		"a fence for walks of page tables": func(h *Hart) { h.SfenceVMA(x0, x0) },
	} {
		b := newBench(t, 1, testSpec())
		s, h := b.scene(0), b.harts[0]
		idle := h.Save()
		p := &graph.Program{
			End: func(*graph.Execution) graph.Verdict { return graph.Verdict{} },
			Threads: []graph.Thread{{Run: func(g *graph.Handle) {
				h.Restore(idle)
				h.JoinGraph(nil)
				h.ExploreThread(g)
				h.writeSatp(satp(rv.Sv39, 5, s.root)) // without objects there are no CSRs
				run(h)
			}}},
		}
		_, err := graph.Explore(p, &graph.RVWMO, graph.Options{})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAccessFaults(t *testing.T) {
	b := newBench(t, 1, testSpec())
	b.run(0, func(h *Hart) {
		s := b.scene(0)
		b.set(s.root, va, 0x1000, leafFlags)
		enter(h, 5, s.root)
		if _, e := h.LoadVirtual(va, 8, bus.Plain); e == nil || e.Cause != rv.LoadAccess || e.Value != va {
			t.Errorf("%v", e)
		}
		if e := h.StoreVirtual(va, 8, 0, bus.Plain); e == nil || e.Cause != rv.StoreAccess {
			t.Errorf("%v", e)
		}
	})
}
