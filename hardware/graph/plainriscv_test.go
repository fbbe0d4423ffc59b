package graph_test

import (
	"strings"
	"testing"

	. "github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/hardware/graph/plain"
)

// riscv reads an instruction that only RISC-V has, nil if it is none.
func (r *textParser) riscv(w []string) textStep {
	fences := []Fence{riscvFence("r,rw"), riscvFence("w,w")}
	switch w[0] {
	case "fence":
		fences = []Fence{riscvFence(w[1] + "," + w[2])}
	case "fence.tso":
	default:
		return r.riscvAccess(w)
	}
	return func(t *textThread, h *Handle, next int) int {
		for _, f := range fences {
			h.Fence(f)
		}
		t.did(h, textEvent{kind: "FENCE"})
		return next
	}
}

// riscvAccess is LR, SC or an AMO; what a suffix gives, both halves of an AMO have.
func (r *textParser) riscvAccess(w []string) textStep {
	word := strings.Split(w[0], ".")
	size, order := uint8(number(word[len(word)-1])), Class(0)
	if len(word) == 3 {
		order = map[string]Class{"aq": Acquire, "rl": Release, "aqrl": Acquire | Release}[word[1]]
	}
	rd, at := textOperand{reg: 31}, r.place(w[len(w)-1])
	switch word[0] {
	case "lr":
		return load(Read|order, size, r.destination(w[1]), at, true)
	case "sc":
		return storeExclusive(Write|order, size, r.destination(w[1]), r.operand(w[2]), at)
	case "amoswap", "amoadd":
		rd = r.destination(w[1])
	default:
		return nil
	}
	v, add, write := r.operand(w[2]), word[0] == "amoadd", Write|Atomic|Single|order
	if add {
		write |= Derived
	}
	return func(t *textThread, h *Handle, next int) int {
		where, _ := t.address(at)
		x := t.get(v)
		old := h.Update(where, size, Read|Single|order, write, func(old uint64) (uint64, uint64, bool) {
			if add {
				return (old + x.Bits) & sizeMask(size), old, true
			}
			return x.Bits & sizeMask(size), old, true
		}, x)
		t.did(h, textEvent{kind: "R", at: where.Bits, size: size, target: 1})
		t.set(rd, old)
		return next
	}
}

// riscvText writes a program without devices and interrupts, of which the table says nothing, and without what depends
// on the status of an SC, which carries no dependency here: that allows more.
func riscvText(seed uint64) string {
	k := plain.RandomRISCVKnobs(seed)
	k.Devices, k.Interrupts, k.Signals = false, false, false
	switch seed % 4 {
	case 1: // four threads
		k = plain.Knobs{RISCV: true, Threads: 4, Accesses: 2, Cells: 2, Values: 1, Fences: true, Dependencies: seed&8 != 0}
	case 2: // load buffering, with atomics in the middle
		k = plain.Knobs{RISCV: true, Threads: 2, Accesses: 4, Cells: 3, Values: 1, Dependencies: true, Atomics: true}
	case 3: // pairs of LR and SC, and AMOs, of one or two cells
		k = plain.Knobs{RISCV: true, Threads: 3, Accesses: 3, Cells: 1 + int(seed/4%2), Values: 2, Exclusives: true}
		k.Atomics, k.Fences = seed&16 != 0, seed&32 != 0
	}
	k.Dependencies = k.Dependencies && !k.Exclusives
	return plain.Random(seed, k)
}

// riscvParts are what the random programs must contain.
var riscvParts = []string{"fence rw, rw", "fence.tso", "lr.aq", "sc.rl", "amoswap", "amoadd.aqrl", "+r10]", "cb"}

// The explorer visits each execution that the axioms of RVWMO allow once, by the hand of package plain.
func TestPlainRISCV(t *testing.T) {
	c, bad := &tally{counts: map[string]int{}}, 0
	for seed := range uint64(long(10_000, 300)) {
		text := riscvText(seed)
		d, r, small := textDifference(text, riscvModel, 5_000)
		if !small {
			c.big++
			continue
		}
		if d != "" {
			less := shrink(text, riscvModel)
			d, _, _ = textDifference(less, riscvModel, 0)
			t.Errorf("seed %d:\n%s\n%s", seed, less, d)
			if bad++; bad > 3 {
				return
			}
		}
		c.add(text, r)
		for _, word := range riscvParts {
			c.counts[word] += int(truth(strings.Contains(text, word)))
		}
	}
	t.Logf("%d explorations, %d executions, %d graphs; %d others are too big", c.programs, c.executions, c.graphs, c.big)
	for _, word := range riscvParts {
		if t.Logf("%-12s %d", word, c.counts[word]); c.counts[word] == 0 {
			t.Errorf("no program has %s", word)
		}
	}
}
