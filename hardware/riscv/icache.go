package riscv

import "github.com/hwscript/hwscript/hardware/mem"

// icache is an instruction cache: it keeps what it has read, whatever memory does, until it is emptied.
type icache struct {
	spec  CacheSpec
	lines []icacheLine // set after set
	next  []uint16
}

type icacheLine struct {
	addr  uint64
	words [mem.LineSize / 8]uint64
	valid bool
}

func newICache(s CacheSpec) icache {
	if s.Ways == 0 {
		return icache{}
	}
	return icache{spec: s, lines: make([]icacheLine, s.Sets*s.Ways), next: make([]uint16, s.Sets)}
}

func (c *icache) find(line uint64) *icacheLine {
	if len(c.lines) == 0 {
		return nil
	}
	first := int(line/mem.LineSize%uint64(c.spec.Sets)) * c.spec.Ways
	for i := range c.spec.Ways {
		if l := &c.lines[first+i]; l.valid && l.addr == line {
			return l
		}
	}
	return nil
}

func (c *icache) fill(line uint64, words *[mem.LineSize / 8]uint64) {
	if len(c.lines) == 0 {
		return
	}
	set := int(line / mem.LineSize % uint64(c.spec.Sets))
	l := &c.lines[set*c.spec.Ways+int(c.next[set])]
	c.next[set] = uint16((int(c.next[set]) + 1) % c.spec.Ways)
	l.addr, l.words, l.valid = line, *words, true
}

func (c *icache) clear() {
	for i := range c.lines {
		c.lines[i].valid = false
	}
}

func (c *icache) copyFrom(o *icache) {
	copy(c.lines, o.lines)
	copy(c.next, o.next)
}
