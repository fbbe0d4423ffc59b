package host

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// garbage is what a collection frees.
var garbage []byte

// TestMemoryHeadroom: once memory has reached its limit, a collection must free an eighth of it, and not just enough.
func TestMemoryHeadroom(t *testing.T) {
	const limit = 256 << 20
	h, err := New(Options{Limits: Limits{Memory: limit}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.meter.start(h.opts.Limits)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // only memoryFull collects
	for _, c := range []struct {
		live int64 // of the limit, in 32nds
		full bool
	}{{31, true}, {29, true}, {27, false}, {33, true}} {
		runtime.GC()
		used := h.meter.memory()
		garbage = make([]byte, limit/4)
		garbage = nil
		if got := h.memoryFull(limit/32*c.live - used); (got != nil) != c.full {
			t.Errorf("%d/32 of the limit live: %v", c.live, got)
		}
	}
}
