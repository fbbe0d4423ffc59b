package linux_test

import (
	"math/rand/v2"
	"testing"

	"github.com/hwscript/hwscript/hardware/linux"
)

// TestCPUMask holds a mask against a plain set.
func TestCPUMask(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		n := 1 + r.IntN(200)
		mask, plain := linux.NewCPUMask(n), map[int]bool{}
		for range r.IntN(n + 1) {
			i := r.IntN(n)
			mask.Set(i)
			plain[i] = true
		}
		next := -1
		for i := n + 70; i >= -1; i-- {
			if plain[i] {
				next = i
			}
			if mask.Has(i) != plain[i] {
				t.Fatalf("seed %d: Has(%d) is %t", seed, i, mask.Has(i))
			}
			if i >= 0 && mask.Next(i) != next {
				t.Fatalf("seed %d: Next(%d) is %d, want %d", seed, i, mask.Next(i), next)
			}
		}
		if mask.Weight() != len(plain) {
			t.Fatalf("seed %d: weight %d, want %d", seed, mask.Weight(), len(plain))
		}
	}
}
