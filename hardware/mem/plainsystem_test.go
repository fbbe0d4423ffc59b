package mem

import (
	"fmt"
	"slices"

	"github.com/hwscript/hwscript/hardware/bus"
)

// A plainTag says that the system cache of a node has a line of its own size, or some of its 64-byte pieces.
type plainTag struct {
	node   int32
	number uint64
	pieces map[uint64]bool // by address
	by     int
}

// tag is the place of an address's line in the list, -1 if it is in no system cache.
func (p *plainMemory) tag(l *plainLine, addr uint64) int {
	return slices.IndexFunc(p.system, func(t plainTag) bool {
		return t.node == l.home.Die && t.number == addr/p.spec.SystemCache.LineSize
	})
}

func (p *plainMemory) inSystem(l *plainLine, addr uint64) bool {
	if p.spec.SystemCache.Size == 0 {
		return false
	}
	i := p.tag(l, addr)
	return i >= 0 && p.system[i].pieces[addr/LineSize]
}

func (p *plainMemory) systemCached(addr uint64) string {
	l := p.line(addr)
	if !p.inSystem(l, addr) {
		return ""
	}
	if by := p.system[p.tag(l, addr)].by; by >= len(p.spec.Places) {
		return fmt.Sprint("master ", by-len(p.spec.Places))
	} else {
		return fmt.Sprintf("CPU%d", by)
	}
}

// use makes a line the one that was used last.
func (p *plainMemory) use(i int) {
	t := p.system[i]
	p.system = slices.Insert(slices.Delete(p.system, i, i+1), 0, t)
}

func (p *plainMemory) fill(l *plainLine, addr uint64, by int) {
	c := p.spec.SystemCache
	i := p.tag(l, addr)
	if i < 0 {
		sets, n, last := c.Size/c.LineSize/uint64(c.Ways), 0, 0
		for k, t := range p.system {
			if t.node == l.home.Die && t.number%sets == addr/c.LineSize%sets {
				n, last = n+1, k
			}
		}
		if n == c.Ways {
			p.system = slices.Delete(p.system, last, last+1)
		}
		p.system = append(p.system, plainTag{l.home.Die, addr / c.LineSize, map[uint64]bool{}, by})
		i = len(p.system) - 1
	}
	if !p.system[i].pieces[addr/LineSize] {
		p.system[i].pieces[addr/LineSize], p.system[i].by = true, by
	}
	p.use(i)
}

func (p *plainMemory) forget(l *plainLine, addr uint64) {
	if !p.inSystem(l, addr) {
		return
	}
	i := p.tag(l, addr)
	if delete(p.system[i].pieces, addr/LineSize); len(p.system[i].pieces) == 0 {
		p.system = slices.Delete(p.system, i, i+1)
	}
}

// keep is where what a master has written goes.
func (p *plainMemory) keep(l *plainLine, addr uint64, by int, policy bus.Cacheability) {
	switch {
	case p.spec.SystemCache.Size == 0:
	case policy.Cacheable() && (policy&bus.WriteAllocate != 0 || p.inSystem(l, addr)):
		p.fill(l, addr, by)
	default:
		p.forget(l, addr)
	}
}

// lookUp is the way of a line that no CPU has.
func (p *plainMemory) lookUp(l *plainLine, addr uint64, c int, cacheable, allocate bool) plainWay {
	w := p.fetch(l, c)
	if p.spec.SystemCache.Size == 0 || !cacheable {
		return w
	}
	if p.inSystem(l, addr) {
		p.use(p.tag(l, addr))
		w.parts[0], w.distance = SystemHit, SystemCache
		return w
	}
	if allocate {
		p.fill(l, addr, c)
		if other := addr ^ LineSize; p.spec.SystemCache.LineSize > LineSize {
			if o := p.line(other); o.home == l.home && len(o.end().holders) == 0 {
				p.fill(l, other, c)
			}
		}
	}
	return w
}

// reach is the nearest way of a line to who reads it.
func (p *plainMemory) reach(l *plainLine, addr uint64, c int, holders map[int]bool, cacheable, allocate bool) plainWay {
	nearest, _ := p.ends(l, c, holders)
	if nearest.distance == DRAM {
		return p.lookUp(l, addr, c, cacheable, allocate)
	}
	return nearest
}
