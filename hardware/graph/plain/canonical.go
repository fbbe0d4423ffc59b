package plain

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// Hash is the FNV-1a hash of a graph's text.
func Hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text)) //nolint:errcheck // A hash never fails.
	return h.Sum64()
}

// text writes a consistent graph so that equal graphs have equal texts. First the events but barriers and ISB, numbered
// thread.index in program order, each with where it comes from ("<"), then for each range of bytes the order of its
// writes, for each interrupt and event register what set it before each taking, as sets: setters that merged have no
// order among themselves.
//
//	0.0 W x/8=1
//	1.0 R x/8=1 < 0.0
//	1.1 R x+4/4=0 < init
//	1.2 R y/8=513 < 0.3@0 0.4@1
//	co x/8: 0.0 2.1
//	irq 1:5: {0.2 2.0} 1.3
func (c *candidate) text(fine bool) string {
	names := c.names(fine)
	var b strings.Builder
	for i := len(c.p.Cells); i < len(c.events); i++ {
		if names[i] != "" {
			fmt.Fprintf(&b, "%s %s\n", names[i], c.eventText(i, names))
		}
	}
	for cell := range c.p.Cells {
		c.orderText(&b, cell, names)
	}
	for i := range c.latches {
		c.latchText(&b, &c.latches[i], names, fine)
	}
	return b.String()
}

// fine writes the finer texts of a graph, one for each order in which deadlines can pass. They have barriers and ISB,
// too, and the order of setters that merge.
func (c *candidate) fine() (list []string) {
	text, names := c.text(true), c.names(true)
	for _, order := range c.deadlines {
		last := "deadlines"
		for _, e := range order {
			last += " " + names[e]
		}
		list = append(list, text+last+"\n")
	}
	return list
}

func (c *candidate) names(fine bool) []string {
	names := make([]string, len(c.events))
	for i := range c.p.Cells {
		names[i] = "init"
	}
	for t := range c.traces {
		n := 0
		for i := c.start[t]; i < c.start[t+1]; i++ {
			if k := c.events[i].kind; fine || k != kindBarrier && k != kindISB && k != kindFence {
				names[i] = fmt.Sprintf("%d.%d", t, n)
				n++
			}
		}
	}
	return names
}

func (c *candidate) eventText(i int, names []string) string {
	e := &c.events[i]
	switch e.kind {
	case kindRead:
		word := []string{"R", "WAIT", "PASSED", "BLOCKED"}[e.wait]
		return fmt.Sprintf("%s %s=%d <%s", word, c.bytesText(e.cell, e.off, e.size), e.value, c.sourceText(i, names))
	case kindWrite:
		if e.ring {
			return fmt.Sprintf("RING %d:%d", e.target, e.intid)
		}
		return fmt.Sprintf("W %s=%d", c.bytesText(e.cell, e.off, e.size), e.value)
	case kindSGI:
		return fmt.Sprintf("SGI %d:%d", e.target, e.intid)
	case kindTake:
		return fmt.Sprintf("TAKE %d", e.intid)
	case kindERET:
		return "ERET"
	case kindSEV:
		return fmt.Sprintf("SEV %d", e.target)
	case kindClear:
		return fmt.Sprintf("CLEAR %s=%d <%s", c.bytesText(e.cell, e.off, e.size), e.value, c.sourceText(i, names))
	case kindWFE:
		return "WFE"
	case kindBarrier, kindISB, kindFence:
		return "FENCE"
	default:
		return "FAIL"
	}
}

func (c *candidate) bytesText(cell, off, size int) string {
	if off == 0 {
		return fmt.Sprintf("%s/%d", c.p.Cells[cell].Name, size)
	}
	return fmt.Sprintf("%s+%d/%d", c.p.Cells[cell].Name, off, size)
}

