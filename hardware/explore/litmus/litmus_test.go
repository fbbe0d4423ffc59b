package litmus

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/mem"
)

//go:embed testdata/litmus.tsv
var table string

func rows(t testing.TB) []*Test {
	t.Helper()
	var tests []*Test
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		test, err := Parse(strings.TrimSuffix(line, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		tests = append(tests, test)
	}
	if len(tests) < 60 {
		t.Fatalf("%d rows", len(tests))
	}
	return tests
}

// explored runs a test.
func explored(t testing.TB, test *Test, spec mem.ExploredSpec, o explore.Options) *explore.Report {
	t.Helper()
	r, err := explore.Explore(o, func() (explore.Subject, error) { return test.Subject(spec) })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func weak(test *Test, r *explore.Report) bool {
	for _, o := range r.Outcomes {
		if test.Holds(o.Outcome) {
			return true
		}
	}
	return false
}

func TestRows(t *testing.T) {
	deviations := 0
	for _, test := range rows(t) {
		t.Run(test.Name, func(t *testing.T) {
			r := explored(t, test, mem.ExploredSpec{}, explore.Options{})
			p := explored(t, test, mem.ExploredSpec{}, explore.Options{Strategy: explore.Plain})
			t.Logf("%d executions, %d redundant, %d plain; %d outcomes, %d plain", r.Executions, r.Redundant, p.Executions, len(r.Outcomes), len(p.Outcomes))
			for _, o := range r.Outcomes {
				t.Logf("%6d %s", o.Count, test.Describe(o.Outcome))
			}
			if len(r.Outcomes) != len(p.Outcomes) {
				t.Error("reduction changes outcomes")
			}
			if r.Failure != nil {
				t.Error(r.Failure.Finding)
			}
			got := weak(test, r)
			switch {
			case test.Note == "lb" && !got:
				deviations++
			case got != test.Allowed:
				t.Errorf("weak outcome seen: %v, allowed: %v", got, test.Allowed)
			}
		})
	}
	if deviations != 2 {
		t.Errorf("%d rows need load buffering, expected 2", deviations)
	}
}
