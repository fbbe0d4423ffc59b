package linux_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// withNMIs is a machine with pseudo-NMIs whose handlers of SGI 6 (an NMI) and of SGI 0 (none) are taken over.
func withNMIs(t *testing.T, nmi, irq linux.Func) *machine.Machine {
	m := boot(t, "virt", func(s *machine.Spec) { s.Jitter, driver(s).PseudoNMI = false, true })
	m.Kernel.RequestIRQ(6, nmi)
	m.Kernel.RequestIRQ(0, irq)
	return m
}

func sendSGI(c *cpu.CPU, target, intid uint64) {
	c.WriteSys(gic.ICC_SGI1R_EL1, 1<<target|intid<<24)
}

func pmr(c *cpu.CPU) uint64 {
	v, _ := c.ReadSys(gic.ICC_PMR_EL1)
	return v
}

// TestTakenAtTheMSR: an interrupt that a CPU's own write of ICC_PMR_EL1 lets through is taken at that write, not at the
// next access; so is one by local_irq_restore.
func TestTakenAtTheMSR(t *testing.T) {
	for _, restore := range []bool{false, true} {
		var log []string
		m := withNMIs(t, nil, func(c *cpu.CPU, _ uint64) { log = append(log, "interrupt") })
		run(t, m, 1, func(c *cpu.CPU) {
			masked := m.Kernel.Arch.LocalIRQSave(c)
			if masked || pmr(c) != irqchip.PrioIRQOff {
				t.Errorf("masked %t before, ICC_PMR_EL1 0x%x after local_irq_save", masked, pmr(c))
			}
			sendSGI(c, 1, 0)
			c.Delay(10_000_000)
			c.Boundary()
			log = append(log, "unmask")
			if restore {
				m.Kernel.Arch.LocalIRQRestore(c, masked)
			} else {
				c.WriteSys(gic.ICC_PMR_EL1, irqchip.PrioIRQOn)
			}
			log = append(log, "behind")
		})
		if want := []string{"unmask", "interrupt", "behind"}; !slices.Equal(log, want) {
			t.Errorf("restore %t: %v, want %v", restore, log, want)
		}
	}
}

// TestPseudoNMI: which of the two comes through where: an NMI with interrupts off, none of them with PSTATE.I set, an
// NMI nests in the handler of an interrupt and never in that of an NMI; and afterwards ICC_PMR_EL1 is as it was.
func TestPseudoNMI(t *testing.T) {
	var log []string
	note := func(c *cpu.CPU, what string) {
		log = append(log, fmt.Sprintf("%s at 0x%x", what, pmr(c)))
	}
	self := func(c *cpu.CPU, intid uint64) {
		sendSGI(c, 1, intid)
		c.Delay(5_000_000)
		c.Boundary()
	}
	again := false
	m := withNMIs(t, func(c *cpu.CPU, _ uint64) {
		note(c, "NMI")
		if again {
			again = false
			self(c, 6)
			self(c, 0)
			note(c, "NMI goes on")
		}
	}, func(c *cpu.CPU, _ uint64) {
		note(c, "IRQ")
		self(c, 6)
		note(c, "IRQ goes on")
	})
	for _, row := range []struct {
		name string
		do   func(c *cpu.CPU)
		want []string
	}{
		{"irqs on", func(c *cpu.CPU) { self(c, 6) }, []string{"NMI at 0xf0"}},
		{"nested", func(c *cpu.CPU) { self(c, 0) }, []string{"IRQ at 0xc0", "NMI at 0xf0", "IRQ goes on at 0xc0"}},
		{"irqs off", func(c *cpu.CPU) {
			m.Kernel.Arch.LocalIRQSave(c)
			self(c, 0)
			self(c, 6)
			note(c, "off")
			m.Kernel.Arch.LocalIRQRestore(c, false)
		}, []string{"NMI at 0xf0", "off at 0xc0", "IRQ at 0xc0", "NMI at 0xf0", "IRQ goes on at 0xc0"}},
		{"PSTATE.I", func(c *cpu.CPU) {
			c.MaskIRQ(true)
			self(c, 6)
			note(c, "masked")
			c.MaskIRQ(false)
		}, []string{"masked at 0xe0", "NMI at 0xf0"}},
		{"no NMI in an NMI", func(c *cpu.CPU) {
			again = true
			self(c, 6)
		}, []string{
			"NMI at 0xf0", "NMI goes on at 0xf0", "NMI at 0xf0", "IRQ at 0xc0", "NMI at 0xf0", "IRQ goes on at 0xc0",
		}},
	} {
		log = nil
		run(t, m, 1, row.do)
		if !slices.Equal(log, row.want) {
			t.Errorf("%s: %q, want %q", row.name, log, row.want)
		}
		run(t, m, 1, func(c *cpu.CPU) {
			if pmr(c) != irqchip.PrioIRQOn || c.IRQMasked() {
				t.Errorf("%s: ICC_PMR_EL1 is 0x%x afterwards, PSTATE.I %t", row.name, pmr(c), c.IRQMasked())
			}
		})
	}
}

