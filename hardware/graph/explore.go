package graph

// Options say how far to search.
type Options struct {
	Executions int    // most of them, 0 for DefaultExecutions; those that are given up count as well
	Events     int    // most of one graph, 0 for DefaultEvents
	Failures   int    // most store-exclusives of one graph that fail without a reason
	Random     bool   // a sample of the executions, for a [Plan]
	Seed       uint64 // of the sample

	Stop     func() bool          // asked now and then
	Progress func(executions int) // told now and then how many there are so far
}

// The default limits.
const (
	DefaultExecutions = 1_000_000
	DefaultEvents     = 1000
)

// WithDefaults fills in the limits that are not set.
func (o Options) WithDefaults() Options {
	if o.Executions <= 0 {
		o.Executions = DefaultExecutions
	}
	if o.Events <= 0 {
		o.Events = DefaultEvents
	}
	return o
}

// A Path is how an execution, or the root of a subtree of executions, is come to.
type Path struct {
	Choices []uint16 // by the algorithm of the search: which write is read, which place is taken, ...
	Cuts    []uint64 // addresses at which locations are cut, since accesses touch parts of them
}

// Explore visits every execution of a program that a model allows, each once.
func Explore(p *Program, m *Model, o Options) (*Report, error) {
	o = o.WithDefaults()
	r := (&Task{executions: o.Executions, events: o.Events, failures: o.Failures}).Run(p, m, o)
	if r.err == nil && r.report.empty() {
		return nil, errNothing
	}
	return &r.report, r.err
}

func newSearch(p *Program, m *Model, o Options) *search {
	return &search{program: p, model: m, options: o, places: newPlaces(), runners: make([]runner, len(p.Threads))}
}

// explore visits executions until nothing is learned any more.
func (x *search) explore() {
	passes := 0
	for x.restart = true; x.restart && !(x.cut && len(x.lead) > 0); {
		passes++
		x.begin()
	}
	x.report.Passes = passes
	x.report.Total = x.total + x.report.Steps
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
	x.path, x.parts, x.depth, x.divided = x.path[:0], x.parts[:0], 0, false
	if x.program.Begin != nil {
		x.program.Begin()
	}
	g := &graph{}
	g.reset(len(x.program.Threads))
	if x.sampled != nil {
		x.descend(g)
	} else {
		x.visit(g)
	}
	x.restart = x.restart || x.learned > 0
}

// pause tells how far the search has come, and asks whether to go on.
func (x *search) pause() {
	if x.options.Progress != nil {
		x.options.Progress(x.report.Executions)
	}
	if x.options.Stop != nil && x.options.Stop() {
		x.stop(Stopped)
	}
}

// giveUp leaves a graph that has too many events.
func (x *search) giveUp() {
	x.report.GivenUp++
	x.report.Limits |= EventLimit
	x.spend()
}

// spend ends the search when it has had as many executions as it may.
func (x *search) spend() {
	if x.report.Executions+x.report.GivenUp >= x.options.Executions {
		x.stop(ExecutionLimit)
	}
}

// try runs a search and answers the error of the program, if it has made one.
func (x *search) try(search func()) (err error) {
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
	search()
	return nil
}

func (x *search) end() {
	for i := range x.runners {
		x.runners[i].close()
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

// Waiting is the location that a thread waits for that stands so; false if it does not stand.
func (e *Execution) Waiting(t int) (at uint64, waits bool) {
	id, waits := e.g.waiter(t)
	if !waits {
		return 0, false
	}
	return e.x.places.start(e.g.parts[e.g.nodes[id].first].location), true
}

// Expired is the number of deadlines that have passed.
func (e *Execution) Expired() int { return e.g.expiries }
