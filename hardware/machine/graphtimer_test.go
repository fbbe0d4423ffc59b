package machine_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/machine"
)

// startTimer sets the physical timer going; how far in the future means nothing.
func startTimer(c *cpu.CPU) {
	c.WriteSys(a64.CNTP_TVAL_EL0, 1000)
	c.WriteSys(a64.CNTP_CTL_EL0, 1)
}

// A timer's interrupt comes at any place behind the write that starts the timer, in WFI too, and it comes: DDI 0487,
// D12 says when by a clock that there is not. One that is stopped in its handler does not come again, but for an
// interrupt that was on its way.
func TestGraphTimer(t *testing.T) {
	for _, c := range []struct {
		name    string
		program func(g *graphTest, c *cpu.CPU)
		want    []string
	}{
		{"between stores", func(g *graphTest, c *cpu.CPU) {
			startTimer(c)
			c.Store(g.x, 8, 1, bus.Plain)
			c.Store(g.x, 8, 2, bus.Plain)
		}, []string{"came at 0", "came at 1", "came at 2"}},
		{"masked by itself", func(g *graphTest, c *cpu.CPU) {
			c.WriteSys(a64.CNTP_TVAL_EL0, 1000)
			c.WriteSys(a64.CNTP_CTL_EL0, 3)
			c.Store(g.x, 8, 1, bus.Plain)
		}, []string{""}},
		{"polled", func(g *graphTest, c *cpu.CPU) {
			c.MaskIRQ(true)
			startTimer(c)
			v, _ := c.ReadSys(a64.CNTP_CTL_EL0)
			w, _ := c.ReadSys(a64.CNTP_CTL_EL0)
			g.note("%d %d", v, w)
			c.WriteSys(a64.CNTP_CTL_EL0, 0)
		}, []string{"1 1", "1 5", "5 5"}},
		{"waited for", func(g *graphTest, c *cpu.CPU) {
			c.MaskIRQ(true)
			startTimer(c)
			c.WaitForInterrupt()
			g.note("woke up")
			c.MaskIRQ(false)
		}, []string{"came at 0 woke up"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGraphTest(t, 1)
			g.timers = true
			got := map[string]bool{}
			g.handle(0, func(c *cpu.CPU, intid uint64) {
				if intid == 30 {
					g.note("came at %d", g.load(c, g.x))
				}
				c.WriteSys(a64.CNTP_CTL_EL0, 0)
			})
			for _, line := range g.explore(func(pe *cpu.CPU) {
				enablePPIs(g.m, pe)
				c.program(g, pe)
			}) {
				got[line] = true
			}
			for _, line := range c.want {
				if !got[line] {
					t.Errorf("%q did not come", line)
				}
				delete(got, line)
			}
			for line := range got {
				if line == "" || line[0] == '!' {
					t.Errorf("%q came", line)
				}
			}
		})
	}
}

// Without timers, a program that starts one is refused by name, and so is a machine in which one runs already.
func TestGraphTimerRefused(t *testing.T) {
	g := newGraphTest(t, 1)
	_, _, err := g.tryExplore(startTimer)
	if !errors.Is(err, machine.ErrTimers) || fmt.Sprint(err) != "CPU0: "+machine.ErrTimers.Error() {
		t.Errorf("got %v", err)
	}
	for _, timers := range []bool{false, true} {
		g = newGraphTest(t, 1)
		g.timers = timers
		if err := g.m.Run(0, program(func() { startTimer(g.m.CPUs[0]) })); err != nil {
			t.Fatal(err)
		}
		if _, _, err := g.tryExplore(nil); errors.Is(err, machine.ErrTimers) == timers {
			t.Errorf("a timer that runs before, timers %v: got %v", timers, err)
		}
	}
}
