package graph

import (
	"errors"
	"math"
)

// A Plan is how an exploration is made of tasks. It knows no worker: what comes of it does not depend on how many there
// are: a task begins from nothing that another has left, and results are added up in the order of the tasks.
//
//	attempt ──▶ division ──▶ estimates ──▶ subtrees ──▶ ... ──▶ end      too big: in parts
//	   │           ▲             │            │  (those for which more is known or allowed now)
//	   │           └─────────────┴────────────┘  more is known above them
//	   └──▶ end: all executions, or as many as there may be (with an estimate of all)
//
// What is known of the writers to come (see known.go) is the same for all tasks of a round, and more after each. A task
// that has asked for what it did not know is done again. One budget is divided among all subtrees: as long as some are
// through with less, others get more.
type Plan struct {
	options  Options
	stage    stage
	known    *knowledge
	tasks    []*Task
	numbers  []int     // the tasks' subtrees
	division *Result   // how the tree was divided
	results  []*Result // of the subtrees, nil of those that have none
	guesses  []uint64  // their executions, estimated
	quota    int       // executions of each subtree
	ranges   uint64    // of descents, given to tasks of a sample
	descents uint64    // made
	weight   uint64    // the executions that they estimate, together
	first    Report    // of the attempt
	total    Report
	err      error
}

// stage is what the present tasks are for.
type stage uint8

const (
	attempt  stage = iota // to visit all executions in one task
	estimate              // to say how many there are, since no more will be visited
	division              // to divide the tree
	guesses               // to say how many executions the subtrees have
	subtrees              // to visit those
	sampling              // to visit some of all
	disputed              // to come to where a thread does something else than in another task
	ended
)

// What the first task may cost before the tree is divided: workers of their own cost more.
const (
	attemptExecutions = 4096
	attemptSteps      = 50_000
)

// Descents that make an estimate, of the whole tree or of all subtrees together; and what a task of a sample is to find
// with how many at most, and such tasks before the plan looks whether something was found.
const (
	estimateDescents = 256
	sampleExecutions = 512
	sampleDescents   = 1024
	sampleTasks      = 8
)

// NewPlan begins an exploration.
func NewPlan(o Options) *Plan {
	p := &Plan{options: o.WithDefaults(), known: &knowledge{claims: claims{}}}
	p.begin()
	return p
}

// Tasks are what is to be done now: none if the exploration has come to its end.
func (p *Plan) Tasks() []*Task { return p.tasks }

// Report is what was found, or the error of the program.
func (p *Plan) Report() (*Report, error) {
	if p.err != nil {
		return nil, p.err
	}
	if p.stage == ended && p.total.empty() {
		return nil, errNothing
	}
	return &p.total, nil
}

// empty reports whether no execution was found although nothing has limited the search.
func (r *Report) empty() bool { return r.Executions == 0 && r.GivenUp == 0 && r.Limits == 0 }

// errNothing is what an exploration comes to that has found no execution: nothing is right then.
var errNothing = errors.New("no execution comes to an end: an access never finds its object ready")

// Done is how many executions have been visited, and how many there may be, 0 if there is no estimate yet.
func (p *Plan) Done() (executions int, estimated uint64) {
	if p.stage != subtrees {
		return max(p.total.Executions, p.first.Executions), p.total.Estimated
	}
	for i, r := range p.results {
		n := uint64(0)
		if r != nil {
			executions += r.report.Executions
			n = uint64(r.report.Executions)
		}
		if r == nil || r.report.Limits != 0 {
			n = max(n, p.guesses[i])
		}
		estimated = min(estimated+n, many)
	}
	return executions, estimated
}

// task makes one, with the limits of the exploration.
func (p *Plan) task(t Task) *Task {
	o := &p.options
	t.known, t.events, t.failures, t.seed = p.known, o.Events, o.Failures, o.Seed
	t.counted = t.kind == visit || o.Random
	if t.executions == 0 {
		t.executions = o.Executions
	}
	return &t
}

