package litmus

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/graph"
)

// published are the rows of a file of published verdicts, the last column in Note.
func published(t testing.TB, name string) (tests []*Test) {
	t.Helper()
	text, err := os.ReadFile("../../graph/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line == "" || line[0] == '#' {
			continue
		}
		test, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		tests = append(tests, test)
	}
	return tests
}

// parsed is the test of a row.
func parsed(t testing.TB, row string) *Test {
	t.Helper()
	test, err := Parse(row)
	if err != nil {
		t.Fatal(err)
	}
	return test
}

// graphs explores a test to the end.
func graphs(t testing.TB, test *Test, m *graph.Model) *graph.Report {
	t.Helper()
	r, err := test.Explore(m, graph.Options{})
	if err != nil || r.Limits != 0 || r.Failure != nil {
		t.Fatalf("%s: %v, %+v", test.Name, err, r)
	}
	return r
}

// digits is an outcome as the published sets have it: a digit for each register, then for each location.
func (t *Test) digits(outcome uint64) string {
	var b strings.Builder
	for i := range len(t.Registers) + len(t.Locations) {
		fmt.Fprintf(&b, "%x", outcome>>(i*valueBits)&maxValue)
	}
	return b.String()
}

// On CPUs and graphs, every published verdict holds, and every published set of outcomes comes.
func TestPublished(t *testing.T) {
	verdicts, sets := 0, 0
	for _, file := range []string{"litmus.tsv", "litmus-sets.tsv"} {
		for _, test := range published(t, file) {
			r := graphs(t, test, &graph.Arm)
			seen := false
			var got []string
			for _, o := range r.Outcomes {
				seen = seen || test.Holds(o.Outcome)
				got = append(got, test.digits(o.Outcome))
			}
			if len(test.Weak) > 0 {
				verdicts++
				if seen != test.Allowed {
					t.Errorf("%s: the outcome came: %v, allowed: %v", test.Name, seen, test.Allowed)
				}
			}
			if file == "litmus-sets.tsv" {
				sets++
				if slices.Sort(got); !slices.Equal(got, strings.Split(test.Note, ",")) {
					t.Errorf("%s: %v, expected %s", test.Name, got, test.Note)
				}
			}
		}
	}
	t.Logf("%d verdicts, %d sets", verdicts, sets)
	if verdicts != 67+782 || sets != 981 {
		t.Errorf("%d verdicts and %d sets: expected 849 and 981", verdicts, sets)
	}
}

// Under TSO a store passes later loads and system registers only; under SC nothing passes anything.
func TestModels(t *testing.T) {
	for _, c := range []struct {
		row     string
		tso, sc bool
	}{
		{"SB\tW x 1; R y | W y 1; R x\t0:R y=0 & 1:R x=0", true, false},
		{"SB+dmb.sys\tW x 1; dmb sy; R y | W y 1; dmb sy; R x\t0:R y=0 & 1:R x=0", false, false},
		{"SB+swps\tSWP x 1; R y | SWP y 1; R x\t0:R y=0 & 1:R x=0", false, false},
		{"MP\tW x 1; W y 1 | R y; R x\t1:R y=1 & 1:R x=0", false, false},
		{"LB\tR x; W y 1 | R y; W x 1\t0:R x=1 & 1:R y=1", false, false},
		{"2+2W\tW x 2; W y 1 | W y 2; W x 1\tx=2 & y=2", false, false},
		{"n6\tW x 1; R x; R y | W y 1; W x 2\t0:R x=1 & 0:R y=0 & x=1", true, false},
		{"SGI\tW x 1; msr SGI1R | IRQ: R x\tIRQ: R x=0", true, false},
		{"SGI+dsb\tW x 1; dsb ishst; msr SGI1R | IRQ: R x\tIRQ: R x=0", false, false},
	} {
		test := parsed(t, c.row)
		for m, want := range map[*graph.Model]bool{&graph.TSO: c.tso, &graph.SC: c.sc} {
			seen := slices.ContainsFunc(graphs(t, test, m).Outcomes, func(o graph.OutcomeCount) bool {
				return test.Holds(o.Outcome)
			})
			if seen != want {
				t.Errorf("%s under %s: the outcome came: %v", test.Name, m.Name, seen)
			}
		}
	}
}
