package mem

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// plainMemory is the timed coherence of the package comment written down a second time, as plainly as possible: a
// line is the list of everything that was ever done to it, and its state at a time is found by doing all of that
// again, byte by byte. Nothing is kept between two accesses but the list and the ends of what is in flight.
type plainMemory struct {
	places  []Place
	latency [Distances]sim.Jitter
	seed    uint64
	lines   map[uint64]*plainLine
}

type plainLine struct {
	deeds     []deed
	writeEnd  sim.Time // when the last write, or the last taking of the line, ends
	readEnd   sim.Time // when the last read in flight ends
	transfers uint64
}

// A deed is one write, or one gain of a shared copy, that takes effect at a time.
type deed struct {
	at     sim.Time
	cpu    int
	shares bool           // gains a copy; otherwise takes the line from all others
	writes bool           // counts as a write: not a compare-and-swap that failed
	bytes  map[uint8]byte // what is written, by offset in the line
}

// plainState is a line as it stands at some time.
type plainState struct {
	data    [LineSize]byte
	holders map[int]bool
	writes  uint32
}

func newPlain(s Spec) *plainMemory {
	p := &plainMemory{places: s.Places, seed: s.Seed, lines: map[uint64]*plainLine{}}
	for d, spread := range s.Latency {
		p.latency[d] = sim.NewJitter(spread)
	}
	return p
}

func (p *plainMemory) line(addr uint64) *plainLine {
	if p.lines[addr/LineSize] == nil {
		p.lines[addr/LineSize] = &plainLine{}
	}
	return p.lines[addr/LineSize]
}

func (s *plainState) do(d deed) {
	if d.shares {
		s.holders[d.cpu] = true
		return
	}
	s.holders = map[int]bool{d.cpu: true}
	for offset, b := range d.bytes {
		s.data[offset] = b
	}
	if d.writes {
		s.writes++
	}
}

// at is the state after all that takes effect up to a time.
func (l *plainLine) at(now sim.Time) *plainState {
	s := &plainState{holders: map[int]bool{}}
	for _, d := range l.deeds {
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

func (p *plainMemory) distance(a, b int) Distance {
	x, y := p.places[a], p.places[b]
	switch {
	case a == b:
		return Own
	case x.Cluster == y.Cluster:
		return Cluster
	case x.Die == y.Die:
		return Die
	case x.Socket == y.Socket:
		return CrossDie
	}
	return CrossNode
}

// move is the time of the line's next transfer; a line that stays where it is makes none.
func (p *plainMemory) move(l *plainLine, addr uint64, d Distance) sim.Time {
	l.transfers++
	return p.latency[d].At(p.seed, addr/LineSize, l.transfers)
}

func (p *plainMemory) Read(c int, addr uint64, size uint8, now sim.Time) (uint64, Outcome) {
	l := p.line(addr)
	// What the CPU sees in place: its copy, if it has one, and over it its own stores that have not drained.
	here, own := l.at(now), map[uint8]bool{}
	hold := here.holders[c]
	for _, d := range l.deeds {
		if d.at > now && d.cpu == c && !d.shares {
			for offset, b := range d.bytes {
				here.data[offset], own[offset] = b, true
			}
			if d.writes {
				here.writes++
			}
		}
	}
	forwarded := true
	for i := range uint64(size) {
		forwarded = forwarded && own[uint8(addr%LineSize+i)]
	}
	hit := p.latency[Own].Mean()
	if hold || forwarded {
		return here.number(addr, size), Outcome{Done: now + hit, Version: here.writes}
	}
	// Otherwise it waits for what is in flight and takes a copy from the nearest holder.
	there := l.end()
	out := Outcome{Distance: DRAM, Version: there.writes}
	for k := range there.holders {
		out.Distance = min(out.Distance, p.distance(c, k))
	}
	start := max(now, l.writeEnd)
	if out.Distance == Own { // its own write in flight brings the line
		out.Done = start + hit
	} else {
		out.Done = start + p.move(l, addr, out.Distance)
		l.readEnd = max(l.readEnd, out.Done)
		l.deeds = append(l.deeds, deed{at: start, cpu: c, shares: true})
	}
	return there.number(addr, size), out
}

// take is when c has the line to itself.
func (p *plainMemory) take(l *plainLine, c int, addr uint64, now, floor sim.Time) Outcome {
	holders := l.end().holders
	out := Outcome{Distance: Own}
	for k := range holders {
		out.Distance = max(out.Distance, p.distance(c, k))
	}
	if len(holders) == 0 {
		out.Distance = DRAM
	}
	out.Done = max(now, l.writeEnd, l.readEnd)
	if out.Distance != Own {
		out.Done += p.move(l, addr, out.Distance)
	}
	out.Done = max(out.Done, floor)
	l.writeEnd = out.Done
	return out
}

func (p *plainMemory) Write(c int, addr uint64, size uint8, v uint64, now, floor sim.Time) Outcome {
	l := p.line(addr)
	var out Outcome
	if n := len(l.deeds); n > 0 && l.deeds[n-1].at > now && l.deeds[n-1].cpu == c && !l.deeds[n-1].shares &&
		floor < l.writeEnd {
		out = Outcome{Done: max(l.writeEnd, floor), Merged: true}
		l.writeEnd = out.Done
	} else {
		out = p.take(l, c, addr, now, floor)
	}
	l.deeds = append(l.deeds, deed{at: out.Done, cpu: c, writes: true, bytes: bytesOf(addr, size, v)})
	return out
}

func (p *plainMemory) Atomic(
	c int, addr uint64, size uint8, op bus.AtomicOp, v, compare uint64, now, floor sim.Time,
) (uint64, Outcome) {
	l := p.line(addr)
	old := l.end().number(addr, size)
	out := p.take(l, c, addr, now, floor)
	d := deed{at: out.Done, cpu: c}
	limit := ^uint64(0) >> (64 - 8*uint(size))
	if op != bus.CompareAndSwap || old == compare&limit {
		d.writes, d.bytes = true, bytesOf(addr, size, plainResult(op, old, v))
	}
	l.deeds = append(l.deeds, d)
	out.Done += p.latency[Own].Mean()
	return old, out
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
