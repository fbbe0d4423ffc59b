package graph

// choosePart lets one part after another of a read read: every write there is, or one that is still to come.
func (x *search) choosePart(g *graph, id int16, k uint8) {
	if x.halted() {
		return
	}
	n := &g.nodes[id]
	if k == n.count {
		x.readDone(g, id)
		return
	}
	at := n.first + int16(k)
	location := g.parts[at].location
	choice := 0
	for w := g.last[location]; ; w = g.parts[w].prev {
		if x.readable(g, id, w, at) && x.take(choice) {
			h := x.get(g)
			if h.read(at, w, x.model.Edges) {
				x.settleInitial(h, at)
				x.choosePart(h, id, k+1)
			}
			x.put(h)
			x.back()
		}
		choice++
		if w < 0 {
			break
		}
	}
	if (n.flags&waiting != 0 || x.leading() || x.future(g, at) || x.unready(g, at)) && x.take(choice) {
		h := x.get(g)
		x.choosePart(h, id, k+1)
		x.put(h)
		x.back()
	}
}

// readDone goes on from a read all of whose parts read something or are left open. Of a compare-and-swap that cannot be
// done yet it is settled now whether it will write, so that its write may be forwarded.
func (x *search) readDone(g *graph, id int16) {
	n := &g.nodes[id]
	outcomes := [...]uint8{succeeds, fails}
	if n.half&Conditional == 0 || g.complete(id) && g.ready(n) && !g.threads[n.thread].again {
		outcomes[0], outcomes[1] = 0, 0
	}
	for i, outcome := range outcomes {
		if outcome == 0 && i > 0 || outcome != 0 && !x.take(i) {
			continue
		}
		h := x.get(g)
		h.nodes[id].flags |= outcome
		if (outcome != succeeds || x.addHalf(h, id)) && x.settle(h, id) {
			x.child(h)
		}
		x.put(h)
		if outcome != 0 {
			x.back()
		}
	}
}

// settleInitial gives a part the initial value if that is what it reads.
func (x *search) settleInitial(g *graph, at int16) {
	if p := &g.parts[at]; p.from == none {
		p.value = x.places.list[p.location].initial
	}
}

// readable leaves out what a wait, or the taking of an interrupt, cannot end with.
func (x *search) readable(g *graph, id, w, at int16) bool {
	n := &g.nodes[id]
	if n.until == nil || n.count != 1 && (n.joint == nil || at != n.first) {
		return true
	}
	v := x.places.list[g.parts[at].location].initial
	if w >= 0 {
		v = g.parts[w].value
	}
	return n.until(v)
}

// unready reports whether an access finds its first object, as it was left last, in a state that is not ready: another
// that makes it so has to come.
func (x *search) unready(g *graph, at int16) bool {
	p := &g.parts[at]
	n := &g.nodes[p.node]
	if n.joint == nil || n.until == nil || at != n.first {
		return false
	}
	return !n.until(x.latest(g, p.location))
}

// settle draws the consequences when a read has read, or is left open. It answers false if the value cannot be.
func (x *search) settle(g *graph, id int16) bool {
	n := &g.nodes[id]
	t := &g.threads[n.thread]
	if !g.complete(id) {
		if n.kind != opTake {
			n.value = x.guess(g, id)
			n.result = n.value
		}
		t.blocked = n.stands()
		t.status = held
		return true
	}
	n.value = g.compose(id)
	if n.until != nil && !n.until(n.value) || n.kind == opClear && !g.overwritten(id) {
		return false
	}
	if n.flags&waiting == 0 {
		t.pending--
	} else {
		t.blocked = false
	}
	n.flags &^= pending
	fresh := !t.again // what the program has said of this operation holds
	t.again = t.again || n.op != int16(len(t.ops))-1
	t.status = stale
	switch {
	case n.kind == opRead || n.kind == opClear:
		n.result = n.value
	case n.kind == opTake:
		t.blocked = false
		return x.complete(g, id)
	case fresh && g.ready(n):
		return x.complete(g, id)
	default:
		n.result = n.value
		n.flags |= unplaced
		g.open++
	}
	return true
}

