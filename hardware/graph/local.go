package graph

// writes is the class of events that write an object, whatever the memory model calls them. See [request].
const writes = Class(1 << 31)

// object reports whether an event accesses no memory but an object, which has one state at a time: whatever two
// accesses to it do to one another is an order of everybody's, even within a thread, and nothing else orders them but
// the model.
func (n *node) object() bool {
	return n.class&(System|Device|Message|Taken|Sampled) != 0 && n.kind != opClear
}

// bothKinds is what a fence orders that orders loads and stores: the read of an atomic whose result nobody gets, which
// a fence for loads does not wait for.
const bothKinds Access = 1 << 7

// orders are the kinds of access that a fence orders before others.
func (f *Fence) orders() Access {
	if f.Before&(Load|Store) == Load|Store {
		return f.Before | bothKinds
	}
	return f.Before
}

// sourceOf is the kind of access that fences behind it know.
func sourceOf(c Class) Access {
	if c&NoReturn != 0 {
		return bothKinds
	}
	return accessOf(c)
}

// accessOf is the kind of access that fences before it know.
func accessOf(c Class) (a Access) {
	if c&Read != 0 {
		a |= Load
		if c&Device != 0 {
			a = DeviceInput
		}
	}
	if c&Write != 0 {
		b := Store
		if c&Device != 0 {
			b = DeviceOutput
		}
		a |= b
	}
	return a
}

// local puts everything before an event that the model orders before it within its thread. It answers false if that is
// a cycle.
func (g *graph) local(id int16, edges []Edge) bool {
	n := &g.nodes[id]
	ok := true
	put := func(e *Edge, from int16) {
		if from != id && e.from(g.nodes[from].class) {
			ok = g.precede(from, id) && ok
		}
	}
	scan := false
	for i := range edges {
		e := &edges[i]
		if !e.to(n.class) {
			continue
		}
		switch e.Via {
		case Order, SameObject, Repeated, Fenced, Completed:
			scan = true
		case Halves:
			if n.pair >= 0 && n.class&writes != 0 {
				put(e, n.pair)
			}
		default:
			g.each(n.thread, g.connected(e.Via, n), func(load int16) { put(e, load) })
		}
	}
	if scan {
		ok = g.scan(id, edges) && ok
	}
	if n.class&Noted != 0 {
		ok = g.note(id) && ok
	}
	return ok
}

// note puts the notes of a thread in program order, whatever the model.
func (g *graph) note(id int16) bool {
	n := &g.nodes[id]
	if n.kind == opHalf && !g.precede(n.pair, id) {
		return false
	}
	for _, before := range g.threads[n.thread].ops[:n.op] {
		for k := before; k >= 0; k = g.half(k) {
			if g.nodes[k].class&Noted != 0 && !g.precede(k, id) {
				return false
			}
		}
	}
	return true
}

// precede puts one event of a thread before another.
func (g *graph) precede(from, id int16) bool {
	n, m := &g.nodes[id], &g.nodes[from]
	n.before = n.before.Or(m.before)
	if m.load >= 0 {
		n.before = n.before.Or(source(m.load))
	}
	return g.link(from, id)
}

// each visits the loads of a set.
func (g *graph) each(t int8, s Sources, visit func(load int16)) {
	for !s.Empty() {
		visit(g.threads[t].loads[s.pop()])
	}
}

// connected are the loads from which an event depends in a way.
func (g *graph) connected(via Via, n *node) Sources {
	switch via {
	case Address:
		return n.address
	case Data:
		return n.data
	case Control:
		return n.control
	case AddressBefore:
		return n.earlier
	case ControlSync, AddressSync:
		ops := g.threads[n.thread].ops
		for i := n.op - 1; i >= 0; i-- {
			if s := &g.nodes[ops[i]]; s.kind == opSync && via == ControlSync {
				return s.control
			} else if s.kind == opSync {
				return s.earlier
			}
		}
	}
	return Sources{}
}

