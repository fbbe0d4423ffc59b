package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// outerBoard is a board of CPUs with a model of their own: an acknowledgement takes 30 ns, a line that is written out
// 7 ns.
func outerBoard(t *testing.T, cpus int, m OuterModel) *board {
	t.Helper()
	spec := boardSpec
	spec.Outer.Model = m
	return newBoardOf(t, cpus, spec, boardLatency)
}

// owned makes a CPU the only holder of lines, with what memory has.
func (b *board) owned(c int, lines ...int) {
	b.t.Helper()
	for _, n := range lines {
		b.alone(c, func(c *CPU) {
			c.Store(line(n), 8, 1, bus.Plain)
			c.Clean(line(n), false)
			c.Fence(dsbSY)
		})
	}
}

// TestOuterModels: what a DSB of the full system waits for beyond an inner-shareable one. All stores hit but those to
// lines 8 and 9, which CPU1 holds; a store takes 1 ns, the fence itself 10 ns, the line from CPU1 20 ns.
//
//	serial     4 hits at 0 to 3 ns:      4 x 30 ns from 0 on; with n at a time 30 ns from the last one's start
//	moved      line 8 comes at 20 ns:    + 30 ns; what hits is not acknowledged
//	flush      what is dirty when all has drained: 7 ns for each line
func TestOuterModels(t *testing.T) {
	hits := func(n int) func(c *CPU) {
		return func(c *CPU) {
			for i := range n {
				c.Store(line(i), 8, 2, bus.Plain)
			}
		}
	}
	for name, tc := range map[string]struct {
		stores func(c *CPU)
		inner  sim.Time // of a dsb ish behind the stores
		beyond [outerModels]sim.Time
	}{
		"no store":  {hits(0), 0, [outerModels]sim.Time{}},
		"one hit":   {hits(1), 1 * ns, [outerModels]sim.Time{0, 29 * ns, 29 * ns, 0, 7 * ns}},
		"four hits": {hits(4), 4 * ns, [outerModels]sim.Time{0, 116 * ns, 57 * ns, 0, 28 * ns}},
		"a line twice": {func(c *CPU) { hits(1)(c); hits(1)(c) }, 2 * ns,
			[outerModels]sim.Time{0, 58 * ns, 29 * ns, 0, 7 * ns}},
		"one that moves": {func(c *CPU) { c.Store(line(8), 8, 2, bus.Plain) }, 20 * ns,
			[outerModels]sim.Time{0, 30 * ns, 30 * ns, 30 * ns, 7 * ns}},
		"two that move": {func(c *CPU) { c.Store(line(8), 8, 2, bus.Plain); c.Store(line(9), 8, 2, bus.Plain) }, 21 * ns,
			[outerModels]sim.Time{0, 59 * ns, 30 * ns, 30 * ns, 14 * ns}},
		"two to one that moves": {func(c *CPU) {
			c.Store(line(8), 8, 2, bus.Plain)
			c.Store(line(8)+8, 8, 2, bus.Plain)
		}, 20 * ns, [outerModels]sim.Time{0, 30 * ns, 30 * ns, 30 * ns, 7 * ns}},
		"an atomic": {func(c *CPU) { c.Atomic(line(0), 8, bus.Add, 1, 0, bus.Plain) }, 1 * ns,
			[outerModels]sim.Time{0, 0, 0, 0, 7 * ns}},
		"a frame": {func(c *CPU) { c.Push(line(0), 2) }, 2 * ns,
			[outerModels]sim.Time{0, 58 * ns, 29 * ns, 0, 14 * ns}},
	} {
		for m := range OuterModel(outerModels) {
			for fence, beyond := range map[string]sim.Time{
				"dsb ish": 0, "dsb ishst": 0, "dsb nsh": 0, "dsb ld": 0, "dmb sy": 0,
				"dsb st": tc.beyond[m], "dsb sy": tc.beyond[m], "dsb osh": tc.beyond[m],
			} {
				b := outerBoard(t, 2, m)
				b.owned(0, 0, 1, 2, 3)
				b.shared(line(8), 1)
				b.shared(line(9), 1)
				f := barrier(fence)
				// What a weaker fence does not wait for at all is not looked at here.
				want := tc.inner + beyond + 10*ns
				got := b.elapsed(0, func(c *CPU) { tc.stores(c); c.Fence(f) })
				if f.Domain == bus.NonShareable || f.Before&bus.Store == 0 || !f.Completion {
					if got > want {
						t.Errorf("%s, %s, %s: %s, more than a dsb ish, %s", name, m, fence, got, want)
					}
				} else if got != want {
					t.Errorf("%s, %s, %s: %s, want %s", name, m, fence, got, want)
				}
			}
		}
	}
}

