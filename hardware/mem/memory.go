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
	spec       Spec
	places     []Place // of the CPUs, then of the other masters
	ways       *ways
	hit        sim.Time // a load from the own cache
	seed       uint64   // of the jitter
	service    sim.Time // of a home, for one request
	next       uint64   // first byte not yet allocated
	reserved   uint64   // bytes at the end, see Reserve
	watchers   []watcher
	lifted     []change     // off a line, while an access goes ahead of them
	system     *systemCache // nil for none
	wake       func(cpu int, at sim.Time)
	masters    []*bus.Master
}

// An Outcome says what an access cost. Every access answers one, in the host's registers: there the compiler keeps
// structs of up to four fields.
type Outcome struct {
	Done    sim.Time // a read or an atomic: when the value is there; a write: when it drains to all PEs
	Origin           // of the line
	Merged  bool     // a write that joined one of the same CPU that had not drained
	Version uint32   // a read: the version of the line that the value is of, see [Memory.Version]
}

// An Origin is where a line came from.
type Origin struct {
	Distance Distance
	Home     int16 // the node that it was asked for at: its home, through which it came
}

// linesOfCPU is about what a kernel allocates for each CPU.
const linesOfCPU = 16

// imageSize is left free at the start of RAM, as for a kernel's image; so no allocation has address 0, where RAM may
// begin.
const imageSize = 512 << 10

