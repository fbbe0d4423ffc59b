package mem

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

const ns = sim.Nanosecond

// testLatency makes each distance from a line whose home is on the own die another time, so that a wrong way shows as a
// wrong time: 20 ns, 40 ns, 90 ns across dies and 200 ns across sockets. Nobody waits for a home.
var testLatency = [Parts]sim.Spread{
	Hit: sim.Fixed(1 * ns), ClusterHandOff: sim.Fixed(20 * ns), DieHandOff: sim.Fixed(40 * ns), DieLeg: sim.Fixed(25 * ns),
	SocketLeg: sim.Fixed(80 * ns), SystemHit: sim.Fixed(60 * ns), MemoryAccess: sim.Fixed(100 * ns),
}

// busyHomes is testLatency with homes that take their time.
func busyHomes() [Parts]sim.Spread {
	l := testLatency
	l[HomeService] = sim.Fixed(7 * ns)
	return l
}

// jittered spreads what varies to both sides.
func jittered(latency [Parts]sim.Spread) [Parts]sim.Spread {
	for p := ClusterHandOff; p <= MemoryAccess; p++ {
		latency[p].Low -= latency[p].Mean / 3
		latency[p].High += latency[p].Mean
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
	return Spec{Base: testBase, Size: ramGrain, Places: testPlaces(cpus), DiesPerSocket: 2, Latency: testLatency, Seed: 7}
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
	ports []*Port
	lines []int // the node of each
	reads int   // of ten accesses; the rest are writes and atomics
	spins bool
	woke  []string
	now   sim.Time
	log   []string // the last accesses, for the report
}

// step makes one access with both and answers what is different, "" if nothing is.
func (d *duel) step() string {
	r := d.rng
	if len(d.ports) > 0 && r.Intn(2) == 0 {
		return d.transact()
	}
	d.now += [...]sim.Time{0, 0, 1, ns, 7 * ns, 30 * ns, 500 * ns}[r.Intn(7)]
	c, size := r.Intn(d.cpus), uint8(1)<<r.Intn(4)
	addr := d.addr(r.Intn(len(d.lines))) + uint64(8*r.Intn(2)+int(size)*r.Intn(8/int(size)))
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
	d.woke, d.plain.woke = nil, nil
	k := r.Intn(10)
	switch {
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
	if d.spins && k < d.reads {
		if wrong := d.watch(c, addr, size, out.Version); wrong != "" {
			return wrong
		}
	}
	if got, want := fmt.Sprint(d.woke), fmt.Sprint(d.plain.woke); got != want {
		return fmt.Sprintf("woke %s, the plain memory %s", got, want)
	}
	if wrong := d.cached(); wrong != "" {
		return wrong
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

// watch makes a CPU that has just read a location spin on it, for a write or for a value of some kind, or no longer.
func (d *duel) watch(c int, addr uint64, size uint8, seen uint32) string {
	r := d.rng
	d.m.Unwatch(c)
	d.plain.Unwatch(c)
	var until func(uint64) bool
	switch n := uint64(r.Intn(6)); {
	case n == 0:
		return ""
	case n < 4:
		until = func(v uint64) bool { return v&n == n }
	}
	at, inFlight := d.m.Watch(c, addr, size, seen, until)
	wantAt, want := d.plain.Watch(c, addr, size, seen, until, d.now)
	d.log = append(d.log, fmt.Sprintf("CPU%d watches %x: %d %v", c, addr, at, inFlight))
	if inFlight != want || at > d.now && at != wantAt {
		return fmt.Sprintf("the plain memory says %d %v", wantAt, want)
	}
	return ""
}

// cached compares the system caches.
func (d *duel) cached() string {
	for i := range d.lines {
		if got, want := d.m.SystemCached(d.addr(i)), d.plain.systemCached(d.addr(i)); got != want {
			return fmt.Sprintf("line %d is in the system cache by %q, in the plain memory by %q", i, got, want)
		}
	}
	return ""
}

// allocate makes the lines of different nodes.
func (d *duel) allocate(t *testing.T) {
	for i, node := range d.lines {
		addr, err := d.m.AllocOn(LineSize, node)
		if err != nil || addr != d.addr(i) {
			t.Fatal(addr, err)
		}
		d.plain.nodes[addr/LineSize] = int32(node)
	}
}

func (d *duel) addr(line int) uint64 { return testBase + imageSize + uint64(LineSize*line) }

// transact is step for an access by a master.
func (d *duel) transact() string {
	r := d.rng
	d.now += [...]sim.Time{0, 1, ns, 30 * ns, 500 * ns}[r.Intn(5)]
	n := r.Intn(len(d.ports))
	first := r.Intn(LineSize)
	x := bus.Transaction{
		Master: d.ports[n].master, At: d.now, Op: bus.Op(r.Intn(5)), Atomic: bus.AtomicOp(r.Intn(7)), Attr: bus.Normal,
		Addr: bus.Addr(d.addr(r.Intn(len(d.lines))) + uint64(first)), Len: uint8(1 + r.Intn(LineSize-first)),
	}
	for i := range x.Data {
		x.Data[i] = r.Uint64()
	}
	if x.Op == bus.ReadModify {
		x.Len = 1 << r.Intn(4)
		x.Addr &^= bus.Addr(x.Len - 1)
		if x.Compare = d.m.Peek(uint64(x.Addr), x.Len); r.Intn(3) == 0 {
			x.Compare++
		}
	} else if r.Intn(2) == 0 {
		x.Attr = bus.Attr{}
	}
	if r.Intn(2) == 0 {
		x.Attr.Outer = bus.Cacheability(r.Intn(16))
	}
	d.woke, d.plain.woke = nil, nil
	y, words := x, int(x.Len+7)/8
	got, want := d.ports[n].Transact(&x), d.plain.Transact(d.cpus+n, &y)
	d.log = append(d.log, fmt.Sprintf("%s: %s of %d bytes at %x at %s, snoops %v: %x %+v", x.Master.Name, x.Op, x.Len,
		x.Addr, d.now, x.Attr.Snoops(), x.Data[:words], got))
	if got != want || (x.Op == bus.Read || x.Op == bus.ReadModify) && !slices.Equal(x.Data[:words], y.Data[:words]) {
		return fmt.Sprintf("the plain memory says %x %+v", y.Data[:words], want)
	}
	if got, want := fmt.Sprint(d.woke), fmt.Sprint(d.plain.woke); got != want {
		return fmt.Sprintf("woke %s, the plain memory %s", got, want)
	}
	if wrong := d.cached(); wrong != "" {
		return wrong
	}
	for at := d.addr(0); at < d.addr(len(d.lines)); at += 8 {
		end := d.plain.line(at).end()
		if peek, expect := d.m.Peek(at, 8), end.number(at, 8); peek != expect || d.m.Version(at) != end.writes {
			return fmt.Sprintf("%x ends as %x after %d writes, in the plain memory as %x after %d", at, peek, d.m.Version(at),
				expect, end.writes)
		}
	}
	return ""
}

func runDuels(t *testing.T, cpus, masters int, latency [Parts]sim.Spread, seeds, accesses, reads int) {
	if raceEnabled {
		seeds = 3
	}
	for seed := range seeds {
		s := testSpec(cpus)
		s.Latency, s.Seed = latency, uint64(seed)
		if n := uint64(seed % 4); n != 0 {
			s.SystemCache = SystemCacheSpec{Size: 64 << n, Ways: 1 + int(n)/2*(int(n)&1), LineSize: 64 << (n & 1)}
		}
		d := &duel{
			rng: rand.New(rand.NewSource(int64(seed))), plain: newPlain(s), cpus: cpus, reads: reads, spins: seed%2 == 1,
		}
		d.m = newTestMemory(t, s, func(c int, at sim.Time) { d.woke = append(d.woke, fmt.Sprintf("CPU%d at %d", c, at)) })
		d.lines = []int{0, 3, 2}
		if seed%3 == 2 { // lines that share a set, and halves of a line of 128 bytes, one of two nodes
			d.lines = []int{0, 0, 0, 0, 2, 3}
		}
		d.allocate(t)
		for n := range masters {
			place := testPlaces(12)[4*n+3]
			d.ports = append(d.ports, d.m.NewPort(&bus.Master{Name: fmt.Sprint("master ", n)}, place, nil))
			d.plain.places = append(d.plain.places[:cpus+n:cpus+n], place)
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
			runDuels(t, cpus, 0, testLatency, 25, 150, 5)
			runDuels(t, cpus, 0, jittered(busyHomes()), 25, 150, 5)
		})
	}
}

// More than four holders are kept in a bitmap, of more than one word from 64 CPUs on.
func TestMemoryWithManyHoldersIsThePlainMemory(t *testing.T) {
	for _, cpus := range []int{16, 65, 200} {
		t.Run(fmt.Sprintf("%d CPUs", cpus), func(t *testing.T) {
			runDuels(t, cpus, 0, testLatency, 10, 300, 7)
			runDuels(t, cpus, 0, jittered(busyHomes()), 10, 300, 7)
		})
	}
}

// Masters that are no CPUs, coherent or not, with cleaning and eviction between the accesses of the CPUs.
func TestMemoryWithMastersIsThePlainMemory(t *testing.T) {
	for _, cpus := range []int{1, 2, 5, 70} {
		t.Run(fmt.Sprintf("%d CPUs", cpus), func(t *testing.T) {
			runDuels(t, cpus, 3, testLatency, 12, 150, 5)
			runDuels(t, cpus, 2, jittered(busyHomes()), 12, 150, 5)
		})
	}
}
