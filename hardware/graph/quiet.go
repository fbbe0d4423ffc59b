package graph

// boundary explores which interrupt is taken where a thread stands, or none. One that stands at a wait takes it before.
func (x *search) boundary(g *graph, t int) {
	next := &g.threads[t].next
	for i := range x.program.Threads[t].Lines {
		line := &x.program.Threads[t].Lines[i]
		take := request{
			kind: opTake, class: Taken, half: System | Derived | writes, at: line.Object, size: 8, value: uint64(i),
			control: next.before[0], earlier: next.before[1], update: acknowledge, until: line.raised,
		}
		if line.Level {
			take.update = look
		}
		if line.Silent {
			take.class = System
		}
		if (line.Silent || !next.masked) && x.take(i) {
			h := x.get(g)
			h.stand(t)
			if id, ok := x.add(h, t, &take); ok {
				x.choosePart(h, id, 0)
			}
			x.put(h)
			x.back()
		}
		if x.halted() {
			return
		}
	}
	if x.take(len(x.program.Threads[t].Lines)) {
		h := x.get(g)
		th := &h.threads[t]
		th.passed, th.later = int16(len(th.ops)), false
		if th.blocked { // behind the wait it may be
			th.passed--
		}
		x.child(h)
		x.put(h)
		x.back()
	}
}

// stand takes back the wait at which a thread stands.
func (g *graph) stand(t int) {
	th := &g.threads[t]
	th.later = false
	if !th.blocked {
		return
	}
	last := len(th.ops) - 1
	n := &g.nodes[th.ops[last]]
	for i := range int16(n.count) {
		g.parts[n.first+i].location = none
	}
	*n = node{kind: opSync, thread: n.thread, op: none, pair: none, load: none, monitor: none}
	th.ops, th.loads = th.ops[:last], th.loads[:len(th.loads)-1]
	th.blocked, th.status = false, stale
}

func acknowledge(old uint64) (now, result uint64, write bool) { return 0, old, true }

func look(old uint64) (now, result uint64, write bool) { return old, old, false }

// quiet is reached when nothing can happen but that a deadline passes.
func (x *search) quiet(g *graph) {
	expires, begun := false, false
	for t := range g.threads {
		if x.missed(g, t) {
			x.report.Missed++ // it would have gone on: other graphs have that
			return
		}
		expires = expires || g.expires(t)
		id, ok := g.waiter(t)
		begun = begun || ok && (g.begun(id) || g.nodes[id].kind == opClear)
	}
	switch {
	case !expires && begun:
		x.report.Missed++ // what it lacks has not come
		return
	case !expires:
		x.final(g)
		return
	}
	for t := range g.threads {
		if g.expires(t) && x.take(t) {
			h := x.get(g)
			if id, _ := h.waiter(t); x.expire(h, id) {
				x.child(h)
			}
			x.put(h)
			x.back()
		}
	}
}

// expires reports whether a thread stands at a wait whose deadline may pass.
func (g *graph) expires(t int) bool {
	id, ok := g.waiter(t)
	return ok && g.nodes[id].flags&timed != 0 && !g.begun(id)
}

// waiter is the wait at which a thread stands.
func (g *graph) waiter(t int) (int16, bool) {
	th := &g.threads[t]
	if !th.blocked {
		return none, false
	}
	return th.ops[len(th.ops)-1], true
}

// missed reports whether a thread that stands would at last have seen what is there.
func (x *search) missed(g *graph, t int) bool {
	th := &g.threads[t]
	if th.next.unmasked {
		for i := range x.program.Threads[t].Lines {
			line := &x.program.Threads[t].Lines[i]
			if th.next.masked && !line.Silent {
				continue
			}
			if l, ok := x.places.index[line.Object]; ok && int(l) < len(g.last) && line.raised(x.latest(g, l)) {
				return true
			}
		}
	}
	id, ok := g.waiter(t)
	if !ok || g.nodes[id].kind == opClear {
		return ok && g.hidden(id)
	}
	return g.nodes[id].until(x.guess(g, id)) || g.hidden(id)
}

// hidden reports whether the monitor that is open at a wait for an event has been cleared.
func (g *graph) hidden(id int16) bool {
	n := &g.nodes[id]
	if n.monitor < 0 {
		return false
	}
	m := &g.nodes[n.monitor]
	for i := range int16(m.count) {
		if p := &g.parts[m.first+i]; g.foreign(n.thread, p.from, g.last[p.location]) {
			return true
		}
	}
	return false
}

