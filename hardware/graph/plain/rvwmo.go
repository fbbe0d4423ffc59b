package plain

// The rules of preserved program order have their numbers from the RISC-V manual, volume I, "RVWMO Memory Consistency
// Model"; riscv.cat has the same. An AMO is one memory operation there and two events here: see whole.

// kindsOf is the kind of access that a fence sees in an event.
func kindsOf(e *event) Kinds {
	switch {
	case e.kind == kindRead && e.device:
		return KindI
	case e.kind == kindRead:
		return KindR
	case e.kind == kindWrite && e.device:
		return KindO
	case e.kind == kindWrite:
		return KindW
	}
	return 0
}

// fences orders what stands before a fence of RISC-V and is in its first set against what stands behind it and is in
// its second. FENCE.TSO is "rw,rw" without a write before a read, in memory.
func (c *candidate) fences() *relation {
	r := &relation{}
	between := func(fence int, before, after Kinds) {
		P := c.all(func(e *event) bool { return kindsOf(e)&before != 0 })
		S := c.all(func(e *event) bool { return kindsOf(e)&after != 0 })
		r = union(r, seq(in(P), &c.po, in(1<<fence), &c.po, in(S)))
	}
	for i := range c.events {
		switch e := &c.events[i]; {
		case e.kind == kindFence && e.tso:
			between(i, KindR, KindR|KindW)
			between(i, KindW, KindW)
		case e.kind == kindFence:
			between(i, e.pred, e.succ)
		}
	}
	return r
}

// preserved is what of preserved program order hangs on no value, and what is not RVWMO's.
//
// Acquire and release order the accesses of their own address domain, memory or devices (Zaamo, introduction). Devices
// are not accessed speculatively: the manual leaves that to the platform. Ours. That taking an interrupt orders nothing
// behind it but what cannot be undone is ours, too: no rule names it.
//
// Rules 1, 2 and 8 change no execution, for coherence and from-reads imply them; they stand for the reader.
func (c *candidate) preserved() *relation {
	po := &c.po
	R := c.all(func(e *event) bool { return e.kind == kindRead })
	W := c.all(func(e *event) bool { return e.kind == kindWrite })
	D := c.all(func(e *event) bool { return e.device })
	M := R | W
	take := c.all(func(e *event) bool { return e.kind == kindTake })
	ctrl := c.dependency(func(e *event) uint64 { return e.ctrl })
	addr := c.dependency(func(e *event) uint64 { return e.addr })
	data := c.dependency(func(e *event) uint64 { return e.data })

	r := union(
		seq(in(M), c.overlapping(po), in(W)), // rule 1
		c.fences(),                           // rule 4
		c.rmw(),                              // rule 8
		seq(in(M), addr, in(M)),              // rule 9
		seq(in(M), data, in(W)),              // rule 10
		seq(in(M), ctrl, in(W)),              // rule 11
		seq(in(M), addr, in(M), po, in(W)),   // rule 13
		seq(in(M), ctrl, in(D|take)),
		seq(in(M), addr, in(M), po, in(D|take)),
		seq(in(take), po, in(W|D|take)),
		c.devices(),
	)
	for _, domain := range []set{M &^ D, M & D} {
		AQ := domain & c.all(func(e *event) bool { return e.acquire })
		RL := domain & c.all(func(e *event) bool { return e.release })
		r = union(r,
			seq(in(AQ), po, in(domain)),   // rule 5
			seq(in(domain), po, in(RL)),   // rule 6
			seq(in(AQ|RL), po, in(AQ|RL)), // rule 7
		)
	}
	return r
}

// preservedByValue is the rest of preserved program order: what hangs on which write a read has read.
func (c *candidate) preservedByValue() *relation {
	r := &relation{}
	rfi := &relation{}
	for i, s := range c.sources {
		if w := &c.events[s.write]; w.thread == c.events[s.read].thread {
			rfi.add(s.write, s.read)
		}
		for _, later := range c.sources[i+1:] { // rule 2
			a := c.atoms[s.atom]
			if later.atom == s.atom && later.write != s.write && c.po.has(s.read, later.read) &&
				!c.stored(a, s.read, later.read) {
				r.add(s.read, later.read)
			}
		}
	}
	R := c.all(func(e *event) bool { return e.kind == kindRead })
	W := c.all(func(e *event) bool { return e.kind == kindWrite })
	atomic := W & c.all(func(e *event) bool { return e.pair >= 0 })
	addr := c.dependency(func(e *event) uint64 { return e.addr })
	data := c.dependency(func(e *event) uint64 { return e.data })
	return union(r,
		seq(in(atomic), rfi, in(R)),                        // rule 3
		seq(in(R|W), union(addr, data), in(W), rfi, in(R)), // rule 12
	)
}

// stored reports whether a thread writes an atom between two of its events.
func (c *candidate) stored(a atom, from, to int) bool {
	for w := from + 1; w < to; w++ {
		if e := &c.events[w]; e.kind == kindWrite && a.in(e) {
			return true
		}
	}
	return false
}

// whole makes one operation of the two events of each AMO: what is before or after one half is so for the other.
func (c *candidate) whole(r *relation) *relation {
	halves := &relation{}
	for i := range c.events {
		if e := &c.events[i]; e.atomic && e.pair >= 0 {
			read := c.start[e.thread] + e.pair
			halves.add(i, read)
			halves.add(read, i)
		}
	}
	same := union(in(^set(0)), halves)
	return minus(seq(same, r, same), same)
}