// sourceText names the write of a read, or each write with the first byte of the access that comes from it.
func (c *candidate) sourceText(read int, names []string) string {
	var writes, from []int
	for _, s := range c.sources {
		if s.read == read && (len(writes) == 0 || writes[len(writes)-1] != s.write) {
			writes = append(writes, s.write)
			from = append(from, c.atoms[s.atom].off-c.events[read].off)
		}
	}
	if len(writes) == 1 {
		return " " + names[writes[0]]
	}
	text := ""
	for i, w := range writes {
		text += fmt.Sprintf(" %s@%d", names[w], from[i])
	}
	return text
}

// orderText writes the coherence order, merging neighbouring atoms of one order.
func (c *candidate) orderText(b *strings.Builder, cell int, names []string) {
	var from, size int
	var last string
	flush := func() {
		if last != "" {
			fmt.Fprintf(b, "co %s:%s\n", c.bytesText(cell, from, size), last)
		}
	}
	for _, a := range c.atoms {
		if a.cell != cell {
			continue
		}
		order := ""
		for _, w := range c.order[cell][1:] {
			if a.in(&c.events[w]) {
				order += " " + names[w]
			}
		}
		if order == last && a.off > 0 {
			size += a.size
			continue
		}
		flush()
		from, size, last = a.off, a.size, order
	}
	flush()
}

func (c *candidate) latchText(b *strings.Builder, l *latch, names []string, fine bool) {
	if l.intid == none {
		fmt.Fprintf(b, "event %d:", l.thread)
	} else {
		fmt.Fprintf(b, "irq %d:%d:", l.thread, l.intid)
	}
	var batch []int
	flush := func() {
		if len(batch) == 0 {
			return
		}
		if !fine {
			slices.Sort(batch)
		}
		var words []string
		for _, e := range batch {
			words = append(words, names[e])
		}
		fmt.Fprintf(b, " {%s}", strings.Join(words, " "))
		batch = nil
	}
	for _, e := range l.order {
		if l.sets(&c.events[e]) {
			batch = append(batch, e)
			continue
		}
		flush()
		b.WriteString(" " + names[e])
	}
	flush()
	b.WriteString("\n")
}

// outcome writes the last state: each register that a thread's code names as a destination, each cell, and what is
// left: "hang=T" for a thread that waits for ever, "pending=T:N" for an interrupt not taken, "fault=T" for a thread
// that left memory.
func (c *candidate) outcome() string {
	var words []string
	for t := range c.traces {
		for r, used := range c.p.Threads[t].destinations() {
			if used {
				words = append(words, fmt.Sprintf("%d:r%d=%d", t, r, c.traces[t].regs[r]))
			}
		}
	}
	for cell := range c.p.Cells {
		words = append(words, fmt.Sprintf("%s=%d", c.p.Cells[cell].Name, c.final(cell)))
	}
	for t, trace := range c.traces {
		if trace.blocked {
			words = append(words, fmt.Sprintf("hang=%d", t))
		}
		if trace.faulted {
			words = append(words, fmt.Sprintf("fault=%d", t))
		}
	}
	for i := range c.latches {
		l := &c.latches[i]
		if n := len(l.order); l.intid != none && n > 0 && l.sets(&c.events[l.order[n-1]]) {
			words = append(words, fmt.Sprintf("pending=%d:%d", l.thread, l.intid))
		}
	}
	return strings.Join(words, " ")
}

// final is the value that the last write of each byte left.
func (c *candidate) final(cell int) uint64 {
	var value uint64
	for _, a := range c.atoms {
		if a.cell != cell {
			continue
		}
		var bytes uint64
		for _, w := range c.order[cell] {
			if a.in(&c.events[w]) {
				bytes = a.of(&c.events[w])
			}
		}
		value |= bytes << (8 * a.off)
	}
	return value
}

// destinations reports which registers a thread's code may set.
func (t *Thread) destinations() [registers]bool {
	var used [registers]bool
	mark := func(code []Instr) {
		for i := range code {
			for _, r := range []int{code[i].Rd, code[i].Passed} {
				if r >= 0 && r < registers {
					used[r] = true
				}
			}
		}
	}
	mark(t.Code)
	for _, h := range t.Handlers {
		mark(h.Code)
	}
	return used
}
