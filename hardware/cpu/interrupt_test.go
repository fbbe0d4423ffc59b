package cpu

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// The work is cut where the interrupt falls; what is left of it comes after the handler.
//
//	0        1000: interrupt      entry  work  ack  return
//	Exec ────┤                    20     30    4    15       ├── rest of Exec ── 2069
func TestInterruptInTheMiddleOfWork(t *testing.T) {
	b := newBoard(t, 1)
	b.handle(0, 30)
	b.interrupt(0, 1000*ns)
	b.alone(0, func(c *CPU) {
		c.Exec(2000)
		c.MaskIRQ(true) // a boundary: what came before has been taken
		b.note(c, "work is done")
	})
	b.logged("1.02 us CPU0 handler", "2.069 us CPU0 work is done")
	if spent := b.cpus[0].Spent(); spent[Software] != 2030*ns || spent[Exception] != 35*ns || spent[SysReg] != 4*ns {
		t.Errorf("spent %v", spent)
	}
}

// A load that has begun is not cut short: the interrupt inside its 100 ns is taken when it is done.
func TestInterruptInsideAStallIsTakenAtItsEnd(t *testing.T) {
	b := newBoard(t, 1)
	b.handle(0, 0)
	b.interrupt(0, 1050*ns)
	b.alone(0, func(c *CPU) {
		c.Exec(1000)
		c.Load(line(0), 8, bus.Plain)
		b.note(c, "load is done")
		c.Exec(500)
		c.MaskIRQ(true)
		b.note(c, "work is done")
	})
	b.logged("1.1 us CPU0 load is done", "1.12 us CPU0 handler", "1.639 us CPU0 work is done")
}

// Two interrupts while a handler runs: they wait for it to return, and are then taken one after another, before the
// work that the first one cut.
//
//	100     139: two more  169 returns   208 returns   247 returns
//	handler ───────────────┤ handler ────┤ handler ────┤ rest of the work
func TestInterruptsAreMaskedWhileTheHandlerRuns(t *testing.T) {
	b := newBoard(t, 1)
	b.handle(0, 30)
	for _, at := range []sim.Time{100, 139, 139} {
		b.interrupt(0, at*ns)
	}
	b.alone(0, func(c *CPU) {
		c.Exec(1000)
		c.MaskIRQ(true)
		b.note(c, "work is done")
	})
	b.logged("120 ns CPU0 handler", "189 ns CPU0 handler", "258 ns CPU0 handler", "1.207 us CPU0 work is done")
	if at, _ := b.cpus[0].LastInterrupt(); at != 238*ns {
		t.Errorf("the last one was taken at %s", at)
	}
}

func TestMaskedInterruptIsTakenAfterTheUnmask(t *testing.T) {
	b := newBoard(t, 1)
	b.handle(0, 0)
	b.interrupt(0, 100*ns)
	b.alone(0, func(c *CPU) {
		c.MaskIRQ(true)
		c.Exec(300)
		c.Load(line(0), 8, bus.Plain)
		b.note(c, "masked %v, input %v", c.IRQMasked(), c.IRQ())
		c.MaskIRQ(false)
		b.note(c, "masked %v, input %v", c.IRQMasked(), c.IRQ())
	})
	b.logged("400 ns CPU0 masked true, input true", "420 ns CPU0 handler", "439 ns CPU0 masked false, input false")
}

// The interrupt comes before the instruction that masks, inside work that has already been added up.
func TestMaskingTakesWhatCameBefore(t *testing.T) {
	b := newBoard(t, 1)
	b.handle(0, 0)
	b.interrupt(0, 100*ns)
	b.alone(0, func(c *CPU) {
		c.Exec(300)
		c.MaskIRQ(true)
		b.note(c, "masked")
	})
	b.logged("120 ns CPU0 handler", "339 ns CPU0 masked")
}

// A program that ends with interrupts masked ends masked: one that comes in its last piece of work waits for the end.
func TestProgramEndsMasked(t *testing.T) {
	b := newBoard(t, 1)
	b.handle(0, 0)
	b.interrupt(0, 100*ns)
	b.alone(0, func(c *CPU) {
		c.MaskIRQ(true)
		c.Exec(300)
	})
	b.logged("320 ns CPU0 handler")
	if b.cpus[0].IRQMasked() {
		t.Error("the idle CPU masks interrupts")
	}
}

