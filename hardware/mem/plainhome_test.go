package mem

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hwscript/hwscript/hardware/sim"
)

// A plainWay is the parts that the way of a line takes, and how it is reported.
type plainWay struct {
	parts    []Part
	distance Distance
}

func (p *plainMemory) spread(w plainWay) (sum sim.Spread) {
	for _, part := range w.parts {
		s := p.spec.Latency[part]
		sum = sim.Spread{Low: sum.Low + s.Low, Mean: sum.Mean + s.Mean, High: sum.High + s.High}
	}
	return sum
}

func (w plainWay) count(part Part) (n int) {
	for _, p := range w.parts {
		if p == part {
			n++
		}
	}
	return n
}

// compare orders ways by their mean; ways that take equally long by where they begin, then by their legs.
func (p *plainMemory) compare(v, w plainWay) int {
	if v.distance == Own || w.distance == Own {
		return cmp.Compare(v.distance, w.distance)
	}
	return cmp.Or(cmp.Compare(p.spread(v).Mean, p.spread(w).Mean), cmp.Compare(v.parts[0], w.parts[0]),
		cmp.Compare(v.count(DieLeg), w.count(DieLeg)), cmp.Compare(v.count(SocketLeg), w.count(SocketLeg)),
		cmp.Compare(v.distance, w.distance))
}

func (p *plainMemory) way(l *plainLine, c, owner int) plainWay {
	if c == owner {
		return plainWay{}
	}
	x, y := p.places[c], p.places[owner]
	w := plainWay{[]Part{DieHandOff}, CrossNode}
	switch {
	case x.Cluster == y.Cluster:
		w = plainWay{[]Part{ClusterHandOff}, Cluster}
	case x.Die == y.Die:
		w.distance = Die
	case x.Socket == y.Socket:
		w.distance = CrossDie
	}
	w.parts = append(w.parts, slices.Concat(plainLeg(x, l.home), plainLeg(l.home, y), plainLeg(y, x))...)
	return w
}

func (p *plainMemory) fetch(l *plainLine, c int) plainWay {
	leg := plainLeg(p.places[c], l.home)
	return plainWay{slices.Concat([]Part{MemoryAccess}, leg, leg), DRAM}
}

func plainLeg(x, y Place) []Part {
	switch {
	case x.Die == y.Die:
		return nil
	case x.Socket == y.Socket:
		return []Part{DieLeg}
	}
	return []Part{SocketLeg}
}

// ends are the nearest and the farthest way from a holder, or from memory if there is none.
func (p *plainMemory) ends(l *plainLine, c int, holders map[int]bool) (nearest, farthest plainWay) {
	var all []plainWay
	for k := range holders {
		all = append(all, p.way(l, c, k))
	}
	if all == nil {
		all = []plainWay{p.fetch(l, c)}
	}
	return slices.MinFunc(all, p.compare), slices.MaxFunc(all, p.compare)
}

// move is the time of the line's next transfer.
func (p *plainMemory) move(l *plainLine, addr uint64, w plainWay) sim.Time {
	l.transfers++
	s := p.spread(w)
	j, found := p.jitter[s]
	if !found {
		j = sim.NewJitter(s)
		p.jitter[s] = j
	}
	return j.At(p.spec.Seed, addr/LineSize, l.transfers)
}

func (p *plainMemory) hit() sim.Time { return p.spec.Latency[Hit].Mean }

func (l *plainLine) outcome(w plainWay) Outcome {
	if w.distance == Own {
		return Outcome{}
	}
	return Outcome{Origin: Origin{w.distance, int16(l.home.Die)}}
}

// serve is when the home turns to a request.
func (p *plainMemory) serve(l *plainLine, at sim.Time) sim.Time {
	at = max(at, l.free)
	l.free = at + p.spec.Latency[HomeService].Mean
	return at
}

// tell lets those who spin know of a write. Each takes a place in the order of the ways to the home.
func (p *plainMemory) tell(l *plainLine, addr uint64, at sim.Time) {
	var spinning []int
	for c, w := range p.watches {
		if w.spins && w.addr/LineSize == addr/LineSize {
			spinning = append(spinning, c)
		}
	}
	if spinning == nil {
		return
	}
	slices.SortFunc(spinning, func(a, b int) int {
		far := func(c int) int { return int(Parts) * len(plainLeg(p.places[c], l.home)) }
		x, y := plainLeg(p.places[a], l.home), plainLeg(p.places[b], l.home)
		if far(a) != 0 && far(b) != 0 {
			return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(a, b))
		}
		return cmp.Or(cmp.Compare(far(a), far(b)), cmp.Compare(a, b))
	})
	for i, c := range spinning {
		w := p.watches[c]
		w.at, w.place = at, i
		if w.until == nil || w.until(l.end().number(w.addr, w.size)) {
			w.spins = false
			p.woke = append(p.woke, fmt.Sprintf("CPU%d at %d", c, at))
		}
	}
	l.looks, l.lookers = at, len(spinning)
}

// touch makes the requests of those who spin that are due, before an access; before a read by one of those who were
// woken only the requests that come before its own.
func (p *plainMemory) touch(l *plainLine, addr uint64, now sim.Time, reader int) {
	service := p.spec.Latency[HomeService].Mean
	limit := l.lookers
	w := p.watches[reader]
	if w != nil && w.at != 0 && w.at == max(l.looks, l.looked) && w.addr/LineSize == addr/LineSize {
		limit = w.place
	}
	if l.looks != 0 && l.looks <= now {
		l.looked, l.turn = l.looks, max(l.looks, l.writeEnd, l.free)
		l.looks, l.served = 0, 0
		l.free = l.turn + sim.Time(l.lookers)*service
	}
	if l.looks != 0 {
		return
	}
	for ; l.served < limit; l.served++ {
		for c, w := range p.watches {
			if w.place != l.served || w.at != l.looked || !w.spins || w.addr/LineSize != addr/LineSize ||
				l.at(now).holders[c] {
				continue
			}
			nearest := p.reach(l, addr, c, l.end().holders, true, true)
			start := l.turn + sim.Time(w.place)*service
			l.readEnd = max(l.readEnd, start+p.move(l, addr, nearest))
			l.deeds = append(l.deeds, deed{at: start, cpu: c, kind: copies})
		}
	}
}

func (p *plainMemory) Watch(
	c int, addr uint64, size uint8, seen uint32, until func(uint64) bool, now sim.Time,
) (sim.Time, bool) {
	l := p.line(addr)
	if l.end().writes != seen {
		deeds := slices.Clone(l.deeds)
		slices.SortStableFunc(deeds, func(a, b deed) int { return cmp.Compare(a.at, b.at) })
		for _, d := range deeds {
			if d.at > now && d.writes > 0 && d.cpu != c && d.kind != behinds {
				return d.at, true
			}
		}
		return 0, true
	}
	p.watches[c] = &plainWatch{spins: true, addr: addr, size: size, until: until}
	return 0, false
}

func (p *plainMemory) Unwatch(c int) {
	if w := p.watches[c]; w != nil {
		w.spins = false
	}
}
