package arm_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/sim"
)

// TestCounter: the generic counter has a grain of 10 ns, whatever the clock, and both of its names are one counter.
func TestCounter(t *testing.T) {
	b := newBench(t, defaultSpec())
	b.run(func() {
		for _, row := range []struct {
			at   sim.Time
			want uint64
		}{{0, 0}, {9_999, 0}, {10_000, 1}, {19_999, 1}, {20_000, 2}, {1_234_567, 123}, {sim.Second, 100_000_000}} {
			b.pe.Delay(row.at - b.pe.Now())
			b.reads(a64.CNTVCT_EL0, row.want)
			b.reads(a64.CNTPCT_EL0, row.want)
			if got := b.pe.Counter(); got != row.want {
				t.Errorf("Counter at %s is %d, want %d", row.at, got, row.want)
			}
		}
	})
	if b.pe.CounterFreq() != 100*sim.Megahertz {
		t.Errorf("CounterFreq is %d", b.pe.CounterFreq())
	}
}

// TestCycleCounter goes through the controls one after another; the clock has 2 cycles a ns.
func TestCycleCounter(t *testing.T) {
	const (
		e, c, d, lc = uint64(a64.PMCR_EL0_E), uint64(a64.PMCR_EL0_C), uint64(a64.PMCR_EL0_D), uint64(a64.PMCR_EL0_LC)
		cycle       = uint64(a64.PMCNTENSET_EL0_C)
	)
	b := newBench(t, defaultSpec())
	b.run(func() {
		after := func(spent sim.Time, want uint64) {
			t.Helper()
			b.pe.Delay(spent)
			b.reads(a64.PMCCNTR_EL0, want)
		}
		after(100*ns, 0) // stopped at reset
		b.write(a64.PMCNTENSET_EL0, cycle)
		after(100*ns, 0) // its own bit is not enough
		b.write(a64.PMCR_EL0, e)
		after(100*ns, 200)
		b.write(a64.PMCNTENSET_EL0, 0) // changes nothing
		after(100*ns, 400)
		b.write(a64.PMCNTENCLR_EL0, cycle)
		after(100*ns, 400) // stopped by its own bit
		b.write(a64.PMCNTENSET_EL0, cycle)
		after(100*ns, 600) // goes on from where it stood
		b.write(a64.PMCR_EL0, 0)
		after(100*ns, 600) // stopped as a whole
		b.write(a64.PMCCNTR_EL0, 1<<40)
		after(100*ns, 1<<40) // a value written while it stands still
		b.write(a64.PMCR_EL0, e)
		after(100*ns, 1<<40+200)
		b.write(a64.PMCCNTR_EL0, ^uint64(0))
		after(100*ns, 199) // written while it counts, and wraps
		b.write(a64.PMCR_EL0, e|c)
		after(0, 0) // reset, and the bit reads as zero
		b.reads(a64.PMCR_EL0, 0x48<<24|e)
		after(100*ns, 200)
		b.write(a64.PMCCFILTR_EL0, uint64(a64.PMCCFILTR_EL0_P))
		after(100*ns, 200) // all cycles are at EL1
		b.write(a64.PMCCFILTR_EL0, uint64(a64.PMCCFILTR_EL0_U))
		after(0, 200)
		b.write(a64.PMCR_EL0, e|d)
		after(320*ns, 210) // every 64th cycle
		b.write(a64.PMCR_EL0, e|d|lc)
		after(320*ns, 850) // D is ignored with LC
		b.write(a64.PMCR_EL0, c)
		after(100*ns, 0) // reset and stopped at once
	})
}

// TestCountEnable: PMCNTENSET_EL0 and PMCNTENCLR_EL0 are one register, of which only the cycle counter's bit exists.
func TestCountEnable(t *testing.T) {
	b := newBench(t, defaultSpec())
	b.run(func() {
		b.write(a64.PMCNTENSET_EL0, ^uint64(0))
		b.reads(a64.PMCNTENSET_EL0, 1<<31)
		b.reads(a64.PMCNTENCLR_EL0, 1<<31)
		b.write(a64.PMCNTENCLR_EL0, 1<<31-1) // the event counters' bits
		b.reads(a64.PMCNTENSET_EL0, 1<<31)
		b.write(a64.PMCNTENCLR_EL0, 1<<31)
		b.reads(a64.PMCNTENSET_EL0, 0)
	})
}