// An interrupt that its source withdraws before the CPU gets to it is not taken.
func TestWithdrawnInterruptIsNotTaken(t *testing.T) {
	b := newBoard(t, 1)
	b.handle(0, 0)
	b.interrupt(0, 1010*ns)
	b.withdraw(0, 1020*ns)
	b.alone(0, func(c *CPU) {
		c.Exec(1000)
		c.Load(line(0), 8, bus.Plain) // until 1.1 us
		c.Exec(100)
		c.Load(line(0), 8, bus.Plain)
		b.note(c, "done")
	})
	b.logged("1.201 us CPU0 done")
	if n := b.cpus[0].Stats().Interrupts; n != 0 {
		t.Errorf("%d interrupts", n)
	}
}

// An idle CPU takes an interrupt out of WFI: exit, entry, handler, return, idle again.
func TestIdleCPUTakesAnInterrupt(t *testing.T) {
	b := newBoard(t, 1)
	b.handle(0, 30)
	b.interrupt(0, 1000*ns)
	b.run()
	b.logged("1.07 us CPU0 handler")
	c := b.cpus[0]
	if c.Proc().Busy() || c.Now() != 1119*ns {
		t.Errorf("busy %v at %s", c.Proc().Busy(), c.Now())
	}
	if spent := c.Spent(); spent[Exception] != 85*ns {
		t.Errorf("exceptions %s", spent[Exception])
	}
	if at, before := c.LastInterrupt(); at != 1000*ns || before != (Spent{}) {
		t.Errorf("taken at %s after %v", at, before)
	}
}

// A program that is started while an idle CPU handles an interrupt begins when the handler has returned.
func TestQueuedProgramStartsAfterTheHandler(t *testing.T) {
	b := newBoard(t, 1)
	b.cpus[0].SetVector(handler(func(c *CPU) {
		c.ReadSys(ackReg)
		b.start(0, func(c *CPU) { b.note(c, "program") })
		if c.Start(bound{}) == nil {
			t.Error("a second program was queued")
		}
		b.note(c, "handler ends")
	}))
	b.interrupt(0, 1000*ns)
	b.run()
	b.logged("1.074 us CPU0 handler ends", "1.089 us CPU0 program")
}

func TestOneProgramAtATime(t *testing.T) {
	b := newBoard(t, 1)
	b.alone(0, func(c *CPU) {
		if err := c.Start(bound{}); err == nil || err.Error() != "CPU0 runs a program already" {
			t.Errorf("got %v", err)
		}
	})
	b.alone(0, func(*CPU) {}) // the next one
}

// WFI sleeps until an interrupt is pending. Unmasked it is taken first; masked it is not, and the program goes on.
// One that is pending already ends the WFI at once.
func TestWaitForInterrupt(t *testing.T) {
	for _, k := range []struct {
		masked bool
		begin  int64
		want   []string
	}{
		{false, 500, []string{"1.07 us CPU0 handler", "1.089 us CPU0 wakes, input false"}},
		{true, 500, []string{"1.05 us CPU0 wakes, input true", "1.07 us CPU0 handler"}},
		{true, 1500, []string{"1.5 us CPU0 wakes, input true", "1.52 us CPU0 handler"}},
	} {
		t.Run(fmt.Sprintf("masked %v, from %d ns on", k.masked, k.begin), func(t *testing.T) {
			b := newBoard(t, 1)
			b.handle(0, 0)
			b.interrupt(0, 1000*ns)
			b.alone(0, func(c *CPU) {
				c.MaskIRQ(k.masked)
				c.Exec(k.begin)
				c.WaitForInterrupt()
				b.note(c, "wakes, input %v", c.IRQ())
			})
			b.logged(k.want...)
		})
	}
}

