package graph

import (
	"cmp"
	"slices"
)

// writers are the operations that have been seen to write a location, in any graph so far.
type writers struct {
	list  []writer
	asked uint64 // threads that have asked for writes to come
}

// A writer is an operation that has been seen to write, with the loads of its thread that the model orders before it.
type writer struct {
	thread int8
	where  position
	before Sources
}

// learn notes that an operation writes. If a load has been told that no such write would come, the exploration begins
// again.
func (x *search) learn(g *graph, id int16) {
	n := &g.nodes[id]
	w := writer{n.thread, n.where, n.before}
	for i := range int16(n.count) {
		k := &x.known[g.parts[n.first+i].location]
		if k.covers(w) {
			continue
		}
		k.list = append(k.list, w)
		if k.asked&^(1<<n.thread) != 0 && x.learned == 0 {
			x.learned = x.report.Steps
		}
	}
}

// met is what is known of a location.
type met struct {
	place
	writers
}

// knowledge is what searches tell one another: the writers of locations, in the order of the addresses.
type knowledge struct {
	list   []met
	cuts   []uint64
	claims claims
}

// find answers where a location is, or would be.
func (k *knowledge) find(at uint64) (int, bool) {
	return slices.BinarySearchFunc(k.list, at, func(m met, at uint64) int { return cmp.Compare(m.at, at) })
}

// merge adds what a search has met. It answers false if locations have to be cut.
func (k *knowledge) merge(list []met) bool {
	whole := true
	for i := range list {
		m := &list[i]
		at, found := k.find(m.at)
		if !found {
			k.list = slices.Insert(k.list, at, met{place: m.place})
		}
		for _, j := range [...]int{at - 1, at, at + 1} {
			whole = (j < 0 || j >= len(k.list) || k.apart(&k.list[j].place, &m.place)) && whole
		}
		for _, w := range m.list {
			if e := &k.list[at]; !e.covers(w) {
				e.list = append(e.list, w)
			}
		}
	}
	return whole
}

// apart reports whether two locations are the same or have no byte in common; if not they are cut.
func (k *knowledge) apart(a, b *place) bool {
	if a.at == b.at && a.size == b.size || a.end() <= b.at || b.end() <= a.at {
		return true
	}
	cuts := places{cuts: k.cuts}
	for _, q := range [...][2]*place{{a, b}, {b, a}} {
		for _, at := range [...]uint64{q[0].at, q[0].end()} {
			if at > q[1].at && at < q[1].end() {
				cuts.cut(at)
			}
		}
	}
	k.cuts = cuts.cuts
	return false
}

// recut adds cuts. It answers false if there are new ones.
func (k *knowledge) recut(list []uint64) bool {
	cuts := places{cuts: slices.Clone(k.cuts)}
	for _, at := range list {
		cuts.cut(at)
	}
	same := len(cuts.cuts) == len(k.cuts)
	k.cuts = cuts.cuts
	return same
}

// outdates reports whether a search that knew less has asked for what is known now.
func (k *knowledge) outdates(list []met) bool {
	for i := range list {
		m := &list[i]
		at, found := k.find(m.at)
		if m.asked == 0 || !found {
			continue
		}
		for _, w := range k.list[at].list {
			if m.asked&^(1<<w.thread) != 0 && !m.covers(w) {
				return true
			}
		}
	}
	return false
}

// load begins a search with what is known.
func (x *search) load(k *knowledge) {
	x.places.clear()
	x.places.cuts, x.known, x.claimed = slices.Clone(k.cuts), x.known[:0], k.claims
	for i := range k.list {
		m := &k.list[i]
		x.places.add(m.at, m.size, x.program.Initial)
		x.known = append(x.known, writers{list: slices.Clone(m.list)})
	}
}

// met is what a search knows in the end.
func (x *search) met() (list []met) {
	for i := range x.known {
		list = append(list, met{x.places.list[i], x.known[i]})
	}
	return list
}

// covers reports whether an operation has been seen that can come at least as early.
func (k *writers) covers(w writer) bool {
	for i := range k.list {
		if v := &k.list[i]; v.thread == w.thread && v.where == w.where && v.before.in(w.before) {
			return true
		}
	}
	return false
}

