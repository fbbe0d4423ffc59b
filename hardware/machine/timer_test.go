package machine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/sim"
)

// enablePPIs lets a CPU of the virt machine take its timers' interrupts.
func enablePPIs(m *machine.Machine, c *cpu.CPU) {
	spec := armBoard(m).GIC().Spec()
	c.Store(uint64(spec.RedistributorBase(c.ID))+gic.GICR_ISENABLER0, 4, 1<<30|1<<27, bus.Plain)
}

// TestTimerInterrupts: both timers of a CPU interrupt that CPU alone, at the time that they are set to, through WFI.
// The interrupts are level-sensitive: a handler that leaves the condition standing is called again.
func TestTimerInterrupts(t *testing.T) {
	m := boot(t, "virt", func(s *machine.Spec) { s.Jitter = false })
	var got []string
	again := 2
	handler := func(c *cpu.CPU, intid uint64) {
		taken, _ := c.LastInterrupt()
		got = append(got, fmt.Sprintf("%s takes %d after %s", c, intid, m.Since(taken)))
		control := a64.CNTV_CTL_EL0
		if intid == 30 {
			control = a64.CNTP_CTL_EL0
		}
		if again--; again != 0 {
			c.WriteSys(control, 0)
		}
	}
	m.Kernel.RequestIRQ(30, handler)
	m.Kernel.RequestIRQ(27, handler)
	c := m.CPUs[2]
	if err := m.Run(2, program(func() {
		enablePPIs(m, c)
		c.Delay(m.Epoch() + 1000*sim.Nanosecond - c.Now())
		now, _ := c.ReadSys(a64.CNTPCT_EL0)
		c.WriteSys(a64.CNTP_CVAL_EL0, now+500)
		c.WriteSys(a64.CNTV_CVAL_EL0, now+900)
		c.WriteSys(a64.CNTP_CTL_EL0, 1)
		c.WriteSys(a64.CNTV_CTL_EL0, 1)
		for len(got) < 3 {
			c.WaitForInterrupt()
		}
	})); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"CPU2 takes 30 after 5.998 us", "CPU2 takes 27 after 9.998 us", // at a tick of the counter
		"CPU2 takes 27 after 10.3085 us", // as soon as the handler that left it standing has returned
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