// A sleeping CPU is woken by whoever knows why it sleeps.
func TestSleep(t *testing.T) {
	b := newBoard(t, 2)
	b.start(0, func(c *CPU) {
		b.bells[1].ring(c.Now())
		c.Delay(1000 * ns)
		c.Load(line(0), 8, bus.Plain)
		b.bells[1].ring(c.Now())
	})
	b.start(1, func(c *CPU) {
		c.Delay(500 * ns)
		b.bells[c.ID].wait()
		b.note(c, "goes on")
		b.bells[c.ID].wait()
		b.note(c, "goes on")
	})
	b.run()
	b.logged("500 ns CPU1 goes on", "1.1 us CPU1 goes on")
}

// An interrupt ends a sleep, and the architecture is told: no bell that rings while the handler runs is lost. A masked
// interrupt does not end a sleep.
func TestInterruptDuringSleep(t *testing.T) {
	b := newBoard(t, 1)
	b.handle(0, 0)
	b.interrupt(0, 1000*ns)
	b.alone(0, func(c *CPU) {
		b.bells[c.ID].wait()
		b.note(c, "goes on")
		b.bells[c.ID].wait()
		b.note(c, "goes on")
	})
	b.logged("1.02 us CPU0 handler", "1.039 us CPU0 goes on", "1.039 us CPU0 goes on")

	// A bell during the handler is for the sleeper, not for a wait of the handler.
	b = newBoard(t, 2)
	b.cpus[0].SetVector(handler(func(c *CPU) { c.ReadSys(ackReg); b.wait(line(0), 1000*ns)(c) }))
	b.interrupt(0, 1000*ns)
	b.start(0, func(c *CPU) { b.bells[c.ID].wait() })
	b.start(1, func(c *CPU) { c.Delay(1500 * ns); c.MaskIRQ(true); b.bells[0].ring(c.Now()) })
	b.run()
	b.logged("2.025 us CPU0 got 0, false")
	if n := b.cpus[0].Stats().Waits; n != 2 {
		t.Errorf("%d waits", n)
	}

	b = newBoard(t, 1)
	b.handle(0, 0)
	b.interrupt(0, 1000*ns)
	b.alone(0, func(c *CPU) {
		c.MaskIRQ(true)
		b.bells[c.ID].wait()
		b.note(c, "goes on")
	})
	b.logged()
	b.bells[0].ring(3000 * ns)
	b.run()
	b.logged("3 us CPU0 goes on", "3.02 us CPU0 handler")
}

// driveFails drives the board and expects the error of a program.
func (b *board) driveFails(want error) {
	b.t.Helper()
	if err := b.engine.Drive(nil); err != want {
		b.t.Fatalf("the drive ended with %v", err)
	}
}

var errOdd = errors.New("odd")

// The handler fails without an acknowledge, so that the interrupt stays pending. Each drive takes it once.
func TestFailedHandlerIsNotTakenAgain(t *testing.T) {
	b := newBoard(t, 1)
	b.cpus[0].SetVector(handler(func(c *CPU) {
		b.note(c, "handler")
		b.engine.Fail(errOdd)
	}))
	b.interrupt(0, 100*ns)
	b.driveFails(errOdd)
	b.logged("170 ns CPU0 handler")
	b.driveFails(errOdd)
	b.logged("170 ns CPU0 handler", "205 ns CPU0 handler")
}

// A program that fails has ended: its CPU is free for another one. What it had masked is taken by the next drive.
func TestFailedProgramFreesItsCPU(t *testing.T) {
	b := newBoard(t, 1)
	b.handle(0, 0)
	b.interrupt(0, 100*ns)
	b.start(0, func(c *CPU) {
		c.MaskIRQ(true)
		c.Exec(300)
		c.Boundary()
		b.engine.Fail(errOdd)
	})
	b.driveFails(errOdd)
	b.logged()
	b.start(0, func(c *CPU) { b.note(c, "another program") })
	b.run()
	b.logged("320 ns CPU0 handler", "339 ns CPU0 another program")
}

func TestFailedProgramLeavesAnIdleCPU(t *testing.T) {
	b := newBoard(t, 1)
	b.start(0, func(c *CPU) {
		c.MaskIRQ(true)
		b.engine.Fail(errOdd)
	})
	b.driveFails(errOdd)
	if c := b.cpus[0]; c.Proc().Busy() || c.IRQMasked() {
		t.Errorf("busy %v, masked %v", c.Proc().Busy(), c.IRQMasked())
	}
}
