package mem

import (
	"slices"
	"testing"

	"github.com/hwscript/hwscript/hardware/sim"
)

// What is reserved is aligned, never given out by Alloc, and ends where that begins.
func TestReserve(t *testing.T) {
	spec := Spec{Base: 0x4000_0000, Size: 2 << 20, Places: make([]Place, 2), DiesPerSocket: 1}
	for i := range spec.Latency {
		spec.Latency[i] = sim.Fixed(10 * sim.Nanosecond)
	}
	m, err := New(spec, func(int, sim.Time) {})
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Reserve(100, 0x1_0000)
	if err != nil || a != 0x401f_0000 {
		t.Fatalf("0x%x, %v", a, err)
	}
	b, err := m.Reserve(0x1000, 0x100)
	if err != nil || b != a-0x1000 {
		t.Fatalf("0x%x, %v", b, err)
	}
	if _, err := m.Alloc(b - m.Allocated()); err != nil || m.Allocated() != b {
		t.Fatalf("up to 0x%x, %v", m.Allocated(), err)
	}
	if _, err := m.Alloc(LineSize); err == nil {
		t.Error("Alloc gives out what is reserved")
	}
	if _, err := m.Reserve(LineSize, LineSize); err == nil {
		t.Error("Reserve takes what is allocated")
	}
	m.Write(1, b, 8, 1, 0, 0)
	m.Read(0, b, 8, sim.Microsecond)
	if got := m.Holders(b); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("holders %v", got)
	}
}