// complete reports whether all parts of a read have read.
func (g *graph) complete(id int16) bool {
	n := &g.nodes[id]
	for i := range int16(n.count) {
		if g.parts[n.first+i].from == unknown {
			return false
		}
	}
	return true
}

// complete gives an atomic that knows its operands its result, and its write if it comes by them.
func (x *search) complete(g *graph, id int16) bool {
	n := &g.nodes[id]
	t := &g.threads[n.thread]
	result, write := x.outcome(g, id)
	if n.flags&succeeds != 0 && !write || n.flags&fails != 0 && write {
		return false
	}
	if n.kind != opTake {
		n.result = result
	}
	if n.op != int16(len(t.ops))-1 {
		t.again, t.status = true, stale
	}
	return !write || n.pair >= 0 || x.addHalf(g, id)
}

// addHalf adds the write of an atomic, which has no place yet.
func (x *search) addHalf(g *graph, id int16) bool {
	n := &g.nodes[id]
	half := node{
		class: n.half, kind: opHalf, flags: unplaced, thread: n.thread, op: n.op, where: n.where, pair: id, load: none,
		address: n.address, data: n.data, control: n.control.Or(n.compare), earlier: n.earlier,
	}
	first, count, joint := n.first, int16(n.count), n.joint
	w := g.add(half)
	g.nodes[id].pair = w
	g.open++
	x.found, x.shifts = x.found[:0], x.shifts[:0]
	for i := range count {
		if p := &g.parts[first+i]; joint == nil || x.states[i] != p.value {
			x.found, x.shifts = append(x.found, p.location), append(x.shifts, p.shift)
		}
	}
	g.addParts(w, x.found, x.shifts)
	if !g.local(w, x.model.Edges) {
		return false
	}
	x.learn(g, w)
	return int(half.op) == len(g.threads[half.thread].ops)-1 || g.relink(half.thread, half.op, x.model.Edges)
}

// outcome is the result of an atomic that has read, and whether it writes. That of a joint access leaves in x.states
// what it makes of each object.
func (x *search) outcome(g *graph, id int16) (result uint64, write bool) {
	n := &g.nodes[id]
	if n.joint == nil {
		_, result, write = n.update(n.value)
		return result, write
	}
	x.states = x.states[:0]
	for i := range int16(n.count) {
		x.states = append(x.states, g.parts[n.first+i].value)
	}
	result = n.joint(x.states)
	for i := range int16(n.count) {
		write = write || x.states[i] != g.parts[n.first+i].value
	}
	return result, write
}

// write gives the write of an atomic its value.
func (x *search) write(g *graph, id int16) {
	n := &g.nodes[id]
	r := &g.nodes[n.pair]
	if r.joint == nil {
		n.value, _, _ = r.update(r.value)
		x.spread(g, id)
		return
	}
	x.outcome(g, n.pair)
	for i := range int16(r.count) {
		if p := g.partAt(id, g.parts[r.first+i].location); p != nil {
			p.value = x.states[i]
		}
	}
}

// overwritten reports whether another thread's write stands between what a load-exclusive has read and what a later
// read of the same bytes has.
func (g *graph) overwritten(id int16) bool {
	n := &g.nodes[id]
	m := &g.nodes[n.monitor]
	for i := range int16(n.count) {
		if g.foreign(n.thread, g.parts[m.first+i].from, g.parts[n.first+i].from) {
			return true
		}
	}
	return false
}

// foreign reports whether a write of another thread stands behind one write, up to another.
func (g *graph) foreign(t int8, behind, last int16) bool {
	for w := last; w >= 0 && w != behind; w = g.parts[w].prev {
		if g.nodes[g.parts[w].node].thread != t {
			return true
		}
	}
	return false
}

