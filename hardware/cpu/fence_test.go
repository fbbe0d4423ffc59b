package cpu

import (
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// elapsed runs a program from a round time on and answers how long it took.
func (b *board) elapsed(c int, run func(c *CPU)) (d sim.Time) {
	b.t.Helper()
	b.alone(c, func(c *CPU) {
		c.Delay(b.engine.Now() + 10_000*ns - c.Now())
		begin := c.Now()
		run(c)
		d = c.Now() - begin
	})
	return d
}

// Two stores to lines that a neighbour holds. The inner point is where both lines have come; the outer point is
// where both acknowledgements have, served one after another.
//
//	time    0   1   2              20  21          50          80
//	stores  A   B   dsb            |   |           |           |
//	inner   A ──────────────────── A   B
//	outer                          A ───────────── A B ─────── B
//	dsb             nsh goes on        ish goes on             sy goes on   (and 10 ns more each)
func TestDSBWaitsForTheCompletionPointOfItsDomain(t *testing.T) {
	for option, want := range map[string]sim.Time{
		"nsh": 12 * ns, "nshst": 12 * ns, "ish": 31 * ns, "ishst": 31 * ns, "osh": 90 * ns, "oshst": 90 * ns, "sy": 90 * ns,
		"st": 90 * ns,
	} {
		b := newBoard(t, 2)
		b.shared(line(0), 1)
		b.shared(line(1), 1)
		fence := barrier("dsb " + option)
		got := b.elapsed(0, func(c *CPU) {
			c.Store(line(0), 8, 1, bus.Plain)
			c.Store(line(1), 8, 1, bus.Plain)
			c.Fence(fence)
		})
		if got != want {
			t.Errorf("dsb %s: %s, want %s", option, got, want)
		}
	}
}

// DSB LD is for loads, and a load has its value before the program goes on. The stores of the picture above stay
// in flight behind it.
func TestDSBLDWaitsForNoStore(t *testing.T) {
	for _, option := range []string{"nshld", "ishld", "oshld", "ld"} {
		b := newBoard(t, 2)
		b.shared(line(0), 1)
		fence := barrier("dsb " + option)
		if got := b.elapsed(0, func(c *CPU) { c.Store(line(0), 8, 1, bus.Plain); c.Fence(fence) }); got != 11*ns {
			t.Errorf("dsb %s: %s", option, got)
		}
	}
}

// With nothing in flight there is nothing to wait for, in whatever domain: the published measurements of idle
// barriers show one number for all of them.
func TestIdleDSBCostsTheSameForEveryDomainAndType(t *testing.T) {
	b := newBoard(t, 2)
	b.shared(line(0), 1)
	b.elapsed(0, func(c *CPU) { c.Store(line(0), 8, 1, bus.Plain) })
	for _, option := range barrierOptions {
		fence := barrier("dsb " + option)
		if got := b.elapsed(0, func(c *CPU) { c.Fence(fence) }); got != boardSpec.CompletingFence {
			t.Errorf("dsb %s: %s", option, got)
		}
	}
}

// A message is passed by a far store of the data (both CPU1 and CPU4 hold the line: 90 ns) and a near one of the
// flag (CPU1 alone polls it: 20 ns).
//
//	CPU0  data=1 ───────────────────────────── drains        without order the flag overtakes
//	      flag=1 ──── drains
//	CPU1  waits ───── flag is 1, reads its old copy of data
//
//	CPU0  data=1 ───────────────────────────── drains        with order it drains no earlier
//	      flag=1 ───────────────────────────── drains
func TestMessagePassing(t *testing.T) {
	for _, k := range []struct {
		name  string
		order bus.Order
		fence *bus.Fence
		data  uint64
	}{
		{"nothing", bus.Plain, nil, 0},
		{"dmb ishst", bus.Plain, &dmbISHST, 1},
		{"dmb ish", bus.Plain, &dmbISH, 1},
		{"dsb ishst", bus.Plain, &dsbISHST, 1},
		{"store release", bus.Release, nil, 1},
	} {
		b := newBoard(t, 8)
		data, flag := line(0), line(1)
		b.shared(data, 1, 4)
		b.start(1, func(c *CPU) {
			c.Wait(flag, 8, bus.Acquire, func(v uint64) bool { return v == 1 }, Forever)
			if v := c.Load(data, 8, bus.Plain); v != k.data {
				t.Errorf("%s: reads data %d, want %d", k.name, v, k.data)
			}
		})
		b.start(0, func(c *CPU) {
			c.Delay(1000 * ns)
			c.Store(data, 8, 1, bus.Plain)
			if k.fence != nil {
				c.Fence(*k.fence)
			}
			c.Store(flag, 8, 1, k.order)
		})
		b.run()
	}
}

// Whatever the distances and the spread of the latencies, a reader that saw the flag sees the data.
func TestOrderedMessageNeverArrivesWithoutItsData(t *testing.T) {
	latency := boardLatency
	for d := mem.ClusterHandOff; d <= mem.MemoryAccess; d++ {
		latency[d] = sim.Spread{Low: 5 * ns, Mean: latency[d].Mean, High: 500 * ns}
	}
	b := newBoardOf(t, 8, boardSpec, latency)
	data, flag := line(0), line(1)
	const rounds = 300
	b.start(0, func(c *CPU) {
		for i := uint64(1); i <= rounds; i++ {
			c.Store(data, 8, i, bus.Plain)
			c.Fence(dmbISHST)
			c.Store(flag, 8, i, bus.Plain)
			c.Exec(int64(i * 7 % 90))
		}
	})
	for _, reader := range []int{1, 2, 5} {
		b.start(reader, func(c *CPU) {
			for seen := uint64(0); seen < rounds; {
				seen, _ = c.Wait(flag, 8, bus.Acquire, func(v uint64) bool { return v > seen }, Forever)
				if v := c.Load(data, 8, bus.Plain); v < seen {
					t.Errorf("%s at %s: flag %d, data %d", c, c.Now(), seen, v)
				}
			}
		})
	}
	b.run()
}

// Store buffering: each CPU writes its own flag and reads the other's, of which it holds an old copy. Only a fence
// that orders a store before a load keeps both from reading 0.
func TestFenceOrdersAStoreBeforeALoad(t *testing.T) {
	for _, k := range []struct {
		name  string
		fence func(c *CPU)
		zeros int
	}{
		{"nothing", func(*CPU) {}, 2},
		{"dmb ishst", func(c *CPU) { c.Fence(dmbISHST) }, 2},
		{"dmb ish", func(c *CPU) { c.Fence(dmbISH) }, 0},
		{"dsb ish", func(c *CPU) { f := barrier("dsb ish"); c.Fence(f) }, 0},
	} {
		b := newBoard(t, 2)
		b.shared(line(0), 0, 1)
		b.shared(line(1), 0, 1)
		zeros := 0
		for i := range 2 {
			b.start(i, func(c *CPU) {
				c.Store(line(i), 8, 1, bus.Plain)
				k.fence(c)
				if c.Load(line(1-i), 8, bus.Plain) == 0 {
					zeros++
				}
			})
		}
		b.run()
		if zeros != k.zeros {
			t.Errorf("%s: %d read 0, want %d", k.name, zeros, k.zeros)
		}
	}
}

// An LDAR waits for an earlier STLR of the same CPU to drain (RCsc), an LDAPR and a plain load do not, nor does an
// LDAR wait for a plain store. An atomic with acquire is as an LDAR.
func TestAcquireWaitsForOwnReleases(t *testing.T) {
	for _, k := range []struct {
		store, load bus.Order
		want        sim.Time
	}{
		{bus.Release, bus.Acquire, 21 * ns}, {bus.Release, bus.AcquirePC, 2 * ns}, {bus.Release, bus.Plain, 2 * ns},
		{bus.Plain, bus.Acquire, 2 * ns},
	} {
		for _, atomic := range []bool{false, true} {
			b := newBoard(t, 2)
			b.shared(line(0), 1)
			b.shared(line(1), 0)
			got := b.elapsed(0, func(c *CPU) {
				c.Store(line(0), 8, 1, k.store)
				if atomic {
					c.Atomic(line(1), 8, bus.Add, 1, 0, k.load)
				} else {
					c.Load(line(1), 8, k.load)
				}
			})
			if got != k.want {
				t.Errorf("%v then %v, atomic %v: %s, want %s", k.store, k.load, atomic, got, k.want)
			}
		}
	}
}

// A system register write is no memory access: a DMB does not hold it back, a DSB does.
func TestOnlyDSBOrdersASystemRegisterWrite(t *testing.T) {
	for _, k := range []struct {
		fence bus.Fence
		at    sim.Time
	}{{dmbISH, 3 * ns}, {dmbISHST, 3 * ns}, {dsbISHST, 30 * ns}, {dsbSY, 60 * ns}} {
		b := newBoard(t, 2)
		b.shared(line(0), 1)
		var begin sim.Time
		b.elapsed(0, func(c *CPU) {
			begin = c.Now()
			c.Store(line(0), 8, 1, bus.Plain)
			c.Fence(k.fence)
			c.WriteSys(plainReg, 1)
		})
		if got := b.wires[0].wrote[0] - begin; got != k.at {
			t.Errorf("%s: written after %s, want %s", k.fence, got, k.at)
		}
	}
}

func TestFenceAndISBCosts(t *testing.T) {
	b := newBoard(t, 1)
	got := b.elapsed(0, func(c *CPU) { c.Fence(dmbISH); c.Synchronize() })
	if got != boardSpec.OrderingFence+boardSpec.Synchronize {
		t.Errorf("dmb and isb: %s", got)
	}
	if spent := b.cpus[0].Spent(); spent[Barrier] != got || b.cpus[0].Stats().Fences != 1 {
		t.Errorf("barriers: %s, %d fences", spent[Barrier], b.cpus[0].Stats().Fences)
	}
}

func TestSpecNamesWhatCannotBe(t *testing.T) {
	for want, change := range map[string]func(*Spec){
		"clock 0 Hz":                 func(s *Spec) { s.Clock = 0 },
		"store buffer of 0 entries":  func(s *Spec) { s.StoreBuffer = 0 },
		"device write of -1 ps":      func(s *Spec) { s.DeviceWrite = -1 },
		"exception return of -60 ns": func(s *Spec) { s.ExceptionReturn = -60 * ns },
	} {
		s := boardSpec
		change(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// x is held in the other socket, 200 ns away, y by CPU1, 20 ns away. The fence keeps the store of y back until x has
// drained; until shortly before that the line stays where it is.
//
//	CPU0  x=1 ───────────────────────────────────────── drains
//	      dmb ishst, y=1 .............................. drains
//	CPU1       y=2 drains at once, dsb does not wait
//	CPU2       reads y: 40 ns
func TestStoreBehindAFenceKeepsNobodyWaiting(t *testing.T) {
	for _, k := range []struct {
		name  string
		order bus.Order
		fence *bus.Fence
	}{{"dmb ishst", bus.Plain, &dmbISHST}, {"store release", bus.Release, nil}} {
		b := newBoard(t, 9)
		x, y := line(0), line(1)
		b.shared(x, 8)
		b.alone(1, func(c *CPU) { c.Store(y, 8, 7, bus.Plain) })
		present := b.engine.Now() + 1000*ns
		at := func(n int, after sim.Time, run func(c *CPU), takes sim.Time) {
			b.start(n, func(c *CPU) {
				c.Delay(present + after - c.Now())
				begin := c.Now()
				run(c)
				if got := c.Now() - begin; got != takes {
					t.Errorf("%s: CPU%d takes %s, want %s", k.name, n, got, takes)
				}
			})
		}
		at(0, 0, func(c *CPU) {
			c.Store(x, 8, 1, bus.Plain)
			if k.fence != nil {
				c.Fence(*k.fence)
			}
			c.Store(y, 8, 1, k.order)
			c.Fence(dsbISHST)
		}, 200*ns+boardSpec.CompletingFence)
		at(1, 10*ns, func(c *CPU) {
			c.Store(y, 8, 2, bus.Plain)
			c.Fence(dsbISHST)
		}, boardSpec.StoreIssue+boardSpec.CompletingFence)
		at(2, 20*ns, func(c *CPU) {
			if v := c.Load(y, 8, bus.Plain); v != 2 {
				t.Errorf("%s: CPU2 reads %d", k.name, v)
			}
		}, 40*ns)
		at(3, 300*ns, func(c *CPU) {
			if v := c.Load(y, 8, bus.Plain); v != 1 {
				t.Errorf("%s: at last %d", k.name, v)
			}
		}, 40*ns)
		b.run()
	}
}
