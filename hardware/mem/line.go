package mem

import (
	mathbits "math/bits"

	"github.com/hwscript/hwscript/hardware/sim"
)

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
	watcher int16  // first CPU that waits for a write, linked through Memory.watchers; unwatched if none
	dirty   bool   // the caches hold what memory does not
	stale   bool   // memory was changed behind the caches, whose clean copies do not show it

	data [lineWords]uint64 // what the caches hold, or memory if none holds the line

	// Behind the caches: what memory holds.
	// Invariant: it counts only if the line is dirty or stale, never both; otherwise memory holds data. An unheld line is
	// neither.
	behind [lineWords]uint64

	// At the home.
	transfers uint64   // transfers so far: the n of the jitter
	free      sim.Time // when the home can serve the next request
	looks     sim.Time // when the watchers look again after a write, 0 if they do not
	looked    sim.Time // when they did so last,
	turn      sim.Time // and when the home served the first of them
	lookers   int32    // that look, or looked
	served    int32    // of them
	home      Place    // the node of its allocation
	cached    bool     // it was put into the system cache, and may be there still
	_         [3]byte
}

const (
	unwatched = int16(-1)
	noAddr    = ^uint64(0)
)

// A change takes effect at a time after its issue.
type change struct {
	at          sim.Time
	mask, value uint64
	cpu         int16
	word        uint8
	kind        changeKind
	held        bool // a store that a fence or a release holds back; at is when it may drain
}

// changeKind is what a change does to the line.
type changeKind uint8

const (
	wrote     changeKind = iota // the CPU takes the line from all others and writes
	shared                      // the CPU gains a copy
	delivered                   // a master writes to memory, and no cache keeps a copy
	cleaned                     // memory gets what the caches hold
	discarded                   // ... and no cache keeps a copy
)

// soil makes a line dirty before a CPU writes to it.
func (l *line) soil() {
	if !l.stale {
		l.behind = l.data
	}
	l.dirty, l.stale = true, false
}

// drop takes all copies away. What is dirty was written back.
func (l *line) drop() {
	if l.stale {
		l.data = l.behind
	}
	l.dirty, l.stale = false, false
	l.holders.none()
}

// take makes a write of a CPU take effect.
func (l *line) take(ch *change) {
	if !l.dirty && ch.mask != 0 {
		l.soil()
	}
	l.data[ch.word%lineWords] = l.data[ch.word%lineWords]&^ch.mask | ch.value
	l.holders.only(ch.cpu)
}

// apply makes a change take effect that is no write of a CPU.
func (m *Memory) apply(l *line, ch *change) {
	switch ch.kind {
	case shared:
		l.holders.add(ch.cpu, len(m.places))
	case delivered:
		l.drop()
		l.data[ch.word%lineWords] = l.data[ch.word%lineWords]&^ch.mask | ch.value
	case cleaned:
		l.dirty = false
	case discarded:
		l.drop()
	}
}

// settle applies what is due before an access that is not a turn among the watchers.
func (m *Memory) settle(l *line, now sim.Time) {
	if l.due(now) {
		m.applyDue(l, now)
	}
	if l.looking(now) {
		m.look(l, now, l.lookers)
	}
}

// due reports whether a change is.
func (l *line) due(now sim.Time) bool { return len(l.pending) > 0 && l.pending[0].at <= now }

// applyDue applies the changes that are due. There is one.
func (m *Memory) applyDue(l *line, now sim.Time) {
	n := 0
	for ; n < len(l.pending) && l.pending[n].at <= now; n++ {
		if ch := &l.pending[n]; ch.kind == wrote {
			l.take(ch)
		} else {
			m.apply(l, ch)
		}
	}
	if n == len(l.pending) {
		l.pending = l.pending[:0]
	} else {
		l.pending = l.pending[:copy(l.pending, l.pending[n:])]
	}
}

// quiet reports whether nothing is due on the line, whatever the time.
func (l *line) quiet() bool { return len(l.pending) == 0 && l.watcher == unwatched }

// unsettled reports whether there is something to settle before an access.
func (l *line) unsettled(now sim.Time) bool { return l.due(now) || l.looking(now) && !l.quiet() }

