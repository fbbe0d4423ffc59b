package linux_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
)

func maskOf(m *machine.Machine, cpus ...int) linux.CPUMask {
	mask := linux.NewCPUMask(m.Kernel.NRCPUIDs())
	for _, i := range cpus {
		mask.Set(i)
	}
	return mask
}

// TestMany: whom a call to many runs on, for every combination of its switches and every variant of gic_ipi_send_mask.
func TestMany(t *testing.T) {
	for variant := irqchip.BroadcastList; variant <= irqchip.BroadcastFixed; variant++ {
		m := boot(t, "virt", func(s *machine.Spec) {
			s.CPUs, s.Linux.MaxCPUs = 70, 69
			driver(s).SGIBroadcast = variant
		})
		k := m.Kernel
		for n := range 32 {
			mask, others := maskOf(m, 0, 3, 5, 68, 69), n&1 != 0
			if others {
				mask = k.Mask(linux.CPUPossibleMask)
			}
			call := linux.CallMask{Mask: mask, RunLocal: n&2 != 0, Wait: n&4 != 0}
			if n&8 != 0 {
				call.Cond = func(target int) bool { return target%2 != 0 }
			}
			sender := 5 * (n >> 4)
			var want, ran []int
			for i := range 69 { // 69 is not online
				if mask.Has(i) && (i != sender || call.RunLocal) && (call.Cond == nil || call.Cond(i)) {
					want = append(want, i)
				}
			}
			run(t, m, sender, func(c *cpu.CPU) {
				err := k.SMPCallFunctionManyCond(c, call, func(c *cpu.CPU, info uint64) { ran = append(ran, c.ID) }, 7)
				if err != nil {
					t.Error(err)
				}
				if c.Boundary(); call.Wait && len(ran) != len(want) {
					t.Errorf("%s, %d: %d have run when the call returns, want %d", variant, n, len(ran), len(want))
				}
			})
			if err := m.Drive(nil); err != nil {
				t.Fatal(err)
			}
			slices.Sort(ran)
			if !slices.Equal(ran, want) {
				t.Errorf("%s, %d: it ran on %v, want %v", variant, n, ran, want)
			}
		}
	}
}

// TestManyRefused: a mask beyond nr_cpu_ids.
func TestManyRefused(t *testing.T) {
	m := boot(t, "virt", func(s *machine.Spec) { s.Linux.NRCPUs = 3 })
	run(t, m, 0, func(c *cpu.CPU) {
		mask := linux.NewCPUMask(64)
		mask.Set(3)
		err := m.Kernel.SMPCallFunctionManyCond(c, linux.CallMask{Mask: mask}, nil, 0)
		if got, want := fmt.Sprint(err), "CPU 3: expected 0 to 2"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// TestManySendsOnce: one request for interrupts, in one write of ICC_SGI1R_EL1 for each 16 CPUs, or in one for all.
func TestManySendsOnce(t *testing.T) {
	for variant, want := range map[irqchip.SGIBroadcast]uint64{
		irqchip.BroadcastList: 3, irqchip.BroadcastV1: 1, irqchip.BroadcastReview: 1, irqchip.BroadcastV2: 1,
		irqchip.BroadcastFixed: 1,
	} {
		m := boot(t, "virt", func(s *machine.Spec) { s.CPUs, driver(s).SGIBroadcast = 48, variant })
		run(t, m, 0, func(c *cpu.CPU) {
			if err := m.Kernel.OnEachCPU(c, nil, 0, true); err != nil { // allocates
				t.Error(err)
			}
			before := c.Stats()
			if err := m.Kernel.OnEachCPU(c, nil, 0, true); err != nil {
				t.Error(err)
			}
			if after := c.Stats(); after.SysRegWrites-before.SysRegWrites != want || c.Stats().Fences == before.Fences {
				t.Errorf("%s: %d writes, want %d", variant, after.SysRegWrites-before.SysRegWrites, want)
			}
		})
	}
}

// TestManyAllocatesNothing: a broadcast with its handlers costs the host no allocation.
func TestManyAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	m := boot(t, "virt", func(s *machine.Spec) { s.CPUs = 32 })
	run(t, m, 0, func(c *cpu.CPU) {
		call := func() {
			if err := m.Kernel.OnEachCPU(c, nil, 0, true); err != nil {
				t.Error(err)
			}
		}
		call()
		if n := testing.AllocsPerRun(20, call); n != 0 {
			t.Errorf("%v allocations a call", n)
		}
	})
}

// TestSpinLock: under contention of all CPUs nobody is inside together with another, and nobody is left out.
func TestSpinLock(t *testing.T) {
	for _, cpus := range []int{1, 2, 3, 8, 40} {
		m := boot(t, "virt", func(s *machine.Spec) { s.CPUs, s.Jitter = cpus, true })
		lock, err := m.Memory.Alloc(mem.LineSize)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Kernel.AllocatePause(); err != nil { // and with it the nodes
			t.Fatal(err)
		}
		inside, total := 0, 0
		for i, c := range m.CPUs {
			err := m.Spawn(i, program{c, func(c *cpu.CPU) {
				for range 20 {
					m.Kernel.SpinLock(c, lock)
					if inside++; inside != 1 {
						t.Errorf("%d CPUs are inside", inside)
					}
					c.Exec(50)
					c.Boundary()
					inside--
					total++
					m.Kernel.SpinUnlock(c, lock)
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Drive(nil); err != nil {
			t.Fatal(err)
		}
		if v := m.Memory.Peek(lock, 4); total != 20*cpus || v != 0 {
			t.Errorf("%d CPUs: %d times inside, the lock is 0x%x at the end", cpus, total, v)
		}
	}
}
