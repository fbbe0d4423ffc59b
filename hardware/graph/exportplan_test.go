package graph

// Hurry lets a plan divide the tree after some executions.
func (p *Plan) Hurry(executions int) *Plan {
	p.tasks[0].executions = executions
	return p
}

// Graphs is how many graphs a search has made, all of which it keeps to be used again.
func Graphs(p *Program, m *Model, executions int, random bool) int {
	x := newSearch(p, m, Options{Executions: executions}.WithDefaults())
	if random {
		x.sampled = &sampler{to: many}
	}
	if err := x.try(x.explore); err != nil || x.report.Executions != executions {
		panic("BUG: the search did not come so far")
	}
	return len(x.pool)
}
