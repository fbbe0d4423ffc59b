package explore_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/graph"
)

// wide is threads with random accesses, permuted. Each execution has an outcome of its own; finding says what is wrong
// with it.
func wide(seed uint64, order []int, accesses, locations int, finding func(outcome uint64) string) *graph.Program {
	type access struct{ at, value uint64 }
	rn := rand.New(rand.NewPCG(seed, 5))
	code, read := make([][]access, len(order)), make([][]uint64, len(order))
	for t := range code {
		for i := range accesses {
			a := access{at: uint64(0x1000 + 8*rn.IntN(locations))}
			if rn.IntN(2) == 0 {
				a.value = uint64(t*accesses + i + 1)
			}
			code[t] = append(code[t], a)
		}
		read[t] = make([]uint64, accesses)
	}
	p := &graph.Program{}
	for _, t := range order {
		p.Threads = append(p.Threads, graph.Thread{Run: func(h *graph.Handle) {
			for i, a := range code[t] {
				if a.value != 0 {
					h.Write(graph.Constant(a.at), 8, graph.Write, graph.Constant(a.value))
				} else {
					read[t][i] = h.Read(graph.Constant(a.at), 8, graph.Read).Bits
				}
			}
		}})
	}
	p.End = func(e *graph.Execution) (v graph.Verdict) {
		for t := range code {
			for _, r := range read[t] {
				v.Outcome = v.Outcome*1000003 + r
			}
		}
		for l := range uint64(locations) {
			v.Outcome = v.Outcome*1000003 + e.Final(0x1000+8*l, 8)
		}
		if v.Checked = true; finding != nil {
			v.Finding = finding(v.Outcome)
		}
		return v
	}
	return p
}

var inOrder = []int{0, 1, 2, 3}

