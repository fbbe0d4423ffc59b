package arm64_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/linux/arm64"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/sim"
)

// chipLog is an interrupt controller's driver that writes down what it is asked.
type chipLog struct {
	linux.IRQChip
	lines []string
	fail  error
}

func (l *chipLog) note(format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *chipLog) Init(c *cpu.CPU) error {
	l.note("%s init", c)
	return nil
}

func (l *chipLog) StartingCPU(c *cpu.CPU) error {
	l.note("%s starting", c)
	return l.fail
}

func (l *chipLog) UnmaskPercpu(c *cpu.CPU, set uint32) { l.note("%s unmask 0x%x", c, set) }
func (l *chipLog) HandleIRQ(c *cpu.CPU, _ bool)        { l.note("%s handle", c) }

func (l *chipLog) IPISendMask(c *cpu.CPU, irq int, mask linux.CPUMask) {
	l.note("%s sends %d to CPU%d of %d", c, irq, mask.Next(0), mask.Weight())
}

// program is a function as a CPU's program.
type program func()

func (p program) Run(*sim.Proc) { p() }

// TestPort: what the port asks of the interrupt controller's driver, and when a CPU is online.
func TestPort(t *testing.T) {
	spec, _ := machine.Preset("virt")
	m, err := machine.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	chip := &chipLog{}
	m.Kernel.Plug(chip, arm64.New(m.Kernel, chip, false))
	run := func(id int, f func(c *cpu.CPU)) {
		t.Helper()
		if err := m.Run(id, program(func() { f(m.CPUs[id]) })); err != nil {
			t.Fatal(err)
		}
	}
	up := func(c *cpu.CPU) {
		if err := m.Kernel.BootCPU(c); err != nil {
			chip.note("%s: %v", c, err)
		}
	}
	run(0, up)
	run(2, up)
	chip.fail = errors.New("no redistributor")
	run(3, up)
	run(0, func(c *cpu.CPU) {
		if err := m.Kernel.SMPCallFunctionSingle(c, 2, nil, 0, false); err != nil {
			t.Error(err)
		}
		m.Kernel.Vector().IRQ(c)
	})
	run(2, func(c *cpu.CPU) {
		for irq := range 16 {
			if irq != arm64.IPICPUStop && irq != arm64.IPICPUCrashStop {
				m.Kernel.GenericHandleDomainIRQ(c, irq)
			}
		}
	})
	want := []string{
		"CPU0 init", "CPU0 starting", "CPU0 unmask 0x7f", "CPU2 starting", "CPU2 unmask 0x7f", "CPU3 starting",
		"CPU3: no redistributor", "CPU0 sends 1 to CPU2 of 1", "CPU0 handle",
	}
	if !slices.Equal(chip.lines, want) {
		t.Errorf("got %q, want %q", chip.lines, want)
	}
	if got := m.Kernel.Online(); got[0] != 0b101 {
		t.Errorf("0x%x are online, want CPU0 and CPU2", got[0])
	}
	if got, want := m.Kernel.Counts(2), (linux.Counts{IPIs: 1, Functions: 1}); got != want {
		t.Errorf("CPU2: %+v, want %+v", got, want)
	}
}