// TestIdleNMI: an idle CPU waits in WFI with ICC_PMR_EL1 open. An NMI is taken there with interrupts off, any other
// interrupt with interrupts on; both at once one after the other.
func TestIdleNMI(t *testing.T) {
	for _, sent := range [][]uint64{{6}, {0}, {0, 6}, {6, 0}} {
		got := map[string]uint64{}
		m := withNMIs(t, func(c *cpu.CPU, _ uint64) {
			v, _ := c.ReadSys(gic.ICC_RPR_EL1)
			got["NMI"] = v
		}, func(c *cpu.CPU, _ uint64) { got["IRQ"] = pmr(c) })
		run(t, m, 0, func(c *cpu.CPU) {
			for _, intid := range sent {
				sendSGI(c, 1, intid)
			}
		})
		if err := m.Drive(nil); err != nil {
			t.Fatal(err)
		}
		if len(got) != len(sent) || m.Kernel.Counts(1).Spurious != 0 {
			t.Errorf("sent %v: %v, %d spurious", sent, got, m.Kernel.Counts(1).Spurious)
		}
		if v, taken := got["IRQ"]; taken && v != irqchip.PrioIRQOff {
			t.Errorf("sent %v: the interrupt is handled at 0x%x", sent, v)
		}
		run(t, m, 1, func(c *cpu.CPU) {
			if pmr(c) != irqchip.PrioIRQOn {
				t.Errorf("sent %v: ICC_PMR_EL1 is 0x%x afterwards", sent, pmr(c))
			}
		})
	}
}

// TestPause: in every form the others spin while the entries are broken, whatever the form of gic_ipi_send_mask and
// wherever the data lies; and all go on afterwards, in time for the next pause.
func TestPause(t *testing.T) {
	for form := linux.PauseV1; form <= linux.PauseRFC; form++ {
		for variant := irqchip.BroadcastList; variant <= irqchip.BroadcastFixed; variant++ {
			for _, oneLine := range []bool{false, true} {
				m := boot(t, "arm80", func(s *machine.Spec) {
					s.CPUs, s.Linux.Pause, s.Linux.PauseOneLine = 70, form, oneLine
					driver(s).SGIBroadcast = variant
				})
				table, err := m.Memory.Alloc(mem.LineSize)
				if err != nil {
					t.Fatal(err)
				}
				run(t, m, 0, func(c *cpu.CPU) { testPause(t, m, c, table) })
				if err := m.Drive(nil); err != nil {
					t.Fatalf("%s, %s: %v", form, variant, err)
				}
				want := uint64(1 + 2)
				if form == linux.PauseRFC {
					want = 1 + 2*8
				}
				if got := m.CPUs[69].Stats().Interrupts; got != want {
					t.Errorf("%s, %s: CPU69 was interrupted %d times, want %d", form, variant, got, want)
				}
			}
		}
	}
}

