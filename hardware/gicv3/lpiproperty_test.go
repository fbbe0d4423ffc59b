package gicv3_test

import (
	"math/rand"
	"testing"

	"github.com/hwscript/hwscript/hardware/gicv3"
)

// The LPIs of the comparison.
const plainLPIs = 6

// plainLPI is what two redistributors know of LPIs: a set each.
type plainLPI struct {
	enabled [2]bool
	pending [2][plainLPIs]bool
}

func (p *plainLPI) set(cpu, id int) { p.pending[cpu][id] = p.pending[cpu][id] || p.enabled[cpu] }

func (p *plainLPI) clear(cpu, id int) { p.pending[cpu][id] = p.pending[cpu][id] && !p.enabled[cpu] }

func (p *plainLPI) move(cpu, id int) {
	if p.pending[cpu][id] && p.enabled[cpu] {
		p.pending[cpu][id] = false
		p.set(1-cpu, id)
	}
}

// urgent reports whether an LPI has the higher of the two priorities.
func urgent(id int) bool { return id%2 == 1 }

// best is the LPI that is presented to a CPU.
func (p *plainLPI) best(cpu int) uint32 {
	best := spurious
	for id, pending := range p.pending[cpu] {
		if pending && p.enabled[cpu] && (best == spurious || urgent(id) && !urgent(int(best-firstLPI))) {
			best = firstLPI + uint32(id)
		}
	}
	return best
}

// lpiPair drives the model and the plain model side by side.
type lpiPair struct {
	*lpiBed
	plain plainLPI
}

// do makes a step of some kind on both.
func (p *lpiPair) do(kind, cpu, id int) {
	lpi := firstLPI + uint32(id)
	switch kind {
	case 0, 1, 2:
		p.gic.SetLPI(cpu, lpi)
		p.plain.set(cpu, id)
	case 3:
		p.gic.ClearLPI(cpu, lpi)
		p.plain.clear(cpu, id)
	case 4:
		p.gic.MoveLPI(cpu, 1-cpu, lpi)
		p.plain.move(cpu, id)
	case 5:
		p.gic.MoveAllLPIs(cpu, 1-cpu)
		for i := range plainLPIs {
			p.plain.move(cpu, i)
		}
	case 6:
		want := p.plain.best(cpu)
		if got := p.take(cpu); got != want {
			p.Errorf("CPU%d took %d, want %d", cpu, got, want)
		} else if got != spurious {
			p.plain.pending[cpu][got-firstLPI] = false
		}
	case 7:
		p.plain.enabled[cpu] = !p.plain.enabled[cpu]
		p.enableLPIs(cpu, p.plain.enabled[cpu])
	}
	p.drive()
}

// check compares what each redistributor knows, and its pending table where that has to say so.
func (p *lpiPair) check() {
	for cpu := range 2 {
		for i, pending := range p.plain.pending[cpu] {
			lpi := firstLPI + uint32(i)
			if has := p.gic.LPIPending(cpu, lpi); has != (pending && p.plain.enabled[cpu]) {
				p.Errorf("CPU%d LPI %d: pending %v, want %v", cpu, lpi, has, !has)
			}
			if (p.spec.PendingWrites || !p.plain.enabled[cpu]) && p.bit(cpu, lpi) != pending {
				p.Errorf("CPU%d LPI %d: pending bit %v, want %v", cpu, lpi, !pending, pending)
			}
		}
		p.expect(cpu, p.plain.best(cpu))
	}
}

// LPIs agree with the plain model, whatever the implementation's choices.
func TestLPIProperty(t *testing.T) {
	for seed := range int64(200) {
		rng := rand.New(rand.NewSource(seed))
		p := &lpiPair{lpiBed: newLPIBed(t, func(s *gicv3.Spec) {
			s.PendingWrites, s.ConfigCache = rng.Intn(2) == 0, rng.Intn(3)
		})}
		p.plain.enabled = [2]bool{true, true}
		for id := range plainLPIs {
			config := enabledLPI
			if urgent(id) {
				config = urgentLPI
			}
			p.config(firstLPI+uint32(id), config)
		}
		for range 40 {
			p.do(rng.Intn(8), rng.Intn(2), rng.Intn(plainLPIs))
			p.check()
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
}
