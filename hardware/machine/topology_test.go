package machine_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// build makes a preset's machine with changes, at its reset values.
func build(t testing.TB, preset string, change func(*machine.Spec)) *machine.Machine {
	t.Helper()
	spec, ok := machine.Preset(preset)
	if !ok {
		t.Fatalf("no preset %s", preset)
	}
	if change != nil {
		change(&spec)
	}
	m, err := machine.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// program is a function as a CPU's program.
type program func()

func (p program) Run(*sim.Proc) { p() }

// on runs a program on a CPU to its end.
func on(t testing.TB, m *machine.Machine, id int, run func(c *cpu.CPU)) {
	t.Helper()
	if err := m.Run(id, program(func() { run(m.CPUs[id]) })); err != nil {
		t.Fatal(err)
	}
}

// TestMPIDRs: boot logs of Kunpeng 920 show Aff0 = 0, Aff1 = core in the cluster, Aff2 = 0x08 + 0x10 a die + cluster of
// the die; virt has 16 CPUs an Aff0 group, as QEMU numbers them.
func TestMPIDRs(t *testing.T) {
	for preset, want := range map[string]map[int]uint64{
		"kunpeng920": {
			0: 0x080000, 1: 0x080100, 3: 0x080300, 4: 0x090000, 23: 0x0d0300, 24: 0x180000, 47: 0x1d0300, 48: 0x280000,
			72: 0x380000, 95: 0x3d0300,
		},
		"virt": {0: 0, 1: 1, 15: 15, 16: 0x100, 255: 0x0f0f, 256: 0x1000, 4095: 0xff0f},
	} {
		m := build(t, preset, func(s *machine.Spec) {
			if preset == "virt" {
				s.CPUs = 4096
			}
		})
		seen := map[uint64]int{}
		for i := range m.CPUs {
			got := armBoard(m).PE(i).MPIDR() &^ (1 << 31)
			if other, twice := seen[got]; twice {
				t.Errorf("%s: CPU%d and CPU%d are both 0x%x", preset, i, other, got)
			}
			seen[got] = i
			if w, given := want[i]; given && got != w {
				t.Errorf("%s: CPU%d is 0x%06x, want 0x%06x", preset, i, got, w)
			}
			if armBoard(m).GIC().Spec().MPIDRs[i]&^(1<<31) != got {
				t.Errorf("%s: the GIC knows CPU%d as 0x%x", preset, i, armBoard(m).GIC().Spec().MPIDRs[i])
			}
		}
	}
}

// TestDistances moves a line from CPU0 to others and looks how far it was.
func TestDistances(t *testing.T) {
	for _, row := range []struct {
		preset string
		change func(*machine.Spec)
		cpu    int
		want   mem.Distance
	}{
		{"kunpeng920", nil, 1, mem.Cluster}, {"kunpeng920", nil, 3, mem.Cluster}, {"kunpeng920", nil, 4, mem.Die},
		{"kunpeng920", nil, 23, mem.Die}, {"kunpeng920", nil, 24, mem.CrossDie}, {"kunpeng920", nil, 47, mem.CrossDie},
		{"kunpeng920", nil, 48, mem.CrossNode}, {"kunpeng920", nil, 95, mem.CrossNode},
		{"virt", func(s *machine.Spec) { s.CPUs = 300 }, 15, mem.Cluster},
		{"virt", func(s *machine.Spec) { s.CPUs = 300 }, 16, mem.Die},
		{"virt", func(s *machine.Spec) { s.CPUs = 300 }, 299, mem.Die},
		{"virt", func(s *machine.Spec) { s.Sockets, s.Dies, s.Clusters, s.Cores, s.CPUs = 2, 1, 1, 2, 4 }, 1, mem.Cluster},
		{"virt", func(s *machine.Spec) { s.Sockets, s.Dies, s.Clusters, s.Cores, s.CPUs = 2, 1, 1, 2, 4 }, 2, mem.CrossNode},
	} {
		m := build(t, row.preset, row.change)
		line, err := m.Memory.Alloc(mem.LineSize)
		if err != nil {
			t.Fatal(err)
		}
		on(t, m, 0, func(c *cpu.CPU) { c.Store(line, 8, 1, bus.Plain) })
		if err := m.Drive(nil); err != nil {
			t.Fatal(err)
		}
		on(t, m, row.cpu, func(c *cpu.CPU) { c.Delay(sim.Microsecond); c.Load(line, 8, bus.Plain) })
		var want [mem.Distances]uint64
		want[row.want] = 1
		if got := m.CPUs[row.cpu].Stats().Transfers; got != want {
			t.Errorf("%s: CPU%d takes the line from CPU0 over %v, want %s", row.preset, row.cpu, got, row.want)
		}
	}
}

// TestRedistributorFrames: on virt the redistributors of CPUs 123 and up lie in a second region (QEMU's
// VIRT_HIGH_GIC_REDIST2), kunpeng920 has one region with frames twice as far apart.
func TestRedistributorFrames(t *testing.T) {
	for _, row := range []struct {
		preset string
		cpus   int
		cpu    int
		base   bus.Addr
	}{
		{"virt", 300, 0, 0x080a_0000}, {"virt", 300, 1, 0x080c_0000}, {"virt", 300, 122, 0x08fe_0000},
		{"virt", 300, 123, 0x40_0000_0000}, {"virt", 300, 299, 0x40_0160_0000},
		{"kunpeng920", 96, 0, 0xae10_0000}, {"kunpeng920", 96, 1, 0xae14_0000}, {"kunpeng920", 96, 95, 0xaf8c_0000},
	} {
		m := build(t, row.preset, func(s *machine.Spec) { s.CPUs = row.cpus })
		r := m.Devices.Find(row.base)
		if r == nil || r.Base != row.base || r.Name != fmt.Sprintf("GICR%d", row.cpu) {
			t.Errorf("%s: at 0x%x there is %+v, want the frame of CPU%d", row.preset, row.base, r, row.cpu)
			continue
		}
		v, ok := r.Device.ReadReg(8, bus.W64) // GICR_TYPER: its number
		if number := v >> 8 & 0xffff; !ok || number != uint64(row.cpu) {
			t.Errorf("%s: the frame at 0x%x is of processor %d, want %d", row.preset, row.base, number, row.cpu)
		}
	}
}

// TestBoot boots machines of all sizes; every CPU is online then, and answers a call.
func TestBoot(t *testing.T) {
	sizes := []int{1, 2, 4, 16, 17, 96, 123, 124, 300, 1024}
	if os.Getenv("HWSCRIPT_LONG") == "1" {
		sizes = append(sizes, 4096)
	}
	for _, n := range sizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			m := boot(t, "virt", func(s *machine.Spec) { s.CPUs = n })
			if got := m.Kernel.Online().Weight(); got != n {
				t.Errorf("%d CPUs online", got)
			}
			if m.Now() != 0 || m.Epoch() == 0 {
				t.Errorf("after the boot it is %s, %s of the engine", m.Now(), m.Epoch())
			}
			if l := runLoop(t, m, 1); l.calls != n {
				t.Errorf("%d calls", l.calls)
			}
		})
	}
	m := boot(t, "kunpeng920", nil)
	if got := m.Kernel.Online().Weight(); got != 96 {
		t.Errorf("kunpeng920: %d CPUs online", got)
	}
}

// TestTwoSecurityStates: the kernel boots in the Non-secure view that firmware leaves to it.
func TestTwoSecurityStates(t *testing.T) {
	m := boot(t, "virt", func(s *machine.Spec) { armSpec(s).GIC.DS, armSpec(s).GIC.NonSecureReset = false, true })
	if l := runLoop(t, m, 2); l.calls != 8 {
		t.Errorf("%d calls", l.calls)
	}
}

// TestUnbooted: a machine that is not booted has reset values, and its clock stands at zero.
func TestUnbooted(t *testing.T) {
	m := build(t, "virt", nil)
	if m.Engine.Now() != 0 || m.Kernel.Online().Weight() != 0 {
		t.Errorf("at %s, %d CPUs online", m.Engine.Now(), m.Kernel.Online().Weight())
	}
	if v, ok := m.Devices.Find(0x080a_0014).Device.ReadReg(0x14, bus.W32); !ok || v != 6 {
		t.Errorf("GICR_WAKER is 0x%x, want asleep", v)
	}
}
