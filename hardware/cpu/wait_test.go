package cpu

import (
	"errors"
	"math/rand"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

func nonzero(v uint64) bool { return v != 0 }

// wait is a program that waits for a line to become nonzero, and notes what it got.
func (b *board) wait(addr uint64, timeout sim.Time) func(c *CPU) {
	return func(c *CPU) {
		v, ok := c.Wait(addr, 8, bus.Acquire, nonzero, timeout)
		b.note(c, "got %d, %v", v, ok)
	}
}

// storeAt is a program that stores 1 at a time.
func storeAt(addr uint64, at sim.Time) func(c *CPU) {
	return func(c *CPU) {
		c.Delay(at - c.Now())
		c.Store(addr, 8, 1, bus.Plain)
	}
}

// CPU1 looks once at 0 ns (the line comes from DRAM, 100 ns) and then costs nothing until the write has drained:
// 20 ns to take the line away from CPU1, 20 ns to bring it back.
func TestWaitEndsWhenTheWriteDrains(t *testing.T) {
	b := newBoard(t, 2)
	b.start(0, storeAt(line(0), 5000*ns))
	b.start(1, b.wait(line(0), Forever))
	b.run()
	b.logged("5.04 us CPU1 got 1, true")
	c := b.cpus[1]
	if s := c.Stats(); s.Loads != 2 || s.Waits != 1 {
		t.Errorf("%d loads, %d waits", s.Loads, s.Waits)
	}
	if s := c.Spent(); s[Waiting] != 4920*ns || s[Transfer] != 20*ns || s[TransferMemory] != 100*ns {
		t.Errorf("waited %s, transfers %s, from memory %s", s[Waiting], s[Transfer], s[TransferMemory])
	}
	if b.engine.Now() != 5040*ns {
		t.Errorf("the run ends at %s", b.engine.Now())
	}
}

// A value that satisfies the predicate ends the wait at the first look; other values move the line and nothing more.
func TestWaitLooksAtEachWrite(t *testing.T) {
	b := newBoard(t, 2)
	b.start(0, func(c *CPU) {
		for i := uint64(1); i <= 5; i++ {
			c.Delay(1000 * ns)
			c.Store(line(0), 8, i, bus.Plain)
		}
	})
	b.start(1, func(c *CPU) {
		var seen []uint64
		c.WaitActively(line(0), 8, bus.Plain, func(v uint64) bool { seen = append(seen, v); return v == 4 }, Forever)
		b.note(c, "saw %v", seen)
	})
	b.run()
	b.logged("4.043 us CPU1 saw [0 1 2 3 4]")
}

// The write is in flight already when CPU1 looks, and drains while CPU1's look at its old copy takes its 1 ns. It is
// not lost between the look and the wait, whatever the picosecond.
func TestWaitMissesNoWriteInFlight(t *testing.T) {
	for issue := sim.Time(975 * ns); issue <= 1005*ns; issue += 250 * sim.Picosecond {
		b := newBoard(t, 2)
		b.shared(line(0), 0)
		b.shared(line(0), 1)
		begin := b.engine.Now()
		b.start(0, storeAt(line(0), begin+issue))
		b.start(1, func(c *CPU) {
			c.Delay(1000 * ns)
			if _, ok := c.Wait(line(0), 8, bus.Plain, nonzero, Forever); !ok {
				t.Error("a wait without a deadline failed")
			}
			want := 1020 * ns // it drained before the look, which takes the line
			if drains := issue + 20*ns; drains > 1000*ns {
				want = max(drains, 1001*ns) + 20*ns // it looks again, at the earliest when the look is done
			}
			if c.Now()-begin != want {
				t.Errorf("issued at %s: the wait ends at %s, want %s", issue, c.Now()-begin, want)
			}
		})
		b.run()
		if len(b.engine.Deadlock()) != 0 {
			t.Fatalf("issued at %s: %v is stuck", issue, b.engine.Deadlock())
		}
	}
}

func TestWaitTimesOut(t *testing.T) {
	b := newBoard(t, 1)
	b.alone(0, b.wait(line(0), 500*ns))
	b.logged("501 ns CPU0 got 0, false") // it looks once more
	b.alone(0, b.wait(line(0), 0))
	b.logged("501 ns CPU0 got 0, false", "502 ns CPU0 got 0, false")
}

// A write that has not drained by the deadline has not come in time, whether it was in flight when the wait began or
// not.
func TestWriteThatDrainsAfterTheDeadlineIsTooLate(t *testing.T) {
	for _, issue := range []sim.Time{980 * ns, 1500 * ns} {
		b := newBoard(t, 8)
		b.shared(line(0), 0)
		b.shared(line(0), 7)
		begin := b.engine.Now()
		b.start(7, storeAt(line(0), begin+issue))
		b.start(0, func(c *CPU) {
			c.Delay(1000 * ns)
			_, ok := c.Wait(line(0), 8, bus.Plain, nonzero, issue-980*ns+50*ns)
			if want := issue + 71*ns; ok || c.Now()-begin != want {
				t.Errorf("issued at %s: %v at %s, want false at %s", issue, ok, c.Now()-begin, want)
			}
		})
		b.run()
	}
}

// The timeout of a wait that ended leaves nothing behind: the engine's run ends with the program, not at the
// deadline, and the next timeout is not late.
func TestTimeoutIsCancelledWithoutTrace(t *testing.T) {
	b := newBoard(t, 2)
	b.start(0, storeAt(line(0), 1000*ns))
	b.start(1, func(c *CPU) {
		b.wait(line(0), 1_000_000*ns)(c)
		b.wait(line(1), 500*ns)(c)
	})
	b.run()
	b.logged("1.04 us CPU1 got 1, true", "1.541 us CPU1 got 0, false")
	if b.engine.Now() != 1541*ns {
		t.Errorf("the run ends at %s", b.engine.Now())
	}
}

// The interrupt is taken in the middle of the wait, which then goes on: with its old deadline, or until the write.
func TestInterruptDuringAWait(t *testing.T) {
	for _, timeout := range []sim.Time{Forever, 2000 * ns} {
		b := newBoard(t, 2)
		b.handle(1, 30)
		b.interrupt(1, 1000*ns)
		b.start(1, b.wait(line(0), timeout))
		want := "2.001 us CPU1 got 0, false"
		if timeout == Forever {
			b.start(0, storeAt(line(0), 3000*ns))
			want = "3.04 us CPU1 got 1, true"
		}
		b.run()
		b.logged("1.02 us CPU1 handler", want)
		if spent := b.cpus[1].Spent(); spent[Exception] != 35*ns || spent.Total() != b.cpus[1].Now() {
			t.Errorf("exceptions %s, in all %s of %s", spent[Exception], spent.Total(), b.cpus[1].Now())
		}
	}
}

// The write is in flight when the wait begins, and the interrupt comes before it drains: when that is does not depend
// on the handler.
//
//	CPU7  980 data=1 ────────────────────────────────────────────── 1070 drains
//	CPU0  1000 looks ── 1010 handler ── 1049 looks: not yet ─────── 1070 looks ── 1160
func TestInterruptWhileAWriteIsInFlight(t *testing.T) {
	b := newBoard(t, 8)
	b.handle(0, 0)
	b.shared(line(0), 0)
	b.shared(line(0), 7)
	begin := b.engine.Now()
	b.interrupt(0, begin+1010*ns)
	b.start(7, storeAt(line(0), begin+980*ns))
	b.start(0, func(c *CPU) {
		before := c.Spent()
		c.Delay(1000 * ns)
		c.Wait(line(0), 8, bus.Plain, nonzero, Forever)
		if spent := c.Spent().Sub(before); c.Now()-begin != 1160*ns || spent.Total() != 1160*ns || spent[Waiting] != 29*ns {
			t.Errorf("the wait ends at %s; %s spent, %s of it in the wait", c.Now()-begin, spent.Total(), spent[Waiting])
		}
	})
	b.run()
}

// A handler that waits itself has its own deadline, before or after that of the wait that it interrupts.
//
//	program  waits ──┐ ........................... goes on until 5 us
//	handler          waits, until 1.524 us or 9.024 us
func TestHandlerWaitsWithinAWait(t *testing.T) {
	for _, k := range []struct {
		timeout sim.Time
		want    [2]string
	}{
		{500 * ns, [2]string{"1.525 us CPU0 got 0, false", "5.001 us CPU0 got 0, false"}},
		{8000 * ns, [2]string{"9.025 us CPU0 got 0, false", "9.041 us CPU0 got 0, false"}},
	} {
		b := newBoard(t, 1)
		b.interrupt(0, 1000*ns)
		b.cpus[0].SetVector(handler(func(c *CPU) { c.ReadSys(ackReg); b.wait(line(1), k.timeout)(c) }))
		b.alone(0, b.wait(line(0), 5000*ns))
		b.logged(k.want[:]...)
	}
}

func TestDeadlockNamesWhatACPUWaitsFor(t *testing.T) {
	b := newBoard(t, 2)
	b.start(0, func(c *CPU) { c.Wait(line(3), 8, bus.Plain, nonzero, Forever) })
	b.start(1, func(*CPU) { b.bells[1].wait() })
	if err := b.engine.Drive(b.cpus[0].Proc()); !errors.Is(err, sim.ErrDeadlock) {
		t.Fatalf("got %v", err)
	}
	want := []string{"CPU0 a write to line 0x400000c0", "CPU1 a bell"}
	for i, p := range b.engine.Deadlock() {
		if why, _ := p.Waiting(); p.Name()+" "+why.String() != want[i] {
			t.Errorf("got %s %s, want %s", p.Name(), why, want[i])
		}
	}
}

// A compare-and-swap that fails takes the line and ends a WFE; the wait looks again and sleeps on.
func TestFailedCompareAndSwapDoesNotEndAWait(t *testing.T) {
	b := newBoard(t, 2)
	b.start(1, b.wait(line(0), Forever))
	b.start(0, func(c *CPU) {
		c.Delay(1000 * ns)
		c.Atomic(line(0), 8, bus.CompareAndSwap, 1, 99, bus.Plain)
		c.Delay(1000 * ns)
		c.Atomic(line(0), 8, bus.CompareAndSwap, 1, 0, bus.Plain)
	})
	b.run()
	b.logged("2.061 us CPU1 got 1, true")
}

// TestWaitIsLookingAtEachWrite: a wait whose condition the memory asks ends when, and with what, one that the CPU asks
// itself after each write ends, as long as no write overtakes the looks after the one before it: both are the loop that
// a kernel spins in.
func TestWaitIsLookingAtEachWrite(t *testing.T) {
	for seed := range int64(60) {
		got, want := spin(t, seed, (*CPU).Wait), spin(t, seed, (*CPU).WaitActively)
		if got != want || strings.Count(got, "\n") < 10 {
			t.Fatalf("seed %d: got\n%s\nlooking at each write\n%s", seed, got, want)
		}
	}
}

// spin lets CPUs of two dies wait for values of two lines that another writes now and then, and answers the log. Homes
// take their time.
func spin(t *testing.T, seed int64, wait func(
	c *CPU, addr uint64, size uint8, order bus.Order, pred func(v uint64) bool, timeout sim.Time,
) (uint64, bool)) string {
	latency := boardLatency
	latency[mem.HomeService] = sim.Fixed(7 * ns)
	b := newBoardOf(t, 7, boardSpec, latency)
	b.start(6, func(c *CPU) {
		rng := rand.New(rand.NewSource(seed))
		for range 40 {
			c.Delay(1000*ns + sim.Time(rng.Intn(400))*ns)
			c.Store(line(rng.Intn(2)), 8, rng.Uint64(), bus.Plain)
		}
	})
	for i := range 6 {
		rng := rand.New(rand.NewSource(seed<<8 + int64(i)))
		b.start(i, func(c *CPU) {
			for range 12 {
				addr, bit := line(rng.Intn(2)), uint64(1)<<rng.Intn(3)
				v, ok := wait(c, addr, 8, bus.Acquire, func(v uint64) bool { return v&bit != 0 }, Forever)
				b.note(c, "%x %v", v, ok)
				c.Delay(sim.Time(rng.Intn(3000)) * ns)
			}
		})
	}
	b.run()
	return b.log.String()
}
