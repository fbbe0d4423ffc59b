package mem

import (
	"cmp"
	"slices"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// plainMemory is the timed coherence of the package comment written down a second time, as plainly as possible: a
// line is the list of everything that was ever done to it, and its state at a time is found by doing all of that
// again, byte by byte. Nothing is kept between two accesses but the list and the ends of what is in flight.
type plainMemory struct {
	spec    Spec
	places  []Place
	jitter  map[sim.Spread]sim.Jitter
	lines   map[uint64]*plainLine
	nodes   map[uint64]int32 // homes, by line number
	watches map[int]*plainWatch
	system  []plainTag // of all system caches, the one that was used last first
	woke    []string
	between bool // an access is being made that goes ahead of others
}

type plainLine struct {
	home      Place
	deeds     []deed
	writeEnd  sim.Time // when the last write, or the last taking of the line, ends
	readEnd   sim.Time // when the last read in flight ends
	transfers uint64

	free         sim.Time // when the home serves the next request
	looks        sim.Time // when the watchers ask for the line again, 0 if they do not
	looked, turn sim.Time // when they did last, and when the first of them was served
	lookers      int
	served       int // of them
}

// A plainWatch is a CPU that spins, or that was told of a write and has not read the line yet.
type plainWatch struct {
	spins bool
	addr  uint64
	size  uint8
	until func(uint64) bool
	at    sim.Time // the write that it was told of last, 0 for none
	place int      // in the order in which the home serves the CPUs that were told
}

// A deed is something done to the line that takes effect at a time.
type deed struct {
	at     sim.Time
	kind   deedKind
	cpu    int
	writes uint32         // counts as so many writes: a compare-and-swap that failed as none
	bytes  map[uint8]byte // what is written, by offset in the line
	held   bool           // ... by a store that a barrier holds back until then
}

type deedKind int

const (
	takes    deedKind = iota // the CPU takes the line from all others, and writes
	copies                   // the CPU gains a copy
	drops                    // a master writes
	behinds                  // a master writes to memory behind the caches
	writtens                 // dirty data is written back
	evicts                   // ... and nobody holds the line
)

// plainState is a line as it stands at some time: what the caches show, what memory has, and whether the caches are the
// newer ones. Without a holder both are the same.
type plainState struct {
	data, ram [LineSize]byte
	dirty     bool
	holders   map[int]bool
	writes    uint32
}

func newPlain(s Spec) *plainMemory {
	return &plainMemory{
		spec: s, places: s.Places, jitter: map[sim.Spread]sim.Jitter{}, lines: map[uint64]*plainLine{},
		nodes: map[uint64]int32{}, watches: map[int]*plainWatch{},
	}
}

func (p *plainMemory) line(addr uint64) *plainLine {
	if p.lines[addr/LineSize] == nil {
		die := p.nodes[addr/LineSize]
		p.lines[addr/LineSize] = &plainLine{home: Place{Die: die, Socket: p.spec.socketOf(die)}}
	}
	return p.lines[addr/LineSize]
}

func (s *plainState) do(d deed) {
	put := func(bytes *[LineSize]byte) {
		for offset, b := range d.bytes {
			bytes[offset] = b
		}
	}
	if d.kind >= drops && d.kind != behinds && s.dirty {
		s.ram, s.dirty = s.data, false
	}
	switch d.kind {
	case takes:
		s.holders = map[int]bool{d.cpu: true}
		put(&s.data)
		s.dirty = s.dirty || d.writes > 0
	case copies:
		s.holders[d.cpu] = true
	case drops:
		s.holders = map[int]bool{}
		put(&s.ram)
	case behinds:
		put(&s.ram)
	case evicts:
		s.holders = map[int]bool{}
	}
	if len(s.holders) == 0 {
		s.data = s.ram
	}
	s.writes += d.writes
}

// at is the state after all that takes effect up to a time, in the order of the times.
func (l *plainLine) at(now sim.Time) *plainState {
	s := &plainState{holders: map[int]bool{}}
	deeds := slices.Clone(l.deeds)
	slices.SortStableFunc(deeds, func(a, b deed) int { return cmp.Compare(a.at, b.at) })
	for _, d := range deeds {
		if d.at <= now {
			s.do(d)
		}
	}
	return s
}

// end is the state after all that is in flight.
func (l *plainLine) end() *plainState { return l.at(sim.Never) }

// number joins bytes, the lowest first.
func (s *plainState) number(addr uint64, size uint8) (v uint64) {
	for i := range uint64(size) {
		v |= uint64(s.data[addr%LineSize+i]) << (8 * i)
	}
	return v
}

// bytesOf splits a number, the lowest byte first.
func bytesOf(addr uint64, size uint8, v uint64) map[uint8]byte {
	bytes := map[uint8]byte{}
	for i := range uint64(size) {
		bytes[uint8(addr%LineSize+i)] = byte(v >> (8 * i))
	}
	return bytes
}

func (p *plainMemory) Read(c int, addr uint64, size uint8, now sim.Time) (uint64, Outcome) {
	l := p.line(addr)
	p.touch(l, addr, now, c)
	// What the CPU sees in place: its copy, if it has one, and over it its own stores that have not drained.
	here, own := l.at(now), map[uint8]bool{}
	hold := here.holders[c]
	for _, d := range l.deeds {
		if d.at > now && d.cpu == c && d.kind == takes {
			for offset, b := range d.bytes {
				here.data[offset], own[offset] = b, true
			}
			here.writes += d.writes
		}
	}
	forwarded := true
	for i := range uint64(size) {
		forwarded = forwarded && own[uint8(addr%LineSize+i)]
	}
	hit := p.hit()
	if hold || forwarded {
		return here.number(addr, size), Outcome{Done: now + hit, Version: here.writes}
	}
	if held := p.aside(l, addr, c, false, now, 0); held != nil {
		v, out := p.Read(c, addr, size, now)
		s := plainState{}
		for offset, b := range bytesOf(addr, size, v) {
			s.data[offset] = b
		}
		for _, d := range held {
			if d.cpu == c { // its own stores
				for offset, b := range d.bytes {
					s.data[offset] = b
				}
				out.Version += d.writes
			}
		}
		p.putBack(l, held)
		return s.number(addr, size), out
	}
	// Otherwise it waits for what is in flight and takes a copy from the nearest holder.
	there := l.end()
	nearest := p.reach(l, addr, c, there.holders, true, true)
	out := l.outcome(nearest)
	out.Version = there.writes
	start := max(now, l.writeEnd)
	if out.Distance == Own { // its own write in flight brings the line
		out.Done = start + hit
		return there.number(addr, size), out
	}
	if w := p.watches[c]; w != nil && w.at != 0 && w.at == l.looked && w.addr/LineSize == addr/LineSize {
		start = max(start, l.turn+sim.Time(w.place)*p.spec.Latency[HomeService].Mean)
		w.at = 0
	} else {
		start = p.serve(l, start)
	}
	out.Done = start + p.move(l, addr, nearest)
	l.readEnd = max(l.readEnd, out.Done)
	l.deeds = append(l.deeds, deed{at: start, cpu: c, kind: copies})
	return there.number(addr, size), out
}

// take is when c has the line to itself.
func (p *plainMemory) take(l *plainLine, c int, addr uint64, now, floor sim.Time) Outcome {
	out := p.takeBy(l, c, addr, now, floor, true)
	if out.Distance != Own {
		p.forget(l, addr)
	}
	return out
}

func (p *plainMemory) takeBy(l *plainLine, c int, addr uint64, now, floor sim.Time, cacheable bool) Outcome {
	_, farthest := p.ends(l, c, l.end().holders)
	if farthest.distance == DRAM {
		farthest = p.lookUp(l, addr, c, cacheable, false)
	}
	out := l.outcome(farthest)
	out.Done = max(now, l.writeEnd, l.readEnd)
	if out.Distance != Own {
		out.Done = p.serve(l, out.Done) + p.move(l, addr, farthest)
	}
	out.Done = max(out.Done, floor)
	l.writeEnd = out.Done
	return out
}

func (p *plainMemory) Write(c int, addr uint64, size uint8, v uint64, now, floor sim.Time) Outcome {
	l := p.line(addr)
	p.touch(l, addr, now, nobody)
	if held := p.aside(l, addr, c, true, now, floor); held != nil {
		out := p.Write(c, addr, size, v, now, floor)
		p.putBack(l, held)
		return out
	}
	var out Outcome
	var held bool
	n := len(l.deeds)
	for n > 0 && l.deeds[n-1].kind == behinds { // the caches do not know of it
		n--
	}
	if n > 0 && l.deeds[n-1].at > now && l.deeds[n-1].cpu == c && l.deeds[n-1].kind == takes &&
		floor < l.writeEnd {
		out = Outcome{Done: max(l.writeEnd, floor), Merged: true}
		l.writeEnd = out.Done
		held = l.deeds[n-1].held
	} else {
		out = p.take(l, c, addr, now, floor)
		held = out.Done == floor
	}
	l.deeds = append(l.deeds, deed{at: out.Done, cpu: c, writes: 1, bytes: bytesOf(addr, size, v), held: held})
	p.tell(l, addr, out.Done)
	p.touch(l, addr, now, nobody)
	return out
}

func (p *plainMemory) Atomic(
	c int, addr uint64, size uint8, op bus.AtomicOp, v, compare uint64, now, floor sim.Time,
) (uint64, Outcome) {
	l := p.line(addr)
	p.touch(l, addr, now, nobody)
	if held := p.aside(l, addr, c, true, now, floor); held != nil {
		old, out := p.Atomic(c, addr, size, op, v, compare, now, floor)
		p.putBack(l, held)
		return old, out
	}
	old := l.end().number(addr, size)
	out := p.take(l, c, addr, now, floor)
	d := deed{at: out.Done, cpu: c}
	limit := ^uint64(0) >> (64 - 8*uint(size))
	if op != bus.CompareAndSwap || old == compare&limit {
		d.writes, d.bytes = 1, bytesOf(addr, size, plainResult(op, old, v))
	}
	l.deeds = append(l.deeds, d)
	p.tell(l, addr, out.Done)
	out.Done += p.hit()
	return old, out
}

// Transact is a master's access; the master is numbered like a CPU, behind all CPUs.
func (p *plainMemory) Transact(master int, t *bus.Transaction) bus.Answer {
	addr := uint64(t.Addr)
	l := p.line(addr)
	p.touch(l, addr, t.At, nobody)
	before, there := l.at(t.At), l.end()
	read := func(from *[LineSize]byte) {
		t.Data = [8]uint64{}
		for i := range t.Len {
			t.Data[i/8] |= uint64(from[addr%LineSize+uint64(i)]) << (i % 8 * 8)
		}
	}
	bytes, words := map[uint8]byte{}, map[uint8]bool{}
	for i := range t.Len {
		at := uint8(addr%LineSize) + i
		bytes[at], words[at/8] = byte(t.Data[i/8]>>(i%8*8)), true
	}
	switch {
	case t.Op == bus.Clean || t.Op == bus.CleanDiscard:
		return bus.Answer{Done: p.Clean(master, addr, t.Op == bus.CleanDiscard, t.At, 0).Done, Served: bus.ByMemory}
	case !t.Attr.Snoops():
		w := p.lookUp(l, addr, master, t.Attr.Outer.Cacheable(), t.Op == bus.Read && t.Attr.Outer&bus.ReadAllocate != 0)
		a := bus.Answer{Done: t.At + p.move(l, addr, w), Served: plainServed(w.distance)}
		if t.Op == bus.Read {
			read(&before.ram)
		} else {
			l.deeds = append(l.deeds, deed{at: t.At, cpu: master, kind: behinds, bytes: bytes})
			p.keep(l, addr, master, t.Attr.Outer)
		}
		return a
	case t.Op == bus.Read || t.Atomic == bus.CompareAndSwap && t.Op == bus.ReadModify &&
		there.number(addr, t.Len) != t.Compare&(^uint64(0)>>(64-8*uint(t.Len))):
		nearest := p.reach(l, addr, master, there.holders, t.Attr.Outer.Cacheable(), t.Attr.Outer&bus.ReadAllocate != 0)
		done := p.serve(l, max(t.At, l.writeEnd)) + p.move(l, addr, nearest)
		a := bus.Answer{Done: done, Served: plainServed(nearest.distance)}
		l.readEnd = max(l.readEnd, a.Done)
		read(&there.data)
		return a
	}
	out := p.takeBy(l, master, addr, t.At, 0, t.Attr.Outer.Cacheable())
	p.keep(l, addr, master, t.Attr.Outer)
	d := deed{at: out.Done, cpu: master, kind: drops, bytes: bytes, writes: uint32(len(words))}
	if t.Op == bus.ReadModify {
		old := there.number(addr, t.Len)
		d.bytes = bytesOf(addr, t.Len, plainResult(t.Atomic, old, t.Data[0]))
		t.Data[0] = old
	}
	l.deeds = append(l.deeds, d)
	p.tell(l, addr, out.Done)
	return bus.Answer{Done: out.Done, Served: plainServed(out.Distance)}
}

const nobody = -1

func plainServed(d Distance) bus.Served {
	switch d {
	case DRAM:
		return bus.ByMemory
	case SystemCache:
		return bus.BySystemCache
	}
	return bus.ByCache
}

func (p *plainMemory) Clean(c int, addr uint64, discard bool, now, floor sim.Time) Outcome {
	l := p.line(addr)
	p.touch(l, addr, now, nobody)
	out := Outcome{Done: max(now, l.writeEnd, l.readEnd, floor)}
	if l.end().dirty {
		out.Distance, out.Home = DRAM, int16(l.home.Die)
		out.Done = p.serve(l, out.Done) + p.move(l, addr, p.fetch(l, c))
	} else if !discard {
		return out
	}
	kind := writtens
	if discard {
		p.forget(l, addr)
		kind = evicts
	}
	l.deeds = append(l.deeds, deed{at: out.Done, cpu: -1, kind: kind})
	l.writeEnd = out.Done
	return out
}

func plainResult(op bus.AtomicOp, old, v uint64) uint64 {
	switch op {
	case bus.Add:
		return old + v
	case bus.Clear:
		return old & ^v
	case bus.Xor:
		return old ^ v
	case bus.Set:
		return old | v
	case bus.And:
		return old & v
	}
	return v
}
