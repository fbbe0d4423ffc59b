package mem

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// pingPong moves a line between two CPUs by reads, writes and an atomic, with a watcher.
func pingPong(m *Memory, addr uint64, now sim.Time) sim.Time {
	for c := range 2 {
		_, read := m.Read(c, addr, 8, now)
		m.Watch(c, addr, 8, read.Version, nil)
		now = m.Write(1-c, addr, 8, 1, read.Done, 0).Done
		_, out := m.Atomic(c, addr, 8, bus.Add, 1, 0, now, 0)
		now = out.Done
		m.Unwatch(c)
	}
	return now
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	m := newTestMemory(t, testSpec(16), func(int, sim.Time) {})
	now := sim.Time(0)
	few := func() { now = pingPong(m, testBase, now) }
	many := func() {
		for c := range 16 {
			_, out := m.Read(c, testBase+LineSize, 8, now)
			now = out.Done
		}
		now = m.Write(3, testBase+LineSize, 8, 1, now, 0).Done
	}
	ahead := func() {
		floor := now + 1000*ns
		m.Write(0, testBase, 8, 1, now, floor)
		m.Write(1, testBase, 8, 2, now, 0)
		m.Read(2, testBase, 8, now)
		if _, out := m.Atomic(3, testBase, 8, bus.Add, 1, 0, now, 0); out.Done >= floor {
			t.Errorf("not ahead: %s", out.Done)
		}
		now = floor
	}
	for name, f := range map[string]func(){"ping-pong": few, "broadcast": many, "ahead of what is held back": ahead} {
		for range 10 {
			f()
		}
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// benchmarkMemory measures an access to a line that was allocated, as those of kernels and scripts are.
func benchmarkMemory(b *testing.B, access func(m *Memory, addr uint64, n int, now sim.Time) sim.Time) {
	s := testSpec(16)
	s.Latency = jittered(busyHomes())
	m := newTestMemory(b, s, func(int, sim.Time) {})
	addr, err := m.Alloc(LineSize)
	if err != nil {
		b.Fatal(err)
	}
	now, n := sim.Time(0), 0
	b.ReportAllocs()
	for b.Loop() {
		now = access(m, addr, n, now)
		n++
	}
}

// BenchmarkHit is a load of a line that the CPU holds.
func BenchmarkHit(b *testing.B) {
	benchmarkMemory(b, func(m *Memory, addr uint64, _ int, now sim.Time) sim.Time {
		_, out := m.Read(0, addr, 8, now)
		return out.Done
	})
}

// BenchmarkTransfer is a store to a line that another CPU holds.
func BenchmarkTransfer(b *testing.B) {
	benchmarkMemory(b, func(m *Memory, addr uint64, n int, now sim.Time) sim.Time {
		return m.Write(n&15, addr, 8, 1, now, 0).Done
	})
}

// BenchmarkAtomic is an increment of a counter that another CPU holds.
func BenchmarkAtomic(b *testing.B) {
	benchmarkMemory(b, func(m *Memory, addr uint64, n int, now sim.Time) sim.Time {
		_, out := m.Atomic(n&15, addr, 8, bus.Add, 1, 0, now, 0)
		return out.Done
	})
}
