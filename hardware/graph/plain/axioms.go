package plain

// all is the set of events with a property.
func (c *candidate) all(is func(e *event) bool) set {
	var s set
	for i := range c.events {
		if is(&c.events[i]) {
			s |= 1 << i
		}
	}
	return s
}

// position is the place of a write in the coherence order of its cell.
func (c *candidate) position(cell, write int) int {
	for at, w := range c.order[cell] {
		if w == write {
			return at
		}
	}
	panic("BUG: a write stands in no coherence order")
}

// communications gives reads-from, coherence and from-reads over the bytes of one cell.
func (c *candidate) communications(cell int) (rf, co, fr *relation) {
	rf, co, fr = &relation{}, &relation{}, &relation{}
	order := c.order[cell]
	for _, a := range c.atoms {
		if a.cell != cell {
			continue
		}
		for i, w := range order {
			for _, later := range order[i+1:] {
				if a.in(&c.events[w]) && a.in(&c.events[later]) {
					co.add(w, later)
				}
			}
		}
	}
	for _, s := range c.sources {
		a := c.atoms[s.atom]
		if a.cell != cell {
			continue
		}
		rf.add(s.write, s.read)
		for _, later := range order[c.position(cell, s.write)+1:] {
			if a.in(&c.events[later]) {
				fr.add(s.read, later)
			}
		}
	}
	return rf, co, fr
}

// external keeps the pairs of different threads.
func (c *candidate) external(r *relation) *relation {
	out := &relation{}
	for i := range c.events {
		for j := range c.events {
			if r.has(i, j) && c.events[i].thread != c.events[j].thread {
				out.add(i, j)
			}
		}
	}
	return out
}

// internal visibility: acyclic po-loc | rf | co | fr, for each byte.
func (c *candidate) internal(cell int) bool {
	for n, a := range c.atoms {
		if a.cell != cell {
			continue
		}
		r := &relation{}
		for i := range c.events {
			for j := range c.events {
				if c.po.has(i, j) && a.in(&c.events[i]) && a.in(&c.events[j]) {
					r.add(i, j)
				}
			}
		}
		order := c.order[cell]
		for i, w := range order {
			for _, later := range order[i+1:] {
				if a.in(&c.events[w]) && a.in(&c.events[later]) {
					r.add(w, later)
				}
			}
		}
		for _, s := range c.sources {
			if s.atom != n {
				continue
			}
			r.add(s.write, s.read)
			for _, later := range order[c.position(cell, s.write)+1:] {
				if a.in(&c.events[later]) {
					r.add(s.read, later)
				}
			}
		}
		if !acyclic(r, len(c.events)) {
			return false
		}
	}
	return true
}

// atomicity: empty rmw & (fre; coe).
func (c *candidate) atomicity(cell int) bool {
	_, co, fr := c.communications(cell)
	between := seq(c.external(fr), c.external(co))
	rmw := c.rmw()
	for i := range c.events {
		if between.row[i]&rmw.row[i] != 0 {
			return false
		}
	}
	return true
}

// rmw relates the two halves of a read-modify-write.
func (c *candidate) rmw() *relation {
	r := &relation{}
	for i := range c.events {
		if e := &c.events[i]; e.pair >= 0 {
			r.add(c.start[e.thread]+e.pair, i)
		}
	}
	return r
}

// dependency turns masks of events into a relation.
func (c *candidate) dependency(of func(e *event) uint64) *relation {
	r := &relation{}
	for i := range c.events {
		e := &c.events[i]
		for m := range eventsMax {
			if of(e)>>m&1 != 0 {
				r.add(c.start[e.thread]+m, i)
			}
		}
	}
	return r
}

// overlapping keeps the pairs of accesses that share a byte.
func (c *candidate) overlapping(r *relation) *relation {
	out := &relation{}
	for i := range c.events {
		for j := range c.events {
			a, b := &c.events[i], &c.events[j]
			if r.has(i, j) && isAccess(a) && isAccess(b) && !a.ring && !b.ring && a.cell == b.cell &&
				a.off < b.off+b.size && b.off < a.off+a.size {
				out.add(i, j)
			}
		}
	}
	return out
}

// cleared: a monitor is cleared by a write of another thread behind the one that the load exclusive has read.
func (c *candidate) cleared(cell int) bool {
	for i := range c.events {
		e := &c.events[i]
		if e.kind == kindClear && e.cell == cell && !c.overwritten(e.thread, c.start[e.thread]+e.monitor, i) {
			return false
		}
	}
	return true
}

