package mem

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// TestWriteOut: a line goes back to memory if the CPU has it as it wrote it, and stays where it is.
func TestWriteOut(t *testing.T) {
	const written, later = 1000 * sim.Nanosecond, 5000 * sim.Nanosecond
	for name, tc := range map[string]struct {
		between func(m *Memory, addr uint64)
		takes   sim.Time
	}{
		"as it was written":  {func(*Memory, uint64) {}, 7},
		"read by another":    {func(m *Memory, addr uint64) { m.Read(1, addr, 8, written) }, 7},
		"written by another": {func(m *Memory, addr uint64) { m.Write(1, addr, 8, 3, written, 0) }, 0},
		"taken by a compare-and-swap that fails": {func(m *Memory, addr uint64) {
			m.Atomic(1, addr, 8, bus.CompareAndSwap, 9, 5, written, 0)
		}, 0},
		"cleaned":   {func(m *Memory, addr uint64) { m.Clean(1, addr, false, written, 0) }, 0},
		"discarded": {func(m *Memory, addr uint64) { m.Clean(1, addr, true, written, 0) }, 0},
	} {
		m := newBench(t, 2).Memory
		addr, err := m.Alloc(LineSize)
		if err != nil {
			t.Fatal(err)
		}
		m.Write(0, addr, 8, 2, 0, 0)
		version := m.Version(addr)
		tc.between(m, addr)
		if got := m.WriteOut(0, addr, version, later, later, 7); got != later+tc.takes {
			t.Errorf("%s: done after %s, want %s", name, got-later, tc.takes)
		}
		if got := m.WriteOut(0, addr, version, later+100, later+100, 7); got != later+100 {
			t.Errorf("%s: written out twice", name)
		}
		if tc.takes != 0 {
			if _, out := m.Read(0, addr, 8, later+200); out.Distance != Own {
				t.Errorf("%s: the CPU no longer has the line", name)
			}
		}
	}
}
