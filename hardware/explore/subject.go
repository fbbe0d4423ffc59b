package explore

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/sim"
)

// A Subject is a system that can be executed again and again. It is built once; every execution begins from the state
// that Begin restores. Two subjects made by the same function are the same to the last channel.
type Subject interface {
	// Engine is the subject's engine, on which the explorer installs its policy.
	Engine() *sim.Engine
	// Begin restores the initial state and starts the programs. The engine has been rewound.
	Begin()
	// End examines the state in which an execution has ended.
	End(e Ending) Verdict
}

// An Ending says how an execution ended.
type Ending struct {
	Err       error // of a program that failed
	Deadlines int   // timeouts that fired: each time, nothing else could happen any more
}

// A DivergedError says that an execution, repeated with the same decisions, went another way: it depends on something
// that Begin does not restore. The subject sees it as the error of the ending, while its programs still stand where
// they stood.
type DivergedError struct {
	Step    int
	Channel string // whose step it is
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("step %d, of %s, cannot be repeated: the execution depends on something from outside", e.Step,
		e.Channel)
}

// A Verdict is what an execution came to.
type Verdict struct {
	Outcome uint64 // the subject's name for the result, counted
	Finding string // what is wrong with it, "" if nothing
}

// Strategy is how an exploration searches.
type Strategy uint8

// The strategies.
const (
	Exhaustive Strategy = iota // depth first, with reduction
	Plain                      // depth first, every order: the measure of the reduction
	Bounded                    // with at most 0, 1, 2, ... preemptions, then Exhaustive
	Random                     // priorities drawn anew for each execution
)

// String is the strategy's name in scripts.
func (s Strategy) String() string { return Strategies()[s] }

// Strategies are the names of all strategies.
func Strategies() []string { return []string{"exhaustive", "plain", "bounded", "random"} }

// Options say how to search, and when to stop.
type Options struct {
	Strategy    Strategy
	Preemptions int    // Bounded: the largest bound, negative for no limit
	Executions  int    // most executions of a round, 0 for DefaultExecutions
	Steps       int    // most steps of an execution, 0 for DefaultSteps
	Seed        uint64 // of Random
	Workers     int    // 1 if less
	Stop        func() bool
}

// The default limits.
const (
	DefaultExecutions = 1_000_000
	DefaultSteps      = 10_000
)

func (o Options) withDefaults() Options {
	if o.Executions <= 0 {
		o.Executions = DefaultExecutions
	}
	if o.Steps <= 0 {
		o.Steps = DefaultSteps
	}
	o.Workers = max(o.Workers, 1)
	return o
}

// A Limit is why an exploration is not exhaustive.
type Limit uint8

// The limits. More than one may have been met.
const (
	ExecutionLimit  Limit = 1 << iota // no more executions
	StepLimit                         // an execution was cut
	PreemptionLimit                   // an order would have taken more preemptions
	Sampled                           // the strategy is Random
	Stopped                           // the stop function said so: the only limit that may differ between machines
)

// OutcomeCount is how often an outcome came.
type OutcomeCount struct {
	Outcome uint64
	Count   int
}

// A Report is the result of an exploration.
type Report struct {
	Executions int
	Steps      int // of all executions
	Redundant  int // executions that were given up: another one has the same result
	Longest    int // steps of the longest execution
	Limits     Limit
	Bound      int // Bounded: the largest number of preemptions that was tried; negative: any
	Outcomes   []OutcomeCount
	Failure    *Failure // the least, nil if there is none
	Failures   int
}

// A Failure is an execution with a finding.
type Failure struct {
	Finding  string
	Schedule Schedule
	Length   int // steps
}

// less orders failures: the shorter, then the one that depth-first search meets first.
func (f *Failure) less(g *Failure) bool { return g == nil || f.Length < g.Length }

// Verified reports whether every order was covered, and nothing was found.
func (r *Report) Verified() bool { return r.Failure == nil && r.Limits == 0 }

// String is the verdict in a line.
func (r *Report) String() string {
	switch {
	case r.Failure != nil:
		return fmt.Sprintf("found: %s", r.Failure.Finding)
	case r.Limits == 0:
		return fmt.Sprintf("verified: %d executions", r.Executions)
	case r.Limits&Stopped != 0:
		return fmt.Sprintf("stopped after %d executions", r.Executions)
	case r.Limits&Sampled != 0:
		return fmt.Sprintf("not exhaustive: %d random executions", r.Executions)
	}
	text := fmt.Sprintf("not exhaustive: %d executions", r.Executions)
	if r.Limits&StepLimit != 0 {
		text += ", some cut"
	}
	if r.Limits&PreemptionLimit != 0 {
		text += fmt.Sprintf(", at most %d preemptions", r.Bound)
	}
	return text
}

// add counts what another part of the same round has found; parts are added in their order.
func (r *Report) add(part *Report) {
	r.Executions += part.Executions
	r.Steps += part.Steps
	r.Redundant += part.Redundant
	r.Longest = max(r.Longest, part.Longest)
	r.Limits |= part.Limits
	r.Failures += part.Failures
	for _, o := range part.Outcomes {
		r.count(o.Outcome, o.Count)
	}
	if part.Failure != nil && part.Failure.less(r.Failure) {
		r.Failure = part.Failure
	}
}

// count keeps the outcomes in order.
func (r *Report) count(outcome uint64, n int) {
	i := len(r.Outcomes)
	for i > 0 && r.Outcomes[i-1].Outcome >= outcome {
		i--
	}
	if i < len(r.Outcomes) && r.Outcomes[i].Outcome == outcome {
		r.Outcomes[i].Count += n
		return
	}
	r.Outcomes = append(r.Outcomes, OutcomeCount{})
	copy(r.Outcomes[i+1:], r.Outcomes[i:])
	r.Outcomes[i] = OutcomeCount{outcome, n}
}
