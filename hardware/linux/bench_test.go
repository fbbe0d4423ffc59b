package linux_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/sim"
)

// A program is a function as a CPU's program.
type program struct {
	c   *cpu.CPU
	run func(c *cpu.CPU)
}

func (p program) Run(*sim.Proc) { p.run(p.c) }

// driver is the options of the GIC's driver, and chip that driver.
func driver(s *machine.Spec) *irqchip.Options { return &s.Board.(*machine.ArmSpec).Driver }

func chip(m *machine.Machine) *irqchip.GICv3 { return m.Board.(*machine.ArmBoard).Driver() }

// newMachine builds a machine that nothing has run on.
func newMachine(t testing.TB, spec machine.Spec) *machine.Machine {
	t.Helper()
	m, err := machine.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// boot boots a preset after a change.
func boot(t testing.TB, preset string, change func(*machine.Spec)) *machine.Machine {
	t.Helper()
	spec, ok := machine.Preset(preset)
	if !ok {
		t.Fatalf("no preset %s", preset)
	}
	change(&spec)
	m := newMachine(t, spec)
	if err := m.Boot(); err != nil {
		t.Fatal(err)
	}
	return m
}

// run runs a program to its end.
func run(t testing.TB, m *machine.Machine, id int, f func(c *cpu.CPU)) {
	t.Helper()
	if err := m.Run(id, program{m.CPUs[id], f}); err != nil {
		t.Fatal(err)
	}
}

// bootCPU brings one CPU up, and lets its last writes arrive.
func bootCPU(t testing.TB, m *machine.Machine, id int) {
	t.Helper()
	run(t, m, id, func(c *cpu.CPU) {
		if err := m.Kernel.BootCPU(c); err != nil {
			t.Error(err)
		}
	})
	if err := m.Drive(nil); err != nil {
		t.Fatal(err)
	}
}
