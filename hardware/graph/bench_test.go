package graph_test

import (
	"testing"

	. "github.com/hwscript/hwscript/hardware/graph"
)

// BenchmarkReach is how long the programs of TestReach take under arm: the table in the README.
func BenchmarkReach(b *testing.B) {
	for _, c := range reach() {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if r, err := Explore(c.p, &Arm, Options{}); err != nil || r.Executions != c.want[0] {
					b.Fatal(r, err)
				}
			}
			b.ReportMetric(float64(c.want[0])*float64(b.N)/b.Elapsed().Seconds(), "graphs/s")
		})
	}
}
