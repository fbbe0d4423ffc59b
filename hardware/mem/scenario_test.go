package mem

import (
	"fmt"
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// bench is a memory with one line under test.
type bench struct {
	*Memory
	t    *testing.T
	addr uint64
	woke []string
}

func newBench(t *testing.T, cpus int) *bench {
	b := &bench{t: t}
	b.Memory = newTestMemory(t, testSpec(cpus), func(c int, at sim.Time) {
		b.woke = append(b.woke, fmt.Sprintf("CPU%d at %s", c, at))
	})
	addr, err := b.Alloc(LineSize)
	if err != nil {
		t.Fatal(err)
	}
	b.addr = addr
	return b
}

// reads checks a read of the line's first word.
func (b *bench) reads(c int, now sim.Time, value uint64, done sim.Time, d Distance) Outcome {
	b.t.Helper()
	v, out := b.Read(c, b.addr, 8, now)
	if v != value || out.Done != done || out.Distance != d {
		b.t.Errorf("CPU%d reads at %s: %d, done at %s, %s; want %d, %s, %s",
			c, now, v, out.Done, out.Distance, value, done, d)
	}
	return out
}

// writes checks a write of the line's first word.
func (b *bench) writes(c int, value uint64, now, drains sim.Time, d Distance) {
	b.t.Helper()
	if out := b.Write(c, b.addr, 8, value, now, 0); out.Done != drains || out.Distance != d || out.Merged {
		b.t.Errorf("CPU%d writes at %s: %+v; want %s, %s", c, now, out, drains, d)
	}
}

// wakes checks whom the memory woke since the last call.
func (b *bench) wakes(want ...string) {
	b.t.Helper()
	if fmt.Sprint(b.woke) != fmt.Sprint(want) {
		b.t.Errorf("woke %v, want %v", b.woke, want)
	}
	b.woke = nil
}

// TestPokeWithWritesInFlight: what a debugger sets stays, though writes that were issued before drain later.
func TestPokeWithWritesInFlight(t *testing.T) {
	b := newBench(t, 2)
	b.writes(0, 0x1111_2222_3333_4444, 0, 100*ns, DRAM)
	b.Poke(b.addr+2, 2, 0xabcd)
	const want = 0x1111_2222_abcd_4444
	if got := b.Peek(b.addr, 8); got != want {
		t.Errorf("in flight: 0x%x", got)
	}
	b.reads(0, 200*ns, want, 201*ns, Own)
}

// TestStoreThatMustNotDrainEarlierIsItsOwn: a store whose floor is where the one before it drains does not join it.
func TestStoreThatMustNotDrainEarlierIsItsOwn(t *testing.T) {
	for floor, merged := range map[sim.Time]bool{0: true, 100*ns - 1: true, 100 * ns: false, 101 * ns: false} {
		b := newBench(t, 2)
		b.writes(0, 1, 0, 100*ns, DRAM)
		if out := b.Write(0, b.addr, 8, 2, ns, floor); out.Merged != merged || out.Done != max(floor, 100*ns) {
			t.Errorf("not before %s: %+v", floor, out)
		}
	}
}

// CPUs 0, 1 | 2, 3 | 4 ... 7 | 8 ... 15 are a cluster, its die, its socket and the next socket.
func TestHandOffCostsByDistance(t *testing.T) {
	b := newBench(t, 16)
	b.writes(0, 1, 0, 100*ns, DRAM)
	b.reads(0, 1000*ns, 1, 1001*ns, Own)
	now := 2000 * ns
	for _, to := range []struct {
		cpu  int
		d    Distance
		time sim.Time
	}{{1, Cluster, 20 * ns}, {2, Die, 40 * ns}, {4, CrossDie, 90 * ns}, {8, CrossNode, 200 * ns}} {
		b.writes(0, 1, now, now, Own) // a hit: it drains at once
		b.writes(to.cpu, 2, now+ns, now+ns+to.time, to.d)
		b.writes(0, 3, now+500*ns, now+500*ns+to.time, to.d)
		now += 1000 * ns
	}
	// A read takes the line from the nearest holder; a write waits for the farthest.
	b.reads(8, now, 3, now+200*ns, CrossNode)
	b.reads(1, now+500*ns, 3, now+520*ns, Cluster)
	b.writes(1, 4, now+1000*ns, now+1200*ns, CrossNode)
}

// CPU1 (has a copy)  reads 1 ............ reads 1 | reads 2
// CPU0               writes 2 ──── 20 ns ──── drains
func TestOldCopyIsReadUntilTheWriteDrains(t *testing.T) {
	b := newBench(t, 2)
	b.writes(0, 1, 0, 100*ns, DRAM)
	b.reads(1, 200*ns, 1, 220*ns, Cluster)
	b.writes(0, 2, 300*ns, 320*ns, Cluster)
	b.reads(0, 301*ns, 2, 302*ns, Own) // its own store buffer
	b.reads(1, 319*ns, 1, 320*ns, Own)
	b.reads(1, 320*ns, 2, 340*ns, Cluster)
}

func TestReadWithoutACopyWaitsForTheWriteInFlight(t *testing.T) {
	b := newBench(t, 8)
	b.writes(0, 1, 0, 100*ns, DRAM)
	b.reads(1, 50*ns, 1, 120*ns, Cluster) // 100 ns, then the transfer
	b.reads(2, 60*ns, 1, 140*ns, Die)     // overlaps with the other read
	b.reads(1, 130*ns, 1, 131*ns, Own)
}

func TestWriteWaitsForReadsInFlight(t *testing.T) {
	b := newBench(t, 8)
	b.writes(0, 1, 0, 100*ns, DRAM)
	b.reads(4, 200*ns, 1, 290*ns, CrossDie)
	b.writes(0, 2, 210*ns, 380*ns, CrossDie) // 290 ns, then it takes the copy away
	b.writes(1, 3, 220*ns, 400*ns, Cluster)  // behind the write: CPU0 is the only holder then
}

func TestOwnWriteInFlightBringsTheLine(t *testing.T) {
	b := newBench(t, 8)
	b.writes(0, 1, 0, 100*ns, DRAM)
	if v, out := b.Read(0, b.addr+8, 8, 10*ns); v != 0 || out.Done != 101*ns || out.Distance != Own {
		t.Errorf("another word of the line: %d %+v", v, out)
	}
	b.reads(4, 20*ns, 1, 190*ns, CrossDie)
	if _, out := b.Read(0, b.addr+8, 8, 30*ns); out.Done != 101*ns || out.Distance != Own {
		t.Errorf("and with a reader behind the write: %+v", out)
	}
}

func TestWritesOfOneCPUMergeUntilTheyDrain(t *testing.T) {
	b := newBench(t, 2)
	b.writes(0, 1, 0, 100*ns, DRAM)
	if out := b.Write(0, b.addr+4, 2, 7, 10*ns, 0); !out.Merged || out.Done != 100*ns || out.Distance != Own {
		t.Errorf("second write: %+v", out)
	}
	if out := b.Write(0, b.addr+6, 1, 5, 20*ns, 130*ns); out.Merged || out.Done != 130*ns || out.Distance != Own {
		t.Errorf("third write, held back by a fence, has an entry of its own: %+v", out)
	}
	b.reads(1, 30*ns, 1|7<<32|5<<48, 150*ns, Cluster) // the line would be back at 140 ns, too late
	if out := b.Write(0, b.addr, 8, 2, 40*ns, 0); out.Merged || out.Done != 170*ns {
		t.Errorf("no merging past a read of another CPU: %+v", out)
	}
}

func TestFailingCompareAndSwapTakesTheLine(t *testing.T) {
	b := newBench(t, 2)
	b.writes(0, 1, 0, 100*ns, DRAM)
	version := b.Version(b.addr)
	old, out := b.Atomic(1, b.addr, 8, bus.CompareAndSwap, 9, 5, 200*ns, 0)
	if old != 1 || out.Done != 221*ns || out.Distance != Cluster {
		t.Errorf("got %d %+v", old, out)
	}
	if b.Version(b.addr) != version {
		t.Error("it counts as a write")
	}
	b.reads(1, 300*ns, 1, 301*ns, Own)
	b.reads(0, 310*ns, 1, 330*ns, Cluster) // the owner of before has lost its copy
	if old, _ := b.Atomic(1, b.addr, 8, bus.CompareAndSwap, 9, 1, 400*ns, 0); old != 1 || b.Peek(b.addr, 8) != 9 {
		t.Errorf("the one that succeeds: old %d, now %d", old, b.Peek(b.addr, 8))
	}
}

func TestAtomicsAreServedOneAfterAnother(t *testing.T) {
	b := newBench(t, 2)
	b.writes(0, 0, 0, 100*ns, DRAM)
	for i := range 10 {
		old, out := b.Atomic(i%2, b.addr, 8, bus.Add, 1, 0, 200*ns, 0)
		if want := 200*ns + sim.Time(i)*20*ns + ns; old != uint64(i) || out.Done != want {
			t.Errorf("atomic %d: %d %+v, want done at %s", i, old, out, want)
		}
	}
}

func TestAtomicOperations(t *testing.T) {
	for _, k := range []struct {
		op                      bus.AtomicOp
		old, v, compare, result uint64
	}{
		{bus.Swap, 0xc, 0xa, 0, 0xa}, {bus.CompareAndSwap, 0xc, 0xa, 0xc, 0xa}, {bus.CompareAndSwap, 0xc, 0xa, 0xb, 0xc},
		{bus.Add, 0xff, 2, 0, 1}, {bus.Clear, 0xc, 0xa, 0, 4}, {bus.Xor, 0xc, 0xa, 0, 6}, {bus.Set, 0xc, 0xa, 0, 0xe},
		{bus.And, 0xc, 0xa, 0, 8},
		{bus.CompareAndSwap, 0xc, 0xa, 0x7_0c, 0xa}, // only the bits of the access are compared
	} {
		b := newBench(t, 1)
		b.Poke(b.addr, 8, 0x5555_5555_5555_0055|k.old<<8)
		old, _ := b.Atomic(0, b.addr+1, 1, k.op, k.v, k.compare, 0, 0)
		if want := 0x5555_5555_5555_0055 | k.result<<8; old != k.old || b.Peek(b.addr, 8) != want {
			t.Errorf("%s: old %x, memory %x, want %x", k.op, old, b.Peek(b.addr, 8), want)
		}
	}
}
