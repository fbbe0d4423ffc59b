package explore_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/graph"
)

// claims are what may be said of reports.
var claims = []struct {
	report graph.Report
	claim  explore.Claim
	want   string
}{
	{graph.Report{Executions: 59, Checked: true}, explore.Claim{Model: "arm"}, "verified: 59 executions (arm)"},
	{
		graph.Report{Executions: 2, Checked: true},
		explore.Claim{Model: "tso", Assumptions: []string{"atomics performed"}},
		"verified: 2 executions (tso, atomics performed)",
	},
	{
		graph.Report{Executions: 6, Checked: true, Exclusive: true}, explore.Claim{Model: "arm"},
		"verified: 6 executions (arm, no store-exclusive fails without a cause)",
	},
	{
		graph.Report{Executions: 24, Failing: 18, Checked: true, Exclusive: true},
		explore.Claim{Model: "arm", Options: graph.Options{Failures: 1}},
		"verified: 6 executions, and 18 in which a store-exclusive fails without a cause (arm, at most 1 " +
			"store-exclusives of an execution fail without a cause)",
	},
	{
		graph.Report{Executions: 3}, explore.Claim{Model: "arm"},
		"nothing was checked: 3 executions without m:assert, check, or an interrupt that was taken",
	},
	{
		graph.Report{Executions: 3, Failure: &graph.Failure{Finding: "stale read"}}, explore.Claim{Model: "arm"},
		"found: stale read",
	},
	{
		graph.Report{
			Executions: 1_000_000, Limits: graph.ExecutionLimit, Checked: true, Estimated: 33_456_789,
			Subtrees: 140, Covered: 12,
		},
		explore.Claim{Model: "arm"},
		"not exhaustive: 1000000 executions, of at most 1000000, about 2 % of an estimated 33000000; 12 of 140 subtrees " +
			"are covered",
	},
	{
		graph.Report{Executions: 100, Limits: graph.ExecutionLimit, Estimated: 100},
		explore.Claim{Model: "arm", Options: graph.Options{Executions: 100}},
		"not exhaustive: 100 executions, of at most 100",
	},
	{
		graph.Report{Executions: 100, GivenUp: 4, Limits: graph.EventLimit, Checked: true},
		explore.Claim{Model: "arm"},
		"not exhaustive: 100 executions; 4 given up at 1000 events, or 128 loads of one program: wait with cpu:wait, not " +
			"in a loop",
	},
	{
		graph.Report{Executions: 512, Limits: graph.SampleLimit, Checked: true, Estimated: 1 << 62},
		explore.Claim{Model: "arm"},
		"not exhaustive: 512 executions at random, less than 1 % of an estimated 10^18 or more",
	},
	{
		graph.Report{Executions: 70, Limits: graph.Stopped | graph.ExecutionLimit, Checked: true, Estimated: 95},
		explore.Claim{Model: "arm"},
		"stopped after 70 executions, about 73 % of an estimated 95",
	},
}

// What is said of an exploration, word by word.
func TestClaim(t *testing.T) {
	for _, c := range claims {
		c.claim.Report = &c.report
		if got := c.claim.String(); got != c.want {
			t.Errorf("%+v\n\tgave %s\n\twant %s", c.report, got, c.want)
		}
		if c.claim.Verified() != (c.want[:4] == "veri") {
			t.Errorf("%s: verified %v", c.want, c.claim.Verified())
		}
	}
	if got := explore.Progress(1000, 4000); got != "explored 1000 executions, about 25 % of an estimated 4000" {
		t.Error(got)
	}
	if got := explore.Progress(1000, 0); got != "explored 1000 executions" {
		t.Error(got)
	}
}
