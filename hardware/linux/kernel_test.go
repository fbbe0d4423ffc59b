package linux_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// TestProbe: for any preset, barrier, EOImode, jitter and seed the parts of the calls add up to what the caller sees,
// to the picosecond.
func TestProbe(t *testing.T) {
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 0))
		preset := machine.Presets()[r.IntN(len(machine.Presets()))]
		m := boot(t, preset, func(s *machine.Spec) {
			s.Seed, s.Jitter = seed, r.IntN(4) != 0
			driver(s).IPIBarrier = irqchip.IPIBarrier(r.IntN(len(irqchip.IPIBarriers())))
			driver(s).EOImode1 = r.IntN(2) == 0
			s.Sockets, s.CPUs = 1, min(s.CPUs, 2+r.IntN(30))
		})
		var probe linux.Probe
		m.Kernel.SetProbe(&probe)
		var outside sim.Time
		calls := uint64(0)
		data, err := m.Memory.Alloc(8 * mem.LineSize)
		if err != nil {
			t.Fatal(err)
		}
		caller := r.IntN(len(m.CPUs))
		run(t, m, caller, func(c *cpu.CPU) {
			for range 60 {
				target := r.IntN(len(m.CPUs))
				for i := range r.IntN(8) {
					c.Store(data+uint64(i)*mem.LineSize, 8, 1, bus.Plain)
				}
				began := c.Now()
				if err := m.Kernel.SMPCallFunctionSingle(c, target, nil, 0, true); err != nil {
					t.Error(err)
				}
				if target != caller {
					outside += c.Now() - began
					calls++
				}
			}
		})
		var sum sim.Time
		for _, part := range probe.Parts() {
			sum += part.Time
			if part.Time < 0 {
				t.Errorf("seed %d: %s takes %s", seed, part.Name, part.Time)
			}
		}
		if probe.Calls != calls || probe.Total != outside || sum != outside {
			t.Errorf("seed %d: %d calls, total %s, parts %s; outside %d calls, %s", seed, probe.Calls, probe.Total, sum, calls,
				outside)
		}
	}
}

// TestProbeChangesNothing: a run with a probe takes the same time.
func TestProbeChangesNothing(t *testing.T) {
	elapsed := func(p *linux.Probe) sim.Time {
		m := boot(t, "virt", func(*machine.Spec) {})
		m.Kernel.SetProbe(p)
		run(t, m, 0, func(c *cpu.CPU) {
			for i := range 40 {
				if err := m.Kernel.SMPCallFunctionSingle(c, i%4, nil, 0, true); err != nil {
					t.Error(err)
				}
			}
		})
		return m.Now()
	}
	var probe linux.Probe
	if with, without := elapsed(&probe), elapsed(nil); with != without || probe.Calls != 30 {
		t.Errorf("%s with a probe of %d calls, %s without", with, probe.Calls, without)
	}
}

// TestSymbols: all names that addresses in RAM have.
func TestSymbols(t *testing.T) {
	m := boot(t, "virt", func(s *machine.Spec) { s.CPUs = 65 })
	var names []string
	for addr := m.Spec.RAMBase; addr < m.Spec.RAMBase+1<<20; addr += 8 {
		if name := m.Kernel.Symbol(addr); name != "" {
			names = append(names, name)
		}
	}
	want := []string{
		"cpu_online_mask[0]", "cpu_online_mask[1]", "cpu_possible_mask[0]", "cpu_possible_mask[1]",
		"cpu_present_mask[0]", "cpu_present_mask[1]", "__num_online_cpus",
		"stop_in_progress", // nr_cpu_ids is the other half of a word
	}
	for i := range 65 {
		for _, format := range []string{
			"call_single_queue.first of cpu %d", "csd_stack.node.llist.next of cpu %d", "csd_stack.node.u_flags of cpu %d",
			"csd_stack.func of cpu %d", "csd_stack.info of cpu %d", "csd_data.node.llist.next of cpu %d",
			"csd_data.node.u_flags of cpu %d", "csd_data.func of cpu %d", "csd_data.info of cpu %d", "rq->idle of cpu %d",
			"idle thread_info.flags of cpu %d", "idle thread_info.preempt_count of cpu %d",
		} {
			want = append(want, fmt.Sprintf(format, i))
		}
		for n := range 8 {
			want = append(want, fmt.Sprintf("stack[%d] of cpu %d", n, i))
		}
	}
	slices.Sort(names)
	slices.Sort(want)
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("names of all words (-want +got):\n%s", diff)
	}
	gicd := m.Board.(*machine.ArmBoard).DistributorBase()
	for _, addr := range []uint64{0, gicd, m.Spec.RAMBase + m.Spec.RAMSize, ^uint64(0)} {
		if name := m.Kernel.Symbol(addr); name != "" {
			t.Errorf("0x%x is called %s", addr, name)
		}
	}
}

