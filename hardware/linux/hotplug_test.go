package linux_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/linux/arm64"
	"github.com/hwscript/hwscript/hardware/machine"
)

// pendingSGIs are what a redistributor has latched.
func pendingSGIs(m *machine.Machine, id int) uint64 {
	v, _ := m.Board.(*machine.ArmBoard).GIC().Redistributor(id).ReadReg(gic.GICR_ISPENDR0, bus.W32)
	return v & 0xffff
}

// numOnline is __num_online_cpus as CPU 0 reads it.
func numOnline(t *testing.T, m *machine.Machine) (n int) {
	t.Helper()
	run(t, m, 0, func(c *cpu.CPU) { n = m.Kernel.NumOnlineCPUs(c) })
	return n
}

func members(m linux.CPUMask) (list []int) {
	for i := m.Next(0); i >= 0; i = m.Next(i + 1) {
		list = append(list, i)
	}
	return list
}

// TestBootSomeCPUs: nr_cpus= bounds what the kernel knows, maxcpus= what it brings up; the rest is off.
func TestBootSomeCPUs(t *testing.T) {
	m := boot(t, "virt", func(s *machine.Spec) { s.CPUs, s.Linux.NRCPUs, s.Linux.MaxCPUs = 6, 4, 2 })
	k := m.Kernel
	if got := members(k.Mask(linux.CPUPossibleMask)); !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("possible: %v", got)
	}
	if got := members(k.Mask(linux.CPUPresentMask)); !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("present: %v", got)
	}
	if got := members(k.Online()); !slices.Equal(got, []int{0, 1}) || k.NRCPUIDs() != 4 || numOnline(t, m) != 2 {
		t.Errorf("online: %v, nr_cpu_ids %d, counter %d", got, k.NRCPUIDs(), numOnline(t, m))
	}
	for i, c := range m.CPUs {
		if (c.Power() == cpu.On) != (i < 2) {
			t.Errorf("CPU%d is %s", i, c.Power())
		}
	}
	run(t, m, 0, func(c *cpu.CPU) {
		for target, want := range map[int]string{
			1: "<nil>", 3: "CPU 3 is not online", 4: "CPU 4: expected 0 to 3", -1: "CPU -1: expected 0 to 3",
		} {
			if got := fmt.Sprint(k.SMPCallFunctionSingle(c, target, nil, 0, true)); got != want {
				t.Errorf("call of CPU%d: %s, want %s", target, got, want)
			}
		}
		c.WriteSys(gic.ICC_SGI1R_EL1, uint64(gic.ICC_SGI1R_EL1_IRM)|uint64(arm64.IPICallFunc)<<24)
	})
	if err := m.Drive(nil); err != nil {
		t.Fatal(err)
	}
	// No kernel has put the SGIs of the others into Group 1.
	for i := range m.CPUs {
		if n := m.Board.(*machine.ArmBoard).GIC().Stats(i).SGIsDropped; (n == 1) != (i > 1) || pendingSGIs(m, i) != 0 {
			t.Errorf("CPU%d: %d SGIs were dropped, %#x are pending", i, n, pendingSGIs(m, i))
		}
	}
}

// TestHotplug: a CPU that goes down and comes up is where it was; an SGI that was latched meanwhile is taken when it is
// back, before cpu_up returns.
func TestHotplug(t *testing.T) {
	m := boot(t, "virt", func(s *machine.Spec) { s.Jitter = false })
	k := m.Kernel
	expect := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	run(t, m, 0, func(c *cpu.CPU) {
		expect(k.CPUDown(c, 2))
		if got := members(k.Online()); !slices.Equal(got, []int{0, 1, 3}) || k.NumOnlineCPUs(c) != 3 {
			t.Errorf("online: %v, counter %d", got, k.NumOnlineCPUs(c))
		}
		if p := m.CPUs[2].Power(); p != cpu.Off {
			t.Errorf("CPU2 is %s", p)
		}
		c.WriteSys(gic.ICC_SGI1R_EL1, uint64(gic.ICC_SGI1R_EL1_IRM)|uint64(arm64.IPICallFunc)<<24)
		c.Delay(10_000_000)
		c.Boundary()
		if got := pendingSGIs(m, 2); got != 1<<arm64.IPICallFunc {
			t.Errorf("CPU2 has latched %#x", got)
		}
		before := k.Counts(2).IPIs
		expect(k.CPUUp(c, 2))
		if got := k.Counts(2).IPIs - before; got != 1 || pendingSGIs(m, 2) != 0 {
			t.Errorf("%d interrupts were taken before cpu_up returned, %#x are pending", got, pendingSGIs(m, 2))
		}
		expect(k.SMPCallFunctionSingle(c, 2, nil, 0, true))
		expect(k.CPUDown(c, 2))
		expect(k.CPUUp(c, 2))
	})
	if got := members(k.Online()); !slices.Equal(got, []int{0, 1, 2, 3}) || numOnline(t, m) != 4 {
		t.Errorf("online: %v, counter %d", got, numOnline(t, m))
	}
}

