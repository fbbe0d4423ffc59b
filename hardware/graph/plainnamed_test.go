package graph_test

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// The file holds programs by hand: for faults that the comparison has found, and for each step of the argument that no
// execution is missed.
type plainCase struct{ name, text string }

func plainNamed(t *testing.T) (list []plainCase) {
	data, err := os.ReadFile("testdata/plain.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(data), "\n") {
		name, ok := strings.CutPrefix(line, "== ")
		switch {
		case ok:
			list = append(list, plainCase{name, "cell a 0\ncell b 0\ncell c 0\ncell d 0\ndevice p 0\ndevice q 0\n"})
		case line != "" && line[0] != '#':
			list[len(list)-1].text += "thread\n" + strings.ReplaceAll(line, ";", "\n") + "\n"
		}
	}
	return list
}

// Programs by hand, with their executions by the other hand.
func TestPlainNamed(t *testing.T) {
	for _, c := range plainNamed(t) {
		for model, m := range plainModels[:riscvModel] {
			d, _, small := textDifference(c.text, model, 20_000_000)
			if !small {
				t.Errorf("%s, %s: too big", c.name, m.graph.Name)
			}
			if d != "" {
				t.Errorf("%s, %s: %s\n%s", c.name, m.graph.Name, c.text, d)
			}
		}
	}
}

// implied are the edges without which no graph differs, because others imply them, and those of reads of system
// registers and of data written to them, which plain's language does not have.
var implied = map[string][]string{
	"arm": {"rmw", "[MRS];dsb;po", "data;[MSR]"}, "tso": {"rmw"}, "sc": {},
}

// Without any edge of a table the executions of some program differ.
func TestPlainMutations(t *testing.T) {
	for model, m := range plainModels[:riscvModel] {
		var samples []*textSample
		for _, c := range plainNamed(t) {
			if s, small := sampled(c.text, model, 20_000_000); small {
				samples = append(samples, s)
			}
		}
		for seed := range uint64(long(600, 100)) {
			if s, small := sampled(randomText(seed), model, 5000); small {
				samples = append(samples, s)
			}
		}
		for i, e := range m.graph.Edges {
			mutated := *m.graph
			mutated.Edges = slices.Delete(slices.Clone(m.graph.Edges), i, i+1)
			by := slices.IndexFunc(samples, func(s *textSample) bool {
				d, _ := s.difference(&mutated)
				return d != ""
			})
			if by >= 0 {
				t.Logf("%s without %s: sample %d", m.graph.Name, e.Name, by)
			}
			if slices.Contains(implied[m.graph.Name], e.Name) != (by < 0) {
				t.Errorf("%s without %s: found: %v", m.graph.Name, e.Name, by >= 0)
			}
		}
	}
}
