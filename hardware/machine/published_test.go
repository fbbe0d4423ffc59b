package machine_test

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

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

// TestPublished holds the loop against the figures of commit 80e4e1f47288: the wmb() row is fitted, the dsb(ishst) row
// and the difference are predicted.
func TestPublished(t *testing.T) {
	wmb, dsb := simulated(t, irqchip.BarrierDSBST, nil), simulated(t, irqchip.BarrierDSBISHST, nil)
	t.Logf("wmb() %.0f ns, dsb(ishst) %.0f ns", wmb, dsb)
	for _, row := range []struct {
		name             string
		simulated, limit float64 // in percent
	}{{"dsb_st", wmb, 1}, {"dsb_ishst", dsb, 2}} {
		want := published(t, row.name)
		deviation := (row.simulated - want) / want * 100
		t.Logf("%s: %.0f ns, published %.0f ns, %+.2f %%", row.name, row.simulated, want, deviation)
		if math.Abs(deviation) > row.limit {
			t.Errorf("%s deviates by %+.2f %%, more than %g %%", row.name, deviation, row.limit)
		}
	}
	if delta := (dsb - wmb) / wmb * 100; delta > -1.2 || delta < -3.7 {
		t.Errorf("dsb(ishst) against wmb(): %+.2f %%, want -1.2 %% to -3.7 %% (published -2.47 %%)", delta)
	}
}

// TestBarriersInOrder: what a barrier asks for more costs no less, on the machine without jitter.
func TestBarriersInOrder(t *testing.T) {
	total := func(b irqchip.IPIBarrier) float64 {
		return simulated(t, b, func(s *machine.Spec) { s.Jitter, s.Sockets, s.CPUs = false, 1, 8 })
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
