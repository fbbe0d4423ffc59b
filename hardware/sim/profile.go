package sim

// A Profile takes the time of one source apart by the functions that it is in: what perf record of the task would show.
// It is [Calls].
//
// Invariant: a node stands behind its caller.
type Profile struct {
	Source string // of whom: "CPU0"
	Nodes  []Function
	now    int // the node that runs
	since  Time
}

// A Function is one way to have come to a function: by its caller, which is itself one. Node 0 is what no function is
// entered in.
type Function struct {
	Symbol string
	Caller int  // index of its caller, -1 of node 0
	Self   Time // without what it calls
}

// NewProfile begins a profile of a source at a time.
func NewProfile(source string, at Time) *Profile {
	return &Profile{Source: source, Nodes: []Function{{Symbol: source, Caller: -1}}, since: at}
}

// Enter is [Calls].
func (p *Profile) Enter(at Time, source, symbol string) {
	if source != p.Source {
		return
	}
	p.charge(at)
	for i := p.now + 1; i < len(p.Nodes); i++ {
		if p.Nodes[i].Caller == p.now && p.Nodes[i].Symbol == symbol {
			p.now = i
			return
		}
	}
	p.Nodes = append(p.Nodes, Function{Symbol: symbol, Caller: p.now})
	p.now = len(p.Nodes) - 1
}

// Leave is [Calls].
func (p *Profile) Leave(at Time, source string) {
	if source != p.Source {
		return
	}
	p.charge(at)
	if p.now > 0 { // else it was entered before the profile began
		p.now = p.Nodes[p.now].Caller
	}
}

// End is the end of the profile.
func (p *Profile) End(at Time) { p.charge(at) }

func (p *Profile) charge(at Time) {
	p.Nodes[p.now].Self += at - p.since
	p.since = at
}

// Path is the functions that lead to a node, its own behind ';', the outermost first.
func (p *Profile) Path(node int) string {
	f := &p.Nodes[node]
	if f.Caller < 0 {
		return f.Symbol
	}
	return p.Path(f.Caller) + ";" + f.Symbol
}

// Total is the time of a node and of all that it has called.
func (p *Profile) Total(node int) Time {
	t := p.Nodes[node].Self
	for i := node + 1; i < len(p.Nodes); i++ {
		if p.Nodes[i].Caller == node {
			t += p.Total(i)
		}
	}
	return t
}

// Recursive reports whether a function has been called by itself, directly or not.
func (p *Profile) Recursive(node int) bool {
	for i := p.Nodes[node].Caller; i >= 0; i = p.Nodes[i].Caller {
		if p.Nodes[i].Symbol == p.Nodes[node].Symbol {
			return true
		}
	}
	return false
}
