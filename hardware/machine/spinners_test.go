package machine_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/machine"
)

// TestSpinnersCostNoEvents: what a write costs in events does not depend on how many CPUs spin on its line for a value
// that it does not have.
func TestSpinnersCostNoEvents(t *testing.T) {
	const writes = 200
	events := func(spinners int) uint64 {
		m := boot(t, "arm80", func(*machine.Spec) {})
		line, err := m.Lines(1, "flag", 0)
		if err != nil {
			t.Fatal(err)
		}
		woken := 0
		for i := 1; i <= spinners; i++ {
			c := m.CPUs[i]
			if err := m.Spawn(i, program(func() {
				c.Wait(line, 8, bus.Acquire, func(v uint64) bool { return v == writes }, cpu.Forever)
				woken++
			})); err != nil {
				t.Fatal(err)
			}
		}
		c, fired := m.CPUs[0], uint64(0)
		if err := m.Run(0, program(func() {
			c.Delay(10_000_000)
			c.Boundary()
			before := m.Engine.Fired()
			for v := range uint64(writes - 1) {
				c.Store(line, 8, v+1, bus.Plain)
				c.Delay(1_000_000)
				c.Boundary()
			}
			fired = m.Engine.Fired() - before
			c.Store(line, 8, writes, bus.Plain)
		})); err != nil {
			t.Fatal(err)
		}
		if err := m.Drive(nil); err != nil || woken != spinners {
			t.Fatalf("%d of %d spinners have seen the value: %v", woken, spinners, err)
		}
		return fired
	}
	if few, many := events(1), events(79); many > few {
		t.Errorf("%d events with 79 spinners, %d with one", many, few)
	}
}
