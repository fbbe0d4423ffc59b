package graph

import (
	"cmp"
	"slices"
)

// A Limit is why an exploration is not complete.
type Limit uint8

// The limits. More than one may have been met.
const (
	ExecutionLimit Limit = 1 << iota // there are more executions
	EventLimit                       // a graph has more events
	SampleLimit                      // they were chosen at random
	Stopped                          // the stop function said so: the only limit that may differ between machines
	stepLimit                        // a task has more graphs on the way
)

// A Verdict is what an execution came to.
type Verdict struct {
	Outcome uint64 // counted
	Finding string // what is wrong, "" if nothing
	Checked bool   // something has run that could have found a fault
	Err     error  // ends the exploration
}

// OutcomeCount is how often an outcome came.
type OutcomeCount struct {
	Outcome uint64
	Count   int
}

// A Report is the result of an exploration.
type Report struct {
	Executions int
	Failing    int  // of them, those in which a store-exclusive fails without a reason
	Exclusive  bool // some store-exclusive has succeeded: it might have failed without a reason
	GivenUp    int  // executions that have more events than they may
	Steps      int  // graphs on the way
	Total      int  // the same of all passes
	Dead       int  // graphs in which a read cannot find the write that it was left open for
	Missed     int  // graphs that end before what must come
	Passes     int  // explorations, of which the last counts
	Limits     Limit
	Checked    bool // something that could have found a fault has run in some execution
	Outcomes   []OutcomeCount
	Failures   int        // executions with a finding
	Findings   []*Failure // the first few, as the search meets them
	Failure    *Failure   // the first, nil if there is none

	Subtrees, Covered int    // parts of the tree of executions, and how many of them were covered, if it was divided
	Estimated         uint64 // executions that there may be, 0 if there is no estimate
}

// maxFindings is how many different findings a report holds.
const maxFindings = 16

// A Failure is what is wrong with some executions: of those met, the least one of all with this finding, and of equals
// the first.
type Failure struct {
	Finding string
	Path    Path // for [Show]
	size    size
}

// size is what a reader has to look at: events that matter, and how often the thread changes from one to the next.
type size struct{ events, turns int }

func (s size) compare(t size) int {
	return cmp.Or(cmp.Compare(s.events, t.events), cmp.Compare(s.turns, t.turns))
}

// note adds an execution.
func (r *Report) note(v Verdict, x *search, g *graph) {
	r.Executions++
	if g.failures > 0 {
		r.Failing++
	}
	r.Checked = r.Checked || v.Checked
	r.count(v.Outcome, 1)
	if v.Finding == "" {
		return
	}
	r.Failures++
	f := r.find(v.Finding)
	switch s := (size{events: g.mattering()}); {
	case f == nil:
		if len(r.Findings) < maxFindings {
			s.turns = g.turns()
			r.keep(&Failure{Finding: v.Finding, Path: x.here(), size: s})
		}
	case s.events <= f.size.events:
		s.turns = g.turns()
		if s.compare(f.size) < 0 {
			f.Path, f.size = x.here(), s
		}
	}
}

func (r *Report) find(finding string) *Failure {
	for _, f := range r.Findings {
		if f.Finding == finding {
			return f
		}
	}
	return nil
}

func (r *Report) keep(f *Failure) {
	r.Findings = append(r.Findings, f)
	r.Failure = r.Findings[0]
}

// here is the path to the graph at hand.
func (x *search) here() Path {
	return Path{Choices: slices.Clone(x.path), Cuts: slices.Clone(x.places.cuts)}
}

// count keeps the outcomes in order.
func (r *Report) count(outcome uint64, n int) {
	i, found := slices.BinarySearchFunc(r.Outcomes, outcome, func(c OutcomeCount, o uint64) int {
		return cmp.Compare(c.Outcome, o)
	})
	if !found {
		r.Outcomes = slices.Insert(r.Outcomes, i, OutcomeCount{Outcome: outcome})
	}
	r.Outcomes[i].Count += n
}

// add counts what another part of the exploration has found, one that the search would meet later.
func (r *Report) add(part *Report) {
	r.Executions += part.Executions
	r.Failing += part.Failing
	r.Exclusive = r.Exclusive || part.Exclusive
	r.GivenUp += part.GivenUp
	r.Steps += part.Steps
	r.Total += part.Total
	r.Passes += part.Passes
	r.Dead += part.Dead
	r.Missed += part.Missed
	r.Limits |= part.Limits
	r.Checked = r.Checked || part.Checked
	r.Failures += part.Failures
	for _, o := range part.Outcomes {
		r.count(o.Outcome, o.Count)
	}
	for _, f := range part.Findings {
		switch g := r.find(f.Finding); {
		case g == nil && len(r.Findings) < maxFindings:
			c := *f
			r.keep(&c)
		case g != nil && f.size.compare(g.size) < 0:
			*g = *f
		}
	}
}
