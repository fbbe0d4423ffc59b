package mem

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

const ns = sim.Nanosecond

// testLatency has a different latency for each distance, so that a wrong distance shows as a wrong time.
var testLatency = [Distances]sim.Spread{
	Own: sim.Fixed(1 * ns), Cluster: sim.Fixed(20 * ns), Die: sim.Fixed(40 * ns), CrossDie: sim.Fixed(90 * ns),
	CrossNode: sim.Fixed(200 * ns), DRAM: sim.Fixed(100 * ns),
}

// jittered spreads each latency but Own to both sides.
func jittered(latency [Distances]sim.Spread) [Distances]sim.Spread {
	for d := Cluster; d < Distances; d++ {
		latency[d].Low -= latency[d].Mean / 3
		latency[d].High += latency[d].Mean
	}
	return latency
}

// testPlaces puts two CPUs into a cluster, two clusters onto a die, two dies into a socket.
func testPlaces(cpus int) []Place {
	places := make([]Place, cpus)
	for i := range places {
		places[i] = Place{Cluster: int32(i / 2), Die: int32(i / 4), Socket: int32(i / 8)}
	}
	return places
}

const testBase = 0x4000_0000

func testSpec(cpus int) Spec {
	return Spec{Base: testBase, Size: ramGrain, Places: testPlaces(cpus), Latency: testLatency, Seed: 7}
}

func newTestMemory(t testing.TB, s Spec, wake func(int, sim.Time)) *Memory {
	t.Helper()
	m, err := New(s, wake)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// duel drives both implementations with the same random accesses.
type duel struct {
	rng   *rand.Rand
	m     *Memory
	plain *plainMemory
	cpus  int
	reads int // of ten accesses; the rest are writes and atomics
	now   sim.Time
	log   []string // the last accesses, for the report
}

// step makes one access with both and answers what is different, "" if nothing is.
func (d *duel) step() string {
	r := d.rng
	d.now += [...]sim.Time{0, 0, 1, ns, 7 * ns, 30 * ns, 500 * ns}[r.Intn(7)]
	c, size := r.Intn(d.cpus), uint8(1)<<r.Intn(4)
	addr := uint64(testBase + LineSize*r.Intn(3) + 8*r.Intn(2) + int(size)*r.Intn(8/int(size)))
	v, compare := r.Uint64(), d.m.Peek(addr, size)
	if r.Intn(3) == 0 {
		compare = r.Uint64()
	}
	floor := sim.Time(0)
	if r.Intn(4) == 0 {
		floor = d.now + sim.Time(r.Intn(300))*ns
	}
	var got, want uint64
	var out, expected Outcome
	var what string
	switch k := r.Intn(10); {
	case k < d.reads:
		what = fmt.Sprintf("CPU%d reads %d bytes at %x at %s", c, size, addr, d.now)
		got, out = d.m.Read(c, addr, size, d.now)
		want, expected = d.plain.Read(c, addr, size, d.now)
	case k < 8:
		what = fmt.Sprintf("CPU%d writes %d bytes at %x at %s, not before %s", c, size, addr, d.now, floor)
		out = d.m.Write(c, addr, size, v, d.now, floor)
		expected = d.plain.Write(c, addr, size, v, d.now, floor)
	default:
		op := bus.AtomicOp(r.Intn(7))
		what = fmt.Sprintf("CPU%d %s of %d bytes at %x at %s, not before %s", c, op, size, addr, d.now, floor)
		got, out = d.m.Atomic(c, addr, size, op, v, compare, d.now, floor)
		want, expected = d.plain.Atomic(c, addr, size, op, v, compare, d.now, floor)
	}
	d.log = append(d.log, fmt.Sprintf("%s: %x %+v", what, got, out))
	if got != want || out != expected {
		return fmt.Sprintf("the plain memory says %x %+v", want, expected)
	}
	end := d.plain.line(addr).end()
	if peek, expect := d.m.Peek(addr, size), end.number(addr, size); peek != expect {
		return fmt.Sprintf("ends as %x, in the plain memory as %x", peek, expect)
	}
	if d.m.Version(addr) != end.writes {
		return fmt.Sprintf("version %d after %d writes", d.m.Version(addr), end.writes)
	}
	return ""
}

func runDuels(t *testing.T, cpus int, latency [Distances]sim.Spread, seeds, accesses, reads int) {
	if raceEnabled {
		seeds = 3
	}
	for seed := range seeds {
		s := testSpec(cpus)
		s.Latency, s.Seed = latency, uint64(seed)
		d := &duel{
			rng: rand.New(rand.NewSource(int64(seed))), m: newTestMemory(t, s, nil), plain: newPlain(s), cpus: cpus,
			reads: reads,
		}
		for range accesses {
			if wrong := d.step(); wrong != "" {
				from := max(0, len(d.log)-12)
				for _, line := range d.log[from:] {
					t.Log(line)
				}
				t.Fatalf("%d CPUs, seed %d: %s", cpus, seed, wrong)
			}
		}
	}
}

// Values, times, distances, merging and versions are those of a memory that replays its whole history on each access.
func TestMemoryIsThePlainMemory(t *testing.T) {
	for cpus := 1; cpus <= 8; cpus++ {
		t.Run(fmt.Sprintf("%d CPUs", cpus), func(t *testing.T) {
			runDuels(t, cpus, testLatency, 25, 150, 5)
			runDuels(t, cpus, jittered(testLatency), 25, 150, 5)
		})
	}
}

// More than four holders are kept in a bitmap, of more than one word from 64 CPUs on.
func TestMemoryWithManyHoldersIsThePlainMemory(t *testing.T) {
	for _, cpus := range []int{16, 65, 200} {
		t.Run(fmt.Sprintf("%d CPUs", cpus), func(t *testing.T) {
			runDuels(t, cpus, testLatency, 10, 300, 7)
			runDuels(t, cpus, jittered(testLatency), 10, 300, 7)
		})
	}
}