// TestHotplugRedistributorOff: a redistributor that loses its power with the PE has latched nothing.
func TestHotplugRedistributorOff(t *testing.T) {
	m := boot(t, "virt", func(s *machine.Spec) { s.Board.(*machine.ArmSpec).RedistributorsOff = true })
	run(t, m, 0, func(c *cpu.CPU) {
		if err := m.Kernel.CPUDown(c, 1); err != nil {
			t.Error(err)
		}
		c.WriteSys(gic.ICC_SGI1R_EL1, uint64(gic.ICC_SGI1R_EL1_IRM)|uint64(arm64.IPICallFunc)<<24)
		c.Delay(10_000_000)
		before := m.Kernel.Counts(1).IPIs
		if err := m.Kernel.CPUUp(c, 1); err != nil {
			t.Error(err)
		}
		if got := m.Kernel.Counts(1).IPIs; got != before {
			t.Errorf("%d interrupts came through", got-before)
		}
		if err := m.Kernel.SMPCallFunctionSingle(c, 1, nil, 0, true); err != nil {
			t.Error(err)
		}
	})
	if got := m.Board.(*machine.ArmBoard).GIC().Stats(1).SGIsDropped; got != 1 {
		t.Errorf("%d SGIs were dropped, want 1", got)
	}
}

// TestHotplugRefused: what the kernel refuses, each by the number that is wrong.
func TestHotplugRefused(t *testing.T) {
	m := boot(t, "virt", func(s *machine.Spec) { s.CPUs, s.Linux.MaxCPUs = 3, 2 })
	k := m.Kernel
	busy := func(c *cpu.CPU) { c.Delay(1_000_000_000) }
	if err := m.Spawn(1, program{m.CPUs[1], busy}); err != nil {
		t.Fatal(err)
	}
	run(t, m, 0, func(c *cpu.CPU) {
		for _, row := range []struct {
			err  error
			want string
		}{
			{k.CPUUp(c, 1), "CPU 1 is online already"},
			{k.CPUUp(c, 3), "CPU 3: expected 0 to 2"},
			{k.CPUDown(c, 2), "CPU 2 is not online"},
			{k.CPUDown(c, 0), "CPU 0 runs cpu_down itself: expected another CPU"},
			{k.CPUDown(c, 1), "only an idle CPU can go down: CPU1 runs a program already"},
			{k.CPUUp(c, 2), "<nil>"},
		} {
			if got := fmt.Sprint(row.err); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		}
	})
	one := boot(t, "virt", func(s *machine.Spec) { s.Linux.MaxCPUs = 1 })
	run(t, one, 0, func(c *cpu.CPU) {
		if err := one.Kernel.CPUDown(c, 0); err == nil || err.Error() != "CPU 0 is the last one online" {
			t.Error(err)
		}
	})
}

// TestStop: after smp_send_stop the others are parked, or off after a crash; no longer online, their SGIs still enabled
// and now taken by nobody. That nothing else is left to do is no deadlock.
func TestStop(t *testing.T) {
	for _, crash := range []bool{false, true} {
		m := boot(t, "virt", func(*machine.Spec) {})
		k, want := m.Kernel, cpu.Parked
		if crash {
			want = cpu.Off
		}
		run(t, m, 1, func(c *cpu.CPU) {
			if !k.Port().SMPSendStop(c, crash) {
				t.Error("some CPUs have not stopped")
			}
			c.WriteSys(gic.ICC_SGI1R_EL1, uint64(gic.ICC_SGI1R_EL1_IRM)|uint64(arm64.IPICallFunc)<<24)
		})
		if err := m.Drive(nil); err != nil {
			t.Error(err)
		}
		if got := members(k.Online()); !slices.Equal(got, []int{1}) {
			t.Errorf("crash %t: online: %v", crash, got)
		}
		for _, i := range []int{0, 2, 3} {
			if p := m.CPUs[i].Power(); p != want || pendingSGIs(m, i) != 1<<arm64.IPICallFunc {
				t.Errorf("crash %t: CPU%d is %s, SGIs %#x", crash, i, p, pendingSGIs(m, i))
			}
		}
	}
}

// TestReadersKeepHotplugOut: cpus_read_lock holds a CPU that wants to come up off, and lets it come when all have gone.
func TestReadersKeepHotplugOut(t *testing.T) {
	m := boot(t, "virt", func(s *machine.Spec) { s.Linux.MaxCPUs, s.Jitter = 3, false })
	k := m.Kernel
	var log []string
	reader := func(hold int64) func(c *cpu.CPU) {
		return func(c *cpu.CPU) {
			if err := k.CPUsReadLock(c); err != nil {
				t.Error(err)
			}
			c.Exec(hold)
			c.Boundary()
			log = append(log, fmt.Sprintf("%s leaves with %d online", c, k.NumOnlineCPUs(c)))
			k.CPUsReadUnlock(c)
		}
	}
	writer := func(c *cpu.CPU) {
		c.Exec(1000)
		if err := k.CPUUp(c, 3); err != nil {
			t.Error(err)
		}
		c.Boundary()
		log = append(log, "up")
	}
	for i, f := range []func(c *cpu.CPU){reader(20_000), reader(40_000), writer} {
		if err := m.Spawn(i, program{m.CPUs[i], f}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Drive(nil); err != nil {
		t.Fatal(err)
	}
	want := "CPU0 leaves with 3 online; CPU1 leaves with 3 online; up"
	if got := strings.Join(log, "; "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
