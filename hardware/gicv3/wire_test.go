package gicv3_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/sim"
)

// distant makes the SGIs of CPU 2 travel long, and remembers what it was asked.
type distant struct{ asked []string }

func (d *distant) SGI(from, to int, n uint64) sim.Time {
	d.asked = append(d.asked, fmt.Sprintf("%d to %d: %d", from, to, n))
	if from == 2 {
		return 2000 * sim.Nanosecond
	}
	return 300 * sim.Nanosecond
}

// An SGI waits for those that its own sender has sent to the same PE, and for no others; jitter is drawn by the number
// of the SGI between the two.
func TestWirePerPair(t *testing.T) {
	var ports []gicv3.CPUPort
	eng, d := sim.NewEngine(), &distant{}
	for range 3 {
		ports = append(ports, &port{eng: eng})
	}
	spec := gicv3.DefaultSpec(3, redistBase)
	g, err := gicv3.New(spec, eng, d, ports)
	if err != nil {
		t.Fatal(err)
	}
	bed := &testbed{TB: t, eng: eng, gic: g, spec: spec}
	bed.boot(false)
	send := func(from, to int, intid uint64) { bed.msr(from, gic.ICC_SGI1R_EL1, bed.sgi1r(intid, to)) }
	trace := &arrivals{}
	eng.Attach(sim.TextTracer(trace.Trace))
	send(2, 1, 3)
	send(0, 1, 4)
	send(2, 1, 5)
	send(0, 1, 6)
	send(1, 1, 7)
	bed.drive()
	want := []string{"300 ns 4", "300 ns 6", "300 ns 7", "2 us 3", "2 us 5"}
	if !slices.Equal(trace.arrived, want) {
		t.Errorf("arrived %q, want %q", trace.arrived, want)
	}
	want = []string{"2 to 1: 0", "0 to 1: 0", "2 to 1: 1", "0 to 1: 1", "1 to 1: 0"}
	if !slices.Equal(d.asked, want) {
		t.Errorf("asked for %q, want %q", d.asked, want)
	}

	// A checkpoint has the counts, of wires that were used before it and after.
	saved := g.Save()
	send(2, 1, 3)
	send(0, 2, 3)
	bed.drive()
	d.asked = nil
	g.Restore(saved)
	send(2, 1, 3)
	send(0, 2, 3)
	if want := []string{"2 to 1: 2", "0 to 2: 0"}; !slices.Equal(d.asked, want) {
		t.Errorf("after the restore asked for %q, want %q", d.asked, want)
	}
}

// arrivals notes which SGIs arrive when.
type arrivals struct{ arrived []string }

func (a *arrivals) Trace(at sim.Time, _, what string) {
	var intid, from int
	if n, _ := fmt.Sscanf(what, "SGI %d from CPU%d arrives", &intid, &from); n == 2 {
		a.arrived = append(a.arrived, fmt.Sprintf("%s %d", at, intid))
	}
}

// The largest machine has 16 million pairs, of which those that talk have a wire.
func TestWiresOnFirstUse(t *testing.T) {
	bed := newTestbed(t, gicv3.DefaultSpec(gicv3.MaxCPUs, redistBase))
	to := bed.sgi1r(1, 0)
	allocations := testing.AllocsPerRun(1, func() {
		for from := range gicv3.MaxCPUs / 2 { // half of them in the run that warms up
			if s := bed.gic.Stats(from); s.SGIsSent != 0 {
				from += gicv3.MaxCPUs / 2
			}
			bed.msr(from, gic.ICC_SGI1R_EL1, to)
		}
	})
	if perSender := allocations / (gicv3.MaxCPUs / 2); perSender > 8 {
		t.Errorf("%.1f allocations for a sender of one SGI", perSender)
	}
}
