package mem

import "github.com/hwscript/hwscript/hardware/sim"

// willBeDirty reports whether the caches hold what memory does not when everything in flight has ended.
func (l *line) willBeDirty() bool {
	dirty := l.dirty
	for i := range l.pending {
		switch ch := &l.pending[i]; {
		case ch.kind == wrote && ch.mask != 0:
			dirty = true
		case ch.kind > shared:
			dirty = false
		}
	}
	return dirty
}

// Clean, by CPU c or another master, writes the line of an address back to memory if it is dirty, behind everything in
// flight and not before floor (DC CVAC); with discard no cache keeps a copy (DC CIVAC, and what a cache does when it
// evicts the line). It is done when memory has the line. A copy that is clean is discarded without being written: what
// was changed behind the caches shows.
func (m *Memory) Clean(c int, addr uint64, discard bool, now, floor sim.Time) Outcome {
	l := m.line(addr)
	m.settle(l, now)
	out := Outcome{Done: max(now, l.busy, l.reading, floor)}
	kind := cleaned
	if discard {
		m.forget(l, addr)
		kind = discarded
	}
	if l.willBeDirty() {
		w := m.ways.fetch(m.places[c].leg(&l.home))
		done := m.serve(l, out.Done) + m.transfer(l, addr, w)
		out = l.travelled(w)
		out.Done = done
	} else if !discard {
		return out
	}
	ch := l.grow()
	ch.at, ch.mask, ch.value, ch.cpu, ch.word, ch.kind, ch.held = out.Done, 0, 0, noCPU, 0, kind, false
	l.busy = out.Done
	m.settle(l, now)
	return out
}

const noCPU = int16(-1)

// Zero sets whole lines to zero in memory and takes them out of all caches, without time and without traffic: what a
// kernel or firmware did with an area before anything uses it.
func (m *Memory) Zero(addr, size uint64, now sim.Time) {
	for end := addr + size; addr < end; addr += LineSize {
		l, found := m.scattered[addr/LineSize], true
		if n := (addr - m.heap) / LineSize; n < uint64(len(m.lines)) {
			l = &m.lines[n]
		} else {
			found = l != nil
		}
		if !found {
			continue // never touched: it is zero
		}
		m.forget(l, addr)
		l.holders.none()
		l.pending, l.data, l.dirty, l.stale = l.pending[:0], [lineWords]uint64{}, false, false
		l.version++
		l.looks = 0
		if l.watcher != unwatched {
			m.wakeAll(l, now)
			m.look(l, now, l.lookers)
		}
	}
}

// WriteOut writes a line back from the cache of CPU c, which made it what it is at a version and keeps its copy. It
// begins at from or when the line is free, takes a time, and answers when it is done: at from, if there is nothing to
// write, since memory has the line already, or another CPU has it.
func (m *Memory) WriteOut(c int, addr uint64, version uint32, now, from, takes sim.Time) sim.Time {
	l := m.line(addr)
	m.settle(l, now)
	if l.version != version || !l.willBeDirty() || !l.willHave(int16(c)) {
		return from
	}
	done := max(from, l.busy, l.reading) + takes
	l.change(cleaned, done, noCPU, 0, 0, 0)
	m.settle(l, now)
	return done
}

// willHave reports whether c has a copy when everything in flight has ended.
func (l *line) willHave(c int16) bool {
	has := l.holders.has(c)
	for i := range l.pending {
		switch ch := &l.pending[i]; ch.kind {
		case wrote:
			has = ch.cpu == c
		case shared:
			has = has || ch.cpu == c
		case delivered, discarded:
			has = false
		}
	}
	return has
}
