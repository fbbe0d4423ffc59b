package mem

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Memory is RAM with its cached copies. CPUs are named by their numbers.
type Memory struct {
	base, size uint64
	heap       uint64           // where allocation began
	lines      []line           // what was allocated, from heap on
	scattered  map[uint64]*line // all other RAM that was touched, by line number
	places     []Place
	latency    [Distances]sim.Jitter
	seed       uint64
	next       uint64 // first byte not yet allocated
	nodes      []nodeRun
	watchNext  []int16  // next watcher of the same line, by CPU
	watched    []uint64 // an address in the line that a CPU watches, noAddr if none
	wake       func(cpu int, at sim.Time)
	explored   *Explored // nil while timed
	masters    []*bus.Master
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
		base: s.Base, size: s.Size, places: s.Places, seed: s.Seed, wake: wake,
		heap: s.Base + imageSize, next: s.Base + imageSize, scattered: map[uint64]*line{},
		watchNext: make([]int16, len(s.Places)),
		watched:   make([]uint64, len(s.Places)),
	}
	for i := range m.watched {
		m.watched[i] = noAddr
	}
	for d, spread := range s.Latency {
		m.latency[d] = sim.NewJitter(spread)
	}
	return m, nil
}

// Range is where RAM begins, and its size in bytes.
func (m *Memory) Range() (base, size uint64) { return m.base, m.size }

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
	m.next += (size + LineSize - 1) &^ (LineSize - 1)
	for at := m.heap + uint64(len(m.lines))*LineSize; at < m.next; at += LineSize {
		m.lines = append(m.lines, m.claim(at))
	}
	return addr, nil
}

// claim is the line at an address that is being allocated: new, or as a script left it that touched it before.
func (m *Memory) claim(addr uint64) line {
	if l := m.scattered[addr/LineSize]; l != nil {
		delete(m.scattered, addr/LineSize)
		return *l
	}
	return line{watcher: unwatched}
}

// Allocated is the first byte that Alloc has not given out.
func (m *Memory) Allocated() uint64 { return m.next }

// Free takes back all that Alloc has given out since Allocated was at mark.
func (m *Memory) Free(mark uint64) {
	m.next = mark
	m.forgetNodes(mark)
}

// line finds the line of an address. The pointer is good until the next Alloc.
func (m *Memory) line(addr uint64) *line {
	if n := (addr - m.heap) / LineSize; n < uint64(len(m.lines)) {
		return &m.lines[n]
	}
	return m.sparse(addr)
}

// sparse is line for RAM that was not allocated: what a script reaches at addresses of its own.
func (m *Memory) sparse(addr uint64) *line {
	l := m.scattered[addr/LineSize]
	if l == nil {
		l = &line{watcher: unwatched}
		m.scattered[addr/LineSize] = l
	}
	return l
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
		ch := l.grow()
		ch.at, ch.mask, ch.value, ch.cpu, ch.word, ch.kind = start, 0, 0, k, 0, shared
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
		if !l.dirty {
			l.soil()
		}
		l.data[word] = l.data[word]&^(mask<<shift) | v&mask<<shift
		if l.watcher != unwatched {
			m.wakeAll(l, now)
		}
		return Outcome{Done: now}
	}
	var out Outcome
	// An entry that a fence or a release keeps apart from the store before it is its own.
	if n := len(l.pending); n > 0 && l.pending[n-1].cpu == k && l.pending[n-1].kind == wrote && floor < l.busy {
		out = Outcome{Done: max(l.busy, floor), Merged: true}
	} else {
		out.Done, out.Distance = m.obtain(l, addr, k, now, floor)
	}
	m.change(l, wrote, out.Done, k, word, mask<<shift, v&mask<<shift)
	return out
}

// change puts a write into what is in flight and wakes who waits for it.
func (m *Memory) change(l *line, kind changeKind, at sim.Time, cpu int16, word uint8, mask, value uint64) {
	ch := l.grow()
	ch.at, ch.mask, ch.value, ch.cpu, ch.word, ch.kind = at, mask, value, cpu, word, kind
	l.busy = at
	if l.watcher != unwatched {
		m.wakeAll(l, at)
	}
}

// grow appends a change for the caller to fill in place: a struct that is built on the stack and copied costs the
// host more than the rest of a write.
func (l *line) grow() *change {
	n := len(l.pending)
	if n < cap(l.pending) {
		l.pending = l.pending[:n+1]
	} else {
		l.pending = append(l.pending, change{})
	}
	return &l.pending[n]
}

// Atomic is a read-modify-write of size bytes by CPU c that acts on memory in one step at Outcome.Done, not before
// floor. It answers the old value. A compare-and-swap that fails takes the line as well and writes nothing.
func (m *Memory) Atomic(
	c int, addr uint64, size uint8, op bus.AtomicOp, v, compare uint64, now, floor sim.Time,
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
	updated, writes := op.Apply(old, v&mask, compare&mask)
	if writes {
		l.version++
		m.change(l, wrote, out.Done, k, word, mask<<shift, updated&mask<<shift)
	} else {
		m.change(l, wrote, out.Done, k, word, 0, 0)
	}
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
	if m.explored != nil {
		return m.explored.Peek(addr, size)
	}
	return m.peekTimed(addr, size)
}

func (m *Memory) peekTimed(addr uint64, size uint8) uint64 {
	word, shift, mask := field(addr, size)
	return m.line(addr).latest(word) >> shift & mask
}

// Poke sets memory as a debugger does, without time and without traffic.
func (m *Memory) Poke(addr uint64, size uint8, v uint64) {
	if m.explored != nil {
		m.explored.Poke(addr, size, v)
		return
	}
	l := m.line(addr)
	word, shift, mask := field(addr, size)
	for i := range l.pending {
		if l.pending[i].word == word {
			l.pending[i].mask &^= mask << shift
			l.pending[i].value &^= mask << shift
		}
	}
	l.data[word] = l.data[word]&^(mask<<shift) | v&mask<<shift
	l.behind[word] = l.behind[word]&^(mask<<shift) | v&mask<<shift
}

// Watch makes a write to the line of addr by another CPU wake c when it drains. seen is the Outcome.Version of the
// read after which c waits; if there is a write that the read did not see, Watch answers when it drains instead, 0
// if it has.
func (m *Memory) Watch(c int, addr uint64, seen uint32) (drains sim.Time, inFlight bool) {
	if drains, written := m.Written(c, addr, seen); written {
		return drains, true
	}
	l := m.line(addr)
	m.watchNext[c], l.watcher = l.watcher, int16(c)
	m.watched[c] = addr
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

// Unwatch ends a watch that has not fired.
func (m *Memory) Unwatch(c int) {
	addr := m.watched[c]
	if addr == noAddr {
		return
	}
	m.watched[c] = noAddr
	link := &m.line(addr).watcher
	for *link != int16(c) {
		link = &m.watchNext[*link]
	}
	*link = m.watchNext[c]
}

func (m *Memory) wakeAll(l *line, at sim.Time) {
	for c := l.watcher; c != unwatched; c = m.watchNext[c] {
		m.watched[c] = noAddr
		m.wake(int(c), at)
	}
	l.watcher = unwatched
}
