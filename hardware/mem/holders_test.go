package mem

import (
	"math/rand"
	"testing"
)

// The set is a map of the CPUs in it, however many there are.
func TestHoldersAreAMap(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 200 {
		cpus := 1 + rng.Intn(200)
		var h holders
		twin := map[int16]bool{}
		for range 60 {
			c := int16(rng.Intn(cpus))
			if rng.Intn(12) == 0 {
				h.only(c)
				twin = map[int16]bool{c: true}
			} else {
				h.add(c, cpus)
				twin[c] = true
			}
			compareHolders(t, &h, twin, cpus)
			if t.Failed() {
				return
			}
		}
	}
}

func compareHolders(t *testing.T, h *holders, twin map[int16]bool, cpus int) {
	t.Helper()
	if h.empty() != (len(twin) == 0) {
		t.Errorf("empty %v with %d holders", h.empty(), len(twin))
	}
	for i := range cpus {
		c := int16(i)
		if h.has(c) != twin[c] || h.sole(c) != (twin[c] && len(twin) == 1) {
			t.Errorf("CPU%d: has %v, sole %v in %v", c, h.has(c), h.sole(c), twin)
		}
	}
}
