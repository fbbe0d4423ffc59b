package mem

import (
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// watch checks a watch that starts right after a read.
func (b *bench) watch(c int, read Outcome, drains sim.Time, inFlight bool) {
	b.t.Helper()
	if at, found := b.Watch(c, b.addr, 8, read.Version, nil); at != drains || found != inFlight {
		b.t.Errorf("CPU%d watches: in flight %v at %s, want %v at %s", c, found, at, inFlight, drains)
	}
}

func TestWatchWakesWhenTheWriteDrains(t *testing.T) {
	b := newBench(t, 8)
	b.writes(0, 1, 0, 100*ns, DRAM)
	b.watch(1, b.reads(1, 200*ns, 1, 220*ns, Cluster), 0, false)
	b.watch(2, b.reads(2, 200*ns, 1, 240*ns, Die), 0, false)
	b.watch(3, b.reads(3, 200*ns, 1, 220*ns, Cluster), 0, false) // from CPU2
	b.wakes()
	b.Unwatch(2) // from the middle of the list
	b.writes(0, 2, 300*ns, 340*ns, Die)
	b.wakes("CPU1 at 340 ns", "CPU3 at 340 ns")
	b.writes(0, 3, 400*ns, 400*ns, Own)
	b.wakes() // a watch fires once
	b.Unwatch(1)
}

// A compare-and-swap that fails is no write: who waits for one does not look again when it has taken the line.
func TestWatchSkipsWhatWritesNothing(t *testing.T) {
	b := newBench(t, 8)
	b.writes(0, 1, 0, 100*ns, DRAM)
	out := b.reads(1, 200*ns, 1, 220*ns, Cluster)
	b.Atomic(2, b.addr, 8, bus.CompareAndSwap, 0, 99, 300*ns, 0)
	b.watch(1, out, b.Write(4, b.addr, 8, 2, 301*ns, 0).Done, true)
}

func TestHitOfTheOnlyHolderWakesAtOnce(t *testing.T) {
	b := newBench(t, 2)
	b.writes(0, 1, 0, 100*ns, DRAM)
	out := b.reads(1, 200*ns, 1, 220*ns, Cluster)
	b.watch(1, out, 0, false)
	// A compare-and-swap that fails takes the line away, as the hardware that ends a WFE sees it.
	b.Atomic(0, b.addr, 8, bus.CompareAndSwap, 0, 99, 300*ns, 0)
	b.wakes("CPU1 at 320 ns")
	b.watch(1, out, 0, false)
	b.writes(0, 2, 400*ns, 400*ns, Own)
	b.wakes("CPU1 at 400 ns")
}

//	CPU1  reads 1 (its old copy) ── 1 ns ── waits
//	CPU0  wrote 2, drains between the two
//
// The write is neither lost nor waited for: the read did not see it, and nobody wakes CPU1 for it any more.
func TestWatchAnswersAWriteThatTheReadDidNotSee(t *testing.T) {
	b := newBench(t, 2)
	b.writes(0, 1, 0, 100*ns, DRAM)
	b.reads(1, 200*ns, 1, 220*ns, Cluster)
	b.writes(0, 2, 300*ns, 320*ns, Cluster)
	out := b.reads(1, 319500*sim.Picosecond, 1, 320500*sim.Picosecond, Own)
	b.watch(1, out, 320*ns, true)
	b.writes(0, 3, 310*ns+10*ns, 320*ns, Own)
	b.wakes()
}

func TestWatchIgnoresAWriteThatTheReadSaw(t *testing.T) {
	b := newBench(t, 2)
	b.writes(0, 1, 0, 100*ns, DRAM)
	out := b.reads(1, 50*ns, 1, 120*ns, Cluster) // waited for it
	b.watch(1, out, 0, false)
	b.writes(0, 2, 60*ns, 140*ns, Cluster)
	b.wakes("CPU1 at 140 ns")
}

func TestWatchIgnoresOwnWrites(t *testing.T) {
	b := newBench(t, 2)
	b.writes(0, 1, 0, 100*ns, DRAM)
	out := b.reads(0, 10*ns, 1, 11*ns, Own)
	b.watch(0, out, 0, false)
	b.writes(1, 2, 20*ns, 120*ns, Cluster)
	b.wakes("CPU0 at 120 ns")
}

// An exclusive monitor compares the version that the load saw with the line's: a write in flight that the load did
// not see is a foreign write between the two.
func TestVersionOfAnOldCopyIsOld(t *testing.T) {
	b := newBench(t, 2)
	b.writes(0, 1, 0, 100*ns, DRAM)
	if out := b.reads(1, 200*ns, 1, 220*ns, Cluster); out.Version != b.Version(b.addr) {
		t.Errorf("read version %d of %d", out.Version, b.Version(b.addr))
	}
	b.writes(0, 2, 300*ns, 320*ns, Cluster)
	if out := b.reads(1, 310*ns, 1, 311*ns, Own); out.Version == b.Version(b.addr) {
		t.Error("the old copy has the version of the write in flight")
	}
	if out := b.reads(1, 330*ns, 2, 350*ns, Cluster); out.Version != b.Version(b.addr) {
		t.Errorf("read version %d of %d", out.Version, b.Version(b.addr))
	}
}

func TestAllocReservesWholeLines(t *testing.T) {
	m := newTestMemory(t, testSpec(1), nil)
	first, err := m.Alloc(1)
	if err != nil {
		t.Fatal(err)
	}
	second, err := m.Alloc(65)
	if err != nil || second != first+LineSize {
		t.Fatalf("second at 0x%x after 0x%x, %v", second, first, err)
	}
	third, err := m.Alloc(LineSize)
	if err != nil || third != second+2*LineSize {
		t.Fatalf("third at 0x%x after 0x%x, %v", third, second, err)
	}
	left := testBase + ramGrain - third - LineSize
	for _, size := range []uint64{left + 1, ^uint64(0), ^uint64(0) - 62} {
		if addr, err := m.Alloc(size); err == nil {
			t.Errorf("0x%x bytes at 0x%x", size, addr)
		} else if !strings.Contains(err.Error(), "out of RAM") {
			t.Error(err)
		}
	}
	if last, err := m.Alloc(left); err != nil || last != third+LineSize {
		t.Errorf("all that is left: 0x%x, %v", last, err)
	}
	if _, err := m.Alloc(1); err == nil {
		t.Error("RAM has no end")
	}
}

func TestContains(t *testing.T) {
	m := newTestMemory(t, testSpec(1), nil)
	for _, k := range []struct {
		addr, size uint64
		want       bool
	}{
		{testBase, 8, true}, {testBase - 1, 1, false}, {testBase - 4, 8, false}, {testBase + ramGrain - 8, 8, true},
		{testBase + ramGrain - 4, 8, false}, {testBase + ramGrain, 1, false}, {^uint64(0), 8, false}, {0, 8, false},
	} {
		if got := m.Contains(k.addr, k.size); got != k.want {
			t.Errorf("%d bytes at 0x%x: %v", k.size, k.addr, got)
		}
	}
}

func TestPokeAndPeekTakeNoTime(t *testing.T) {
	b := newBench(t, 2)
	b.Poke(b.addr+2, 2, 0xabcd)
	if v := b.Peek(b.addr, 8); v != 0xabcd_0000 {
		t.Errorf("peek 0x%x", v)
	}
	b.writes(0, 1, 0, 100*ns, DRAM)
	if v := b.Peek(b.addr, 8); v != 1 {
		t.Errorf("peek does not see the write in flight: 0x%x", v)
	}
	b.Poke(b.addr, 1, 7) // wins over what is in flight
	if v := b.Peek(b.addr, 8); v != 7 {
		t.Errorf("peek 0x%x", v)
	}
	b.reads(1, 200*ns, 7, 220*ns, Cluster)
}

func TestSpecNamesWhatCannotBeBuilt(t *testing.T) {
	for want, change := range map[string]func(*Spec){
		"RAM of 0x0 bytes":           func(s *Spec) { s.Size = 0 },
		"at 0x1000: expected":        func(s *Spec) { s.Base = 0x1000 },
		"RAM of 0x1000 bytes":        func(s *Spec) { s.Size = 0x1000 },
		"up to 64 GiB":               func(s *Spec) { s.Size = maxSize + ramGrain },
		"0 CPUs: expected 1":         func(s *Spec) { s.Places = nil },
		"4097 CPUs: expected 1":      func(s *Spec) { s.Places = make([]Place, MaxCPUs+1) },
		"latency die leg: ":          func(s *Spec) { s.Latency[DieLeg].Low = s.Latency[DieLeg].High + 1 },
		"latency memory: latency -1": func(s *Spec) { s.Latency[MemoryAccess] = sim.Fixed(-1) },
		"CPU1 is in socket 1: expected 0, since its die is 1 and a socket has 2": func(s *Spec) {
			s.Places[1] = Place{Cluster: 2, Die: 1, Socket: 1}
		},
		"CPU1 is in socket 1: expected 0, since": func(s *Spec) {
			s.Places[1], s.DiesPerSocket = Place{Cluster: 4, Die: 4, Socket: 1}, 0
		},
	} {
		s := testSpec(2)
		change(&s)
		if _, err := New(s, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	largest := testSpec(MaxCPUs)
	largest.Size = 64 << 30
	if err := largest.Validate(); err != nil {
		t.Error(err)
	}
}
