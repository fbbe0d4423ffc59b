package litmus

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/mem"
)

func benchmark(b *testing.B, row string, o explore.Options) {
	test, err := Parse(row)
	if err != nil {
		b.Fatal(err)
	}
	executions := 0
	b.ReportAllocs()
	for b.Loop() {
		executions += explored(b, test, mem.ExploredSpec{}, o).Executions
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(executions), "ns/execution")
}

// BenchmarkIRIW is all executions that matter of four threads with six accesses.
func BenchmarkIRIW(b *testing.B) {
	benchmark(b, "IRIW\tW x 1 | R x; R y | W y 1; W y 2 | R y; R x", explore.Options{})
}

// BenchmarkPlain is every execution of two threads with four accesses.
func BenchmarkPlain(b *testing.B) {
	benchmark(b, "SB\tW x 1; R y | W y 1; R x", explore.Options{Strategy: explore.Plain})
}

// BenchmarkThreeReaders is a writer and three readers, explored to the end.
func BenchmarkThreeReaders(b *testing.B) {
	benchmark(b, "MP3\tW x 1; W y 1 | R y; R x | R y; R x | R y; R x", explore.Options{Workers: 2})
}

// BenchmarkSGI is a CPU that publishes two values and interrupts another, on a machine with a GICv3, in every order.
func BenchmarkSGI(b *testing.B) {
	test, err := Parse("SGI\tW x 1; W y 1; msr SGI1R; W x 2; R y | IRQ: R x; R y")
	if err != nil {
		b.Fatal(err)
	}
	executions, steps := 0, 0
	subject, err := test.Subject(mem.ExploredSpec{})
	if err != nil {
		b.Fatal(err)
	}
	o := explore.Options{Strategy: explore.Plain, Executions: 20_000}
	b.ReportAllocs()
	for b.Loop() {
		r, err := explore.Explore(o, func() (explore.Subject, error) { return subject, nil })
		if err != nil {
			b.Fatal(err)
		}
		executions += r.Executions
		steps += r.Steps
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(executions), "ns/execution")
	b.ReportMetric(float64(steps)/float64(executions), "steps/execution")
}