// enter goes to a stage with these tasks.
func (p *Plan) enter(s stage, tasks ...*Task) { p.stage, p.tasks = s, tasks }

func (p *Plan) begin() {
	p.division, p.results, p.total, p.ranges, p.descents, p.weight = nil, nil, Report{}, 0, 0, 0
	if p.options.Random {
		p.draw()
		return
	}
	p.enter(attempt, p.task(Task{executions: min(p.options.Executions, attemptExecutions), steps: attemptSteps}))
}

// Add takes the results of the present tasks, in their order: nil for one that was not carried out, since the
// exploration is to stop.
func (p *Plan) Add(results []*Result) {
	known := &knowledge{cuts: p.known.cuts, claims: p.known.claims}
	known.merge(p.known.list)
	whole, stopped := true, false
	for _, r := range results {
		if r == nil {
			stopped = true
			continue
		}
		if r.err != nil {
			p.err = r.err
			p.enter(ended)
			return
		}
		stopped = stopped || r.report.Limits&Stopped != 0
		if p.stage == attempt || p.stage == division { // these begin again by themselves
			known.cuts = r.cuts
			continue
		}
		whole = known.recut(r.cuts) && whole
	}
	if stopped {
		p.stop(results)
		return
	}
	if p.stage == disputed {
		panic("BUG: a task that is done again does not do the same")
	}
	own := make([]*Result, len(results)) // others may add the same results to plans of theirs
	for i, r := range results {
		if !known.claims.merge(r.claims) {
			p.dispute(p.tasks[i])
			return
		}
		whole = known.merge(r.met) && whole
		kept := *r
		kept.claims, own[i] = nil, &kept
	}
	p.known = known
	switch {
	case !whole:
		p.known = &knowledge{cuts: known.cuts, claims: known.claims}
		p.begin()
	default:
		p.proceed(own)
	}
}

// proceed goes on from the results of a stage.
func (p *Plan) proceed(results []*Result) {
	switch p.stage {
	case attempt:
		p.attempted(results[0])
	case estimate:
		p.total.Estimated = max(results[0].total/results[0].descents, uint64(p.total.Executions))
		p.enter(ended)
	case division:
		p.divided(results[0])
	case guesses:
		p.guessed(results)
	case subtrees:
		for i, r := range results {
			p.results[p.numbers[i]] = r
		}
		p.explored()
	case sampling:
		p.drawn(results)
	}
}

// dispute lets a task be done again, now that it is known what the others' threads have done: one of its own does
// something else, which is an error at the place where it does so.
func (p *Plan) dispute(t *Task) {
	again, known := *t, *t.known
	known.claims = p.known.claims
	again.known = &known
	p.enter(disputed, &again)
}

func (p *Plan) attempted(r *Result) {
	p.first = r.report
	switch {
	case r.report.Limits&(ExecutionLimit|stepLimit) == 0:
		p.total = r.report
		p.enter(ended)
	case r.report.Executions+r.report.GivenUp >= p.options.Executions:
		p.total = r.report
		p.enter(estimate, p.task(Task{kind: sample, executions: math.MaxInt, to: estimateDescents}))
	default:
		p.enter(division, p.task(Task{kind: divide}))
	}
}

// divided asks for an estimate of each subtree.
func (p *Plan) divided(r *Result) {
	p.division = r
	n := len(r.parts)
	p.results, p.guesses, p.quota = make([]*Result, n), make([]uint64, n), 0
	tasks := make([]*Task, n)
	for i, part := range r.parts {
		tasks[i] = p.task(Task{kind: sample, lead: part, executions: math.MaxInt, to: descents(n)})
	}
	p.enter(guesses, tasks...)
}

// descents are those of each of n subtrees.
func descents(n int) uint64 { return uint64(max(1, estimateDescents/n)) }

func (p *Plan) guessed(results []*Result) {
	for i, r := range results {
		p.guesses[i] = r.total / r.descents
	}
	p.explored()
}

