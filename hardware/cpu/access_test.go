package cpu

import (
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// The store's line is 100 ns away; the load of the same bytes finds them in the store buffer. Others still see the
// old value.
//
//	CPU0  store 7 ── load: 7 (a hit) ........ drains
//	CPU1             load: 0 (its old copy)
func TestLoadIsForwardedFromTheStoreBuffer(t *testing.T) {
	b := newBoard(t, 8)
	b.shared(line(0), 1, 4)
	b.start(0, func(c *CPU) {
		c.Delay(1000 * ns)
		c.Store(line(0), 8, 7, bus.Plain)
		b.note(c, "loads %d", c.Load(line(0), 4, bus.Plain))
		b.note(c, "done")
	})
	b.start(1, func(c *CPU) {
		c.Delay(1050 * ns)
		b.note(c, "loads %d", c.Load(line(0), 8, bus.Plain))
		c.Delay(100 * ns)
		b.note(c, "loads %d", c.Load(line(0), 8, bus.Plain))
	})
	begin := b.engine.Now() + 1000*ns
	b.run()
	at := func(d sim.Time) string { return (begin + d).String() }
	b.logged(at(2*ns)+" CPU0 loads 7", at(2*ns)+" CPU0 done", at(51*ns)+" CPU1 loads 0", at(171*ns)+" CPU1 loads 7")
}

// The buffer has four entries. The fifth store waits until the first has drained, the sixth until the second has.
func TestFullStoreBufferStalls(t *testing.T) {
	b := newBoard(t, 2)
	for i := range 6 {
		b.shared(line(i), 1)
	}
	var times []sim.Time
	b.elapsed(0, func(c *CPU) {
		begin := c.Now()
		for i := range 6 {
			c.Store(line(i), 8, 1, bus.Plain)
			times = append(times, c.Now()-begin)
		}
	})
	want := []sim.Time{1 * ns, 2 * ns, 3 * ns, 4 * ns, 21 * ns, 22 * ns}
	for i := range want {
		if times[i] != want[i] {
			t.Fatalf("stores issued after %v, want %v", times, want)
		}
	}
	if spent := b.cpus[0].Spent(); spent[Transfer] != 16*ns {
		t.Errorf("waited %s for room", spent[Transfer])
	}
}

// Stores that merge into an entry need no other.
func TestMergedStoresShareAnEntry(t *testing.T) {
	b := newBoard(t, 2)
	b.shared(line(0), 1)
	got := b.elapsed(0, func(c *CPU) {
		for i := range uint64(8) {
			c.Store(line(0)+8*i, 8, i, bus.Plain)
		}
	})
	if got != 8*ns {
		t.Errorf("eight stores to one line took %s", got)
	}
}

// While CPU0 stalls for room in its store buffer, the others go on, and its store comes after what they do in that
// time: CPU2 still reads its own old copy of line 9 at 2 ns, whose new value drains at 20 ns.
//
//	CPU0  stores to lines 0 to 3 ── full ──────────────── 20 ns: stores to line 9
//	CPU1            stores to line 9 ───── drains at 20 ns
//	CPU2                   reads line 9 (old copy)
func TestStalledStoreDoesNotHurryOthers(t *testing.T) {
	b := newBoard(t, 8)
	for i := range 4 {
		b.shared(line(i), 1)
	}
	b.shared(line(9), 0, 1, 2)
	b.start(0, func(c *CPU) {
		c.Delay(1000 * ns)
		for i := range 4 {
			c.Store(line(i), 8, 1, bus.Plain)
		}
		c.Store(line(9), 8, 2, bus.Plain)
		b.note(c, "stored")
	})
	b.start(1, func(c *CPU) {
		c.Delay(980 * ns)
		c.Store(line(9), 8, 1, bus.Plain)
	})
	b.start(2, func(c *CPU) {
		c.Delay(1010 * ns)
		b.note(c, "loads %d", c.Load(line(9), 8, bus.Plain))
		b.note(c, "has waited")
	})
	begin := b.engine.Now() + 1000*ns
	b.run()
	at := func(d sim.Time) string { return (begin + d).String() }
	b.logged(at(11*ns)+" CPU2 loads 0", at(11*ns)+" CPU2 has waited", at(21*ns)+" CPU0 stored")
}

// The same for a load that a DMB holds back until 1090 ns: it sees the store that CPU1 makes at 1060 ns.
func TestLoadBehindABarrierSeesWhatCameMeanwhile(t *testing.T) {
	b := newBoard(t, 8)
	b.shared(line(0), 4)
	b.shared(line(9), 0, 1)
	b.start(0, func(c *CPU) {
		c.Delay(1000*ns - c.Now())
		c.Store(line(0), 8, 1, bus.Plain)
		c.Fence(dmbISH)
		b.note(c, "loads %d", c.Load(line(9), 8, bus.Plain))
	})
	b.start(1, func(c *CPU) {
		c.Delay(1060*ns - c.Now())
		c.Store(line(9), 8, 1, bus.Plain)
	})
	b.run()
	b.logged("1.11 us CPU0 loads 1")
}

func TestAtomicsOfFourCPUsCount(t *testing.T) {
	const each = 1000
	for _, order := range []bus.Order{bus.Plain, bus.AcquireRelease} {
		b := newBoard(t, 4)
		seen := make([]bool, 4*each)
		for i := range 4 {
			b.start(i, func(c *CPU) {
				for range each {
					old := c.Atomic(line(0), 4, bus.Add, 1, 0, order)
					if seen[old] {
						t.Errorf("%d was read twice", old)
					}
					seen[old] = true
				}
			})
		}
		b.run()
		if v := b.memory.Peek(line(0), 4); v != 4*each {
			t.Errorf("counted to %d", v)
		}
	}
}

func TestAccessOutsideMemoryAborts(t *testing.T) {
	b := newBoard(t, 1)
	c := b.cpus[0]
	for _, k := range []struct {
		addr uint64
		size uint8
		want string
	}{
		{line(0), 8, ""}, {deviceBase, 4, ""}, {line(0) + 4, 8, "CPU0: access of 8 bytes at 0x40000004 is not aligned"},
		{0x10, 4, "CPU0: no memory and no device at 0x10"},
		{ramBase + 2<<20, 1, "CPU0: no memory and no device at 0x40200000"},
	} {
		got := ""
		if abort := c.Check(k.addr, k.size, bus.Write); abort != nil {
			got = abort.Error()
		}
		if got != k.want {
			t.Errorf("0x%x: %q, want %q", k.addr, got, k.want)
		}
	}
	abort := c.Check(deviceBase, 4, bus.ReadModify)
	if abort == nil || abort.Error() != "CPU0: atomic access to the device at 0x9000000: expected memory" {
		t.Errorf("an atomic on a device: %v", abort)
	}
	if c.Abort(abort); b.bells[0].aborted != abort {
		t.Error("the architecture does not know of the abort")
	}
	b.start(0, func(c *CPU) { c.Load(0x10, 4, bus.Plain) })
	defer func() {
		bug, ok := recover().(*sim.Panic)
		if !ok || !strings.Contains(bug.Error(), "BUG: CPU0: no memory and no device at 0x10") {
			t.Errorf("got %v", bug)
		}
	}()
	b.run()
}

func TestStatsCountAccesses(t *testing.T) {
	b := newBoard(t, 2)
	b.shared(line(0), 1)
	b.alone(0, func(c *CPU) {
		c.Load(line(0), 8, bus.Plain)
		c.Load(line(1), 8, bus.Plain)
		c.Store(line(0), 8, 1, bus.Plain)
		c.Atomic(line(0), 8, bus.Swap, 1, 0, bus.Plain)
		c.ReadSys(plainReg)
		c.WriteSys(plainReg, 1)
		c.Store(deviceBase, 4, 1, bus.Plain)
		c.Load(deviceBase, 4, bus.Plain)
		if _, ok := c.ReadSys(undefReg); ok || c.WriteSys(undefReg, 1) {
			t.Error("an undefined register is accepted")
		}
	})
	want := Stats{Loads: 2, Stores: 1, Atomics: 1, SysRegReads: 2, SysRegWrites: 2, DeviceReads: 1, DeviceWrites: 1}
	want.Transfers[mem.Cluster], want.Transfers[mem.DRAM] = 2, 1
	if got := b.cpus[0].Stats(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
