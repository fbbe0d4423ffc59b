package graph

import "slices"

// Options say how far to search.
type Options struct {
	Executions int // most of them, 0 for DefaultExecutions
	Events     int // most of one graph, 0 for DefaultEvents
	Failures   int // most store-exclusives of one graph that fail without a reason
	Stop       func() bool
}

// The default limits.
const (
	DefaultExecutions = 1_000_000
	DefaultEvents     = 1000
)

// A Limit is why an exploration is not complete.
type Limit uint8

// The limits.
const (
	ExecutionLimit Limit = 1 << iota // there are more executions
	EventLimit                       // a graph has more events
	Stopped                          // the stop function said so
)

// A Verdict is what an execution came to.
type Verdict struct {
	Outcome uint64 // counted
	Finding string // what is wrong, "" if nothing
}

// OutcomeCount is how often an outcome came.
type OutcomeCount struct {
	Outcome uint64
	Count   int
}

// A Report is the result of an exploration.
type Report struct {
	Executions int
	Failing    int // of them, those in which a store-exclusive fails without a reason
	Steps      int // graphs on the way
	Total      int // the same of all passes
	Dead       int // graphs in which a read cannot find the write that it was left open for
	Missed     int // graphs that end before what must come
	Passes     int // explorations, of which the last counts
	Limits     Limit
	Outcomes   []OutcomeCount
	Failure    *Failure // the first
	Failures   int
}

// A Failure is an execution with a finding.
type Failure struct {
	Finding string
	Path    []uint16 // for Replay
}

func (r *Report) note(v Verdict, g *graph, path []uint16) {
	r.Executions++
	if g.failures > 0 {
		r.Failing++
	}
	i, found := slices.BinarySearchFunc(r.Outcomes, v.Outcome, func(c OutcomeCount, o uint64) int {
		switch {
		case c.Outcome < o:
			return -1
		case c.Outcome > o:
			return 1
		}
		return 0
	})
	if !found {
		r.Outcomes = slices.Insert(r.Outcomes, i, OutcomeCount{Outcome: v.Outcome})
	}
	r.Outcomes[i].Count++
	if v.Finding == "" {
		return
	}
	r.Failures++
	if r.Failure == nil {
		r.Failure = &Failure{Finding: v.Finding, Path: slices.Clone(path)}
	}
}

// Explore visits every execution of a program that a model allows, each once.
func Explore(p *Program, m *Model, o Options) (r *Report, err error) {
	x := newSearch(p, m, o)
	defer x.end()
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *ChangedError:
			err = v
		case *refused:
			err = v.err
		default:
			panic(v)
		}
	}()
	passes := 0
	for x.restart = true; x.restart; {
		passes++
		x.begin()
	}
	x.report.Passes = passes
	x.report.Total = x.total + x.report.Steps
	return &x.report, nil
}

func newSearch(p *Program, m *Model, o Options) *search {
	if o.Executions <= 0 {
		o.Executions = DefaultExecutions
	}
	if o.Events <= 0 {
		o.Events = DefaultEvents
	}
	return &search{program: p, model: m, options: o, places: newPlaces(), runners: make([]runner, len(p.Threads))}
}

// begin explores from the empty graph.
func (x *search) begin() {
	if x.cut {
		x.cut = false
		x.places.clear()
		x.known = x.known[:0]
	}
	x.total += x.report.Steps
	x.restart, x.stopped, x.learned, x.report = false, false, 0, Report{}
	x.path, x.children = x.path[:0], append(x.children[:0], 0)
	if x.program.Begin != nil {
		x.program.Begin()
	}
	g := &graph{}
	g.reset(len(x.program.Threads))
	x.visit(g)
	x.restart = x.restart || x.learned > 0
}

func (x *search) end() {
	for i := range x.runners {
		x.runners[i].end()
	}
}

// Execution is a complete execution.
type Execution struct {
	x *search
	g *graph
}

// Final is the value at the end.
func (e *Execution) Final(at uint64, size uint8) uint64 {
	found, shifts, ok := e.x.places.find(at, size, e.x.program.Initial, nil, nil)
	if !ok {
		panic("BUG: the end of an execution reads part of a location")
	}
	e.g.locate(len(e.x.places.list))
	for len(e.x.known) < len(e.x.places.list) {
		e.x.known = append(e.x.known, writers{})
	}
	v := uint64(0)
	for i, l := range found {
		v |= e.x.latest(e.g, l) << shifts[i]
	}
	return v
}

// Waits reports whether a thread stands at a wait whose value never comes.
func (e *Execution) Waits(t int) bool { return e.g.threads[t].blocked }

// Expired is the number of deadlines that have passed.
func (e *Execution) Expired() int { return e.g.expiries }
