package litmus

import (
	"fmt"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
)

// timerSubject is a program that runs its timer while it counts to two in memory. The handler notes how far the program
// had come: that is the outcome, and 3 if the interrupt came behind all of it.
func timerSubject(before func(c *cpu.CPU)) func() (*kernelSubject, error) {
	return func() (*kernelSubject, error) {
		var seen uint64
		s, err := newKernelSubject(irqchip.BarrierDSBISHST, mem.ExploredSpec{}, func(s *kernelSubject, c *cpu.CPU) {
			seen = 99
			spec := s.Board.(*machine.ArmBoard).GIC().Spec()
			c.Store(uint64(spec.RedistributorBase(0))+gic.GICR_ISENABLER0, 4, 1<<30, bus.Plain)
			before(c)
			c.Store(s.data, 8, 1, bus.Plain)
			c.Store(s.data, 8, 2, bus.Plain)
		})
		if err != nil {
			return nil, err
		}
		s.Kernel.RequestIRQ(30, func(c *cpu.CPU, _ uint64) {
			seen = c.Load(s.data, 8, bus.Plain)
			s.calls++
			c.WriteSys(a64.CNTP_CTL_EL0, 0)
		})
		s.outcome = func() uint64 { return seen }
		s.Checkpoint()
		return s, nil
	}
}

// start sets the timer going; how far in the future means nothing.
func start(c *cpu.CPU) {
	c.WriteSys(a64.CNTP_TVAL_EL0, 1000)
	c.WriteSys(a64.CNTP_CTL_EL0, 1)
}

// TestTimerComesAnywhere: explored, a timer's interrupt comes at any place behind the write that starts the timer.
func TestTimerComesAnywhere(t *testing.T) {
	for _, row := range []struct {
		name   string
		before func(c *cpu.CPU)
		want   string
	}{
		{"started", start, "[0 1 2]"},
		{"started and stopped", func(c *cpu.CPU) {
			start(c)
			c.WriteSys(a64.CNTP_CTL_EL0, 0)
			c.Synchronize()
		}, "[0 99]"},
		{"masked", func(c *cpu.CPU) {
			c.WriteSys(a64.CNTP_TVAL_EL0, 1000)
			c.WriteSys(a64.CNTP_CTL_EL0, 3)
		}, "[99]"},
	} {
		r := exploreKernel(t, explore.Options{}, timerSubject(row.before))
		var got []uint64
		for _, o := range r.Outcomes {
			got = append(got, o.Outcome)
		}
		if fmt.Sprint(got) != row.want || r.Limits != 0 {
			t.Errorf("%s: the program had come to %v, want %s; %s", row.name, got, row.want, r)
		}
	}
}

// TestTimerArmedBefore: a timer that runs when the exploration begins may expire anywhere too.
func TestTimerArmedBefore(t *testing.T) {
	const idle = 99
	r := exploreKernel(t, explore.Options{}, func() (*kernelSubject, error) {
		preset, _ := machine.Preset("virt")
		preset.CPUs, preset.Jitter = 1, false
		m, err := machine.New(preset)
		if err != nil {
			return nil, err
		}
		if err := m.Boot(); err != nil {
			return nil, err
		}
		s, seen := &kernelSubject{}, uint64(idle)
		if s.data, err = m.Memory.Alloc(mem.LineSize); err != nil {
			return nil, err
		}
		spec := m.Board.(*machine.ArmBoard).GIC().Spec()
		arm := func(_ *kernelSubject, c *cpu.CPU) {
			c.Store(uint64(spec.RedistributorBase(0))+gic.GICR_ISENABLER0, 4, 1<<30, bus.Plain)
			c.Fence(bus.Fence{Before: bus.AnyAccess, After: bus.AnyAccess, Domain: bus.FullSystem, Completion: true})
			start(c)
		}
		if err := m.Run(0, programOf{s, m.CPUs[0], arm}); err != nil {
			return nil, err
		}
		m.Kernel.RequestIRQ(30, func(c *cpu.CPU, _ uint64) {
			seen = c.Load(s.data, 8, bus.Plain)
			c.WriteSys(a64.CNTP_CTL_EL0, 0)
		})
		s.run = func(s *kernelSubject, c *cpu.CPU) { c.Store(s.data, 8, 1, bus.Plain) }
		s.outcome = func() uint64 {
			outcome := seen
			seen = idle
			return outcome
		}
		s.Explored = m.Explore(mem.ExploredSpec{})
		return s, nil
	})
	var got []uint64
	for _, o := range r.Outcomes {
		got = append(got, o.Outcome)
	}
	if fmt.Sprint(got) != "[0 1]" || r.Limits != 0 {
		t.Errorf("the program had come to %v, want 0 and 1; %s", got, r)
	}
}
