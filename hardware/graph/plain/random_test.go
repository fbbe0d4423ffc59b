package plain

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

const candidatesMax = 20_000

// programs parses the programs of seeds from 1 and hands over those that can be enumerated under all models.
func programs(t *testing.T, n int, visit func(seed uint64, p *Program, results [3]*Result)) {
	t.Helper()
	big := 0
	for seed := uint64(1); seed <= uint64(n); seed++ {
		text := Random(seed, RandomKnobs(seed))
		p, err := Parse(text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		var results [3]*Result
		for _, m := range []Model{SC, TSO, Arm} {
			if results[m], err = Enumerate(p, Options{Model: m, CandidatesMax: candidatesMax}); err != nil {
				break
			}
		}
		if err != nil {
			big++
			continue
		}
		visit(seed, p, results)
	}
	if big*5 > n {
		t.Errorf("%d of %d programs are too big", big, n)
	}
}

// What sequential consistency allows every weaker model allows too, graph by graph: the texts of graphs name no model.
func TestModelsNest(t *testing.T) {
	weaker := 0
	programs(t, numberOfPrograms(), func(seed uint64, p *Program, results [3]*Result) {
		for _, m := range []Model{TSO, Arm} {
			if lost := missing(results[SC].Outcomes, results[m].Outcomes); lost != "" {
				t.Errorf("seed %d: model %d lacks %s\n%s", seed, m, lost, p)
			}
			if lost := missing(results[SC].Hashes, results[m].Hashes); lost != 0 {
				t.Errorf("seed %d: model %d lacks the graph %#x\n%s", seed, m, lost, p)
			}
		}
		if len(results[Arm].Hashes) > len(results[SC].Hashes) {
			weaker++
		}
	})
	if weaker == 0 {
		t.Error("no program told the models apart")
	}
}

// missing gives the first item of part that whole lacks, or the zero value.
func missing[T comparable](part, whole []T) (lost T) {
	for _, item := range part {
		if !slices.Contains(whole, item) {
			return item
		}
	}
	return lost
}

func numberOfPrograms() int {
	if os.Getenv("HWSCRIPT_LONG") == "1" {
		return 400
	}
	return 100
}

// A program that was printed is the program that was read, and printing it again changes nothing.
func TestProgramsRoundTrip(t *testing.T) {
	for seed := uint64(1); seed <= 500; seed++ {
		text := Random(seed, RandomKnobs(seed))
		p, err := Parse(text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		again, err := Parse(p.String())
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p)
		}
		if fmt.Sprint(again) != fmt.Sprint(p) || fmt.Sprintf("%#v", *again) != fmt.Sprintf("%#v", *p) {
			t.Errorf("seed %d: read\n%s\nprinted and read\n%s", seed, p, again)
		}
	}
}

// Bytes that all accesses cover together are chosen together; choosing each byte apart gives the same graphs.
func TestAtomsLoseNothing(t *testing.T) {
	compared := 0
	for seed := uint64(1); seed <= uint64(numberOfPrograms()); seed++ {
		k := RandomKnobs(seed)
		k.Threads, k.Accesses, k.Sizes = 2, 2, true
		p, err := Parse(Random(seed, k))
		if err != nil {
			t.Fatal(err)
		}
		bytes, err := Enumerate(p, Options{Model: Arm, CandidatesMax: candidatesMax, bytes: true})
		if err != nil {
			continue
		}
		whole, err := Enumerate(p, Options{Model: Arm})
		if err != nil {
			t.Fatal(err)
		}
		compared++
		if !slices.Equal(bytes.Hashes, whole.Hashes) || !slices.Equal(bytes.Outcomes, whole.Outcomes) {
			t.Errorf("seed %d: %d graphs by bytes, %d by atoms\n%s", seed, len(bytes.Hashes), len(whole.Hashes), p)
		}
	}
	if compared*2 < numberOfPrograms() {
		t.Errorf("only %d programs were small enough", compared)
	}
}

// A barrier more, or an order in place of none, takes graphs away and adds none: a graph's text names neither.
func TestStrongerProgramsAllowLess(t *testing.T) {
	fewer := 0
	programs(t, numberOfPrograms()/2, func(seed uint64, p *Program, results [3]*Result) {
		r := random(seed)
		text := p.String()
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			if !strings.HasPrefix(line, "  ") || r.percent(60) {
				continue
			}
			changed := slices.Clone(lines)
			changed[i] = stronger(&r, line)
			q, err := Parse(strings.Join(changed, "\n"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := Enumerate(q, Options{Model: Arm, CandidatesMax: 4 * candidatesMax})
			if err != nil {
				continue
			}
			if added := missing(got.Hashes, results[Arm].Hashes); added != 0 {
				t.Errorf("seed %d: %q in place of %q adds a graph to\n%s", seed, changed[i], line, p)
			}
			if len(got.Hashes) < len(results[Arm].Hashes) {
				fewer++
			}
		}
	})
	if fewer == 0 {
		t.Error("no change mattered")
	}
}

// stronger orders an instruction more than it was.
func stronger(r *random, line string) string {
	for _, to := range [][2]string{
		{"ldr.", "ldar."}, {"ldr.", "ldapr."}, {"ldapr.", "ldar."}, {"str.", "stlr."}, {"wait.", "waita."},
		{"swp.", "swpal."}, {"ldadd.", "ldaddal."}, {"cas.", "casal."}, {"ldxr.", "ldaxr."}, {"stxr.", "stlxr."},
		{"ishst", "ish"}, {"ishld", "ish"}, {"dmb", "dsb"},
	} {
		if strings.Contains(line, " "+to[0]) || strings.HasSuffix(line, " "+to[0]) {
			if r.percent(50) {
				return strings.Replace(line, to[0], to[1], 1)
			}
		}
	}
	return "  " + pick(r, "dmb ish", "dmb ishst", "dmb ishld", "dsb ish", "dsb ishst", "dsb ishld", "isb") + "\n" + line
}
