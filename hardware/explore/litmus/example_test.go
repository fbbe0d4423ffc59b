package litmus_test

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/explore/litmus"
	"github.com/hwscript/hwscript/hardware/graph"
)

// A message without a barrier: the reader may see the flag and not the data.
func Example() {
	test, err := litmus.Parse("MP\tW x 1; W y 1 | R y; R x\t1:R y=1 & 1:R x=0\tallowed")
	if err != nil {
		panic(err)
	}
	report, err := test.Explore(&graph.Arm, graph.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Executions, "executions")
	for _, o := range report.Outcomes {
		weak := ""
		if test.Holds(o.Outcome) {
			weak = "  <- asked for"
		}
		fmt.Printf("%2d  %s%s\n", o.Count, test.Describe(o.Outcome), weak)
	}
	// Output:
	// 4 executions
	//  1  1:R y=0 1:R x=0 x=1 y=1
	//  1  1:R y=1 1:R x=0 x=1 y=1  <- asked for
	//  1  1:R y=0 1:R x=1 x=1 y=1
	//  1  1:R y=1 1:R x=1 x=1 y=1
}