// overwritten reports whether some byte that one read has read was written by another thread before the other read.
func (c *candidate) overwritten(thread, first, second int) bool {
	for _, s := range c.sources {
		if s.read != first {
			continue
		}
		last := 0
		for _, q := range c.sources {
			if q.read == second && q.atom == s.atom {
				last = c.position(c.atoms[s.atom].cell, q.write)
			}
		}
		if c.written(thread, s, last) {
			return true
		}
	}
	return false
}

// written reports whether another thread has written what a source gives, up to a place in coherence order.
func (c *candidate) written(thread int, s source, last int) bool {
	a := c.atoms[s.atom]
	for at := c.position(a.cell, s.write) + 1; at <= last; at++ {
		if w := &c.events[c.order[a.cell][at]]; a.in(w) && w.thread != thread {
			return true
		}
	}
	return false
}

func isAccess(e *event) bool { return e.kind == kindRead || e.kind == kindWrite }

// lrs, local read successor: a write, and a read of one of its bytes with no own write of that byte between.
func (c *candidate) lrs() *relation {
	r := &relation{}
	for _, a := range c.atoms {
		W := c.all(func(e *event) bool { return e.kind == kindWrite && a.in(e) })
		R := c.all(func(e *event) bool { return e.kind == kindRead && a.in(e) })
		loc := seq(in(W|R), &c.po, in(W|R))
		r = union(r, seq(in(W), minus(loc, seq(loc, in(W), loc)), in(R)))
	}
	return r
}

// ordered is the part of ordered-before that lies within threads.
func (c *candidate) ordered() *relation {
	switch c.model {
	case SC:
		return &c.po
	case TSO:
		return c.orderedTSO()
	case RVWMO:
		return c.preserved()
	default:
		return union(c.lob(), c.system(), c.devices())
	}
}

// barriers is a fence set. A barrier of the non-shareable domain orders nothing that another PE sees. Ours.
func (c *candidate) barriers(complete, loads, stores bool) set {
	return c.all(func(e *event) bool {
		return e.kind == kindBarrier && e.before != NSH && e.complete == complete && e.loads == loads && e.stores == stores
	})
}

// lob is locally-ordered-before over explicit accesses, as in aarch64.cat. The write of a device is acknowledged before
// it arrives there (nGnRE, DDI 0487, B2.10): what waits for it, waits for the acknowledgement. Ours.
func (c *candidate) lob() *relation {
	po := &c.po
	R := c.all(func(e *event) bool { return e.kind == kindRead })
	W := c.all(func(e *event) bool { return e.kind == kindWrite })
	M := R | W
	A := c.all(func(e *event) bool { return e.kind == kindRead && e.acquire })
	Q := c.all(func(e *event) bool { return e.kind == kindRead && e.acqPC })
	L := c.all(func(e *event) bool { return e.kind == kindWrite && e.release })
	early := c.all(func(e *event) bool { return e.kind == kindWrite && e.device && e.pair < 0 })
	Ret := R &^ c.all(func(e *event) bool { return e.noRet })
	CSE := c.all(func(e *event) bool { return e.kind == kindISB || e.kind == kindTake || e.kind == kindERET })
	dmbFull, dsbFull := c.barriers(false, true, true), c.barriers(true, true, true)
	dmbLd, dsbLd := c.barriers(false, true, false), c.barriers(true, true, false)
	dmbSt, dsbSt := c.barriers(false, false, true), c.barriers(true, false, true)
	addr := c.dependency(func(e *event) uint64 { return e.addr })
	data := c.dependency(func(e *event) uint64 { return e.data })
	ctrl := c.dependency(func(e *event) uint64 { return e.ctrl })
	rmw, lrs := c.rmw(), c.lrs()
	atomic := c.all(func(e *event) bool { return e.atomic })
	amo := seq(in(atomic), rmw)
	both := rangeOf(seq(in(A), amo, in(L)))

	lws := seq(in(M), c.overlapping(po), in(W))
	dsbOb := union(
		seq(in(M&^early), po, in(dsbFull), po),
		seq(in(Ret), po, in(dsbLd), po),
		seq(in(W&^early), po, in(dsbSt), po),
	)
	cseOb := union(
		seq(in(R), ctrl, in(CSE), po),
		seq(in(R), addr, po, in(CSE), po),
	)
	dob := union(
		addr,
		data,
		seq(ctrl, in(W)),
		seq(addr, po, in(W)),
		seq(addr, lrs),
		seq(data, lrs),
	)
	aob := union(
		rmw,
		seq(rmw, lrs, in(A|Q)),
	)
	bob := union(
		seq(in(M&^early), po, in(dmbFull), po, in(M)),
		seq(in(Ret), po, in(dmbLd), po, in(M)),
		seq(in(W&^early), po, in(dmbSt), po, in(W)),
		seq(in(both), po, in(M)),
		seq(in(L), po, in(A)),
		seq(in(A|Q), po, in(M)),
		seq(in(M&^early), po, in(L)),
	)
	return union(lws, dsbOb, cseOb, dob, aob, bob)
}

