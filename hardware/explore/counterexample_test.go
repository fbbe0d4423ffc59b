package explore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/graph"
)

// messageProgram is a message without a barrier, whose threads say what they do; around it are things of no interest.
func messageProgram(r *explore.Recorder) *graph.Program {
	const data, flag, own = 0x1000, 0x1008, 0x1010
	say := func(thread int, format string, args ...any) {
		r.Remark(r.Threads[thread], fmt.Sprintf(format, args...), fmt.Sprint("line ", thread))
	}
	stale := false
	return &graph.Program{
		Threads: []graph.Thread{
			{Run: func(h *graph.Handle) {
				say(0, "begins")
				h.Write(graph.Constant(own), 8, graph.Write, graph.Constant(1))
				say(0, "store own <- 0x1")
				h.Write(graph.Constant(data), 8, graph.Write, graph.Constant(1))
				say(0, "store data <- 0x1")
				h.Synchronize()
				say(0, "isb")
				h.Write(graph.Constant(flag), 8, graph.Write, graph.Constant(1))
				say(0, "store flag <- 0x1")
				r.Remark("GICR1", "hears of it", "")
			}},
			{Run: func(h *graph.Handle) {
				f := h.Read(graph.Constant(flag), 8, graph.Read)
				d := h.Read(graph.Constant(data), 8, graph.Read)
				say(1, "load data -> 0x%x", d.Bits)
				stale = f.Bits == 1 && d.Bits == 0
				h.Wait(graph.Constant(own), 8, graph.Read, func(v uint64) bool { return v == 2 }, false)
			}},
		},
		End: func(*graph.Execution) (v graph.Verdict) {
			if stale {
				v.Finding = "stale read"
			}
			return v
		},
	}
}

// A counterexample as it is printed: what was said at each operation, which write a load reads, what comes late, what
// is left out, and what nobody said.
func TestCounterexample(t *testing.T) {
	rec := &explore.Recorder{
		Threads: []string{"CPU0", "CPU1"}, Hidden: func(text string) bool { return text == "isb" },
		Name: func(at uint64) string { return map[uint64]string{0x1008: "flag"}[at] },
	}
	p := messageProgram(rec)
	r, err := graph.Explore(p, &graph.Arm, graph.Options{})
	if err != nil || r.Failure == nil {
		t.Fatal(err, r)
	}
	steps, v, found, err := graph.Show(p, &graph.Arm, graph.Options{}, r.Failure.Path, rec)
	if err != nil || !found || v.Finding != "stale read" {
		t.Fatal(v, found, err)
	}
	c := rec.Counterexample(steps)
	var out strings.Builder
	fmt.Fprintln(&out, c.Title("message", v.Finding))
	for _, row := range append([][]string{append([]string{""}, c.Columns...)}, c.Cells()...) {
		fmt.Fprintln(&out, strings.TrimRight(strings.Join(row, " | "), " |"))
	}
	const want = `message: stale read (1 events that do not matter are left out)
 | CPU0 | CPU1 | GICR1
1 | begins  (line 0)
2 | store own <- 0x1  (line 0)
3 | store flag <- 0x1  (line 0)
4 |  |  | hears of it
5 |  | load flag -> 0x1, from 3
6 |  | load data -> 0x0, initial  (line 1)
7 | store data <- 0x1, late  (line 0)
8 |  | waits for ever for 0x1010
`
	if out.String() != want {
		t.Errorf("gave\n%s\nwant\n%s", out.String(), want)
	}
}
