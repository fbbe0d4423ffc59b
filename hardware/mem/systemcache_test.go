package mem

import (
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// cachedBench is a bench with a system cache of one set of two ways; lines are of 128 bytes, one of which holds the
// line under test and the one behind it.
func cachedBench(t *testing.T) (*bench, *Port) {
	b := &bench{t: t}
	s := testSpec(8)
	s.SystemCache = SystemCacheSpec{Size: 256, Ways: 2, LineSize: 128}
	b.Memory = newTestMemory(t, s, func(int, sim.Time) {})
	addr, err := b.Alloc(8 * LineSize)
	if err != nil {
		t.Fatal(err)
	}
	b.addr = addr
	return b, b.NewPort(&bus.Master{Name: "dma"}, Place{}, nil)
}

func (b *bench) cachedBy(want ...string) {
	b.t.Helper()
	for i, by := range want {
		if got := b.SystemCached(b.addr + uint64(i)*LineSize); got != by {
			b.t.Errorf("line %d in the system cache by %q, want %q", i, got, by)
		}
	}
}

// TestSystemCacheIsFilledByHint: what a read with the hint brought is there for the next, both halves of the line; a
// read without it is served by what is there, and leaves nothing.
func TestSystemCacheIsFilledByHint(t *testing.T) {
	b, dma := cachedBench(t)
	read := func(line uint64, hints bus.Cacheability, at, done sim.Time, by bus.Served) {
		t.Helper()
		attr := bus.Attr{Shareability: bus.InnerShareable, Inner: bus.WriteBack, Outer: hints}
		x := bus.Transaction{Master: dma.master, At: at, Op: bus.Read, Attr: attr, Len: 8,
			Addr: bus.Addr(b.addr + line*LineSize)}
		if a := dma.Transact(&x); a.Done != done || a.Served != by {
			t.Errorf("line %d at %s: %+v, want %s by the %s", line, at, a, done, by)
		}
	}
	read(0, bus.WriteBack|bus.WriteAllocate, 0, 100*ns, bus.ByMemory)
	b.cachedBy("", "", "", "")
	read(0, bus.WriteBack|bus.ReadAllocate, 200*ns, 300*ns, bus.ByMemory)
	b.cachedBy("dma", "dma", "", "")
	read(1, bus.WriteBack, 400*ns, 460*ns, bus.BySystemCache)
	read(1, bus.NonCacheable, 500*ns, 600*ns, bus.ByMemory)
	read(2, bus.WriteThrough|bus.ReadAllocate, 700*ns, 800*ns, bus.ByMemory)
	read(0, bus.WriteBack, 900*ns, 960*ns, bus.BySystemCache)
	read(4, bus.WriteBack|bus.ReadAllocate, 1000*ns, 1100*ns, bus.ByMemory) // in place of lines 2 and 3
	b.cachedBy("dma", "dma", "", "", "dma", "dma")
}

// TestCPUsAndTheSystemCache: a CPU's read fills it, and its write takes the line out; so do zeroing and discarding.
func TestCPUsAndTheSystemCache(t *testing.T) {
	b, dma := cachedBench(t)
	b.reads(0, 0, 0, 100*ns, DRAM)
	b.cachedBy("CPU0", "CPU0")
	b.Write(1, b.addr+LineSize, 8, 1, 200*ns, 0)
	b.cachedBy("CPU0", "")
	b.Clean(0, b.addr, true, 400*ns, 0)
	b.cachedBy("", "")
	x := bus.Transaction{Master: dma.master, At: 500 * ns, Op: bus.Write, Attr: bus.Normal, Len: 8, Addr: bus.Addr(b.addr)}
	dma.Transact(&x)
	b.cachedBy("dma", "")
	b.reads(0, 700*ns, 0, 760*ns, SystemCache)
	b.Zero(b.addr, LineSize, 800*ns)
	b.cachedBy("", "")
	x.At, x.Attr.Outer = 900*ns, bus.WriteBack
	dma.Transact(&x)
	b.cachedBy("", "")
}

func TestSystemCacheThatCannotBe(t *testing.T) {
	for want, c := range map[string]SystemCacheSpec{
		"lines of 32 bytes: expected 64 or 128":                          {Size: 1 << 20, Ways: 8, LineSize: 32},
		"0 ways: expected 1 to 64":                                       {Size: 1 << 20, LineSize: 64},
		"1000 bytes: expected a multiple of 8 ways of 64 bytes, up to 1": {Size: 1000, Ways: 8, LineSize: 64},
		"65 ways: expected 1 to 64":                                      {Size: 65 << 10, Ways: 65, LineSize: 64},
		"1073742336 bytes: expected a multiple of 8 ways of 64 bytes":    {Size: 1<<30 + 512, Ways: 8, LineSize: 64},
	} {
		s := testSpec(1)
		s.SystemCache = c
		if _, err := New(s, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
	s := testSpec(1)
	s.SystemCache = SystemCacheSpec{Size: 1 << 30, Ways: 64, LineSize: 128}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
}

// With WholeLines a write of part of a line does not allocate, in spite of its hint; one that hits stays, and so does
// one of a whole line.
func TestSystemCacheWholeLines(t *testing.T) {
	b, dma := cachedBench(t)
	b.system.spec.WholeLines = true
	access := func(op bus.Op, hints bus.Cacheability, size uint8, at sim.Time) {
		attr := bus.Attr{Shareability: bus.InnerShareable, Inner: bus.WriteBack, Outer: hints}
		dma.Transact(&bus.Transaction{Master: dma.master, At: at, Op: op, Attr: attr, Len: size, Addr: bus.Addr(b.addr)})
	}
	access(bus.Write, bus.WriteBack|bus.WriteAllocate, 8, 0)
	b.cachedBy("", "")
	access(bus.Write, bus.WriteBack|bus.WriteAllocate, LineSize, 200*ns)
	b.cachedBy("dma", "")
	access(bus.Write, bus.WriteBack, 8, 400*ns)
	b.cachedBy("dma", "")
	access(bus.Read, bus.WriteBack|bus.ReadAllocate, 8, 600*ns)
	b.cachedBy("dma", "")
}