// guess is what a program is given for a load that has not read: it goes on only as far as this makes no difference.
func (x *search) guess(g *graph, id int16) (v uint64) {
	n := &g.nodes[id]
	for i := range n.width() {
		p := &g.parts[n.first+i]
		v |= x.latest(g, p.location) << p.shift
	}
	return v
}

// latest is the coherence-last value of a location.
func (x *search) latest(g *graph, location int16) uint64 {
	if w := g.last[location]; w >= 0 {
		return g.parts[w].value
	}
	return x.places.list[location].initial
}

// store explores a write.
func (x *search) store(g *graph, t int) {
	r, resolved := g.threads[t].next, g.threads[t].resolved
	if r.flags&exclusive != 0 {
		open := !g.known(int8(t), r.address) // and so what it had to do
		if !resolved && (g.failures < x.options.Failures || r.pair < 0) && x.take(0) {
			x.fail(g, t, open || r.pair >= 0)
			x.back()
		}
		x.report.Exclusive = x.report.Exclusive || r.pair >= 0
		if !open && r.pair < 0 || !x.take(1) {
			return
		}
		defer x.back()
		if open {
			h := x.get(g)
			h.threads[t].resolved = true
			x.child(h)
			x.put(h)
			return
		}
	}
	h := x.get(g)
	if id, ok := x.add(h, t, &r); ok {
		if p := h.nodes[id].pair; h.known(int8(t), r.data) && (p < 0 || h.nodes[p].flags&pending == 0) {
			x.place(h, id)
		} else {
			x.child(h)
		}
	}
	x.put(h)
}

// fail lets the store-exclusive at which a thread stands fail, for no reason unless it had to.
func (x *search) fail(g *graph, t int, free bool) {
	h := x.get(g)
	r := &g.threads[t].next
	failed := request{kind: opFailed, value: 1, where: r.where, control: r.control, earlier: r.earlier}
	if free {
		h.failures++
	}
	if _, ok := x.add(h, t, &failed); ok {
		x.child(h)
	}
	x.put(h)
}

// place gives a write its place in the order of each location.
func (x *search) place(g *graph, id int16) {
	n := &g.nodes[id]
	n.flags &^= unplaced
	g.open--
	if n.kind == opHalf {
		x.write(g, id)
	}
	x.placePart(g, id, 0)
}

func (x *search) placePart(g *graph, id int16, k uint8) {
	if x.halted() {
		return
	}
	n := &g.nodes[id]
	if k == n.count {
		h := x.get(g)
		x.child(h)
		x.put(h)
		return
	}
	at := n.first + int16(k)
	choice := 0
	for w := g.last[g.parts[at].location]; ; w = g.parts[w].prev {
		if x.take(choice) {
			h := x.get(g)
			if h.insert(at, w) {
				x.claim(h, id, k, 0)
			}
			x.put(h)
			x.back()
		}
		choice++
		if w < 0 {
			return
		}
	}
}

// claim lets any of the reads that are open read a new write, beginning with part q.
func (x *search) claim(g *graph, id int16, k uint8, q int16) {
	at := g.nodes[id].first + int16(k)
	choice := 0
	for ; int(q) < len(g.parts); q++ {
		p := &g.parts[q]
		if p.location != g.parts[at].location || p.from != unknown || g.nodes[p.node].flags&pending == 0 ||
			!x.readable(g, p.node, at, q) {
			continue
		}
		if x.take(choice) {
			h := x.get(g)
			if h.read(q, at, x.model.Edges) && (!h.complete(p.node) || x.settle(h, p.node)) {
				x.claim(h, id, k, q+1)
			}
			x.put(h)
			x.back()
		}
		choice++
		if x.halted() {
			return
		}
	}
	if x.take(choice) {
		x.placePart(g, id, k+1)
		x.back()
	}
}
