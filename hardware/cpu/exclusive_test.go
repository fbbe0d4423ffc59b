package cpu

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

func TestStoreExclusiveSucceedsAfterItsLoad(t *testing.T) {
	b := newBoard(t, 2)
	b.shared(line(0), 1)
	b.alone(0, func(c *CPU) {
		v := c.LoadExclusive(line(0), 8, bus.Acquire)
		if !c.StoreExclusive(line(0), 8, v+1, bus.Release) {
			t.Error("the first one failed")
		}
		if c.StoreExclusive(line(0), 8, 9, bus.Plain) {
			t.Error("a second one succeeded: the first has cleared the monitor")
		}
		c.LoadExclusive(line(1), 8, bus.Plain)
		if c.StoreExclusive(line(0), 8, 9, bus.Plain) {
			t.Error("one to another line succeeded")
		}
	})
	if v := b.memory.Peek(line(0), 8); v != 1 {
		t.Errorf("memory holds %d", v)
	}
}

// A write of another CPU between the two makes the store fail, and so does one that was issued before the load but
// had not reached its old copy: by the time the store takes the line, it has drained.
//
//	CPU1   W ──── drains              W ───────────── drains                          W ──── drains
//	CPU0                ldxr  stxr        ldxr  stxr                      ldxr  stxr
//	             succeeds                 fails (both, old value)         succeeds
func TestStoreExclusiveFailsAfterAForeignWrite(t *testing.T) {
	for _, k := range []struct {
		load, store, write int64 // in ns; the write drains 20 ns later
		want               bool
	}{
		{100, 110, 50, true}, {100, 200, 120, false}, {100, 110, 95, false}, {100, 130, 95, false}, {100, 110, 120, true},
		{100, 200, 100, false},
		{100, 110, 110, false}, {100, 110, 111, true}, // the load takes 1 ns; at one tick CPU0 comes first
	} {
		b := newBoard(t, 2)
		b.shared(line(0), 0, 1)
		b.start(0, func(c *CPU) {
			c.Exec(k.load)
			v := c.LoadExclusive(line(0), 8, bus.Plain)
			c.Exec(k.store - k.load)
			if got := c.StoreExclusive(line(0), 8, v+1, bus.Plain); got != k.want {
				t.Errorf("%+v: %v", k, got)
			}
		})
		b.start(1, func(c *CPU) {
			c.Exec(k.write)
			c.Store(line(0), 8, 100, bus.Plain)
		})
		b.run()
	}
}

// An exception return clears the monitor (DDI 0487, AArch64.ExceptionReturn).
func TestStoreExclusiveFailsAfterAnInterrupt(t *testing.T) {
	b := newBoard(t, 1)
	b.handle(0, 10)
	b.interrupt(0, 1000*ns)
	b.alone(0, func(c *CPU) {
		c.LoadExclusive(line(0), 8, bus.Plain)
		c.Exec(2000)
		if c.StoreExclusive(line(0), 8, 1, bus.Plain) {
			t.Error("succeeded")
		}
	})
}

// No increment is lost, with other CPUs' exclusives, plain atomics on the same line, and interrupts in between.
func TestExclusiveIncrementsOfFourCPUsCount(t *testing.T) {
	const each = 300
	b := newBoard(t, 4)
	for i := range 4 {
		b.handle(i, 3)
		for n := range 20 {
			b.interrupt(i, sim.Time(997*n+311*i)*ns)
		}
		b.start(i, func(c *CPU) {
			for range each {
				if i == 3 {
					c.Atomic(line(0)+8, 8, bus.Add, 1, 0, bus.Plain)
				}
				for {
					v := c.LoadExclusive(line(0), 8, bus.Plain)
					c.Exec(int64(i))
					if c.StoreExclusive(line(0), 8, v+1, bus.Plain) {
						break
					}
				}
				c.Exec(int64(7 * i))
			}
		})
	}
	b.run()
	if v := b.memory.Peek(line(0), 8); v != 4*each {
		t.Errorf("counted to %d", v)
	}
	if v := b.memory.Peek(line(0)+8, 8); v != each {
		t.Errorf("the neighbour counted to %d", v)
	}
}
