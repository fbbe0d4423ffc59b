package mem

import (
	"cmp"
	"slices"

	"github.com/hwscript/hwscript/hardware/sim"
)

// aside takes stores that a barrier holds back out of the line, if an access by c that comes before them surely gives
// the line back in time. They are the last that are in flight, all of one CPU; the first of them that can wait decides.
func (p *plainMemory) aside(l *plainLine, addr uint64, c int, takes bool, now, floor sim.Time) (held []deed) {
	var flight []deed
	for _, d := range l.deeds {
		if d.at > now {
			flight = append(flight, d)
		}
	}
	slices.SortStableFunc(flight, func(a, b deed) int { return cmp.Compare(a.at, b.at) })
	slices.Reverse(flight)
	if len(flight) == 0 || !flight[0].held || takes && (flight[0].cpu == c || l.looks != 0 || p.spun(addr)) ||
		p.between {
		return nil
	}
	owner, rank := flight[0].cpu, 0
	for rank < len(flight) && flight[rank].held && flight[rank].cpu == owner {
		rank++
	}
	for _, first := range slices.Backward(flight[:rank]) {
		rest := *l
		rest.deeds, rest.writeEnd = nil, 0
		held = nil
		for _, d := range l.deeds {
			if d.held && d.cpu == owner && d.at >= first.at {
				held = append(held, d)
				continue
			}
			rest.deeds = append(rest.deeds, d)
			if d.kind != copies && d.kind != behinds {
				rest.writeEnd = max(rest.writeEnd, d.at)
			}
		}
		if p.returned(&rest, c, owner, takes, now, floor) <= first.at {
			*l = rest
			p.between = true
			return held
		}
	}
	return nil
}

func (p *plainMemory) putBack(l *plainLine, held []deed) {
	l.deeds = append(l.deeds, held...)
	l.writeEnd = held[len(held)-1].at
	p.between = false
}

func (p *plainMemory) spun(addr uint64) bool {
	for _, w := range p.watches {
		if w.spins && w.addr/LineSize == addr/LineSize {
			return true
		}
	}
	return false
}

// returned is when the line can be with owner again, if everything takes as long as it may.
func (p *plainMemory) returned(l *plainLine, c, owner int, takes bool, now, floor sim.Time) sim.Time {
	holders := l.end().holders
	w, farthest := p.ends(l, c, holders)
	after := map[int]bool{c: true}
	begin := max(now, l.writeEnd)
	if takes {
		w = farthest
		begin = max(begin, l.readEnd)
	} else {
		for k := range holders {
			after[k] = true
		}
	}
	end, next := begin, l.free
	if w.distance != Own {
		begin = max(begin, l.free)
		next = begin + p.spec.Latency[HomeService].Mean
		end = begin + p.spread(w).High
	}
	_, back := p.ends(l, owner, after)
	return max(end, next, floor) + p.spread(back).High
}
