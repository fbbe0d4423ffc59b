package sim

// A Profile takes time apart by the functions that a source is in: what perf record of its task would show.
type Profile struct {
	Only    string // of whom: "CPU0"; "" for everybody
	Nodes   []Function
	sources map[string]*place
}

// A Function is one way to have come to a function: by its caller, which is itself one. That of a source as such, which
// is in no function, has no caller.
//
// Invariant: a function stands behind its caller.
type Function struct {
	Symbol string
	Caller int  // index of its caller, -1 if there is none
	Self   Time // without what it calls
}

// place is where a source is, and since when.
type place struct {
	node  int
	since Time
}

// Begin begins the profile of a source at a time; otherwise that begins with its first record.
func (p *Profile) Begin(source string, at Time) {
	if p.sources == nil {
		p.sources = map[string]*place{}
	}
	p.sources[source] = &place{node: len(p.Nodes), since: at}
	p.Nodes = append(p.Nodes, Function{Symbol: source, Caller: -1})
}

// Wants is Tracer.
func (p *Profile) Wants() Kinds { return Of(Enter, Leave) }

// Trace is Tracer.
func (p *Profile) Trace(r *Record) {
	if p.Only != "" && r.Source != p.Only {
		return
	}
	if p.sources[r.Source] == nil {
		p.Begin(r.Source, r.At)
	}
	at := p.sources[r.Source]
	p.charge(at, r.At)
	if r.Kind == Enter {
		at.node = p.callee(at.node, r.Symbol)
	} else if caller := p.Nodes[at.node].Caller; caller >= 0 { // else it was entered before the profile began
		at.node = caller
	}
}

// End is the end of the profile of a source.
func (p *Profile) End(source string, at Time) {
	if where := p.sources[source]; where != nil {
		p.charge(where, at)
	}
}

func (p *Profile) charge(where *place, at Time) {
	p.Nodes[where.node].Self += at - where.since
	where.since = at
}

// callee is the node of a function called in a node.
func (p *Profile) callee(caller int, symbol string) int {
	for i := caller + 1; i < len(p.Nodes); i++ {
		if p.Nodes[i].Caller == caller && p.Nodes[i].Symbol == symbol {
			return i
		}
	}
	p.Nodes = append(p.Nodes, Function{Symbol: symbol, Caller: caller})
	return len(p.Nodes) - 1
}

// Path is the functions that lead to a node and its own, parted by ';', the source first.
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
