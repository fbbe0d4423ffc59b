package mem

import "github.com/hwscript/hwscript/hardware/sim"

// LineSize is the size of a cache line in bytes.
const LineSize = 64

const (
	lineWords = LineSize / 8
	ramGrain  = 2 << 20
	maxSize   = 64 << 30
)

// A line is 64 bytes of RAM and the state of all cached copies. The host's caches decide how fast accesses are:
// what every access needs fills the first 64 bytes, the data the second, and the size is a multiple of 64.
type line struct {
	pending []change // not yet in data, in the order in which they take effect
	busy    sim.Time // when the last ownership transfer or write in flight ends
	reading sim.Time // when the last read in flight ends
	holders holders
	version uint32 // writes so far, those in flight included: what an exclusive monitor compares
	watcher int16  // first CPU that waits for a write, linked through Memory.watchNext; unwatched if none

	data [lineWords]uint64

	transfers uint64 // transfers so far: the n of the jitter
	_         [56]byte
}

const (
	unwatched = int16(-1)
	noAddr    = ^uint64(0)
)

// A change is a write, or the arrival of a shared copy, that takes effect at a time after its issue.
type change struct {
	at          sim.Time
	mask, value uint64
	cpu         int16
	word        uint8
	share       bool // the CPU gains a copy, nothing is written
}

// settle applies what is due.
func (m *Memory) settle(l *line, now sim.Time) {
	n := 0
	for n < len(l.pending) && l.pending[n].at <= now {
		ch := &l.pending[n]
		if ch.share {
			l.holders.add(ch.cpu, len(m.places))
		} else {
			l.data[ch.word] = l.data[ch.word]&^ch.mask | ch.value
			l.holders.only(ch.cpu)
		}
		n++
	}
	switch {
	case n == len(l.pending):
		l.pending = l.pending[:0]
	case n > 0:
		l.pending = l.pending[:copy(l.pending, l.pending[n:])]
	}
}

// latest is the word as it will be when everything in flight has taken effect.
func (l *line) latest(word uint8) uint64 {
	v := l.data[word]
	for i := range l.pending {
		if ch := &l.pending[i]; ch.word == word {
			v = v&^ch.mask | ch.value
		}
	}
	return v
}

// forward is the word as c sees it while it holds an old copy: its own stores are in its store buffer. covered are
// the bits that they give, unseen is the number of writes in flight that the old copy lacks.
func (l *line) forward(word uint8, c int16) (v, covered uint64, unseen uint32) {
	v = l.data[word]
	for i := range l.pending {
		switch ch := &l.pending[i]; {
		case ch.cpu != c:
			if ch.mask != 0 {
				unseen++
			}
		case ch.word == word:
			v = v&^ch.mask | ch.value
			covered |= ch.mask
		}
	}
	return v, covered, unseen
}

// ahead is how far the line is from c when everything in flight has ended, and whether c is then its only holder.
func (m *Memory) ahead(l *line, c int16) (nearest, farthest Distance, sole bool) {
	if len(l.pending) == 0 {
		if l.holders.empty() {
			return DRAM, DRAM, false
		}
		nearest, farthest = l.holders.span(c, m.places)
		return nearest, farthest, farthest == Own
	}
	// Invariant: the shares in flight take effect together with the write before them, which leaves its CPU as the
	// only holder. So from the last write on, what is in flight says who will hold the line.
	last := len(l.pending) - 1
	for l.pending[last].share {
		last--
	}
	nearest = DRAM
	for i := last; i < len(l.pending); i++ {
		d := Own
		if k := l.pending[i].cpu; k != c {
			d = m.places[c].DistanceTo(m.places[k])
		}
		nearest, farthest = min(nearest, d), max(farthest, d)
	}
	return nearest, farthest, farthest == Own
}
