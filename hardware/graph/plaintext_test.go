package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hwscript/hwscript/hardware/graph/plain"
)

// PlainText is the execution in the words of package plain.
func (e *Execution) PlainText(p *plain.Program) string {
	g := e.g
	names := make([]string, len(g.nodes))
	var b strings.Builder
	for t := range g.threads {
		n := 0
		for _, op := range g.threads[t].ops {
			for id := op; id >= 0; id = g.half(id) {
				if k := g.nodes[id].kind; k == opFence || k == opPoint || k == opSync && g.nodes[id].where.frame == 0 ||
					k == opHalf && g.nodes[g.nodes[id].pair].kind == opTake || k == opSync && !e.returns(id) {
					continue
				}
				names[id] = fmt.Sprintf("%d.%d", t, n)
				n++
			}
		}
	}
	for t := range g.threads {
		for _, op := range g.threads[t].ops {
			for id := op; id >= 0; id = g.half(id) {
				if names[id] != "" {
					fmt.Fprintf(&b, "%s %s\n", names[id], e.plainEvent(p, id, names))
				}
			}
		}
	}
	for cell := range p.Cells {
		e.plainOrder(&b, p, cell, names)
	}
	e.plainLatches(&b, p, names)
	return b.String()
}

// returns tells the synchronization at the end of a handler from an ISB in it.
func (e *Execution) returns(id int16) bool {
	n := &e.g.nodes[id]
	ops := e.g.threads[n.thread].ops
	for _, later := range ops[n.op+1:] {
		if e.g.nodes[later].where.frame == n.where.frame {
			return false
		}
	}
	return true
}

func latchOf(at uint64) (thread, intid int, ok bool) {
	return int(at-1<<40) / 1024, int(at-1<<40) % 1024 / 8, at >= 1<<40
}

func (e *Execution) plainEvent(p *plain.Program, id int16, names []string) string {
	g := e.g
	n := &g.nodes[id]
	at := uint64(0)
	if n.count > 0 {
		at = e.x.places.start(g.parts[n.first].location)
	}
	thread, intid, latch := latchOf(at)
	switch {
	case n.kind == opTake:
		return fmt.Sprintf("TAKE %d", intid)
	case n.kind == opSync:
		return "ERET"
	case n.kind == opFailed:
		return "FAIL"
	case latch && n.class&Device != 0:
		return fmt.Sprintf("RING %d:%d", thread, intid)
	case latch:
		return fmt.Sprintf("SGI %d:%d", thread, intid)
	}
	size := 0
	for i := range int16(n.count) {
		size += int(e.x.places.list[g.parts[n.first+i].location].size)
	}
	where := bytesText(p, at, size)
	if n.class&writes != 0 {
		return fmt.Sprintf("W %s=%d", where, n.value)
	}
	word := "R"
	value := n.value
	switch {
	case n.flags&waiting != 0 && n.flags&pending != 0:
		word, value = "BLOCKED", e.x.guess(g, id)
	case n.flags&waiting != 0 && n.flags&expired != 0:
		word = "PASSED"
	case n.flags&waiting != 0:
		word = "WAIT"
	}
	return fmt.Sprintf("%s %s=%d <%s", word, where, value, e.plainSources(id, names))
}

func bytesText(p *plain.Program, at uint64, size int) string {
	name := p.Cells[at/8].Name
	if at%8 == 0 {
		return fmt.Sprintf("%s/%d", name, size)
	}
	return fmt.Sprintf("%s+%d/%d", name, at%8, size)
}

func (e *Execution) plainSources(id int16, names []string) string {
	g := e.g
	n := &g.nodes[id]
	var from []int16
	var offsets []uint8
	for i := range int16(n.count) {
		q := &g.parts[n.first+i]
		w := q.from
		if w == unknown {
			w = g.last[q.location]
		}
		writer := none
		if w >= 0 {
			writer = g.parts[w].node
		}
		if len(from) == 0 || from[len(from)-1] != writer {
			from, offsets = append(from, writer), append(offsets, q.shift/8)
		}
	}
	name := func(w int16) string {
		if w < 0 {
			return "init"
		}
		return names[w]
	}
	if len(from) == 1 {
		return " " + name(from[0])
	}
	text := ""
	for i, w := range from {
		text += fmt.Sprintf(" %s@%d", name(w), offsets[i])
	}
	return text
}

func (e *Execution) plainOrder(b *strings.Builder, p *plain.Program, cell int, names []string) {
	from, size, last := 0, 0, ""
	flush := func() {
		if last != "" {
			fmt.Fprintf(b, "co %s:%s\n", bytesText(p, uint64(cell*8+from), size), last)
		}
	}
	for off := range 8 {
		order := ""
		if l, ok := e.x.places.owner[uint64(cell*8+off)]; ok && int(l) < len(e.g.first) {
			for w := e.g.first[l]; w >= 0; w = e.g.parts[w].next {
				order += " " + names[e.g.parts[w].node]
			}
		}
		if order == last && off > 0 {
			size++
			continue
		}
		flush()
		from, size, last = off, 1, order
	}
	flush()
}

func (e *Execution) plainLatches(b *strings.Builder, p *plain.Program, names []string) {
	g := e.g
	var done []uint64
	for _, th := range g.threads {
		for _, op := range th.ops {
			n := &g.nodes[op]
			if n.count == 0 {
				continue
			}
			l := g.parts[n.first].location
			at := e.x.places.start(l)
			thread, intid, latch := latchOf(at)
			if !latch || slices.Contains(done, at) {
				continue
			}
			done = append(done, at)
			fmt.Fprintf(b, "irq %d:%d:", thread, intid)
			var batch []int16
			flush := func() {
				if len(batch) == 0 {
					return
				}
				slices.SortFunc(batch, func(a, b int16) int {
					if d := int(g.nodes[a].thread) - int(g.nodes[b].thread); d != 0 {
						return d
					}
					return int(g.nodes[a].op - g.nodes[b].op)
				})
				var words []string
				for _, id := range batch {
					words = append(words, names[id])
				}
				fmt.Fprintf(b, " {%s}", strings.Join(words, " "))
				batch = nil
			}
			for w := g.first[l]; w >= 0; w = g.parts[w].next {
				id := g.parts[w].node
				if g.nodes[id].kind == opHalf {
					flush()
					b.WriteString(" " + names[g.nodes[id].pair])
					continue
				}
				batch = append(batch, id)
			}
			flush()
			b.WriteString("\n")
		}
	}
}
