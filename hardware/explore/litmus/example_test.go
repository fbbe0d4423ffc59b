package litmus_test

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/explore/litmus"
	"github.com/hwscript/hwscript/hardware/mem"
)

// A message without a barrier: the reader may see the flag and not the data.
func Example() {
	test, err := litmus.Parse("MP\tW x 1; W y 1 | R y; R x\t1:R y=1 & 1:R x=0\tallowed")
	if err != nil {
		panic(err)
	}
	report, err := explore.Explore(explore.Options{}, func() (explore.Subject, error) {
		return test.Subject(mem.ExploredSpec{Model: mem.Arm})
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(report)
	for _, o := range report.Outcomes {
		weak := ""
		if test.Holds(o.Outcome) {
			weak = "  <- asked for"
		}
		fmt.Printf("%2d  %s%s\n", o.Count, test.Describe(o.Outcome), weak)
	}
	// Output:
	// verified: 16 executions
	//  7  1:R y=0 1:R x=0 x=1 y=1
	//  3  1:R y=1 1:R x=0 x=1 y=1  <- asked for
	//  4  1:R y=0 1:R x=1 x=1 y=1
	//  2  1:R y=1 1:R x=1 x=1 y=1
}