// TestOuterWindow: a window of one is serial, a window that is never full is no window.
func TestOuterWindow(t *testing.T) {
	took := func(m OuterModel, window, stores int) sim.Time {
		spec := boardSpec
		spec.Outer.Model, spec.Outer.Window = m, window
		b := newBoardOf(t, 1, spec, boardLatency)
		for i := range stores {
			b.owned(0, i)
		}
		return b.elapsed(0, func(c *CPU) {
			for i := range stores {
				c.Store(line(i), 8, 2, bus.Plain)
			}
			c.Fence(dsbSY)
		})
	}
	for stores := range 9 {
		if one, serial := took(OuterPipelined, 1, stores), took(OuterSerial, 0, stores); one != serial {
			t.Errorf("%d stores: %s with a window of 1, serial %s", stores, one, serial)
		}
		before := Forever
		for window := 1; window <= 8; window++ {
			now := took(OuterPipelined, window, stores)
			if now > before {
				t.Errorf("%d stores: a window of %d takes %s, a smaller one %s", stores, window, now, before)
			}
			before = now
		}
		if all := sim.Time(max(stores-1, 0))*ns + 40*ns; stores > 0 && before != all {
			t.Errorf("%d stores, all at a time: %s, want %s", stores, before, all)
		}
	}
}

// TestMovedLegs: the acknowledgement of a line that moved goes to the line's home and back.
//
//	CPU4 is on node 1, and takes from CPU5 a line whose home is a node: 20 ns in the cluster and its legs
func TestMovedLegs(t *testing.T) {
	for node, legs := range map[int]sim.Time{1: 0, 0: 50 * ns, 2: 160 * ns} {
		b := outerBoard(t, 12, OuterMoved)
		addr, err := b.memory.AllocOn(mem.LineSize, node)
		if err != nil {
			t.Fatal(err)
		}
		b.shared(addr, 5)
		wait := func(f bus.Fence) sim.Time {
			return b.elapsed(4, func(c *CPU) { c.Store(addr, 8, 1, bus.Plain); c.Fence(f) })
		}
		inner := wait(barrier("dsb ish"))
		b.shared(addr, 5)
		if got := wait(dsbSY) - inner; got != 30*ns+legs {
			t.Errorf("home on node %d: dsb sy waits %s longer, want %s", node, got, 30*ns+legs)
		}
	}
}

