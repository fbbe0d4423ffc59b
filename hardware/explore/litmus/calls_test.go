package litmus

import (
	"fmt"
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
)

// callGraphs is a booted kernel on which CPUs call one another, as execution graphs: pairs of caller and callee.
func callGraphs(t testing.TB, cpus int, barrier irqchip.IPIBarrier, pairs ...[2]int) *graph.Report {
	t.Helper()
	preset, _ := machine.Preset("virt")
	preset.CPUs, preset.Jitter = cpus, false
	preset.Board.(*machine.ArmSpec).Driver.IPIBarrier = barrier
	m, err := machine.New(preset)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Boot(); err != nil {
		t.Fatal(err)
	}
	data, err := m.Memory.Alloc(uint64(len(pairs)) * mem.LineSize)
	if err != nil {
		t.Fatal(err)
	}
	x, err := m.Graphs()
	if err != nil {
		t.Fatal(err)
	}
	calls, stale := 0, false
	p := x.Program(func(c *cpu.CPU) func() {
		return func() {
			for i, pair := range pairs {
				if pair[0] != c.ID {
					continue
				}
				at := data + uint64(i)*mem.LineSize
				c.Store(at, 8, 1, bus.Plain)
				err := m.Kernel.SMPCallFunctionSingle(c, pair[1], func(c *cpu.CPU, _ uint64) {
					calls++
					stale = stale || c.Load(at, 8, bus.Plain) != 1
				}, 0, true)
				if err != nil {
					panic(err)
				}
			}
		}
	})
	p.Restart = func() { calls, stale = 0, false }
	p.End = func(e *graph.Execution) graph.Verdict {
		switch {
		case stale:
			return graph.Verdict{Finding: "stale read"}
		case calls != len(pairs):
			return graph.Verdict{Finding: fmt.Sprintf("%d calls", calls)}
		}
		for i := range cpus {
			if e.Waits(i) {
				return graph.Verdict{Finding: fmt.Sprintf("CPU%d waits for ever", i)}
			}
		}
		return graph.Verdict{}
	}
	r, err := graph.Explore(p, &graph.Arm, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s, %v: %d executions, %d steps (%d)", barrier, pairs, r.Executions, r.Steps, r.Total)
	return r
}

// The kernel's own calls, on a booted machine with its interrupt controller, in every execution. Without a barrier they
// are right, too: the write of ICC_SGI1R_EL1 is behind a branch on what the cmpxchg has read, which the callee's xchg
// comes after; and the cmpxchg releases what was published before.
func TestCallGraphs(t *testing.T) {
	for _, c := range []struct {
		cpus    int
		barrier irqchip.IPIBarrier
		pairs   [][2]int
		want    int
	}{
		{2, irqchip.BarrierDSBISHST, [][2]int{{0, 1}}, 1},
		{2, irqchip.BarrierNone, [][2]int{{0, 1}}, 1},
		{2, irqchip.BarrierDSBISHST, [][2]int{{0, 1}, {1, 0}}, 68},
		{3, irqchip.BarrierDSBISHST, [][2]int{{0, 2}, {1, 2}}, 28},
		{3, irqchip.BarrierDSBISHST, [][2]int{{1, 0}, {2, 0}}, 28},
	} {
		r := callGraphs(t, c.cpus, c.barrier, c.pairs...)
		if r.Failure != nil || r.Limits != 0 || r.Executions != c.want {
			t.Errorf("%s, %v: %+v, %v; expected %d executions", c.barrier, c.pairs, r, r.Failure, c.want)
		}
	}
}
