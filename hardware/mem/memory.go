package mem

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/sim"
)

type page [pageLines]line

// Memory is RAM with its cached copies. CPUs are named by their numbers.
type Memory struct {
	base, size uint64
	pages      []*page          // of the start of RAM, as far as it was touched; a page is made when it is first touched
	high       map[uint64]*page // of what lies beyond lowPages
	places     []Place
	latency    [Distances]sim.Jitter
	seed       uint64
	next       uint64  // first byte not yet allocated
	watchNext  []int16 // next watcher of the same line, by CPU
	watched    []*line // the line that a CPU watches, nil if none
	wake       func(cpu int, at sim.Time)
}

// An Outcome says what an access cost.
type Outcome struct {
	Done     sim.Time // a read or an atomic: when the value is there; a write: when it drains to all PEs
	Distance Distance
	Merged   bool   // a write that joined one of the same CPU that had not drained
	Version  uint32 // a read: the version of the line that the value is of, see [Memory.Version]
}

// imageSize is left free at the start of RAM, as for a kernel's image; so no allocation has address 0, where RAM may
// begin.
const imageSize = 512 << 10

// New builds a memory. wake is called when a write to a line that a CPU watches drains.
func New(s Spec, wake func(cpu int, at sim.Time)) (*Memory, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	m := &Memory{
		base: s.Base, size: s.Size, next: s.Base + imageSize, places: s.Places, seed: s.Seed, wake: wake,
		watchNext: make([]int16, len(s.Places)),
		watched:   make([]*line, len(s.Places)),
	}
	for d, spread := range s.Latency {
		m.latency[d] = sim.NewJitter(spread)
	}
	return m, nil
}

// Contains reports whether all bytes of an access are RAM.
func (m *Memory) Contains(addr, size uint64) bool {
	return addr >= m.base && addr-m.base < m.size && m.size-(addr-m.base) >= size
}

// Alloc reserves whole lines, at least size bytes, and answers their address. It fails when RAM is full.
func (m *Memory) Alloc(size uint64) (uint64, error) {
	if left := m.base + m.size - m.next; size > left {
		return 0, fmt.Errorf("out of RAM: %d bytes wanted, %d left of %d", size, left, m.size)
	}
	addr := m.next
	m.next += (size + LineSize - 1) &^ (LineSize - 1) // what is left is whole lines, so this still fits
	return addr, nil
}

// line finds the line of an address, making its page when it is first touched.
func (m *Memory) line(addr uint64) *line {
	n := (addr - m.base) / LineSize
	if i := n / pageLines; i < uint64(len(m.pages)) {
		if p := m.pages[i]; p != nil {
			return &p[n%pageLines]
		}
	}
	return m.touch(n)
}

// lowPages bounds the table of pages: 1 GiB of RAM, 2 MiB of table. Machines allocate from the start of RAM; only a
// script that picks an address of its own gets beyond.
const lowPages = 1 << 18

// touch is line for a page that the table does not have.
func (m *Memory) touch(n uint64) *line {
	i := n / pageLines
	var p *page
	if i >= lowPages {
		p = m.high[i]
	}
	if p == nil {
		p = new(page)
		for k := range p {
			p[k].watcher = unwatched
		}
		m.insert(i, p)
	}
	return &p[n%pageLines]
}

func (m *Memory) insert(i uint64, p *page) {
	if i >= lowPages {
		if m.high == nil {
			m.high = map[uint64]*page{}
		}
		m.high[i] = p
		return
	}
	if more := int(i) + 1 - len(m.pages); more > 0 {
		m.pages = append(m.pages, make([]*page, more)...)
	}
	m.pages[i] = p
}

// field locates an access inside its line: the word, the shift and the mask of its bits.
func field(addr uint64, size uint8) (word, shift uint8, mask uint64) {
	return uint8(addr / 8 % lineWords), uint8(addr % 8 * 8), ^uint64(0) >> (64 - 8*size)
}

// transfer draws the time of the line's next transfer.
func (m *Memory) transfer(l *line, addr uint64, d Distance) sim.Time {
	l.transfers++
	return m.latency[d].At(m.seed, addr/LineSize, l.transfers)
}

// Read is a load of size bytes (1, 2, 4 or 8, aligned) by CPU c at a time.
func (m *Memory) Read(c int, addr uint64, size uint8, now sim.Time) (uint64, Outcome) {
	l := m.line(addr)
	if len(l.pending) != 0 {
		m.settle(l, now)
	}
	word, shift, mask := field(addr, size)
	k := int16(c)
	if len(l.pending) == 0 && l.holders.has(k) {
		return l.data[word] >> shift & mask, Outcome{Done: now + m.latency[Own].Mean(), Version: l.version}
	}
	own, covered, unseen := l.forward(word, k)
	if l.holders.has(k) || covered&(mask<<shift) == mask<<shift {
		return own >> shift & mask, Outcome{Done: now + m.latency[Own].Mean(), Version: l.version - unseen}
	}
	nearest, _, _ := m.ahead(l, k)
	start := max(now, l.busy)
	out := Outcome{Distance: nearest, Version: l.version}
	if nearest == Own { // its own write is on the way and brings the line
		out.Done = start + m.latency[Own].Mean()
	} else {
		out.Done = start + m.transfer(l, addr, nearest)
		l.reading = max(l.reading, out.Done)
	}
	if len(l.pending) == 0 {
		l.holders.add(k, len(m.places))
	} else if nearest != Own {
		l.pending = append(l.pending, change{at: start, cpu: k, share: true})
	}
	return l.latest(word) >> shift & mask, out
}