func rangeOf(r *relation) set {
	var s set
	for _, row := range r.row {
		s |= row
	}
	return s
}

// system orders what is no memory access: it is not done speculatively, and taking an interrupt or waking up comes
// before all that follows. That WFE orders what follows is ours, as is addr;po;[SGI | SEV | WFE]. A device is not
// accessed speculatively either: DDI 0487, B2.10.
func (c *candidate) system() *relation {
	R := c.all(func(e *event) bool { return e.kind == kindRead })
	S := c.all(func(e *event) bool {
		return e.kind == kindSGI || e.kind == kindSEV || e.kind == kindWFE || e.kind == kindTake || e.kind == kindClear ||
			e.device
	})
	woken := c.all(func(e *event) bool { return e.kind == kindTake || e.kind == kindWFE || e.kind == kindClear })
	addr := c.dependency(func(e *event) uint64 { return e.addr })
	ctrl := c.dependency(func(e *event) uint64 { return e.ctrl })
	return union(
		seq(in(R), ctrl, in(S)),
		seq(in(R), addr, &c.po, in(S)),
		seq(in(woken), &c.po),
		c.alike(),
	)
}

// alike orders the interrupts of one number that one thread sends to another: which of them was first makes no
// difference, since what is before the first is before the second. One of another number may be overtaken.
func (c *candidate) alike() *relation {
	r := &relation{}
	for i := range c.events {
		for j := range c.events {
			a, b := &c.events[i], &c.events[j]
			if c.po.has(i, j) && a.kind == b.kind && (a.kind == kindSGI || a.kind == kindSEV) && a.target == b.target &&
				a.intid == b.intid {
				r.add(i, j)
			}
		}
	}
	return r
}

// devices orders the accesses of one thread to one device. The doorbells of an interrupt are one device.
func (c *candidate) devices() *relation {
	r := &relation{}
	for i := range c.events {
		for j := range c.events {
			a, b := &c.events[i], &c.events[j]
			if c.po.has(i, j) && a.device && b.device && a.cell == b.cell && a.target == b.target && a.intid == b.intid {
				r.add(i, j)
			}
		}
	}
	return r
}

// orderedTSO is program order among accesses but for a store before a load; a full barrier keeps a store before later
// accesses, a DSB or a read-modify-write before everything. Acquire and release are plain there. System-register writes
// are as WRMSR to an x2APIC: they come after loads and after what a DSB completed, and order nothing themselves. Ours.
func (c *candidate) orderedTSO() *relation {
	po := &c.po
	W := c.all(func(e *event) bool { return e.kind == kindWrite })
	M := W | c.all(func(e *event) bool { return e.kind == kindRead })
	S := c.all(func(e *event) bool { return e.kind == kindSGI || e.kind == kindSEV || e.kind == kindERET })
	dmbFull := c.barriers(false, true, true)
	dsb, dsbLd := c.barriers(true, true, true)|c.barriers(true, false, true), c.barriers(true, true, false)
	return union(
		seq(in(^(W|S)), po),
		seq(in(W), po, in(W)),
		seq(in(W), po, in(dmbFull), po, in(M)),
		seq(in(W), po, in(dsb), po),
		seq(in(S), po, in(dsb|dsbLd), po),
		seq(in(rangeOf(c.rmw())), po),
		c.fences(),
		c.devices(),
		c.alike(),
	)
}

// consistent asks the remaining axiom, external visibility: acyclic ordered-before; and that nothing is left to happen.
func (c *candidate) consistent() bool {
	if c.local == nil {
		c.local = c.ordered()
	}
	ob := *c.local
	for cell := range c.p.Cells {
		rf, co, fr := c.communications(cell)
		obs := union(rf, co, fr)
		if c.model != SC {
			obs = c.external(obs)
		}
		ob = *union(&ob, obs)
	}
	for i := range c.latches {
		order := c.latches[i].order
		for at, e := range order {
			for _, later := range order[at+1:] {
				if c.events[later].kind != kindClear { // which sets the register at some time after its read
					ob.add(e, later)
				}
			}
		}
	}
	if c.model == RVWMO {
		ob = *c.whole(union(&ob, c.preservedByValue()))
	}
	return c.ends(&ob)
}