// scan goes back through the program for the events that come before one by program order and fences.
func (g *graph) scan(id int16, edges []Edge) bool {
	n := &g.nodes[id]
	access := accessOf(n.class)
	ops := g.threads[n.thread].ops
	var fenced, completed Access
	crossed := false
	if n.kind == opHalf && !g.between(id, n.pair, edges, 0, 0, false) {
		return false
	}
	for i := n.op - 1; i >= 0; i-- {
		m := &g.nodes[ops[i]]
		if m.kind == opFence {
			if m.fence.After&access != 0 {
				fenced |= m.fence.orders()
			}
			if m.fence.Completes {
				completed |= m.fence.orders()
				crossed = true
			}
			continue
		}
		for k := ops[i]; k >= 0; k = g.half(k) {
			if !g.between(id, k, edges, fenced, completed, crossed) {
				return false
			}
		}
	}
	return true
}

// between puts an event before a later one if an edge says so, given the fences between them.
func (g *graph) between(id, before int16, edges []Edge, fenced, completed Access, crossed bool) bool {
	n, m := &g.nodes[id], &g.nodes[before]
	for i := range edges {
		e := &edges[i]
		if e.Via > Completed || !e.to(n.class) || !e.from(m.class) {
			continue
		}
		holds := true
		switch e.Via {
		case SameObject:
			holds = n.count != 0 && m.count != 0 && g.home(n) == g.home(m)
		case Repeated:
			holds = g.repeats(n, m)
		case Fenced:
			holds = fenced&sourceOf(m.class) != 0
		case Completed:
			holds = crossed && (m.class&(Read|Write) == 0 || completed&sourceOf(m.class) != 0)
		}
		if holds {
			return g.precede(before, id)
		}
	}
	return true
}

// completed are the loads of a thread that have not read and that come before whatever the thread does next: what they
// read needs nothing of that.
func (g *graph) completed(t int, edges []Edge) (loads Sources) {
	th := &g.threads[t]
	var fenced Access
	crossed := false
	for i := len(th.ops) - 1; i >= 0; i-- {
		n := &g.nodes[th.ops[i]]
		if n.kind == opFence && n.fence.Completes {
			fenced |= n.fence.orders()
			crossed = true
		}
		if n.load >= 0 && n.flags&pending != 0 && n.completes(edges, fenced, crossed) {
			loads = loads.Or(source(n.load))
		}
	}
	return loads
}

// completes reports whether an edge orders an event before everything, given the completing fences behind it.
func (n *node) completes(edges []Edge, fenced Access, crossed bool) bool {
	for i := range edges {
		e := &edges[i]
		if e.To&Everything != Everything || e.ToAll != 0 || !e.from(n.class) {
			continue
		}
		switch e.Via {
		case Order:
			return true
		case Completed:
			if crossed && (n.class&(Read|Write) == 0 || fenced&sourceOf(n.class) != 0) {
				return true
			}
		}
	}
	return false
}

// home is the location that an event accesses, or the first of them, whether it changes that or not.
func (g *graph) home(n *node) int16 {
	if n.kind == opHalf {
		n = &g.nodes[n.pair]
	}
	return g.parts[n.first].location
}

// repeats reports whether an access does the same to an object as one before it, which then depends on nothing that it
// does not depend on itself.
func (g *graph) repeats(n, m *node) bool {
	return g.home(n) == g.home(m) && n.operands == m.operands &&
		(n.kind != opWrite || n.value == m.value) && m.data.in(n.data.Or(n.control))
}

// forward orders a read that reads a write of its own thread.
func (g *graph) forward(id, from int16, edges []Edge) bool {
	n, w := &g.nodes[id], &g.nodes[from]
	ok := true
	for i := range edges {
		e := &edges[i]
		if !e.to(n.class) {
			continue
		}
		sources := Sources{}
		switch e.Via {
		case AddressForward:
			sources = w.address
		case DataForward:
			sources = w.data
		case Forward:
			ok = (!e.from(w.class) || g.link(from, id)) && ok
		case AtomicForward:
			if w.pair >= 0 {
				ok = g.link(w.pair, id) && ok
			}
		}
		g.each(w.thread, sources, func(load int16) { ok = g.link(load, id) && ok })
	}
	return ok
}

// relink orders what stands behind an event that has come late.
func (g *graph) relink(t int8, op int16, edges []Edge) bool {
	ops := g.threads[t].ops
	for i := int(op) + 1; i < len(ops); i++ {
		for k := ops[i]; k >= 0; k = g.half(k) {
			if !g.local(k, edges) {
				return false
			}
		}
	}
	return true
}