// obtain is the time at which c has the line to itself, not before floor, and the distance that it travelled.
func (m *Memory) obtain(l *line, addr uint64, c int16, now, floor sim.Time) (sim.Time, Distance) {
	start := max(now, l.busy, l.reading)
	_, farthest, sole := m.ahead(l, c)
	if sole {
		return max(start, floor), Own
	}
	return max(start+m.transfer(l, addr, farthest), floor), farthest
}

// Write is a store of size bytes by CPU c at a time; it drains at Outcome.Done, not before floor.
func (m *Memory) Write(c int, addr uint64, size uint8, v uint64, now, floor sim.Time) Outcome {
	l := m.line(addr)
	if len(l.pending) != 0 {
		m.settle(l, now)
	}
	word, shift, mask := field(addr, size)
	k := int16(c)
	l.version++
	if len(l.pending) == 0 && l.holders.sole(k) && floor <= now && l.reading <= now {
		l.data[word] = l.data[word]&^(mask<<shift) | v&mask<<shift
		if l.watcher != unwatched {
			m.wakeAll(l, now)
		}
		return Outcome{Done: now}
	}
	var out Outcome
	if n := len(l.pending); n > 0 && l.pending[n-1].cpu == k && !l.pending[n-1].share {
		out = Outcome{Done: max(l.busy, floor), Merged: true}
	} else {
		out.Done, out.Distance = m.obtain(l, addr, k, now, floor)
	}
	m.change(l, change{at: out.Done, cpu: k, word: word, mask: mask << shift, value: v & mask << shift})
	return out
}

// change appends a write to what is in flight and wakes who waits for it.
func (m *Memory) change(l *line, ch change) {
	l.pending = append(l.pending, ch)
	l.busy = ch.at
	if l.watcher != unwatched {
		m.wakeAll(l, ch.at)
	}
}

// Atomic is a read-modify-write of size bytes by CPU c that acts on memory in one step at Outcome.Done, not before
// floor. It answers the old value. A compare-and-swap that fails takes the line as well and writes nothing.
func (m *Memory) Atomic(
	c int, addr uint64, size uint8, op AtomicOp, v, compare uint64, now, floor sim.Time,
) (uint64, Outcome) {
	l := m.line(addr)
	if len(l.pending) != 0 {
		m.settle(l, now)
	}
	word, shift, mask := field(addr, size)
	k := int16(c)
	out := Outcome{}
	out.Done, out.Distance = m.obtain(l, addr, k, now, floor)
	old := l.latest(word) >> shift & mask
	ch := change{at: out.Done, cpu: k, word: word}
	if updated, writes := op.apply(old, v&mask, compare&mask); writes {
		l.version++
		ch.mask, ch.value = mask<<shift, updated&mask<<shift
	}
	m.change(l, ch)
	out.Done += m.latency[Own].Mean()
	return old, out
}

// Version counts the writes to the line of an address, those in flight included. An exclusive monitor (DDI 0487,
// B2.9) that a load set is lost at another version than the load's Outcome.Version: a write that the load did not
// see, or one that came later, will have drained before the store-exclusive takes the line.
func (m *Memory) Version(addr uint64) uint32 { return m.line(addr).version }

// Peek is the value that memory will hold when everything in flight has drained, without time and without traffic:
// for inspection.
func (m *Memory) Peek(addr uint64, size uint8) uint64 {
	word, shift, mask := field(addr, size)
	return m.line(addr).latest(word) >> shift & mask
}

// Poke sets memory as a debugger does, without time and without traffic.
func (m *Memory) Poke(addr uint64, size uint8, v uint64) {
	l := m.line(addr)
	word, shift, mask := field(addr, size)
	for i := range l.pending {
		if l.pending[i].word == word {
			l.pending[i].mask &^= mask << shift
			l.pending[i].value &^= mask << shift
		}
	}
	l.data[word] = l.data[word]&^(mask<<shift) | v&mask<<shift
}

// Watch makes a write to the line of addr by another CPU wake c when it drains. seen is the Outcome.Version of the
// read after which c waits; if a write that the read did not see is in flight already, Watch answers when it drains
// instead.
// Preconditions: nothing has touched the line since that read.
func (m *Memory) Watch(c int, addr uint64, seen uint32) (drains sim.Time, inFlight bool) {
	l := m.line(addr)
	if l.version != seen {
		for i := range l.pending {
			if ch := &l.pending[i]; ch.mask != 0 && ch.cpu != int16(c) {
				return ch.at, true
			}
		}
	}
	m.watchNext[c], l.watcher = l.watcher, int16(c)
	m.watched[c] = l
	return 0, false
}

// Unwatch ends a watch that has not fired.
func (m *Memory) Unwatch(c int) {
	l := m.watched[c]
	if l == nil {
		return
	}
	m.watched[c] = nil
	link := &l.watcher
	for *link != int16(c) {
		link = &m.watchNext[*link]
	}
	*link = m.watchNext[c]
}

func (m *Memory) wakeAll(l *line, at sim.Time) {
	for c := l.watcher; c != unwatched; c = m.watchNext[c] {
		m.watched[c] = nil
		m.wake(int(c), at)
	}
	l.watcher = unwatched
}
