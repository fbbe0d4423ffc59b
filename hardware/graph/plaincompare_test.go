package graph_test

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"testing"

	. "github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/hardware/graph/plain"
)

// textResult is what an exploration of a text has found.
type textResult struct {
	outcomes   map[string]bool
	fine       map[string]int // executions by their finer text
	hashes     map[uint64]bool
	executions int
}

// exploreText explores a program of plain's language.
func exploreText(text string, m *Model) (*textResult, error) {
	p := parseText(text)
	r := &textResult{}
	q := p.program()
	q.Begin = func() {
		*r = textResult{outcomes: map[string]bool{}, fine: map[string]int{}, hashes: map[uint64]bool{}}
	}
	q.End = func(e *Execution) Verdict {
		r.executions++
		r.fine[p.text(e, true)]++
		r.hashes[plain.Hash(p.text(e, false))] = true
		r.outcomes[p.outcome(e)] = true
		return Verdict{}
	}
	report, err := Explore(q, m, Options{Failures: 100, Executions: 1 << 30})
	if err == nil && report.Limits != 0 {
		err = fmt.Errorf("limits %d", report.Limits)
	}
	return r, err
}

// plainModels are the models by both hands.
var plainModels = []struct {
	plain plain.Model
	graph *Model
}{{plain.SC, &SC}, {plain.TSO, &TSO}, {plain.Arm, &Arm}, {plain.RVWMO, &RVWMO}}

// riscvModel is the last of them, which has instructions of its own.
const riscvModel = 3

// textSample is a program with what the axioms allow it under a model.
type textSample struct {
	text  string
	model int
	want  *plain.Result
}

// sampled answers false if there are too many candidates.
func sampled(text string, model, most int) (*textSample, bool) {
	p, err := plain.Parse(text)
	if err != nil {
		panic(err)
	}
	want, err := plain.Enumerate(p, plain.Options{
		Model: plainModels[model].plain, FailExclusive: true, Graphs: true, CandidatesMax: most,
	})
	return &textSample{text, model, want}, err == nil
}

// difference compares what is allowed with what is explored with a table.
func (s *textSample) difference(m *Model) (string, *textResult) {
	r, err := exploreText(s.text, m)
	if err != nil {
		return err.Error(), r
	}
	var list []string
	fine := map[string]bool{}
	for _, g := range s.want.Fine {
		fine[g] = true
		if r.fine[g] == 0 {
			list = append(list, "only by the axioms:\n"+g)
		}
	}
	for g, n := range r.fine {
		if !fine[g] {
			list = append(list, "only explored:\n"+g)
		} else if n > 1 {
			list = append(list, fmt.Sprintf("explored %d times:\n%s", n, g))
		}
	}
	for _, o := range s.want.Outcomes {
		if !r.outcomes[o] {
			list = append(list, "outcome only by the axioms: "+o)
		}
	}
	if len(s.want.Outcomes) != len(r.outcomes) || len(s.want.Hashes) != len(r.hashes) {
		list = append(list, fmt.Sprintf("%d outcomes and %d graphs by the axioms, %d and %d explored", len(s.want.Outcomes),
			len(s.want.Hashes), len(r.outcomes), len(r.hashes)))
	}
	slices.Sort(list)
	return strings.Join(list[:min(len(list), 3)], "\n"), r
}

// textDifference compares the two for one program under one model; small is false if plain has too many candidates.
func textDifference(text string, model, most int) (difference string, r *textResult, small bool) {
	s, small := sampled(text, model, most)
	if !small {
		return "", nil, false
	}
	difference, r = s.difference(plainModels[model].graph)
	return difference, r, true
}

// shrink takes instructions out of a program as long as the two differ.
func shrink(text string, model int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for again := true; again; {
		again = false
		for i := len(lines) - 1; i >= 0; i-- {
			if strings.HasPrefix(lines[i], "cell") || strings.HasPrefix(lines[i], "thread") {
				continue
			}
			fewer := strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "\n")
			if _, err := plain.Parse(fewer); err != nil {
				continue
			}
			if d, _, small := textDifference(fewer, model, 0); small && d != "" {
				lines, again = slices.Delete(lines, i, i+1), true
			}
		}
	}
	return strings.Join(lines, "\n")
}