// TestFlushCountsWhatIsDirty: a fence writes out what this CPU wrote last and still has, once.
func TestFlushCountsWhatIsDirty(t *testing.T) {
	for name, tc := range map[string]struct {
		between func(b *board) // the stores of CPU0 to lines 0 to 3 and its fence
		lines   sim.Time
	}{
		"nothing":                      {func(*board) {}, 4},
		"an inner fence":               {func(b *board) { b.alone(0, func(c *CPU) { c.Fence(dsbISHST) }) }, 4},
		"a fence":                      {func(b *board) { b.alone(0, func(c *CPU) { c.Fence(dsbST) }) }, 0},
		"a clean":                      {func(b *board) { b.alone(0, func(c *CPU) { c.Clean(line(1), false) }) }, 3},
		"a clean with discard":         {func(b *board) { b.alone(0, func(c *CPU) { c.Clean(line(1), true) }) }, 3},
		"another CPU reads":            {func(b *board) { b.shared(line(1), 1) }, 4},
		"another CPU writes":           {func(b *board) { b.owned(1, 2) }, 3},
		"another CPU writes, and back": {func(b *board) { b.owned(1, 2); b.shared(line(2), 0) }, 3},
		"a failed compare-and-swap elsewhere": {func(b *board) {
			b.alone(1, func(c *CPU) { c.Atomic(line(3), 8, bus.CompareAndSwap, 9, 5, bus.Plain) })
		}, 3},
		"another store":       {func(b *board) { b.alone(0, func(c *CPU) { c.Store(line(2)+8, 8, 3, bus.Plain) }) }, 4},
		"another CPU's fence": {func(b *board) { b.alone(1, func(c *CPU) { c.Fence(dsbSY) }) }, 4},
	} {
		b := outerBoard(t, 2, OuterFlush)
		b.alone(0, func(c *CPU) {
			for i := range 4 {
				c.Store(line(i), 8, 2, bus.Plain)
			}
		})
		tc.between(b)
		b.alone(0, func(c *CPU) { c.Fence(dsbISHST) })
		if got, want := b.elapsed(0, func(c *CPU) { c.Fence(dsbSY) }), 10*ns+tc.lines*7*ns; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if got := b.elapsed(0, func(c *CPU) { c.Fence(dsbSY) }); got != 10*ns {
			t.Errorf("%s: the second fence takes %s", name, got)
		}
	}
}

// TestFlushHoldsTheLine: another CPU gets a line that is being written out when that is done, with its value.
func TestFlushHoldsTheLine(t *testing.T) {
	b := outerBoard(t, 2, OuterFlush)
	b.owned(0, 0, 1)
	var began, read sim.Time
	var v uint64
	b.start(0, func(c *CPU) {
		c.Delay(10_000 * ns)
		c.Store(line(0), 8, 2, bus.Plain)
		c.Store(line(1), 8, 2, bus.Plain)
		began = c.Now()
		c.Fence(dsbSY)
	})
	b.start(1, func(c *CPU) {
		c.Delay(10_004 * ns)
		v = c.Load(line(1), 8, bus.Plain)
		read = c.Now()
	})
	b.run()
	if want := began + 14*ns + 20*ns; read != want || v != 2 {
		t.Errorf("read %d at %s, want 2 at %s", v, read, want)
	}
}

// TestOuterModelsAgainstStores: for random stores no model waits less than none, no model lets a fence of the inner
// domain wait for more, and what a CPU reads is the same under all.
func TestOuterModelsAgainstStores(t *testing.T) {
	for seed := range uint64(200) {
		var values string
		var none sim.Time
		for m := range OuterModel(outerModels) {
			r := rand.New(rand.NewPCG(seed, 1))
			b := outerBoard(t, 8, m)
			var inner, full sim.Time
			var seen string
			for step := range 40 {
				c, n := r.IntN(8), r.IntN(6)
				v := uint64(step)
				b.alone(c, func(c *CPU) {
					switch r.IntN(4) {
					case 0:
						seen += fmt.Sprint(c.Load(line(n), 8, bus.Plain), " ")
					case 1:
						seen += fmt.Sprint(c.Atomic(line(n), 8, bus.Add, v, 0, bus.Plain), " ")
					default:
						c.Store(line(n), 8, v, bus.Plain)
					}
					fence, at := dsbISHST, c.Now()
					wide := r.IntN(2) == 0
					if wide {
						fence = dsbSY
					}
					c.Fence(fence)
					if wide {
						full += c.Now() - at
					} else {
						inner += c.Now() - at
					}
				})
			}
			if m == OuterNone {
				values, none = seen, full
			}
			if seen != values {
				t.Fatalf("seed %d, %s: read %s, none %s", seed, m, seen, values)
			}
			if full < none {
				t.Fatalf("seed %d, %s: full-system fences take %s, none %s", seed, m, full, none)
			}
		}
	}
}
