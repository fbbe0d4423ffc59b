package mem

import "github.com/hwscript/hwscript/hardware/sim"

// AllocOn is [Memory.Alloc] on a node of the machine: the home of the lines.
func (m *Memory) AllocOn(size uint64, node int) (uint64, error) {
	addr, err := m.Alloc(size)
	if err != nil {
		return 0, err
	}
	home := Place{Die: int32(node), Socket: m.spec.socketOf(int32(node))}
	for at := addr; at < m.next; at += LineSize {
		m.line(at).home = home
	}
	return addr, nil
}

// Node is the home of the line of an address: the node that it was allocated on, 0 unless another was asked for.
func (m *Memory) Node(addr uint64) int { return int(m.line(addr).home.Die) }

// NodeOf is the node that a CPU is on.
func (m *Memory) NodeOf(cpu int) int { return int(m.places[cpu].Die) }

// Leg is the typical time of one leg between a CPU and a node, 0 on the CPU's own.
func (m *Memory) Leg(cpu, node int) sim.Time {
	home := Place{Die: int32(node), Socket: m.spec.socketOf(int32(node))}
	switch m.places[cpu].leg(&home) {
	case betweenDies:
		return m.spec.Latency[DieLeg].Mean
	case betweenSockets:
		return m.spec.Latency[SocketLeg].Mean
	}
	return 0
}

// serve is when the home turns to a request for a line that comes at a time: it serves one after another.
func (m *Memory) serve(l *line, at sim.Time) sim.Time {
	at = max(at, l.free)
	l.free = at + m.service
	return at
}

// A watcher is a CPU that spins on a line: it reads it again after each write.
type watcher struct {
	addr     uint64 // that it watches, noAddr if none
	line     uint64
	until    func(v uint64) bool // nil: any write wakes it
	at       sim.Time            // of the last write since
	position int32               // among the requests for the line after that write
	next     int16               // watcher of the same line
	size     uint8
}

// Watch makes a write to the line of addr by another CPU wake c when it drains, if the value that the location then
// holds satisfies until, or until is nil. seen is the Outcome.Version of the read after which c waits; if there is a
// write that the read did not see, Watch answers when it drains instead, 0 if it has.
func (m *Memory) Watch(
	c int, addr uint64, size uint8, seen uint32, until func(v uint64) bool,
) (drains sim.Time, inFlight bool) {
	if drains, written := m.Written(c, addr, seen); written {
		return drains, true
	}
	l := m.line(addr)
	l.holders.own = 0
	w := &m.watchers[c]
	w.addr, w.line, w.size, w.until, w.at = addr, addr/LineSize, size, until, 0
	link := &l.watcher
	for *link != unwatched && !m.before(l, c, int(*link)) {
		link = &m.watchers[*link].next
	}
	w.next, *link = *link, int16(c)
	return 0, false
}

// Written reports whether there is a write to the line of addr that the read of c did not see whose Outcome.Version was
// seen, and when it drains, 0 if it has.
func (m *Memory) Written(c int, addr uint64, seen uint32) (drains sim.Time, written bool) {
	l := m.line(addr)
	if l.version == seen {
		return 0, false
	}
	for i := range l.pending {
		if ch := &l.pending[i]; ch.mask != 0 && ch.cpu != int16(c) {
			return ch.at, true
		}
	}
	return 0, true
}

// before reports whether a request of a reaches the line's home before one of b that leaves at the same time: the
// nearer one, of equally near ones the one with the lower number.
func (m *Memory) before(l *line, a, b int) bool {
	p, q := m.places[a].leg(&l.home), m.places[b].leg(&l.home)
	if p == q {
		return a < b
	}
	return q == betweenSockets || p == 0
}

// Unwatch ends a watch that has not fired.
func (m *Memory) Unwatch(c int) {
	addr := m.watchers[c].addr
	if addr == noAddr {
		return
	}
	m.watchers[c].addr = noAddr
	link := &m.line(addr).watcher
	for *link != int16(c) {
		link = &m.watchers[*link].next
	}
	*link = m.watchers[c].next
}

// wakeAll lets all watchers know of a write that drains at a time. They all look again, in the order in which their
// requests reach the home; those that find what they wait for are woken, and do it themselves.
func (m *Memory) wakeAll(l *line, at sim.Time) {
	n := int32(0)
	for link := &l.watcher; *link != unwatched; n++ {
		c := *link
		w := &m.watchers[c]
		w.at, w.position = at, n
		if w.until != nil {
			word, shift, mask := field(w.addr, w.size)
			if !w.until(l.latest(word) >> shift & mask) {
				link = &w.next
				continue
			}
		}
		*link = w.next
		w.addr = noAddr
		m.wake(int(c), at)
	}
	l.looks, l.lookers = at, n
}

// look makes the watchers' requests after a write that has drained, if no later write has overtaken them: those before
// a place in their order, of the CPUs that wait on. The turns of the others are kept free.
func (m *Memory) look(l *line, now sim.Time, place int32) {
	if l.looks != 0 && l.looks <= now {
		l.looked, l.turn = l.looks, max(l.looks, l.busy, l.free)
		l.free = l.turn + sim.Time(l.lookers)*m.service
		l.looks, l.served = 0, 0
	}
	if l.looks != 0 || l.served >= place {
		return
	}
	for c := l.watcher; c != unwatched; c = m.watchers[c].next {
		w := &m.watchers[c]
		if w.at != l.looked || w.position < l.served || w.position >= place || l.holders.has(c) {
			continue
		}
		nearest := m.reach(l, w.line*LineSize, c, cpuPolicy)
		start := l.turn + sim.Time(w.position)*m.service
		l.reading = max(l.reading, start+m.transfer(l, w.line*LineSize, nearest))
		if start <= now {
			l.holders.add(c, len(m.places))
		} else {
			l.share(c, start)
		}
	}
	l.served = place
}

// turnOf is the place of a read by c among the watchers of a line that look at a time, if it was one of them and has
// been woken.
func (m *Memory) turnOf(l *line, addr uint64, c int16, looks sim.Time) (place int32, found bool) {
	w := &m.watchers[c]
	return w.position, w.at != 0 && w.at == looks && w.line == addr/LineSize
}

// looking reports whether watchers are still to look again after a write that has drained.
func (l *line) looking(now sim.Time) bool {
	if l.looks != 0 {
		return l.looks <= now
	}
	return l.served < l.lookers
}

// settleRead is settle before a read, which may be a turn among the watchers.
func (m *Memory) settleRead(l *line, addr uint64, c int16, now sim.Time) {
	if l.due(now) {
		m.applyDue(l, now)
	}
	if !l.looking(now) {
		return
	}
	place := l.lookers
	if p, found := m.turnOf(l, addr, c, max(l.looks, l.looked)); found {
		place = p
	}
	m.look(l, now, place)
}

// admit is serve for a read by c, which has its turn among the watchers if it was one of them.
func (m *Memory) admit(l *line, addr uint64, c int16, at sim.Time) sim.Time {
	place, found := m.turnOf(l, addr, c, l.looked)
	if !found {
		return m.serve(l, at)
	}
	m.watchers[c].at = 0
	return max(at, l.turn+sim.Time(place)*m.service)
}
