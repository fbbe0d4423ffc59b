package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hwscript/hwscript/hardware/graph"
)

// A Claim is what an exploration is to show, and how it went.
type Claim struct {
	Model       string
	Assumptions []string // beyond the model
	Options     graph.Options
	Report      *graph.Report
}

// Verified reports whether every execution was visited, something could have been found, and nothing was.
func (c *Claim) Verified() bool {
	r := c.Report
	return r.Failure == nil && r.Limits == 0 && r.Checked
}

// String is what may be said, in a line. "verified" names the model and what is assumed; it is not said if something
// was left out, or if nothing could have been found.
func (c *Claim) String() string {
	r := c.Report
	switch {
	case r.Failure != nil:
		return "found: " + r.Failure.Finding
	case r.Limits&graph.Stopped != 0:
		return "stopped after " + c.visited() + c.estimate()
	case r.Limits&graph.SampleLimit != 0:
		return "not exhaustive: " + c.visited() + " at random" + c.estimate() + c.givenUp()
	case r.Limits != 0:
		return "not exhaustive: " + c.visited() + c.limit() + c.givenUp()
	case !r.Checked:
		return "nothing was checked: " + c.visited() + " without m:assert, check, or an interrupt that was taken"
	}
	return fmt.Sprintf("verified: %s (%s)", c.visited(), strings.Join(append([]string{c.Model}, c.assumed()...), ", "))
}

// visited are the executions; those in which a store-exclusive fails without a cause are counted apart.
func (c *Claim) visited() string {
	r := c.Report
	text := fmt.Sprintf("%d executions", r.Executions-r.Failing)
	if r.Failing > 0 {
		text += fmt.Sprintf(", and %d in which a store-exclusive fails without a cause", r.Failing)
	}
	return text
}

// assumed are the assumptions that the executions have come to need.
func (c *Claim) assumed() []string {
	list := slices.Clone(c.Assumptions)
	switch n := c.Options.Failures; {
	case !c.Report.Exclusive:
	case n == 0:
		list = append(list, "no store-exclusive fails without a cause")
	default:
		list = append(list, fmt.Sprintf("at most %d store-exclusives of an execution fail without a cause", n))
	}
	return list
}

// limit says which limit was met, and what was covered.
func (c *Claim) limit() string {
	r := c.Report
	if r.Limits&graph.ExecutionLimit == 0 {
		return ""
	}
	text := fmt.Sprintf(", of at most %d", c.Options.WithDefaults().Executions) + c.estimate()
	if r.Subtrees > 0 {
		text += fmt.Sprintf("; %d of %d subtrees are covered", r.Covered, r.Subtrees)
	}
	return text
}

// givenUp says what has too many events.
func (c *Claim) givenUp() string {
	if c.Report.Limits&graph.EventLimit == 0 {
		return ""
	}
	return fmt.Sprintf("; %d given up at %d events, or %d loads of one program: wait with cpu:wait, not in a loop",
		c.Report.GivenUp, c.Options.WithDefaults().Events, graph.MaxLoads)
}

// estimate says how much that is of all, as far as anybody knows.
func (c *Claim) estimate() string {
	if text := Share(c.Report.Executions, c.Report.Estimated); text != "" {
		return ", " + text
	}
	return ""
}

// Share says how much of an estimated number of executions was visited, "" if that is not known.
func Share(executions int, estimated uint64) string {
	n := uint64(executions)
	switch {
	case estimated <= n:
		return ""
	case estimated < 100*n:
		return fmt.Sprintf("about %d %% of an estimated %s", n*100/estimated, rounded(estimated))
	}
	return fmt.Sprintf("less than 1 %% of an estimated %s", rounded(estimated))
}

// Progress is the line of an exploration under way.
func Progress(executions int, estimated uint64) string {
	text := fmt.Sprintf("explored %d executions", executions)
	if share := Share(executions, estimated); share != "" {
		text += ", " + share
	}
	return text
}

// rounded is a number of which no more than two digits mean anything.
func rounded(n uint64) string {
	if n >= 1_000_000_000_000_000_000 {
		return "10^18 or more"
	}
	unit := uint64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return fmt.Sprint((n + unit/2) / unit * unit)
}

// Asked is what may be said of an outcome that a litmus test asks for: one that did not come is forbidden only if every
// execution was visited.
func Asked(seen bool, r *graph.Report) string {
	switch {
	case seen:
		return "allowed"
	case r.Limits != 0:
		return "not seen"
	}
	return "forbidden"
}