// comes reports whether an operation has not been done, or has no place.
func (x *search) comes(g *graph, w *writer) bool {
	t := &g.threads[w.thread]
	if id := g.at(w); id >= 0 {
		for k := id; k >= 0; k = g.half(k) {
			if n := &g.nodes[k]; n.flags&unplaced != 0 || n.kind != opRead && n.flags&pending != 0 {
				return true
			}
		}
		return false
	}
	if t.pending > 0 && !g.known(w.thread, t.next.control) {
		return true // where it stands it has come by a branch on a load that has not read
	}
	running := t.status != ready || t.next.kind != opEnd
	switch f := w.where.frame; {
	case f == 0:
		return running // the thread itself has more to do
	case f < 0, f > t.takes: // the taking of an interrupt, or in a handler to come
		return running || t.blocked || x.undecided(t)
	default: // in that handler or about to begin it, or in one inside it
		last := &g.nodes[t.ops[len(t.ops)-1]]
		return t.next.where.frame >= f || last.kind == opTake && last.where.frame == -f
	}
}

// at finds an operation by where it stands, none if it has not been done.
func (g *graph) at(w *writer) int16 {
	ops := g.threads[w.thread].ops
	first := int(w.where.number)
	if w.where.frame < 0 {
		first = 0
	}
	for i := first; i < len(ops); i++ {
		if g.nodes[ops[i]].where == w.where {
			return ops[i]
		}
	}
	return none
}

// future reports whether a read part can read a write that is still to come.
func (x *search) future(g *graph, at int16) bool {
	p := &g.parts[at]
	n := &g.nodes[p.node]
	k := &x.known[p.location]
	k.asked |= 1 << n.thread
	for i := range k.list {
		if w := &k.list[i]; (w.thread != n.thread || g.precedes(w, n)) && x.comes(g, w) {
			return true
		}
	}
	return false
}

// alive reports whether every read that is open may still find its write, as far as can be seen: one that comes, and
// behind no read that finds none.
func (x *search) alive(g *graph) bool {
	open := false
	hopes := x.hopes[:0]
	for i := range g.threads {
		t := &g.threads[i]
		open = open || t.pending > 0
		hope := Sources{} // of its loads, those that have read or may
		for number, id := range t.loads {
			if g.nodes[id].flags&pending == 0 {
				hope = hope.Or(source(int16(number)))
			}
		}
		hopes = append(hopes, hope)
	}
	x.hopes = hopes
	if !open {
		return true
	}
	for again := true; again; {
		again = false
		for i := range g.threads {
			for number, id := range g.threads[i].loads {
				if s := source(int16(number)); !s.in(hopes[i]) && x.mayRead(g, id) {
					hopes[i] = hopes[i].Or(s)
					again = true
				}
			}
		}
	}
	for i := range g.threads {
		for number, id := range g.threads[i].loads {
			if !source(int16(number)).in(hopes[i]) && g.nodes[id].flags&waiting == 0 {
				return false
			}
		}
	}
	return true
}

// mayRead reports whether all that an open read has not read may be written.
func (x *search) mayRead(g *graph, id int16) bool {
	n := &g.nodes[id]
	for i := range int16(n.count) {
		at := n.first + i
		if p := &g.parts[at]; p.from == unknown && !x.unready(g, at) && !x.mayWrite(g, n, p.location) {
			return false
		}
	}
	return true
}

func (x *search) mayWrite(g *graph, n *node, location int16) bool {
	k := &x.known[location]
	k.asked |= 1 << n.thread
	for i := range k.list {
		w := &k.list[i]
		switch hope := x.hopes[w.thread]; {
		case w.thread != n.thread && g.reaches(w, hope) && x.comes(g, w), w.thread == n.thread && x.forwards(g, w, n, hope):
			return true
		}
	}
	return false
}

// forwards reports whether an operation before a read of its thread may still write.
func (x *search) forwards(g *graph, w *writer, n *node, hope Sources) bool {
	return g.precedes(w, n) && x.comes(g, w) && g.nodes[g.at(w)].data.in(hope)
}

// precedes reports whether an operation has been done before a read of its thread.
func (g *graph) precedes(w *writer, n *node) bool {
	id := g.at(w)
	return id >= 0 && g.nodes[id].op < n.op
}

// reaches reports whether all loads before an operation have read, or may; those that have not come count as such.
func (g *graph) reaches(w *writer, hope Sources) bool {
	t := &g.threads[w.thread]
	loads := len(t.loads)
	if t.later && t.blocked {
		loads-- // an interrupt may come before the wait
	}
	for s := w.before; !s.Empty(); {
		if l := s.pop(); int(l) < loads && !source(l).in(hope) {
			return false
		}
	}
	return true
}
