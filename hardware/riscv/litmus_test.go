package riscv

import (
	"slices"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// The two pages of a litmus test hold these; fault stands for a page fault.
const (
	before = 1
	after  = 2
	fault  = ^uint64(0)

	va = uint64(0x40_1000)
)

// litmus is a test of translation: it ends in a load of va, which gives seen, and allowed are all that the manual lets
// it give.
type litmus struct {
	name    string
	spec    func(s *Spec)
	run     func(b *bench, h *Hart) // the accesses before the last
	seen    uint64
	allowed []uint64
}

// scene is the address space of a litmus test: ASID 5, the page before at va.
type scene struct {
	root, at       uint64 // and where the entry is
	before, after  uint64 // pages
	old, now, flag uint64
}

func (b *bench) scene(flags uint64) scene {
	s := scene{root: b.page(), before: b.filled(before), after: b.filled(after), flag: flags}
	s.at = b.set(s.root, va, s.before, leafFlags|flags)
	s.old, s.now = pte(s.before, leafFlags|flags), pte(s.after, leafFlags|flags)
	return s
}

// changed enters the address space, uses the page, changes its entry, and fences as told.
func changed(flags uint64, fence func(h *Hart)) func(b *bench, h *Hart) {
	return func(b *bench, h *Hart) {
		s := b.scene(flags)
		enter(h, 5, s.root)
		see(h, va)
		h.WriteEntry(s.at, s.now)
		fence(h)
	}
}

func sfence(va, asid rv.Operand) func(h *Hart) {
	return func(h *Hart) { h.SfenceVMA(va, asid) }
}

// otherTable changes the pointer to the last table.
func otherTable(fence func(h *Hart)) func(b *bench, h *Hart) {
	return func(b *bench, h *Hart) {
		s := b.scene(0)
		table := b.page()
		b.memory.Poke(table+va>>12&511*8, 8, s.now)
		enter(h, 5, s.root)
		see(h, va)
		h.WriteEntry(b.entry(s.root, va, 2, 1), pte(table, uint64(rv.PTE_V)))
		fence(h)
	}
}

// otherSpace enters a second address space of the same ASID, and fences where told.
func otherSpace(steps func(h *Hart, enterNew func())) func(b *bench, h *Hart) {
	return func(b *bench, h *Hart) {
		s := b.scene(0)
		second := b.page()
		b.set(second, va, s.after, leafFlags)
		enter(h, 5, s.root)
		see(h, va)
		steps(h, func() { enter(h, 5, second) })
	}
}

func remote(fence func(other *Hart)) func(b *bench, h *Hart) {
	return func(b *bench, h *Hart) {
		s := b.scene(0)
		enter(h, 5, s.root)
		see(h, va)
		b.start(1, func(other *Hart) {
			other.WriteEntry(s.at, s.now)
			fence(other)
			b.memory.Poke(s.root+8*100, 8, 0)
		})
		h.Delay(10_000 * ns)
		h.Boundary()
	}
}

func both(fences ...func(h *Hart)) func(h *Hart) {
	return func(h *Hart) {
		for _, f := range fences {
			f(h)
		}
	}
}

func wInval(h *Hart)  { h.SfenceWInval() }
func inval(h *Hart)   { h.SinvalVMA(rv.Reg(va), rv.Reg(5)) }
func invalIR(h *Hart) { h.SfenceInvalIR() }
func nothing(*Hart)   {}

var (
	newOnly = []uint64{after}
	oldNew  = []uint64{before, after}
	x0      = rv.Operand{}
)

var litmusTests = []litmus{
	{"L1 an entry is changed and nothing fenced", nil, changed(0, nothing), before, oldNew},
	{"L2 by address and space", nil, changed(0, sfence(rv.Reg(va), rv.Reg(5))), after, newOnly},
	{"L2 by address", nil, changed(0, sfence(rv.Reg(va), x0)), after, newOnly},
	{"L2 by space", nil, changed(0, sfence(x0, rv.Reg(5))), after, newOnly},
	{"L2 all", nil, changed(0, sfence(x0, x0)), after, newOnly},
	{"L2 another address", nil, changed(0, sfence(rv.Reg(va+page), rv.Reg(5))), before, oldNew},
	{"L3 a table is changed, by address", nil, otherTable(sfence(rv.Reg(va), x0)), before, oldNew},
	{"L3 a table is changed, all addresses", nil, otherTable(sfence(x0, rv.Reg(5))), after, newOnly},
	{"L4 a global entry, by space", nil, changed(global, sfence(x0, rv.Reg(5))), before, oldNew},
	{"L4 a global entry, by address and space", nil, changed(global, sfence(rv.Reg(va), rv.Reg(5))), before, oldNew},
	{"L4 a global entry, by address", nil, changed(global, sfence(rv.Reg(va), x0)), after, newOnly},
	{"L4 a global entry, all", nil, changed(global, sfence(x0, x0)), after, newOnly},
	{"L5 a register that holds 0 is no x0: address", nil, changed(0, sfence(rv.Reg(0), x0)), before, oldNew},
	{"L5 a register that holds 0 is no x0: space", nil, changed(0, sfence(x0, rv.Reg(0))), before, oldNew},
	{"L6 the space of another", nil, changed(0, sfence(x0, rv.Reg(6))), before, oldNew},
	{"L6 bits above ASIDLEN are ignored", nil, changed(0, sfence(x0, rv.Reg(0x105))), after, newOnly},
	{"L7 another hart does not ask", nil, remote(sfence(x0, x0)), before, oldNew},
	{"L9a the ASID is used again, fence before satp", nil, otherSpace(func(h *Hart, enterNew func()) {
		h.SfenceVMA(x0, rv.Reg(5))
		see(h, va) // the program goes on for a while
		enterNew()
	}), before, oldNew},
	{"L9b fence while another is loaded", nil, otherSpace(func(h *Hart, enterNew func()) {
		enter(h, 6, rv.SATP_PPN.Get(h.satp)<<rv.PageShift)
		h.SfenceVMA(x0, rv.Reg(5))
		enterNew()
	}), after, newOnly},
	{"L9c satp first", nil, otherSpace(func(h *Hart, enterNew func()) {
		enterNew()
		h.SfenceVMA(x0, rv.Reg(5))
	}), after, newOnly},
	{"L10 sinval alone", nil, changed(0, inval), after, oldNew},
	{"L10 sinval alone, where it waits", func(s *Spec) { s.DelaySinval = true }, changed(0, inval), before, oldNew},
	{"L10 sinval without what orders stores", func(s *Spec) { s.DelaySinval = true },
		changed(0, both(inval, invalIR)), after, oldNew},
	{"L10 all three", func(s *Spec) { s.DelaySinval = true }, changed(0, both(wInval, inval, invalIR)), after, newOnly},
	{"a fence of accesses orders no walk", nil, changed(0, func(h *Hart) {
		h.Fence(bus.Fence{Before: bus.AnyAccess, After: bus.AnyAccess, Domain: bus.FullSystem})
	}), before, oldNew},
	{"an invalid address in rs1 does nothing", nil, changed(0, sfence(rv.Reg(1<<40), x0)), before, oldNew},
}

func TestLitmus(t *testing.T) {
	for _, l := range litmusTests {
		t.Run(l.name, func(t *testing.T) {
			spec := testSpec()
			if l.spec != nil {
				l.spec(&spec)
			}
			b := newBench(t, 2, spec)
			seen, mays := uint64(0), []uint64(nil)
			b.run(0, func(h *Hart) {
				l.run(b, h)
				mays = b.mays(h, va)
				seen = see(h, va)
			})
			slices.Sort(mays)
			if mays = slices.Compact(mays); seen != l.seen || !slices.Equal(mays, l.allowed) {
				t.Errorf("saw %d of %d, want %d of %d", seen, mays, l.seen, l.allowed)
			}
			b.clean()
		})
	}
}

// L8: what was found invalid may be found so again, where invalid entries are cached; a fence ends that.
func TestL8InvalidThenValid(t *testing.T) {
	for _, c := range []struct {
		name   string
		cached bool
		fence  func(h *Hart)
		seen   uint64
	}{
		{"not cached", false, nothing, after},
		{"cached", true, nothing, fault},
		{"cached, fenced by address", true, sfence(rv.Reg(va), rv.Reg(5)), after},
	} {
		spec := testSpec()
		spec.CacheInvalid = c.cached
		b := newBench(t, 1, spec)
		b.run(0, func(h *Hart) {
			s := b.scene(0)
			b.memory.Poke(s.at, 8, 0)
			enter(h, 5, s.root)
			if see(h, va) != fault {
				t.Errorf("%s: no fault of what is not mapped", c.name)
			}
			h.WriteEntry(s.at, s.now)
			h.Drain()
			c.fence(h)
			mays := b.mays(h, va)
			if got := see(h, va); got != c.seen || !slices.Contains(mays, after) {
				t.Errorf("%s: saw %d of %d, want %d", c.name, got, mays, c.seen)
			}
		})
		b.clean()
	}
}

// L11: instructions that were written are fetched after fence.i, on the hart that makes it only.
func TestL11Instructions(t *testing.T) {
	b := newBench(t, 2, testSpec())
	code := b.filled(11)
	b.run(0, func(h *Hart) {
		h.Fetch(code)
		h.Store(code, 4, 22, bus.Plain)
		if v, _ := h.Fetch(code); v != 11 {
			t.Errorf("fetched %d before fence.i", v)
		}
		h.FenceI()
		if v, _ := h.Fetch(code); v != 22 {
			t.Errorf("fetched %d after fence.i", v)
		}
	})
	b.run(1, func(h *Hart) { h.Fetch(code) })
	b.run(0, func(h *Hart) { h.Store(code, 4, 33, bus.Plain); h.FenceI() })
	b.run(1, func(h *Hart) {
		if v, _ := h.Fetch(code); v != 22 {
			t.Errorf("the other hart fetched %d without a fence.i of its own", v)
		}
		h.FenceI()
		if v, _ := h.Fetch(code); v != 33 {
			t.Errorf("the other hart fetched %d after its own", v)
		}
	})
}

// L12: a change of the scheme without a fence may use what was cached under the other.
func TestL12SchemeChanges(t *testing.T) {
	b := newBench(t, 1, testSpec())
	b.run(0, func(h *Hart) {
		s := b.scene(0)
		wide := b.page()
		b.memory.Poke(b.entry(wide, va, 3, 0), 8, s.now)
		enter(h, 5, s.root)
		see(h, va)
		h.CPU.WriteSys(rv.SATP, satp(rv.Sv48, 5, wide))
		mays := b.mays(h, va)
		slices.Sort(mays)
		if got := see(h, va); got != before || !slices.Equal(mays, oldNew) {
			t.Errorf("saw %d of %d after a change of the scheme", got, mays)
		}
		h.SfenceVMA(x0, x0)
		if got := see(h, va); got != after || !slices.Equal(b.mays(h, va), newOnly) {
			t.Errorf("saw %d after the fence", got)
		}
	})
	b.clean()
}

// The walker does not see what is in the store buffer, though the program does.
func TestWalkerIsAnotherObserver(t *testing.T) {
	b := newBench(t, 2, testSpec())
	s := b.scene(0)
	warm := va + 16*page // its entry is in another line, and all tables above are the same
	b.set(s.root, warm, s.after, leafFlags)
	b.run(1, func(h *Hart) { h.Store(s.at, 8, s.old, bus.Plain) }) // a store by the other takes the line back
	b.run(0, func(h *Hart) {
		enter(h, 5, s.root)
		see(h, warm)
		h.WriteEntry(s.at, s.now)
		if v := h.Load(s.at, 8, bus.Plain); v != s.now {
			t.Errorf("the program reads 0x%x", v)
		}
		if got := see(h, va); got != before {
			t.Errorf("the walker sees a store that has not drained: %d", got)
		}
		h.SfenceVMA(rv.Reg(va), rv.Reg(5))
		if got := see(h, va); got != after {
			t.Errorf("saw %d after the fence", got)
		}
	})
	b.clean()
}

// A walk sees the new entry, and then a cache still has the old one.
func TestNewThenOld(t *testing.T) {
	spec := testSpec()
	spec.Joint.Ways = 0
	b := newBench(t, 1, spec)
	s := b.scene(uint64(rv.PTE_X))
	b.run(0, func(h *Hart) {
		enter(h, 5, s.root)
		h.Fetch(va)
		h.WriteEntry(s.at, s.now)
		h.Drain()
		read := see(h, va)
		if fetched, _ := h.Fetch(va); read != after || fetched != before {
			t.Errorf("read %d, then fetched %d", read, fetched)
		}
	})
	b.clean()
}

// A remote fence that firmware makes on the other hart, while the kernel there has its interrupts off.
func TestL7RemoteFence(t *testing.T) {
	b := newBench(t, 2, testSpec())
	s := b.scene(0)
	h := b.harts[0]
	h.SetVectorOf(cpu.Firmware, vector(func(*cpu.CPU) {
		h.SetLine(uint64(rv.MIP_MSIP), false)
		h.SfenceVMA(rv.Reg(va), rv.Reg(5))
	}))
	h.csrs.mie = machineBits
	b.start(0, func(h *Hart) {
		h.MaskIRQ(true)
		enter(h, 5, s.root)
		see(h, va)
		h.Delay(1000 * ns)
		if got := see(h, va); got != after || !slices.Equal(b.mays(h, va), newOnly) {
			t.Errorf("saw %d after firmware's fence", got)
		}
	})
	b.start(1, func(other *Hart) {
		other.Delay(200 * ns)
		other.WriteEntry(s.at, s.now)
		other.Drain()
		other.Boundary()
		h.SetLine(uint64(rv.MIP_MSIP), true)
	})
	b.drive()
	b.clean()
}

type vector func(c *cpu.CPU)

func (v vector) IRQ(c *cpu.CPU) { v(c) }