// cycleCounter switches the cycle counter on, as a kernel's PMU driver does.
func (b *bench) cycleCounter() {
	b.write(a64.PMCNTENSET_EL0, uint64(a64.PMCNTENSET_EL0_C))
	b.write(a64.PMCR_EL0, uint64(a64.PMCR_EL0_E|a64.PMCR_EL0_LC))
}

// TestCountersOutsideOfPrograms: while the PE waits or is idle its clock runs on.
func TestCountersOutsideOfPrograms(t *testing.T) {
	b := newBench(t, defaultSpec())
	b.pe.SetVector(vector(func() { b.pe.SetIRQ(false) }))
	b.run(b.cycleCounter)
	b.drive(1000*ns, irqHigh)
	b.run(func() {
		b.pe.WaitForInterrupt()
		b.reads(a64.PMCCNTR_EL0, 2000)
	})
	b.drive(5000*ns, fiqHigh) // nothing takes it, but time passes
	if err := b.engine.Drive(nil); err != nil {
		t.Fatal(err)
	}
	if v, _ := b.pe.ReadSys(a64.PMCCNTR_EL0); v != 10_000 || b.pe.Counter() != 500 {
		t.Errorf("at 5 us: PMCCNTR_EL0 %d, CNTVCT_EL0 %d, want 10000 and 500", v, b.pe.Counter())
	}
}

// plainPMU is the cycle counter as the manual's words have it: at each clock edge, if it is enabled, it counts one.
// Edge n comes when n whole cycles have passed.
type plainPMU struct {
	clock                    sim.Freq
	enabled, cycle, filtered bool
	divided, long            bool
	edges, value             uint64
	phase                    uint64 // of the running cycle, in units of 1/Second
}

// advance lets the time pass picosecond by picosecond.
func (p *plainPMU) advance(d sim.Time) {
	for range d {
		p.phase += uint64(p.clock)
		if p.phase < uint64(sim.Second) {
			continue
		}
		p.phase -= uint64(sim.Second)
		p.edges++
		counts := p.enabled && p.cycle && !p.filtered
		if p.divided && !p.long {
			counts = counts && p.edges%64 == 0
		}
		if counts {
			p.value++
		}
	}
}

// TestCycleCounterProperty plays random operations on the PE and on the plain counter.
func TestCycleCounterProperty(t *testing.T) {
	rounds := 20
	if os.Getenv("HWSCRIPT_LONG") == "1" {
		rounds = 200
	}
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 0))
		spec := defaultSpec()
		spec.CPU.Clock = []sim.Freq{sim.Gigahertz, 2600 * sim.Megahertz, 1_999_999_999, 7 * sim.Megahertz}[r.IntN(4)]
		b := newBench(t, spec)
		plain := &plainPMU{clock: spec.CPU.Clock}
		b.run(func() {
			for range 30 {
				playPMU(b, plain, r)
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

// playPMU performs one operation on both, and compares them.
func playPMU(b *bench, plain *plainPMU, r *rand.Rand) {
	switch r.IntN(6) {
	case 0:
		v := r.Uint64() & 0x7f
		b.write(a64.PMCR_EL0, v)
		plain.enabled, plain.divided, plain.long = v&1 != 0, v&8 != 0, v&64 != 0
		if v&4 != 0 {
			plain.value = 0
		}
	case 1:
		v := r.Uint64()
		b.write(a64.PMCNTENSET_EL0, v)
		plain.cycle = plain.cycle || v>>31&1 != 0
	case 2:
		v := r.Uint64()
		b.write(a64.PMCNTENCLR_EL0, v)
		plain.cycle = plain.cycle && v>>31&1 == 0
	case 3:
		v := r.Uint64()
		b.write(a64.PMCCNTR_EL0, v)
		plain.value = v
	case 4:
		v := r.Uint64()
		b.write(a64.PMCCFILTR_EL0, v)
		plain.filtered = v>>31&1 != 0
	case 5:
		d := sim.Time(r.Int64N(200_000))
		b.pe.Delay(d)
		plain.advance(d)
	}
	b.reads(a64.PMCCNTR_EL0, plain.value)
}
