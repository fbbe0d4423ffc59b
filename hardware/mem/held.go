package mem

import "github.com/hwscript/hwscript/hardware/sim"

// A store that a fence or a release holds back fetches its line as late as it can. An access of another CPU goes ahead
// of it if the line is certainly back in time: so when a store drains is known when it is issued, and stays. That is
// rare, and kept out of line: the host's instruction cache is smaller than the path of a simulated call.

// heldBack reports whether the last that is in flight is a store that is held back.
func (l *line) heldBack() bool {
	last := len(l.pending) - 1
	return last >= 0 && l.pending[last].held
}

// lift takes stores that are held back off the end of what is in flight, for an access by c that goes ahead of them,
// and reports whether it does. takes says that the access takes the line away from all others, at floor or later.
// lower puts the stores back. Precondition: heldBack.
//
// A line that CPUs spin on keeps the order in which its writes were issued: the CPUs were told of them.
//
//go:noinline
func (m *Memory) lift(l *line, c int16, takes bool, now, floor sim.Time) bool {
	last := len(l.pending) - 1
	if len(m.lifted) != 0 || takes && (l.pending[last].cpu == c || l.looks != 0 || l.watcher != unwatched) {
		return false
	}
	owner, first := l.pending[last].cpu, last
	for first > 0 && l.pending[first-1].held && l.pending[first-1].cpu == owner {
		first--
	}
	for n := first; n <= last; n++ {
		m.liftFrom(l, n)
		if m.back(l, c, owner, takes, now, floor) <= m.lifted[0].at {
			return true
		}
		m.lower(l)
	}
	return false
}

// liftFrom takes the n-th change and those behind it off.
func (m *Memory) liftFrom(l *line, n int) {
	m.lifted = append(m.lifted, l.pending[n:]...)
	l.pending = l.pending[:n]
	l.version -= writes(m.lifted)
	l.busy = 0
	for n > 0 && l.busy == 0 {
		if n--; l.pending[n].kind != shared {
			l.busy = l.pending[n].at
		}
	}
}

// lower puts the lifted stores behind what is in flight.
//
//go:noinline
func (m *Memory) lower(l *line) {
	l.pending = append(l.pending, m.lifted...)
	l.holders.own = 0
	l.version += writes(m.lifted)
	l.busy = m.lifted[len(m.lifted)-1].at
	m.lifted = m.lifted[:0]
}

// readAhead is Read ahead of what was lifted. A CPU sees its own stores all the same.
//
//go:noinline
func (m *Memory) readAhead(l *line, c int, addr uint64, size uint8, now sim.Time) (uint64, Outcome) {
	v, out := m.Read(c, addr, size, now)
	if m.lifted[0].cpu == int16(c) {
		word, shift, mask := field(addr, size)
		for i := range m.lifted {
			if ch := &m.lifted[i]; uint(ch.word) == word {
				v = (v&^(ch.mask>>shift) | ch.value>>shift) & mask
			}
		}
		out.Version += writes(m.lifted)
	}
	m.lower(l)
	return v, out
}

// writes is how many of some changes count as a write.
func writes(changes []change) (n uint32) {
	for i := range changes {
		if changes[i].mask != 0 {
			n++
		}
	}
	return n
}

// back is when the line is back at owner at the latest if c accesses it now.
func (m *Memory) back(l *line, c, owner int16, takes bool, now, floor sim.Time) sim.Time {
	p, q := &m.places[c], &m.places[owner]
	there, taking := m.ahead(l, c)
	home := here
	if c != owner {
		home = m.ways.handOff(q, p, &l.home)
	}
	end := max(now, l.busy)
	if takes {
		there, end = taking, max(end, l.reading)
	} else if _, farthest := m.ahead(l, owner); farthest.distance() != DRAM {
		home = max(home, farthest)
	}
	free := l.free
	if there != here {
		start := max(end, free)
		free = start + m.service
		end = start + m.ways.longest(there) // from memory: a system cache would be faster
	}
	return max(end, free, floor) + m.ways.longest(home)
}