// New builds a memory. wake is called when a write to a line that a CPU watches drains.
func New(s Spec, wake func(cpu int, at sim.Time)) (*Memory, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	m := &Memory{
		base: s.Base, size: s.Size, spec: s, places: s.Places, wake: wake,
		heap: s.Base + imageSize, next: s.Base + imageSize, scattered: map[uint64]*line{},
		lines: make([]line, 0, linesOfCPU*len(s.Places)),
		ways:  newWays(&s.Latency), hit: s.Latency[Hit].Mean, seed: s.Seed, service: s.Latency[HomeService].Mean,
		watchers: make([]watcher, len(s.Places)), system: newSystemCache(s.SystemCache),
	}
	for i := range m.watchers {
		m.watchers[i].addr = noAddr
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
	if left := m.base + m.size - m.reserved - m.next; size > left {
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
	for at := mark; at < m.next; at += LineSize {
		m.line(at).home = Place{}
	}
	m.next = mark
}

// line finds the line of an address. The pointer is good until the next Alloc.
func (m *Memory) line(addr uint64) *line {
	if l := m.allocated(addr); l != nil {
		return l
	}
	return m.sparse(addr)
}

// allocated is line for RAM that was allocated, nil for other RAM.
func (m *Memory) allocated(addr uint64) *line {
	if n := (addr - m.heap) / LineSize; n < uint64(len(m.lines)) {
		return &m.lines[n]
	}
	return nil
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

// field locates an access of 1, 2, 4 or 8 bytes inside its line: the word, the shift and the mask of its bits. Written
// so that the compiler sees that no shift is 64 or more, and no word beyond the line.
func field(addr uint64, size uint8) (word, shift uint, mask uint64) {
	return uint(addr / 8 % lineWords), uint(addr % 8 * 8), ^uint64(0) >> ((64 - 8*uint(size)) % 64)
}

// transfer draws the time of the line's next transfer.
func (m *Memory) transfer(l *line, addr uint64, w way) sim.Time {
	l.transfers++
	return m.ways.take(w, m.seed, addr/LineSize, l.transfers)
}

// travelled is the outcome of an access to which the line came by a way.
func (l *line) travelled(w way) Outcome {
	if w == here {
		return Outcome{}
	}
	return Outcome{Origin: Origin{w.distance(), int16(l.home.Die)}}
}

// Read is a load of size bytes (1, 2, 4 or 8, aligned) by CPU c at a time.
func (m *Memory) Read(c int, addr uint64, size uint8, now sim.Time) (uint64, Outcome) {
	l, k := m.line(addr), int16(c)
	if l.unsettled(now) {
		m.settleRead(l, addr, k, now)
	}
	word, shift, mask := field(addr, size)
	own, covered, unseen := l.forward(word, k)
	if l.holders.has(k) || covered&(mask<<shift) == mask<<shift {
		return own >> shift & mask, Outcome{Done: now + m.hit, Version: l.version - unseen}
	}
	if l.heldBack() && m.lift(l, k, false, now, 0) {
		return m.readAhead(l, c, addr, size, now)
	}
	out := m.bring(l, addr, k, now)
	return l.latest(word) >> shift & mask, out
}

// bring is a read of a line that has to come.
func (m *Memory) bring(l *line, addr uint64, k int16, now sim.Time) Outcome {
	nearest := m.reach(l, addr, k, cpuPolicy)
	out := l.travelled(nearest)
	out.Version = l.version
	if nearest == here { // its own write is on the way and brings the line
		out.Done = max(now, l.busy) + m.hit
		return out
	}
	start := m.admit(l, addr, k, max(now, l.busy))
	out.Done = start + m.transfer(l, addr, nearest)
	l.reading = max(l.reading, out.Done)
	if len(l.pending) == 0 && start <= now {
		l.holders.add(k, len(m.places))
	} else {
		l.share(k, start)
	}
	return out
}

// Line is the line of an address in RAM that was allocated, nil in other RAM.
func (m *Memory) Line(addr uint64) *line { return m.allocated(addr) }

// Own reports whether c has the line to itself, nothing is in flight on it, and nobody watches it; it may not know, and
// answers false. If so a [Memory.Write] without a floor is Put and drains at once, and a [Memory.Read] is Get.
func (l *line) Own(c int, now sim.Time) bool { return l.holders.own == int16(c)+1 && l.reading <= now }

// Hit is [Memory.Read] if nothing is due on the line and c has a copy; it reports whether that was so.
func (l *line) Hit(c int, addr uint64, size uint8, now sim.Time) (v uint64, version uint32, hit bool) {
	k := int16(c)
	if l.unsettled(now) || !l.holders.has(k) {
		return 0, 0, false
	}
	word, shift, mask := field(addr, size)
	v, _, unseen := l.forward(word, k)
	return v >> shift & mask, l.version - unseen, true
}

// Join is a plain [Memory.Write] without a floor that joins one of c that is in flight, if nothing is due on the line
// and nobody watches it; it reports whether that was so.
func (l *line) Join(c int, addr uint64, size uint8, v uint64, now sim.Time) bool {
	n, k := len(l.pending), int16(c)
	if n == 0 || l.pending[0].at <= now || l.watcher != unwatched || l.looking(now) {
		return false
	}
	last := &l.pending[n-1]
	if last.cpu != k || last.kind != wrote || last.held || n == cap(l.pending) {
		return false
	}
	l.version++
	word, shift, mask := field(addr, size)
	l.change(wrote, l.busy, k, word, mask<<shift, v&mask<<shift)
	return true
}

// HitTime is what a load takes that hits the CPU's own cache.
func (m *Memory) HitTime() sim.Time { return m.hit }

// obtain is the time at which c has the line to itself, not before floor, and the way that it came.
func (m *Memory) obtain(
	l *line, addr uint64, c int16, policy bus.Cacheability, now, floor sim.Time,
) (sim.Time, way) {
	start := max(now, l.busy, l.reading)
	_, farthest := m.ahead(l, c)
	if farthest == here {
		return max(start, floor), here
	}
	if farthest.distance() == DRAM {
		farthest = m.lookUp(l, addr, c, policy&^bus.ReadAllocate)
	}
	start = m.serve(l, start)
	return max(start+m.transfer(l, addr, farthest), floor), farthest
}

// Write is a store of size bytes by CPU c at a time; it drains at Outcome.Done, not before floor.
func (m *Memory) Write(c int, addr uint64, size uint8, v uint64, now, floor sim.Time) Outcome {
	l, k := m.line(addr), int16(c)
	if l.unsettled(now) {
		m.settle(l, now)
	}
	lifted := l.heldBack() && m.lift(l, k, true, now, floor)
	if len(l.pending) == 0 && l.holders.sole(k) && max(floor, l.reading) <= now {
		if !l.dirty {
			l.soil()
		}
		l.Put(addr, size, v)
		if l.watcher != unwatched {
			m.wakeAll(l, now)
			m.look(l, now, l.lookers)
		} else {
			l.holders.own = k + 1
		}
		if lifted {
			m.lower(l)
		}
		return Outcome{Done: now}
	}
	l.version++
	word, shift, mask := field(addr, size)
	var out Outcome
	held := false
	// An entry that a fence or a release keeps apart from the store before it is its own.
	if n := len(l.pending); n > 0 && l.pending[n-1].cpu == k && l.pending[n-1].kind == wrote && floor < l.busy {
		out = Outcome{Done: max(l.busy, floor), Merged: true}
		held = l.pending[n-1].held
	} else {
		done, w := m.obtain(l, addr, k, cpuPolicy, now, floor)
		m.taken(l, addr, w)
		out = l.travelled(w)
		out.Done = done
		held = done == floor
	}
	l.change(wrote, out.Done, k, word, mask<<shift, v&mask<<shift).held = held
	if l.watcher != unwatched {
		m.wakeAll(l, out.Done)
	}
	if lifted {
		m.lower(l)
	}
	return out
}

// PutOwn writes eight bytes of zero to each of a number of lines, which begin at addr and are written one after another
// at a time apart; it answers how many of them were c's own, up to the first that was not.
func (m *Memory) PutOwn(c int, addr uint64, lines int, now, apart sim.Time) (n int) {
	first := (addr - m.heap) / LineSize
	if first+uint64(lines) > uint64(len(m.lines)) {
		return 0
	}
	word := addr / 8 % lineWords
	for stack := m.lines[first:][:lines]; n < len(stack); n++ {
		l := &stack[n]
		if !l.Own(c, now) {
			break
		}
		l.version++
		l.data[word] = 0
		now += apart
	}
	return n
}

// Get is the value of size bytes of a line on which nothing is in flight, and its [Memory.Version].
func (l *line) Get(addr uint64, size uint8) (v uint64, version uint32) {
	word, shift, mask := field(addr, size)
	return l.data[word] >> shift & mask, l.version
}

// Put is a write that drains at once, by the only holder, of a line that is dirty.
func (l *line) Put(addr uint64, size uint8, v uint64) {
	l.version++
	word, shift, mask := field(addr, size)
	l.data[word] = l.data[word]&^(mask<<shift) | v&mask<<shift
}

// change puts a write into what is in flight.
func (l *line) change(kind changeKind, at sim.Time, cpu int16, word uint, mask, value uint64) *change {
	ch := l.grow()
	ch.at, ch.mask, ch.value, ch.cpu, ch.word, ch.kind, ch.held = at, mask, value, cpu, uint8(word), kind, false
	l.busy = at
	return ch
}

// share notes that a CPU has a copy from a time on, in the order of the times: one that has its turn among the watchers
// comes before reads that were issued earlier.
func (l *line) share(c int16, at sim.Time) {
	l.grow()
	n := len(l.pending) - 1
	for n > 0 && l.pending[n-1].at > at {
		l.pending[n] = l.pending[n-1]
		n--
	}
	ch := &l.pending[n]
	ch.at, ch.mask, ch.value, ch.cpu, ch.word, ch.kind, ch.held = at, 0, 0, c, 0, shared, false
}

// grow appends a change for the caller to fill in place: a struct that is built on the stack and copied costs the host
// more than the rest of a write.
func (l *line) grow() *change {
	n := len(l.pending)
	if n == cap(l.pending) {
		l.pending = append(l.pending, change{})
	}
	l.pending = l.pending[:n+1]
	l.holders.own = 0
	return &l.pending[n]
}

// Atomic is a read-modify-write of size bytes by CPU c that acts on memory in one step at Outcome.Done, not before
// floor. It answers the old value. A compare-and-swap that fails takes the line as well and writes nothing.
func (m *Memory) Atomic(
	c int, addr uint64, size uint8, op bus.AtomicOp, v, compare uint64, now, floor sim.Time,
) (uint64, Outcome) {
	l := m.line(addr)
	k := int16(c)
	if l.unsettled(now) {
		m.settle(l, now)
	}
	lifted := l.heldBack() && m.lift(l, k, true, now, floor)
	word, shift, mask := field(addr, size)
	done, w := m.obtain(l, addr, k, cpuPolicy, now, floor)
	m.taken(l, addr, w)
	out := l.travelled(w)
	out.Done = done
	old := l.latest(word) >> shift & mask
	updated, writes := op.Apply(old, v&mask, compare&mask)
	changed := mask << shift
	if writes {
		l.version++
	} else {
		changed = 0
	}
	l.change(wrote, out.Done, k, word, changed, updated<<shift&changed)
	if l.watcher != unwatched {
		m.wakeAll(l, out.Done)
	}
	if lifted {
		m.lower(l)
	}
	out.Done += m.hit
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
		if uint(l.pending[i].word) == word {
			l.pending[i].mask &^= mask << shift
			l.pending[i].value &^= mask << shift
		}
	}
	l.data[word] = l.data[word]&^(mask<<shift) | v&mask<<shift
	l.behind[word] = l.behind[word]&^(mask<<shift) | v&mask<<shift
}
