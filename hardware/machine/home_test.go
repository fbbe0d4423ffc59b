package machine_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

func still(s *machine.Spec) { s.Jitter = false }

// moved is how long a load takes of a line on a node that another CPU has written.
func moved(t *testing.T, m *machine.Machine, holder, reader, node int) (d sim.Time) {
	t.Helper()
	addr, err := m.Lines(1, "", node)
	if err != nil {
		t.Fatal(err)
	}
	on(t, m, holder, func(c *cpu.CPU) {
		c.Store(addr, 8, 1, bus.Plain)
		c.Delay(1000 * sim.Nanosecond)
	})
	on(t, m, reader, func(c *cpu.CPU) {
		begin := c.Now()
		c.Load(addr, 8, bus.Plain)
		d = c.Now() - begin
	})
	return d
}

// TestHandOffsAsPublished: where the Kunpeng 920 was measured, within a socket, the sums of the legs are the means of
// the table, 34.4 ns in the cluster, 35.9 ns on the die, 78.9 ns across dies, wherever of the two ends the home is.
func TestHandOffsAsPublished(t *testing.T) {
	m := boot(t, "kunpeng920", still)
	for _, k := range []struct {
		holder, reader, node int
		want                 sim.Time
	}{
		{1, 0, 0, 34_400}, {4, 0, 0, 35_900}, {24, 0, 0, 78_900}, {24, 0, 1, 78_900}, {47, 24, 1, 35_900},
	} {
		if got := moved(t, m, k.holder, k.reader, k.node); got != k.want {
			t.Errorf("CPU%d from CPU%d, home %d: %s, want %s", k.reader, k.holder, k.node, got, k.want)
		}
	}
}

// TestKernelDataIsOnItsNode: per-CPU data has its home on the node of its CPU, and the stacks where they were forked.
// The csd on the caller's stack goes to the callee and back: from another socket it has a longer way.
func TestKernelDataIsOnItsNode(t *testing.T) {
	call := func(stack, target int) (d sim.Time) {
		m := boot(t, "kunpeng920", func(s *machine.Spec) { s.Jitter, s.Linux.StackNode = false, stack })
		on(t, m, 0, func(c *cpu.CPU) {
			for range 2 { // the lines are in caches the second time
				begin := c.Now()
				if err := m.Kernel.SMPCallFunctionSingle(c, target, nil, 0, true); err != nil {
					t.Error(err)
				}
				d = c.Now() - begin
			}
		})
		return d
	}
	if own, zero := call(linux.OwnNode, 1), call(0, 1); own != zero {
		t.Errorf("CPU0 and CPU1 are on node 0: %s with stacks of their own node, %s with those of node 0", own, zero)
	}
	near, far := call(0, 1), call(3, 1)
	if near >= far {
		t.Errorf("stacks on node 0 %s, on node 3 %s: the csd's way is not longer", near, far)
	}
}

// TestSGIsTakeALeg: the transport of an SGI is the same for all targets, but for one leg to another die or socket.
func TestSGIsTakeALeg(t *testing.T) {
	m := boot(t, "kunpeng920", still)
	board := armBoard(m)
	latency := func(n machine.LatencyName) sim.Time { return m.Spec.Latency[n].Mean }
	base := latency(machine.SGITransport)
	for _, k := range []struct {
		from, to int
		want     sim.Time
	}{
		{0, 0, base}, {0, 1, base}, {0, 23, base}, {0, 24, base + latency(machine.LegDie)},
		{24, 23, base + latency(machine.LegDie)}, {0, 48, base + latency(machine.LegSocket)},
		{95, 0, base + latency(machine.LegSocket)}, {72, 95, base},
	} {
		for n := range uint64(3) {
			if got := board.SGI(k.from, k.to, n); got != k.want {
				t.Errorf("CPU%d to CPU%d: %s, want %s", k.from, k.to, got, k.want)
			}
		}
	}
}

// handOver is the mean time in which a ticket lock goes from one CPU to the next, with so many that wait.
func handOver(t *testing.T, waiters int) sim.Time {
	const rounds = 8
	m := boot(t, "virt", func(s *machine.Spec) { s.Jitter, s.CPUs = false, waiters+1 })
	lock, err := m.Memory.Alloc(mem.LineSize)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.CPUs {
		c := m.CPUs[i]
		if err := m.Spawn(i, program(func() {
			for range rounds {
				ticket := c.Atomic(lock, 8, bus.Add, 1, 0, bus.Plain)
				c.Wait(lock+8, 8, bus.Acquire, func(v uint64) bool { return v == ticket }, cpu.Forever)
				c.Store(lock+8, 8, ticket+1, bus.Release)
			}
		})); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Drive(nil); err != nil {
		t.Fatal(err)
	}
	return m.Now() / sim.Time(rounds*(waiters+1))
}

// TestTicketLockDegrades: the more CPUs spin on the line of a ticket lock, the later the next owner has it.
func TestTicketLockDegrades(t *testing.T) {
	few, some, many := handOver(t, 2), handOver(t, 24), handOver(t, 95)
	if few*3/2 > some || some*2 > many {
		t.Errorf("2 waiters %s, 24 waiters %s, 95 waiters %s", few, some, many)
	}
}
