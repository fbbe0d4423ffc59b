package mem

import (
	"math/rand"
	"testing"
)

// The set is a map of the CPUs in it, however many there are, and its spans are those of a walk over the map.
func TestHoldersAreAMap(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 200 {
		cpus := 1 + rng.Intn(200)
		places := testPlaces(cpus)
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
			compareHolders(t, &h, twin, places)
			if t.Failed() {
				return
			}
		}
	}
}

func compareHolders(t *testing.T, h *holders, twin map[int16]bool, places []Place) {
	t.Helper()
	if h.empty() != (len(twin) == 0) {
		t.Errorf("empty %v with %d holders", h.empty(), len(twin))
	}
	for i := range places {
		c := int16(i)
		if h.has(c) != twin[c] || h.sole(c) != (twin[c] && len(twin) == 1) {
			t.Errorf("CPU%d: has %v, sole %v in %v", c, h.has(c), h.sole(c), twin)
		}
		nearest, farthest := Distance(Distances), Own
		for k := range twin {
			if k != c {
				d := places[c].DistanceTo(places[k])
				nearest, farthest = min(nearest, d), max(farthest, d)
			}
		}
		if nearest == Distances {
			nearest = Own
		}
		if n, f := h.span(c, places); n != nearest || f != farthest {
			t.Errorf("CPU%d: nearest %s, farthest %s of %v; want %s, %s", c, n, f, twin, nearest, farthest)
		}
	}
}