// begun reports whether some part of a read has read.
func (g *graph) begun(id int16) bool {
	n := &g.nodes[id]
	for i := range int16(n.count) {
		if g.parts[n.first+i].from != unknown {
			return true
		}
	}
	return false
}

// expire ends a wait without the value: all that has happened is before.
func (x *search) expire(g *graph, id int16) bool {
	n := &g.nodes[id]
	t := &g.threads[n.thread]
	for i := range int16(n.count) {
		at := n.first + i
		if !g.read(at, g.last[g.parts[at].location], x.model.Edges) {
			return false
		}
		x.settleInitial(g, at)
	}
	n.flags = n.flags&^pending | expired
	n.value = g.compose(id)
	n.result = n.value
	for i := range int16(len(g.nodes)) {
		if i != id && g.nodes[i].flags&pending == 0 && !g.link(i, id) {
			return false
		}
	}
	t.blocked, t.status = false, stale
	g.expiries++
	for i := range g.threads { // what happens now may interrupt the others where they stand
		if o := &g.threads[i]; o != t && !(o.blocked && g.nodes[o.ops[len(o.ops)-1]].kind == opClear) {
			o.later = o.next.unmasked
		}
	}
	return true
}

// final examines an execution.
func (x *search) final(g *graph) {
	if x.divide != 0 {
		x.part()
		return
	}
	if x.program.Ordered || x.show != nil {
		x.perform(g)
	}
	for t := range g.threads {
		r := &x.runners[t]
		if r.handle == nil || len(r.handle.done) != finished(g, t) || !r.matches(g, t) {
			x.run(g, t)
		}
	}
	x.current = g
	e := Execution{x: x, g: g}
	v := Verdict{}
	if x.program.End != nil {
		v = x.program.End(&e)
	}
	if v.Err != nil {
		panic(&refused{v.Err})
	}
	if x.show != nil && !x.show.found && len(x.path) == len(x.lead) {
		*x.show = show{steps: x.steps(g), verdict: v, found: true}
	}
	x.report.note(v, x, g)
	x.spend()
}

// perform runs all threads from their beginning, in an order of the execution.
func (x *search) perform(g *graph) {
	x.current = g
	if x.program.Restart != nil {
		x.program.Restart()
	}
	x.show.begin()
	for t := range x.runners {
		r := &x.runners[t]
		r.end()
		r.begin(x, t)
		r.handle.ordered, r.handle.limit = true, 0
		r.resume()
		x.show.done(t, -1)
	}
	for _, id := range g.linear() {
		n := &g.nodes[id]
		r := &x.runners[n.thread]
		r.handle.limit = int(n.op) + 1
		r.resume()
		x.show.done(int(n.thread), int(n.op))
	}
	for t := range x.runners {
		r := &x.runners[t]
		r.handle.limit = noLimit
		r.resume()
	}
}

// linear is an order of the operations that agrees with program order, and with ordered-before as far as that does.
func (g *graph) linear() (list []int16) {
	next := make([]int, len(g.threads))
	for {
		best := -1
		for t := range g.threads {
			ops := g.threads[t].ops
			if next[t] == len(ops) {
				continue
			}
			if g.nodes[ops[next[t]]].flags&pending != 0 {
				next[t] = len(ops) // it waits for ever
				continue
			}
			if best < 0 {
				best = t
			}
			if g.free(ops[next[t]], next) {
				best = t
				break
			}
		}
		if best < 0 {
			return list
		}
		list = append(list, g.threads[best].ops[next[best]])
		next[best]++
	}
}

// free reports whether all that is before an operation has been listed.
func (g *graph) free(id int16, next []int) bool {
	for k := id; k >= 0; k = g.half(k) {
		for i := range int16(len(g.nodes)) {
			if n := &g.nodes[i]; g.ob.has(i, k) && i != id && int(n.op) >= next[n.thread] {
				return false
			}
		}
	}
	return true
}

// finished is the number of operations that a thread has done when it stands.
func finished(g *graph, t int) int {
	if g.threads[t].blocked {
		return len(g.threads[t].ops) - 1
	}
	return len(g.threads[t].ops)
}
