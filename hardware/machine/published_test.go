package machine_test

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/sim"
)

// published reads the mean of a case of testdata/ipi_latency.tsv, in ns for 1000 rounds.
func published(t *testing.T, name string) float64 {
	t.Helper()
	text, err := os.ReadFile("testdata/ipi_latency.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		values, found := strings.CutPrefix(line, name+"\t")
		if !found {
			continue
		}
		sum, fields := 0.0, strings.Fields(values)
		for _, f := range fields {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += v
		}
		return sum / float64(len(fields))
	}
	t.Fatalf("no case %s", name)
	return 0
}

// simulated is the mean over some seeds of the same loop, in ns for 1000 rounds. The caches are warm: the first round
// of a thousand takes longer, but the first of a few would show.
func simulated(t *testing.T, barrier irqchip.IPIBarrier, change func(*machine.Spec)) float64 {
	t.Helper()
	const seeds, rounds = 3, 20
	var sum sim.Time
	for seed := range uint64(seeds) {
		m := boot(t, "kunpeng920", func(s *machine.Spec) {
			s.Seed, armSpec(s).Driver.IPIBarrier = seed+1, barrier
			if change != nil {
				change(s)
			}
		})
		runLoop(t, m, 1)
		sum += runLoop(t, m, rounds).elapsed
	}
	return float64(sum) / float64(sim.Nanosecond) / seeds / rounds * 1000
}

// TestFittedRow: the one row that a constant of the preset was fitted on comes out, and no other is asked to.
func TestFittedRow(t *testing.T) {
	got, want := simulated(t, irqchip.BarrierDSBST, nil), published(t, "dsb_st")
	if deviation := (got - want) / want * 100; math.Abs(deviation) > 0.1 {
		t.Errorf("wmb(): %.0f ns, published %.0f ns, %+.2f %%", got, want, deviation)
	}
}

// TestOuterModelNone: with no hypothesis about what a barrier of the full system waits for, all of them cost the same.
func TestOuterModelNone(t *testing.T) {
	total := func(b irqchip.IPIBarrier) float64 {
		return simulated(t, b, func(s *machine.Spec) { s.Jitter, s.Sockets, s.CPUs = false, 1, 8 })
	}
	want := total(irqchip.BarrierDSBISHST)
	for _, b := range []irqchip.IPIBarrier{irqchip.BarrierDSBISH, irqchip.BarrierDSBST, irqchip.BarrierDSBSY} {
		if got := total(b); got != want {
			t.Errorf("%s: %.0f ns, dsb_ishst %.0f ns", b, got, want)
		}
	}
}

// TestBarriersInOrder: what a barrier asks for more costs no less, on the machine without jitter, whatever a barrier of
// the full system waits for.
func TestBarriersInOrder(t *testing.T) {
	for i := range cpu.OuterModels() {
		t.Run(cpu.OuterModel(i).String(), func(t *testing.T) { testBarriersInOrder(t, cpu.OuterModel(i)) })
	}
}

func testBarriersInOrder(t *testing.T, m cpu.OuterModel) {
	total := func(b irqchip.IPIBarrier) float64 {
		return simulated(t, b, func(s *machine.Spec) { s.Jitter, s.Sockets, s.CPUs, s.OuterModel = false, 1, 8, m })
	}
	order := []irqchip.IPIBarrier{
		irqchip.BarrierNone, irqchip.BarrierDMBISHST, irqchip.BarrierDSBNSHST, irqchip.BarrierDSBISHST, irqchip.BarrierDSBST,
		irqchip.BarrierDSBSY,
	}
	before := 0.0
	for _, b := range order {
		now := total(b)
		if now < before {
			t.Errorf("%s: %.0f ns, less than the weaker barrier before it, %.0f ns", b, now, before)
		}
		before = now
	}
	if ish, ishst := total(irqchip.BarrierDSBISH), total(irqchip.BarrierDSBISHST); ish != ishst {
		t.Errorf("dsb ish %.0f ns, dsb ishst %.0f ns: with no load outstanding they wait for the same", ish, ishst)
	}
}