// TestFunctionNumbers: each csd has a place for the function that it is to call, which is free again when that runs, so
// that a long run needs as many as calls are in flight at once.
func TestFunctionNumbers(t *testing.T) {
	m := boot(t, "virt", func(*machine.Spec) {})
	ran := 0
	count := func(*cpu.CPU, uint64) { ran++ }
	for i := range m.CPUs {
		if err := m.Spawn(i, program{m.CPUs[i], func(c *cpu.CPU) {
			for n := range 30 {
				if err := m.Kernel.SMPCallFunctionSingle(c, n%4, count, 0, n%3 != 0); err != nil {
					t.Error(err)
				}
			}
		}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Drive(nil); err != nil {
		t.Fatal(err)
	}
	if made, free := m.Kernel.FunctionNumbers(); ran != 120 || made > 8 || free != made {
		t.Errorf("%d functions ran; %d numbers made, %d free", ran, made, free)
	}
}

// TestPollingIdleTask: an idle task that polls its flags (TIF_POLLING_NRFLAG) is told by TIF_NEED_RESCHED and gets no
// IPI: its idle loop looks at the queue by itself.
func TestPollingIdleTask(t *testing.T) {
	m := boot(t, "virt", func(s *machine.Spec) { s.Linux.PollingIdle = true })
	addr := m.Spec.RAMBase
	for m.Kernel.Symbol(addr) != "idle thread_info.flags of cpu 1" {
		addr += 8
	}
	run(t, m, 1, func(c *cpu.CPU) { c.Store(addr, 8, 1<<16, bus.Plain) })
	run(t, m, 0, func(c *cpu.CPU) {
		if err := m.Kernel.SMPCallFunctionSingle(c, 1, nil, 0, false); err != nil {
			t.Error(err)
		}
		if flags := c.Load(addr, 8, bus.Plain); flags != 1<<16|1<<1 {
			t.Errorf("flags are 0x%x", flags)
		}
	})
	run(t, m, 1, m.Kernel.GenericSMPCallFunctionInterrupt)
	run(t, m, 2, func(c *cpu.CPU) { // the task is told already: nothing is written
		before := m.Memory.Version(addr)
		if err := m.Kernel.SMPCallFunctionSingle(c, 1, nil, 0, false); err != nil {
			t.Error(err)
		}
		if after := m.Memory.Version(addr); after != before {
			t.Errorf("the flags were written %d times more", after-before)
		}
	})
	if sent := m.Kernel.Counts(0).IPIsSent; sent != 0 {
		t.Errorf("%d IPIs sent", sent)
	}
}

// TestNestedCall: a call from an interrupt handler that has interrupted a call of the same CPU has a csd of its own.
// The kernel warns of it, since two CPUs that do so with interrupts masked may wait for each other, but it works.
//
//	CPU0  calls CPU1, which has interrupts masked ──── handler of CPU2's call: calls CPU3 ──── ·· goes on
//	CPU2                                calls CPU0 ────┘
func TestNestedCall(t *testing.T) {
	m := boot(t, "virt", func(*machine.Spec) {})
	var ran []string
	note := func(c *cpu.CPU, _ uint64) { ran = append(ran, c.String()) }
	call := func(c *cpu.CPU, target int, f linux.Func) {
		if err := m.Kernel.SMPCallFunctionSingle(c, target, f, 0, true); err != nil {
			t.Error(err)
		}
	}
	for id, f := range map[int]func(c *cpu.CPU){
		0: func(c *cpu.CPU) {
			call(c, 1, note)
			call(c, 2, note)
		},
		1: func(c *cpu.CPU) {
			c.MaskIRQ(true)
			c.Delay(10 * sim.Microsecond)
			c.MaskIRQ(false)
		},
		2: func(c *cpu.CPU) {
			c.Delay(sim.Microsecond)
			call(c, 0, func(c *cpu.CPU, info uint64) {
				call(c, 3, note)
				note(c, info)
			})
		},
	} {
		if err := m.Spawn(id, program{m.CPUs[id], f}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Drive(nil); err != nil {
		t.Fatal(err)
	}
	if want := []string{"CPU3", "CPU0", "CPU1", "CPU2"}; !slices.Equal(ran, want) {
		t.Errorf("ran on %q, want %q", ran, want)
	}
}

// TestCounts: a call to another CPU is one IPI sent and one handled; every call is a function run.
func TestCounts(t *testing.T) {
	m := boot(t, "virt", func(*machine.Spec) {})
	run(t, m, 2, func(c *cpu.CPU) {
		for range 3 {
			for target := range 4 {
				if err := m.Kernel.SMPCallFunctionSingle(c, target, nil, 0, true); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for i := range m.CPUs {
		want := linux.Counts{IPIs: 3, Functions: 3}
		if i == 2 {
			want = linux.Counts{IPIsSent: 9, Functions: 3}
		}
		if got := m.Kernel.Counts(i); got != want {
			t.Errorf("CPU%d: %+v, want %+v", i, got, want)
		}
	}
}

// TestRequestIRQ: a handler takes the place of the kernel's own, until it is removed.
func TestRequestIRQ(t *testing.T) {
	m := boot(t, "virt", func(*machine.Spec) {})
	const sgi = 3
	var got []string
	m.Kernel.RequestIRQ(sgi, func(c *cpu.CPU, intid uint64) { got = append(got, fmt.Sprintf("%s: %d", c, intid)) })
	send := func(c *cpu.CPU) {
		chip(m).SendSGI(c, gic.ICC_SGI1R_EL1_INTID.Put(uint64(gic.ICC_SGI1R_EL1_IRM), sgi))
	}
	run(t, m, 1, send)
	if err := m.Drive(nil); err != nil {
		t.Fatal(err)
	}
	m.Kernel.RequestIRQ(sgi, nil)
	run(t, m, 1, send)
	if err := m.Drive(nil); err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if want := []string{"CPU0: 3", "CPU2: 3", "CPU3: 3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestOnline: a CPU is online when it has come up, in the kernel's eyes and in memory.
func TestOnline(t *testing.T) {
	spec, _ := machine.Preset("virt")
	m := newMachine(t, spec)
	for i := range m.CPUs {
		if m.Kernel.Online().Has(i) {
			t.Errorf("CPU%d is online before it has come up", i)
		}
		bootCPU(t, m, i)
		if got := m.Kernel.Online().Weight(); got != i+1 || !m.Kernel.Online().Has(i) {
			t.Errorf("%d CPUs are online after the boot of CPU%d", got, i)
		}
	}
}

// TestReplacedSendMask: Ops.GICIPISendMask is called with the queue's target, and in place of the kernel's own.
func TestReplacedSendMask(t *testing.T) {
	m := boot(t, "virt", func(*machine.Spec) {})
	native := chip(m).Ops.GICIPISendMask
	var got []string
	chip(m).Ops.GICIPISendMask = func(c *cpu.CPU, intid int, mask linux.CPUMask) {
		got = append(got, fmt.Sprintf("%s sends %d to %d of %d", c, intid, mask.Next(0), mask.Weight()))
		native(c, intid, mask)
	}
	run(t, m, 3, func(c *cpu.CPU) {
		for _, target := range []int{2, 3, 0} {
			if err := m.Kernel.SMPCallFunctionSingle(c, target, nil, 0, true); err != nil {
				t.Error(err)
			}
		}
	})
	if want := []string{"CPU3 sends 1 to 2 of 1", "CPU3 sends 1 to 0 of 1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
