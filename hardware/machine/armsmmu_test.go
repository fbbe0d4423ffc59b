package machine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// smmuMachine is a machine with an SMMU, whose queue of 16 commands lies in memory and is on.
type smmuMachine struct {
	*machine.Machine
	t     *testing.T
	base  uint64 // of the registers
	queue uint64
	prod  uint64
}

func withSMMU(t *testing.T, preset string) *smmuMachine {
	t.Helper()
	m := &smmuMachine{t: t, Machine: boot(t, preset, func(s *machine.Spec) {
		b := armSpec(s)
		b.SMMU = machine.DefaultSMMU(b.SMMUBase)
	})}
	m.base = armBoard(m.Machine).SMMUBase()
	at, err := m.Memory.Alloc(512)
	if err != nil {
		t.Fatal(err)
	}
	m.queue = (at + 255) &^ 255
	on(t, m.Machine, 0, func(c *cpu.CPU) {
		c.Store(m.base+smmu.SMMU_CR1, 4, 0xd75, bus.Plain)
		c.Store(m.base+smmu.SMMU_CMDQ_BASE, 8, 1<<62|m.queue|4, bus.Plain)
		c.Store(m.base+smmu.SMMU_CR0, 4, 8, bus.Plain)
		for c.Load(m.base+smmu.SMMU_CR0ACK, 4, bus.Plain) != 8 {
			c.Exec(10)
		}
	})
	return m
}

// insert is what a driver does: the command, a barrier, PROD.
func (m *smmuMachine) insert(c *cpu.CPU, d0, d1 uint64) {
	at := m.queue + m.prod%16*16
	c.Store(at, 8, d0, bus.Plain)
	c.Store(at+8, 8, d1, bus.Plain)
	dsb, _ := arm.DSB("st")
	c.Fence(dsb)
	m.prod = (m.prod + 1) % 32
	c.Store(m.base+smmu.SMMU_CMDQ_PROD, 4, m.prod, bus.Plain)
}

// A CMD_SYNC's MSI wakes a CPU that waits for it in memory, as smp_cond_load does, on each machine that may have an
// SMMU; afterwards CONS has passed the command.
func TestSMMUMessageWakes(t *testing.T) {
	for _, preset := range machine.Presets() {
		m := withSMMU(t, preset)
		count, err := m.Memory.Alloc(mem.LineSize)
		if err != nil {
			t.Fatal(err)
		}
		var waited sim.Time
		on(t, m.Machine, 1, func(c *cpu.CPU) {
			begin := c.Now()
			m.insert(c, 0x0fc01046|7<<32, count)
			v, ok := c.Wait(count, 4, bus.Acquire, func(v uint64) bool { return int32(v-7) >= 0 }, sim.Second)
			if !ok || v != 7 {
				t.Errorf("%s: %d, %v", preset, v, ok)
			}
			waited = c.Now() - begin
			if cons := c.Load(m.base+smmu.SMMU_CMDQ_CONS, 4, bus.Plain); cons != 1 {
				t.Errorf("%s: CONS is %d when the MSI is seen", preset, cons)
			}
		})
		if waited < 100*sim.Nanosecond || waited > 10*sim.Microsecond {
			t.Errorf("%s: a CMD_SYNC took %s", preset, waited)
		}
		if c := m.CPUs[1].Stats().Waits; c == 0 {
			t.Errorf("%s: the CPU did not wait", preset)
		}
	}
}

// The event of a CMD_SYNC wakes a CPU from WFE.
func TestSMMUEventWakes(t *testing.T) {
	m := withSMMU(t, "virt")
	p := armBoard(m.Machine).PE(0)
	on(t, m.Machine, 0, func(c *cpu.CPU) {
		for p.EventRegister() {
			p.WaitForEvent()
		}
		begin := c.Now()
		m.insert(c, 0x0fc02046, 0)
		p.WaitForEvent()
		if c.Now()-begin < 100*sim.Nanosecond {
			t.Errorf("the event came after %s", c.Now()-begin)
		}
		if cons := c.Load(m.base+smmu.SMMU_CMDQ_CONS, 4, bus.Plain); cons != 1 {
			t.Errorf("CONS is %d when the event comes", cons)
		}
	})
}

// A failed command is a problem of the machine, and drives the wire of global errors.
func TestSMMUProblem(t *testing.T) {
	m := withSMMU(t, "virt")
	gicd := armBoard(m.Machine).GIC().Distributor()
	gicd.WriteReg(gic.GICD_ICFGR+4*(109/16), bus.W32, uint64(gic.Edge)<<(109%16*2)) // the wire is pulsed
	on(t, m.Machine, 0, func(c *cpu.CPU) {
		c.Store(m.base+smmu.SMMU_IRQ_CTRL, 4, 7, bus.Plain)
		for c.Load(m.base+smmu.SMMU_IRQ_CTRLACK, 4, bus.Plain) != 5 {
			c.Exec(10)
		}
		m.insert(c, 0xff, 0)
	})
	if err := m.Drive(nil); err != nil {
		t.Fatal(err)
	}
	board := armBoard(m.Machine)
	if pending, _ := gicd.ReadReg(gic.GICD_ISPENDR+4*(109/32), bus.W32); pending>>(109%32)&1 != 1 {
		t.Errorf("INTID 109 is not pending: 0x%x", pending)
	}
	var problems []string
	for _, p := range board.Parts() {
		problems = append(problems, p.Problem())
	}
	if want := "the SMMU's command queue is halted at entry 0: CERROR_ILL"; !slices.Contains(problems, want) {
		t.Errorf("problems %q, expected %q", problems, want)
	}
	var text strings.Builder
	board.DumpSMMU(&text)
	if want := "  consumer halted, CERROR_ILL"; !strings.Contains(text.String(), want) {
		t.Errorf("no %q in\n%s", want, text.String())
	}
}

// A machine without an SMMU lacks its latencies; one that has it says where they come from.
func TestSMMULatencies(t *testing.T) {
	with, without := "hi1616", "kunpeng920"
	for _, name := range []string{with, without} {
		spec, _ := machine.Preset(name)
		has := strings.Contains(spec.Describe(), "smmu_sync_complete")
		if has != (name == with) || spec.Lacks(machine.SMMURegisterAck) != (name == without) {
			t.Errorf("%s: describes the SMMU's latencies: %v", name, has)
		}
	}
	for _, row := range []struct {
		want   string
		change func(s *machine.SMMUSpec)
	}{
		{"RAM from 0x40000000 to 0x4fffffff overlaps the SMMU at 0x48000000: expected at most 128 MiB",
			func(s *machine.SMMUSpec) { s.Base = 0x4800_0000 }},
		{"smmu.node is 1: expected 0 to 0", func(s *machine.SMMUSpec) { s.Node = 1 }},
		{"smmuv3: OAS is 6: want 0 to 5", func(s *machine.SMMUSpec) { s.SMMU.OAS = smmu.Address52 }},
	} {
		spec, _ := machine.Preset("virt")
		armSpec(&spec).SMMU = machine.DefaultSMMU(armSpec(&spec).SMMUBase)
		row.change(armSpec(&spec).SMMU)
		if err := spec.Validate(); err == nil || err.Error() != row.want {
			t.Errorf("got %v, want %s", err, row.want)
		}
	}
}