// testPause pauses once by hand, looks, and updates eight entries twice.
func testPause(t *testing.T, m *machine.Machine, c *cpu.CPU, table uint64) {
	port := m.Kernel.Port()
	masked := m.Kernel.Arch.LocalIRQSave(c)
	if err := port.PauseRemoteCPUs(c); err != nil {
		t.Error(err)
	}
	c.Delay(sim.Microsecond)
	c.Boundary()
	for _, other := range m.CPUs[1:] {
		if _, waits := other.Proc().Waiting(); !waits {
			t.Errorf("%s goes on during the pause", other)
		}
	}
	port.ResumeRemoteCPUs(c)
	for range 2 {
		if err := port.UpdatePTEs(c, table, 8); err != nil {
			t.Error(err)
		}
	}
	m.Kernel.Arch.LocalIRQRestore(c, masked)
	if v := c.Load(table+56, 8, bus.Plain); v != 1 {
		t.Errorf("the last entry is 0x%x", v)
	}
}

// TestPauseOfAMaskedCPU: a CPU with PSTATE.I set holds the pause up, and is named with the cause if it does so for
// ever.
func TestPauseOfAMaskedCPU(t *testing.T) {
	m := boot(t, "arm80", func(s *machine.Spec) { s.CPUs, s.Linux.Pause = 4, linux.PauseV2 })
	gate, err := m.Lines(1, "gate", 0)
	if err != nil {
		t.Fatal(err)
	}
	stuck := func(c *cpu.CPU) {
		c.MaskIRQ(true)
		c.Wait(gate, 8, bus.Acquire, func(v uint64) bool { return v != 0 }, cpu.Forever)
	}
	if err := m.Spawn(2, program{m.CPUs[2], stuck}); err != nil {
		t.Fatal(err)
	}
	err = m.Run(0, program{m.CPUs[0], func(c *cpu.CPU) {
		c.Delay(sim.Microsecond)
		if err := m.Kernel.Port().PauseRemoteCPUs(c); err != nil {
			t.Error(err)
		}
	}})
	deadlock, ok := err.(*machine.DeadlockError)
	if !ok || len(deadlock.Waiting) != 4 {
		t.Fatalf("got %v", err)
	}
	if got, want := deadlock.Waiting[2].For, fmt.Sprintf("a write to line 0x%x (gate), with an interrupt pending and "+
		"masked,", gate); got != want {
		t.Errorf("CPU2 waits for %s, want %s", got, want)
	}
}

// TestTwoPauses: two CPUs that pause the others at once wait for each other for ever, in every form as it was posted.
// The lock is released between pause and resume, and is handed to the CPU that has asked for it first, which is paused.
func TestTwoPauses(t *testing.T) {
	for form := linux.PauseV1; form <= linux.PauseRFC; form++ {
		m := boot(t, "arm80", func(s *machine.Spec) { s.CPUs, s.Linux.Pause, s.Jitter = 4, form, false })
		table, err := m.Memory.Alloc(mem.LineSize)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range m.CPUs[:2] {
			err := m.Spawn(i, program{c, func(c *cpu.CPU) {
				m.Kernel.Arch.LocalIRQSave(c)
				if err := m.Kernel.Port().UpdatePTEs(c, table, 1); err != nil {
					t.Error(err)
				}
				t.Errorf("%s: %s has resumed the others", form, c)
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
		var deadlock *machine.DeadlockError
		if err := m.Drive(nil); !errors.As(err, &deadlock) {
			t.Fatalf("%s: got %v", form, err)
		}
		if got := deadlock.Waiting[0].For; !strings.HasSuffix(got, "(cpu_pause_lock)") {
			t.Errorf("%s: CPU0 waits for %s", form, got)
		}
	}
}