// explored asks for what is not done: subtrees for which more is known now, or that may have more executions.
func (p *Plan) explored() {
	if p.known.outdates(p.division.met) {
		p.enter(division, p.task(Task{kind: divide}))
		return
	}
	used, open := p.division.report.GivenUp, 0
	for _, r := range p.results {
		if r == nil || r.report.Limits&ExecutionLimit != 0 {
			open++
		} else {
			used += r.report.Executions + r.report.GivenUp
		}
	}
	more := false
	if open > 0 {
		if quota := max((p.options.Executions-used)/open, 1); quota >= p.quota+p.quota/4 && quota > p.quota {
			p.quota, more = quota, true
		}
	}
	p.numbers = p.numbers[:0]
	var tasks []*Task
	for i, r := range p.results {
		if r == nil || more && r.report.Limits&ExecutionLimit != 0 || p.known.outdates(r.met) {
			p.numbers = append(p.numbers, i)
			tasks = append(tasks, p.task(Task{lead: p.division.parts[i], executions: p.quota}))
		}
	}
	if len(tasks) == 0 {
		p.sum()
		return
	}
	p.enter(subtrees, tasks...)
}

// sum adds up the subtrees.
func (p *Plan) sum() {
	_, estimated := p.Done()
	p.total = Report{}
	p.total.add(&p.division.report)
	p.total.Subtrees = len(p.results)
	for _, r := range p.results {
		if r == nil {
			continue
		}
		p.total.add(&r.report)
		if r.report.Limits&(ExecutionLimit|Stopped) == 0 {
			p.total.Covered++
		}
	}
	if p.total.Limits&(ExecutionLimit|Stopped) != 0 {
		p.total.Estimated = estimated
	}
	p.enter(ended)
}

// stop ends the plan with what there is.
func (p *Plan) stop(results []*Result) {
	switch p.stage {
	case attempt:
		if results[0] != nil {
			p.first = results[0].report
		}
	case subtrees:
		for i, r := range results {
			old := p.results[p.numbers[i]]
			if r != nil && (old == nil || old.report.Executions < r.report.Executions) {
				p.results[p.numbers[i]] = r
			}
		}
		p.sum()
	case sampling:
		p.collect(results)
	}
	if p.total.Executions < p.first.Executions {
		p.total = p.first
	}
	p.total.Limits = p.total.Limits&^stepLimit | Stopped
	p.enter(ended)
}

// draw asks for the next part of a sample, if there is one.
func (p *Plan) draw() {
	var tasks []*Task
	for rest := p.rest(); rest > 0 && len(tasks) < sampleTasks; {
		n, from := min(rest, sampleExecutions), p.ranges*sampleDescents
		tasks = append(tasks, p.task(Task{kind: sample, executions: n, from: from, to: from + sampleDescents}))
		rest -= n
		p.ranges++
	}
	p.enter(sampling, tasks...)
}

// rest is how many executions there may still be.
func (p *Plan) rest() int { return p.options.Executions - p.total.Executions - p.total.GivenUp }

// drawn goes on until something is found. The first descents are made again if they did not know all writers.
func (p *Plan) drawn(results []*Result) {
	if p.descents == 0 {
		for _, r := range results {
			if p.known.outdates(r.met) {
				p.ranges = 0
				p.draw()
				return
			}
		}
	}
	rest := p.rest()
	p.collect(results)
	if p.draw(); p.total.Failure != nil || p.rest() == rest {
		p.enter(ended)
	}
}

// collect adds up samples.
func (p *Plan) collect(results []*Result) {
	for _, r := range results {
		if r == nil {
			continue
		}
		p.total.add(&r.report)
		p.weight = min(p.weight+r.total, many)
		p.descents += r.descents
	}
	p.total.Limits = p.total.Limits&^ExecutionLimit | SampleLimit
	p.total.Estimated = p.weight / max(p.descents, 1)
}
