package explore_test

import (
	"os"
	"testing"

	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/graph"
)

// Programs too big to be explored whole in a short test: how far it comes, and what it says of the rest. Long, they are
// explored whole, which the estimates are compared with.
func TestReach(t *testing.T) {
	budget := 5000
	if os.Getenv("HWSCRIPT_LONG") != "" {
		budget = 3_000_000
	}
	for _, c := range []struct {
		seed      uint64
		locations int
	}{{2, 8}, {1, 8}, {2, 4}, {1, 4}} {
		w := explore.Workers{Count: 2, Build: func(int) (*graph.Program, error) {
			p := wide(c.seed, inOrder, 6, c.locations, nil)
			p.End = func(*graph.Execution) graph.Verdict { return graph.Verdict{Checked: true} }
			return p, nil
		}}
		r, err := w.Explore(&graph.Arm, graph.Options{Executions: budget})
		if err != nil {
			t.Fatal(err)
		}
		claim := explore.Claim{Model: graph.Arm.Name, Options: graph.Options{Executions: budget}, Report: r}
		t.Logf("4 CPUs x 6 accesses on %d locations (program %d): %s", c.locations, c.seed, &claim)
		if r.Limits != 0 && (r.Estimated < uint64(r.Executions) || r.Covered >= r.Subtrees) {
			t.Errorf("an estimated %d after %d executions, %d of %d subtrees", r.Estimated, r.Executions, r.Covered, r.Subtrees)
		}
	}
}
