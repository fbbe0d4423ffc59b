package mem

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// heldBack is a line that CPU1 holds, with a store of CPU0 in flight that drains at 500 ns and not before.
func heldBack(t *testing.T) *bench {
	b := newBench(t, 16)
	b.writes(1, 1, 0, 100*ns, DRAM)
	b.Read(1, b.addr, 8, 200*ns)
	if out := b.Write(0, b.addr, 8, 2, 210*ns, 500*ns); out.Done != 500*ns || out.Distance != Cluster {
		t.Fatalf("the store that is held back: %+v", out)
	}
	return b
}

// CPU0  y=2 issued ................... (not before 500 ns) ─ 20 ns ─ drains
// CPU1        y=3 drains at once, it has the line
// CPU2              reads 3: 40 ns
// CPU8                    y=4: 200 ns, back by 520 ns at the earliest: behind
func TestStoreHeldBackReservesNothing(t *testing.T) {
	b := heldBack(t)
	b.writes(1, 3, 220*ns, 220*ns, Own)
	b.reads(2, 230*ns, 3, 270*ns, Die)
	b.reads(0, 280*ns, 2, 281*ns, Own) // its own store buffer
	b.reads(2, 300*ns, 3, 301*ns, Own)
	b.writes(8, 4, 300*ns, 700*ns, CrossNode)
	b.reads(2, 499*ns, 3, 500*ns, Own)
	b.reads(0, 500*ns, 2, 501*ns, Own)
	if v := b.Peek(b.addr, 8); v != 4 {
		t.Errorf("ends as %d", v)
	}
}

// The line is back at CPU0 20 ns after it has come to CPU1, or later: an access is ahead up to the moment at which
// that is just possible.
func TestAccessIsAheadIfTheLineComesBackInTime(t *testing.T) {
	for now, drains := range map[sim.Time]sim.Time{
		480 * ns: 480 * ns, 480*ns + 1: 520 * ns,
	} {
		b := heldBack(t)
		b.writes(1, 3, now, drains, map[bool]Distance{true: Own, false: Cluster}[drains == now])
	}
	for now, done := range map[sim.Time]sim.Time{
		420 * ns: 460 * ns, 420*ns + 1: 540 * ns, // from CPU1 to CPU2 and on to CPU0: 40 ns each
	} {
		b := heldBack(t)
		b.reads(2, now, map[bool]uint64{true: 1, false: 2}[done < 500*ns], done, Die)
	}
}

// The home, which serves CPU0 from 210 ns on, is free at 217 ns; CPU0 would get the line back at 237 ns.
func TestLineComesBackWhenTheHomeIsFree(t *testing.T) {
	for floor, drains := range map[sim.Time]sim.Time{237 * ns: 214 * ns, 237*ns - 1: 257*ns - 1} {
		s := testSpec(2)
		s.Latency = busyHomes()
		m := newTestMemory(t, s, nil)
		m.Write(1, testBase, 8, 1, 0, 0)
		m.Write(0, testBase, 8, 2, 210*ns, floor)
		if out := m.Write(1, testBase, 8, 3, 214*ns, 0); out.Done != drains {
			t.Errorf("behind a store that is held back until %s: %s, want %s", floor, out.Done, drains)
		}
	}
}

// What goes ahead does so with all that an access has: merging, the version that an exclusive monitor compares,
// atomics, and a place between two stores that are held back.
func TestAccessesAheadOfAStoreHeldBack(t *testing.T) {
	b := heldBack(t)
	b.Write(0, b.addr, 8, 5, 211*ns, 900*ns)
	b.writes(2, 3, 220*ns, 260*ns, Die)
	if out := b.Write(2, b.addr+8, 8, 7, 230*ns, 0); !out.Merged || out.Done != 260*ns {
		t.Errorf("merges with what is ahead: %+v", out)
	}
	out := b.reads(1, 270*ns, 3, 310*ns, Die)
	if behind := b.Version(b.addr) - out.Version; behind != 2 {
		t.Errorf("%d writes come after the read", behind)
	}
	if old, out := b.Atomic(2, b.addr, 8, bus.Add, 10, 0, 320*ns, 0); old != 3 || out.Done != 361*ns {
		t.Errorf("an atomic reads %d, %+v", old, out)
	}
	b.writes(2, 4, 490*ns, 540*ns, Die) // after the first, before the second
	b.reads(0, 600*ns, 5, 601*ns, Own)
	b.reads(2, 601*ns, 4, 602*ns, Own)
	b.reads(2, 900*ns, 5, 940*ns, Die)
}

// An atomic has read its value when it was issued, and nothing may come between.
func TestNothingComesBetweenAnAtomicAndItsWrite(t *testing.T) {
	b := newBench(t, 2)
	b.writes(1, 1, 0, 100*ns, DRAM)
	b.Atomic(0, b.addr, 8, bus.Add, 1, 0, 200*ns, 500*ns)
	b.writes(1, 5, 210*ns, 520*ns, Cluster)
}

// A write to a line that CPUs spin on stays in the order in which it was issued.
func TestWriteBeforeSpinnersQueues(t *testing.T) {
	b := newBench(t, 8)
	b.writes(1, 1, 0, 100*ns, DRAM)
	seen := b.reads(4, 200*ns, 1, 290*ns, CrossDie)
	b.Watch(4, b.addr, 8, seen.Version, func(v uint64) bool { return v == 2 })
	b.Write(0, b.addr, 8, 2, 300*ns, 900*ns)
	b.wakes("CPU4 at 900 ns")
	b.reads(2, 310*ns, 1, 350*ns, Die)
	b.writes(1, 3, 400*ns, 920*ns, Cluster)
}

// A CPU's own read of the line does not wait for its store that is held back either.
func TestOwnReadAheadOfAStoreHeldBack(t *testing.T) {
	b := heldBack(t)
	b.Poke(b.addr+8, 8, 0x1111_2222_3333_4444)
	b.Write(0, b.addr+10, 2, 0xabcd, 211*ns, 500*ns)
	v, out := b.Read(0, b.addr+8, 8, 220*ns)
	if v != 0x1111_2222_abcd_4444 || out.Done != 240*ns || out.Distance != Cluster || out.Version != b.Version(b.addr) {
		t.Errorf("reads %x, %+v, version %d", v, out, b.Version(b.addr))
	}
	b.reads(0, 250*ns, 2, 251*ns, Own)
	b.reads(1, 250*ns, 1, 251*ns, Own)
}