// randomText writes a program: those of plain's own choice, and others in which one thing is frequent.
func randomText(seed uint64) string {
	k := plain.RandomKnobs(seed)
	switch seed % 8 {
	case 1: // four threads
		k = plain.Knobs{Threads: 4, Accesses: 2, Cells: 2, Values: 1, Fences: true, Dependencies: seed&16 != 0}
	case 2: // load buffering
		k = plain.Knobs{Threads: 2, Accesses: 4, Cells: 3, Values: 1, Dependencies: true, Atomics: seed&16 != 0}
	case 3: // addresses and sizes
		k = plain.Knobs{Threads: 3, Accesses: 3, Cells: 2, Values: 1, Pointers: true, Sizes: true, Atomics: seed&16 != 0}
	case 4: // interrupts
		k = plain.Knobs{Threads: 3, Accesses: 2, Cells: 2, Values: 1, Interrupts: true, Signals: true, Fences: true}
		k.Dependencies = seed&16 != 0
	case 5: // deadlines with what comes after
		k = plain.Knobs{Threads: 3, Accesses: 2, Cells: 2, Values: 2, Waits: true, Deadlines: true, Interrupts: true}
		k.Events, k.Signals = seed&16 != 0, seed&32 != 0
	case 6: // exclusives and atomics
		k = plain.Knobs{Threads: 3, Accesses: 3, Cells: 1, Values: 2, Exclusives: true, Atomics: seed&16 != 0}
		k.Sizes = seed&32 != 0
	case 7: // completing barriers, with all that they order
		k = plain.Knobs{Threads: 3, Accesses: 3, Cells: 2, Values: 1, Fences: true, Interrupts: seed&16 != 0}
		k.Devices, k.Dependencies, k.Events = seed&32 != 0, seed&64 != 0, seed&128 != 0
		k.Atomics, k.Waits, k.Deadlines = seed&256 != 0, seed&512 != 0, seed&1024 != 0
		return strings.ReplaceAll(plain.Random(seed, k), "dmb", "dsb")
	}
	return plain.Random(seed, k)
}

// parts are what a table of random programs counts, by a word of the text.
var parts = []struct{ name, word string }{
	{"DMB", "dmb "}, {"DSB", "dsb "}, {"ISB", "isb"}, {"acquire", "ldar."}, {"RCpc", "ldapr."}, {"release", "stlr."},
	{"address from a load", "+r10]"}, {"branch", "cb"}, {"swap", "swp"}, {"add", "ldadd"}, {"compare and swap", "cas"},
	{"exclusive", "stxr."}, {"release exclusive", "stlxr."}, {"half", ".4 "}, {"device", "device"}, {"SGI", "sgi "},
	{"doorbell", "ring "}, {"second handler", "handler 6"}, {"mask", "  mask"}, {"unmask", "unmask"}, {"wait", "wait"},
	{"WFE", "wfe"}, {"SEV", "sev"}, {"no result", " zr,"},
}

// tally counts the random programs that contain or do something.
type tally struct {
	programs, big, executions, graphs int
	counts                            map[string]int
}

func (c *tally) add(text string, r *textResult) {
	c.programs, c.executions, c.graphs = c.programs+1, c.executions+r.executions, c.graphs+len(r.hashes)
	for _, p := range parts {
		c.counts[p.name] += int(truth(strings.Contains(text, p.word)))
	}
	c.counts["four threads"] += int(truth(strings.Count(text, "thread") == 4))
	seen := map[string]bool{}
	for g := range r.fine {
		seen["a failing store-exclusive"] = seen["a failing store-exclusive"] || strings.Contains(g, "FAIL")
		seen["a deadline that passes"] = seen["a deadline that passes"] || strings.Contains(g, "PASSED")
		seen["a hang"] = seen["a hang"] || strings.Contains(g, "BLOCKED")
		seen["a monitor cleared before WFE"] = seen["a monitor cleared before WFE"] || strings.Contains(g, "CLEAR")
		seen["an interrupt taken"] = seen["an interrupt taken"] || strings.Contains(g, "TAKE")
	}
	seen["signals that merge"] = len(r.hashes) < r.executions
	for name, ok := range seen {
		c.counts[name] += int(truth(ok))
	}
}

// compareRandom compares the two on the random programs of one of two halves of the seeds.
func compareRandom(t *testing.T, half, count int) *tally {
	c := &tally{counts: map[string]int{}}
	bad := 0
	for seed := range uint64(count) {
		if bits.OnesCount64(seed)%2 != half { // what a program contains depends on its seed's low bits
			continue
		}
		text := randomText(seed)
		for model, m := range plainModels[:riscvModel] {
			if m.graph != &Arm && seed/8%4 != 0 {
				continue
			}
			d, r, small := textDifference(text, model, 5_000)
			if !small {
				c.big++
				continue
			}
			if d != "" {
				less := shrink(text, model)
				d, _, _ = textDifference(less, model, 0)
				t.Errorf("seed %d, %s:\n%s\n%s", seed, m.graph.Name, less, d)
				if bad++; bad > 3 {
					return c
				}
			}
			c.add(text, r)
		}
	}
	return c
}

// The explorer visits each execution that the axioms allow once, by the hand of package plain. It agrees with the finer
// text of graphs; in the coarser one, signals that merge and deadlines have no order among themselves, and an
// interrupt before a barrier is one behind it.
func TestPlain(t *testing.T) {
	var halves [2]*tally
	t.Run("random", func(t *testing.T) {
		for i := range halves {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				halves[i] = compareRandom(t, i, long(20_000, 200))
			})
		}
	})
	if t.Failed() {
		return
	}
	a, b := halves[0], halves[1]
	t.Logf("%d explorations, %d executions, %d graphs; %d others are too big", a.programs+b.programs,
		a.executions+b.executions, a.graphs+b.graphs, a.big+b.big)
	for name, n := range b.counts {
		a.counts[name] += n
	}
	for _, name := range slices.Sorted(maps.Keys(a.counts)) {
		t.Logf("%-26s %d", name, a.counts[name])
		if a.counts[name] == 0 {
			t.Errorf("no program has %s", name)
		}
	}
}
