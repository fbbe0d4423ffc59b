package bus_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
)

func TestOrders(t *testing.T) {
	for _, c := range []struct {
		order              bus.Order
		acquires, releases bool
	}{
		{bus.Plain, false, false}, {bus.Acquire, true, false}, {bus.AcquirePC, true, false}, {bus.Release, false, true},
		{bus.AcquireRelease, true, true},
	} {
		if a, r := c.order.Acquires(), c.order.Releases(); a != c.acquires || r != c.releases {
			t.Errorf("%q: acquires %v, releases %v", c.order, a, r)
		}
	}
}

func TestAtomicOps(t *testing.T) {
	const old, v = 0b1100, 0b1010
	for op, want := range map[bus.AtomicOp]uint64{
		bus.Swap: v, bus.Add: 22, bus.Clear: 0b0100, bus.Xor: 0b0110, bus.Set: 0b1110, bus.And: 0b1000,
	} {
		if got, written := op.Apply(old, v, 0); got != want || !written {
			t.Errorf("%s: %#b, written %v", op, got, written)
		}
	}
	for compare, want := range map[uint64]bool{old: true, old + 1: false} {
		if got, written := bus.CompareAndSwap.Apply(old, v, compare); written != want || written && got != v {
			t.Errorf("cas with %#b: %#b, written %v", compare, got, written)
		}
	}
}