// latest is the word as it will be when everything in flight has taken effect.
func (l *line) latest(word uint) uint64 {
	v, stale := l.data[word], l.stale
	for i := range l.pending {
		ch := &l.pending[i]
		if stale && ch.kind != shared && ch.kind != cleaned {
			if stale = ch.kind == wrote && ch.mask == 0; ch.kind != wrote {
				v = l.behind[word]
			}
		}
		if uint(ch.word) == word {
			v = v&^ch.mask | ch.value
		}
	}
	return v
}

// forward is the word as c sees it while it holds an old copy: its own stores are in its store buffer. covered are
// the bits that they give, unseen is the number of writes in flight that the old copy lacks.
func (l *line) forward(word uint, c int16) (v, covered uint64, unseen uint32) {
	v = l.data[word]
	for i := range l.pending {
		switch ch := &l.pending[i]; {
		case ch.cpu != c:
			if ch.mask != 0 {
				unseen++
			}
		case uint(ch.word) == word:
			v = v&^ch.mask | ch.value
			covered |= ch.mask
		}
	}
	return v, covered, unseen
}

// ahead is the way of the line to c when everything in flight has ended: from the nearest holder and from the farthest,
// here if c is the only one.
func (m *Memory) ahead(l *line, c int16) (nearest, farthest way) {
	switch one, other := l.willHold(); {
	case one == c && other == noCPU:
		return here, here
	case one == c:
		return here, m.handOff(l, other, c)
	case other == c:
		return here, m.handOff(l, one, c)
	case one != noCPU && other == noCPU:
		w := m.handOff(l, one, c)
		return w, w
	}
	return m.aheadOfAll(l, c)
}

// willHold is who has copies when everything in flight has ended: one or two CPUs. It answers noCPU for one if it does
// not know.
func (l *line) willHold() (one, other int16) {
	few, n := &l.holders.few, len(l.pending)
	switch {
	case n == 0 && few[0] > 0 && few[2] == 0:
		return few[0] - 1, few[1] - 1
	case n > 0 && l.pending[n-1].kind == wrote:
		return l.pending[n-1].cpu, noCPU
	}
	return noCPU, noCPU
}

// aheadOfAll is ahead, whoever holds the line and whatever is in flight.
func (m *Memory) aheadOfAll(l *line, c int16) (nearest, farthest way) {
	nearest = nowhere
	// What is in flight says who will hold the line from the last change on that takes it from all.
	last := len(l.pending) - 1
	for last >= 0 && (l.pending[last].kind == shared || l.pending[last].kind == cleaned) {
		last--
	}
	if last < 0 {
		last = 0
		for _, k := range l.holders.few {
			if k <= 0 {
				break
			}
			w := m.wayFrom(l, k-1, c)
			nearest, farthest = min(nearest, w), max(farthest, w)
		}
		if l.holders.wide() {
			nearest, farthest = m.aheadOfMany(l, c)
		}
	}
	for i := range l.pending[last:] {
		if ch := &l.pending[last+i]; ch.kind <= shared {
			w := m.wayFrom(l, ch.cpu, c)
			nearest, farthest = min(nearest, w), max(farthest, w)
		}
	}
	if nearest == nowhere {
		w := m.ways.fetch(m.places[c].leg(&l.home))
		return w, w
	}
	return nearest, farthest
}

// aheadOfMany is ahead of the holders in the bitmap.
func (m *Memory) aheadOfMany(l *line, c int16) (nearest, farthest way) {
	nearest = nowhere
	for i, word := range *l.holders.words {
		for ; word != 0; word &= word - 1 {
			w := m.wayFrom(l, int16(i<<6+mathbits.TrailingZeros64(word)), c)
			nearest, farthest = min(nearest, w), max(farthest, w)
		}
	}
	return nearest, farthest
}

// wayFrom is the way of the line from k to c.
func (m *Memory) wayFrom(l *line, k, c int16) way {
	if k == c {
		return here
	}
	return m.handOff(l, k, c)
}

// handOff is the way of the line from another CPU k to c.
func (m *Memory) handOff(l *line, k, c int16) way {
	return m.ways.handOff(&m.places[c], &m.places[k], &l.home)
}
