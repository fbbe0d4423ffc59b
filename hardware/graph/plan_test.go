package graph_test

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"testing"

	. "github.com/hwscript/hwscript/hardware/graph"
)

// carryOut does the tasks of a plan with some workers, each with a program of its own, in an order that depends on how
// many they are.
func carryOut(t testing.TB, plan *Plan, workers int, program func() *Program, m *Model, o Options) *Report {
	t.Helper()
	programs := make([]*Program, workers)
	for i := range programs {
		programs[i] = program()
	}
	for tasks := plan.Tasks(); len(tasks) > 0; tasks = plan.Tasks() {
		results := make([]*Result, len(tasks))
		for k := range tasks {
			i := (k*workers + 1) % len(tasks)
			for results[i] != nil {
				i = (i + 1) % len(tasks)
			}
			results[i] = tasks[i].Run(programs[k%workers], m, o)
		}
		plan.Add(results)
	}
	r, err := plan.Report()
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := plan.Done(); n != r.Executions {
		t.Errorf("%d executions are done at the end of %d", n, r.Executions)
	}
	return r
}

// hashed is a random program each of whose executions has an outcome of its own; those with some outcomes fail.
func hashed(text string) *Program {
	p := compiled(text)
	p.End = func(e *Execution) (v Verdict) {
		h := fnv.New64a()
		fmt.Fprint(h, e.Name(func(at uint64, size uint8) []string { return namesOf(text, at, size) }))
		v.Outcome = h.Sum64()
		if v.Outcome%5 == 0 {
			v.Finding = fmt.Sprint("finding ", v.Outcome%3)
		}
		return v
	}
	return p
}

// An exploration in parts visits what one that is not divided visits, and says the same whoever does which part.
func TestPlan(t *testing.T) {
	divided := 0
	for seed := range uint64(long(300, 100)) {
		text := randomProgram(seed)
		program := func() *Program { return hashed(text) }
		o := Options{Failures: 1}
		want, err := Explore(program(), &Arm, Options{Failures: 1, Executions: long(1000, 100)})
		if err != nil {
			t.Fatal(err)
		}
		if want.Limits != 0 {
			continue
		}
		var first *Report
		for _, workers := range []int{1, 2, 3} {
			got := carryOut(t, NewPlan(o).Hurry(1+int(seed%7)), workers, program, &Arm, o)
			if got.Executions != want.Executions || !slices.Equal(got.Outcomes, want.Outcomes) || got.Limits != 0 ||
				!reflect.DeepEqual(got.Findings, want.Findings) || got.Failures != want.Failures {
				t.Fatalf("%d: %s\n%d workers: %+v\none task: %+v", seed, text, workers, got, want)
			}
			if first == nil {
				first = got
			}
			if !reflect.DeepEqual(got, first) {
				t.Fatalf("%d: %s\n%d workers: %+v\n1 worker: %+v", seed, text, workers, got, first)
			}
			divided += min(got.Subtrees, 1)
		}
	}
	if divided == 0 {
		t.Error("no tree was divided")
	}
	t.Logf("%d divided", divided)
}
