package graph

import "slices"

// A Task is part of an exploration: who carries it out, and when, makes no difference.
type Task struct {
	kind  taskKind
	lead  []uint16 // the path to its subtree
	known *knowledge

	counted bool // its executions are some of the exploration's

	executions, steps, events, failures int
	seed, from, to                      uint64 // descents
}

// taskKind is what a task does with its subtree.
type taskKind uint8

const (
	visit  taskKind = iota // visits all its executions
	divide                 // divides it into subtrees
	sample                 // visits some
)

// A Result is what has come of a task. It is not changed any more.
type Result struct {
	report   Report
	met      []met      // what it knows now
	cuts     []uint64   // where locations are cut
	claims   claims     // what its threads have done; a plan does not keep them with the result
	parts    [][]uint16 // the paths to the subtrees, in the order of the search
	total    uint64     // executions that descents estimate, together
	descents uint64
	counted  bool
	err      error
	halted   error
}

// Err is the error of the program, nil if it has made none.
func (r *Result) Err() error { return r.err }

// Halted is the error with which a program has ended since the task was to stop, nil if none has.
func (r *Result) Halted() error { return r.halted }

// Executions is how many of the exploration's it has visited.
func (r *Result) Executions() int {
	if !r.counted {
		return 0
	}
	return r.report.Executions
}

// Run carries out a task on a program, which may have carried out others. Of the options, it is only asked whether to
// stop, and told how far it is.
func (t *Task) Run(p *Program, m *Model, o Options) *Result {
	if !t.counted {
		o.Progress = nil
	}
	x := newSearch(p, m, Options{
		Executions: t.executions, Events: t.events, Failures: t.failures, Stop: o.Stop, Progress: o.Progress,
	})
	x.lead, x.maxSteps = t.lead, t.steps
	if t.kind == sample {
		x.sampled = &sampler{seed: t.seed, from: t.from, to: t.to}
	}
	r := &Result{counted: t.counted}
	r.err = x.try(func() {
		if t.known != nil {
			x.load(t.known)
		}
		if t.kind == divide {
			r.parts = x.split()
		} else {
			x.explore()
		}
	})
	if r.err != nil && o.Stop != nil && o.Stop() { // in the middle of an execution
		r.err, r.halted = nil, r.err
		x.stop(Stopped)
	}
	r.report, r.met, r.cuts, r.claims = x.report, x.met(), x.places.cuts, x.claims
	if x.sampled != nil {
		r.total, r.descents = x.sampled.total, x.sampled.made
	}
	return r
}

// The tree is divided at a depth at which there are enough subtrees, unless to find them takes too long.
const (
	wantedParts = 128
	splitSteps  = 20_000
	splitDepth  = 4 // more each time
)

// split divides the tree into subtrees. Executions above are subtrees of their own.
func (x *search) split() [][]uint16 {
	for x.divide = splitDepth; ; x.divide += splitDepth {
		x.explore()
		if len(x.parts) >= wantedParts || !x.divided || x.stopped || x.report.Steps >= splitSteps {
			return x.parts
		}
	}
}

// part notes that the graph at hand is the root of a subtree.
func (x *search) part() { x.parts = append(x.parts, slices.Clone(x.path)) }