func explored(
	t *testing.T, workers int, o graph.Options, order []int, finding func(outcome uint64) string,
) *graph.Report {
	t.Helper()
	w := explore.Workers{Count: workers, Build: func(int) (*graph.Program, error) {
		return wide(6, order, 5, 6, finding), nil
	}}
	r, err := w.Explore(&graph.Arm, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// same reports whether reports are the same to the last byte.
func same(a, b *graph.Report) bool { return reflect.DeepEqual(a, b) }

// The report does not depend on the number of workers, and the executions not on the order of the threads.
func TestWorkers(t *testing.T) {
	one := explored(t, 1, graph.Options{}, inOrder, nil)
	whole, err := graph.Explore(wide(6, inOrder, 5, 6, nil), &graph.Arm, graph.Options{})
	if err != nil || one.Executions != whole.Executions || !reflect.DeepEqual(one.Outcomes, whole.Outcomes) {
		t.Fatalf("%v: %d executions in parts, %d in one", err, one.Executions, whole.Executions)
	}
	if one.Subtrees < 2 || one.Covered != one.Subtrees || one.Limits != 0 {
		t.Fatalf("limits %d, %d of %d subtrees", one.Limits, one.Covered, one.Subtrees)
	}
	for _, workers := range []int{3} {
		if r := explored(t, workers, graph.Options{}, inOrder, nil); !same(r, one) {
			t.Errorf("%d workers report something else", workers)
		}
	}
	for _, order := range [][]int{{3, 2, 1, 0}, {1, 3, 0, 2}} {
		r := explored(t, 2, graph.Options{}, order, nil)
		if r.Executions != one.Executions || !reflect.DeepEqual(r.Outcomes, one.Outcomes) {
			t.Errorf("threads %v: %d executions, in order %d", order, r.Executions, one.Executions)
		}
	}
}

// Failures that the search meets late, and several of which it meets one first.
func TestWorkersFindTheFirst(t *testing.T) {
	var met []uint64 // in the order of the search
	if _, err := graph.Explore(wide(6, inOrder, 5, 6, func(outcome uint64) string {
		met = append(met, outcome)
		return ""
	}), &graph.Arm, graph.Options{}); err != nil {
		t.Fatal(err)
	}
	last, middle := met[len(met)-1], met[len(met)/2]
	count := func(outcome uint64) (n int) {
		for _, o := range met {
			if o == outcome {
				n++
			}
		}
		return n
	}
	for _, workers := range []int{1, 3} {
		r := explored(t, workers, graph.Options{}, inOrder, func(outcome uint64) string {
			if outcome == last {
				return "the last"
			}
			return ""
		})
		if r.Failure == nil || r.Failure.Finding != "the last" || r.Failures != count(last) {
			t.Fatalf("%d workers: %d failures, %v", workers, r.Failures, r.Findings)
		}
		r = explored(t, workers, graph.Options{}, inOrder, func(outcome uint64) string {
			switch outcome {
			case last:
				return "the last"
			case middle:
				return "in the middle"
			}
			return ""
		})
		if len(r.Findings) != 2 || r.Failure.Finding != "in the middle" || r.Findings[1].Finding != "the last" {
			t.Fatalf("%d workers: %d failures, %v", workers, r.Failures, r.Findings)
		}
		for _, f := range r.Findings {
			_, v, found, err := graph.Show(wide(6, inOrder, 5, 6, func(outcome uint64) string {
				return fmt.Sprint(outcome == last, outcome == middle)
			}), &graph.Arm, graph.Options{}, f.Path, nil)
			if want := fmt.Sprint(f.Finding == "the last", f.Finding != "the last"); err != nil || !found || v.Finding != want {
				t.Errorf("%s is repeated as %v, %v, %v", f.Finding, v, found, err)
			}
		}
	}
}

// One budget for all subtrees, with an estimate of what is left.
func TestWorkersBudget(t *testing.T) {
	total := explored(t, 1, graph.Options{}, inOrder, nil).Executions
	for _, budget := range []int{500, total * 9 / 10, total * 5 / 4} {
		o := graph.Options{Executions: budget}
		one := explored(t, 1, o, inOrder, nil)
		if r := explored(t, 3, o, inOrder, nil); !same(r, one) {
			t.Error("3 workers report something else")
		}
		t.Logf("%d: %d of %d, %d of %d subtrees", budget, one.Executions, one.Estimated, one.Covered, one.Subtrees)
		if budget >= total {
			if one.Limits != 0 || one.Executions != total || one.Covered != one.Subtrees {
				t.Errorf("%d executions of %d with a budget of %d", one.Executions, total, budget)
			}
			continue
		}
		if one.Limits != graph.ExecutionLimit || one.Executions > budget || one.Executions < budget*4/5 {
			t.Errorf("limits %d, %d executions of %d", one.Limits, one.Executions, budget)
		}
		if n := int(one.Estimated); n < total/3 || n > total*3 {
			t.Errorf("a budget of %d: an estimated %d of %d", budget, n, total)
		}
	}
}

// A sample is the same for every number of workers, never all, and ends when something was found.
func TestWorkersSample(t *testing.T) {
	o := graph.Options{Random: true, Executions: 1500, Seed: 7}
	one := explored(t, 1, o, inOrder, nil)
	if r := explored(t, 3, o, inOrder, nil); !same(r, one) {
		t.Error("3 workers report something else")
	}
	total := uint64(explored(t, 1, graph.Options{}, inOrder, nil).Executions)
	near := one.Estimated > total*2/3 && one.Estimated < total*3/2
	if one.Limits != graph.SampleLimit || one.Executions != 1500 || !near {
		t.Errorf("limits %d, %d executions, an estimated %d of %d", one.Limits, one.Executions, one.Estimated, total)
	}
	found := func(outcome uint64) string {
		if outcome%11 == 3 {
			return "found"
		}
		return ""
	}
	o.Executions = 5000
	one = explored(t, 1, o, inOrder, found)
	if r := explored(t, 3, o, inOrder, found); !same(r, one) || r.Failure == nil || r.Executions >= 5000 {
		t.Error("3 workers report something else")
	}
	o.Seed = 8
	if r := explored(t, 2, o, inOrder, nil); same(r, one) {
		t.Error("another seed makes the same sample")
	}
}

// A worker that cannot be built, one that is to stop, and what the others are told on the way.
func TestWorkersEnd(t *testing.T) {
	broken := errors.New("broken")
	w := explore.Workers{Count: 2, Build: func(worker int) (*graph.Program, error) {
		if worker == 1 {
			return nil, broken
		}
		return wide(6, inOrder, 5, 6, nil), nil
	}}
	if _, err := w.Explore(&graph.Arm, graph.Options{}); !errors.Is(err, broken) {
		t.Error(err)
	}
	told, asked := 0, 0
	w.Build = func(int) (*graph.Program, error) { return wide(6, inOrder, 5, 6, nil), nil }
	w.Progress = func(executions int, _ uint64) { told = executions }
	r, err := w.Explore(&graph.Arm, graph.Options{Stop: func() bool {
		asked++
		return told >= 4800
	}})
	if err != nil || r.Limits&graph.Stopped == 0 || r.Executions < 4096 || r.Covered == r.Subtrees {
		t.Errorf("%v, limits %d, %d executions", err, r.Limits, r.Executions)
	}
	if claim := (&explore.Claim{Model: "arm", Report: r}); claim.Verified() {
		t.Error(claim)
	}
}
