package explore

import (
	"sync"
	"sync/atomic"

	"github.com/hwscript/hwscript/hardware/graph"
)

// Workers explore a program side by side.
type Workers struct {
	Count int // 1 if less
	// Build makes the program of a worker, which it is the only one to use. It is called by the worker, once.
	Build func(worker int) (*graph.Program, error)
	// Progress, if set, is told how many executions have been visited, and of how many, 0 if that is not known. The last
	// number need not be the report's. One worker at a time calls it, and the stop function of the options.
	Progress func(executions int, estimated uint64)
}

// Explore visits the executions that a model allows. The report is the same however many workers there are.
func (w *Workers) Explore(m *graph.Model, o graph.Options) (*graph.Report, error) {
	c := &crew{
		Workers: w, model: m, options: o, plan: graph.NewPlan(o), members: make([]member, max(w.Count, 1)),
	}
	for tasks := c.plan.Tasks(); len(tasks) > 0; tasks = c.plan.Tasks() {
		results, err := c.round(tasks)
		if err != nil {
			return nil, err
		}
		c.plan.Add(results)
	}
	return c.plan.Report()
}

// crew is workers at work.
type crew struct {
	*Workers
	model   *graph.Model
	options graph.Options
	plan    *graph.Plan

	mu      sync.Mutex
	members []member
	stopped bool
	visited int // executions in the tasks of this round that are done, and in the rounds before
	guess   uint64
	told    int // executions
}

// member is a worker. Only itself touches its program.
type member struct {
	program *graph.Program
	visited int // executions in its present task
	err     error
	panic   any
}

// round carries out tasks: whoever is free takes the next.
func (c *crew) round(tasks []*graph.Task) ([]*graph.Result, error) {
	results := make([]*graph.Result, len(tasks))
	c.visited, c.guess = c.plan.Done()
	var next atomic.Int64
	var group sync.WaitGroup
	work := func(k int) {
		for i := int(next.Add(1)) - 1; i < len(tasks); i = int(next.Add(1)) - 1 {
			if results[i] = c.carryOut(k, tasks[i]); results[i] == nil {
				return
			}
		}
	}
	for k := range c.members[1:min(len(c.members), len(tasks))] {
		group.Add(1)
		go func() {
			defer group.Done()
			defer func() { c.members[k+1].panic = recover() }()
			work(k + 1)
		}()
	}
	work(0)
	group.Wait()
	for k := range c.members {
		if p := c.members[k].panic; p != nil {
			panic(p)
		}
		if err := c.members[k].err; err != nil {
			return nil, err
		}
	}
	return results, nil
}

// carryOut does a task as a member of the crew. It answers nil if the exploration is to stop.
func (c *crew) carryOut(k int, t *graph.Task) *graph.Result {
	me := &c.members[k]
	if me.program == nil {
		if me.program, me.err = c.Build(k); me.err != nil {
			return nil
		}
	}
	if c.stop() {
		return nil
	}
	r := t.Run(me.program, c.model, graph.Options{Stop: c.stop, Progress: func(n int) { c.tell(me, n) }})
	c.tell(me, r.Executions())
	c.finish(me)
	return r
}

// stop asks whether to stop, until the answer is yes.
func (c *crew) stop() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = c.stopped || c.options.Stop != nil && c.options.Stop()
	return c.stopped
}

// tell notes how far a task is.
func (c *crew) tell(me *member, executions int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	me.visited = executions
	if c.Progress == nil {
		return
	}
	n := c.visited
	for k := range c.members {
		n += c.members[k].visited
	}
	c.told = max(c.told, n) // the first task is done again in parts
	c.Progress(c.told, c.guess)
}

// finish notes that a task is done.
func (c *crew) finish(me *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.visited += me.visited
	me.visited = 0
}
