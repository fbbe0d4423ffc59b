package graph_test

import (
	"testing"

	. "github.com/hwscript/hwscript/hardware/graph"
)

func BenchmarkSignals(b *testing.B) {
	p := signals(3)
	graphs := 0
	for b.Loop() {
		r, _ := Explore(p, &Arm, Options{})
		graphs += r.Executions
	}
	b.ReportMetric(float64(graphs)/b.Elapsed().Seconds(), "graphs/s")
}
