package graph

// Hurry lets a plan divide the tree after some executions.
func (p *Plan) Hurry(executions int) *Plan {
	p.tasks[0].executions = executions
	return p
}
