package graph_test

import (
	"fmt"
	"slices"
	"strings"

	. "github.com/hwscript/hwscript/hardware/graph"
)

// textGraph writes an execution as plain does. Fine is the finer text: with barriers, the order of signals that merge,
// and the order of deadlines.
type textGraph struct {
	p     *textProgram
	e     *Execution
	fine  bool
	names map[Point]string
	b     strings.Builder
}

// text answers the text of an execution.
func (p *textProgram) text(e *Execution, fine bool) string {
	g := &textGraph{p: p, e: e, fine: fine, names: map[Point]string{{Thread: -1}: "init"}}
	for i, t := range p.threads {
		if e.Waits(i) && t.waiting.kind == "BLOCKED" && (len(t.log) == 0 || t.log[len(t.log)-1].kind != "BLOCKED") {
			t.waiting.op = e.Operations(i) - 1
			t.log = append(t.log, t.waiting)
		}
		g.nameThread(t)
	}
	for _, t := range p.threads {
		for i := range t.log {
			g.event(t, &t.log[i])
		}
	}
	for i := range p.cells {
		g.order(i)
	}
	g.lines()
	for i, t := range p.events {
		fmt.Fprintf(&g.b, "event %d:", t)
		g.latch(eventsAt+uint64(i), "WFE")
	}
	if fine {
		g.b.WriteString("deadlines")
		for _, d := range e.Deadlines() {
			g.b.WriteString(" " + g.names[d])
		}
		g.b.WriteString("\n")
	}
	return g.b.String()
}

func (g *textGraph) nameThread(t *textThread) {
	n := 0
	name := func(op int, half bool) {
		if _, ok := g.names[Point{t.number, op, half}]; !ok {
			g.names[Point{t.number, op, half}] = fmt.Sprintf("%d.%d", t.number, n)
		}
		n++
	}
	for _, e := range t.log {
		if e.kind == "FENCE" && !g.fine {
			continue
		}
		name(e.op, false)
		switch half := g.e.Half(t.number, e.op); {
		case e.kind == "TAKE" || e.kind == "WFE":
			n--
			name(e.op, true)
		case e.kind == "CLEAR":
			n--
			name(e.op+1, false)
		case half:
			name(e.op, true)
		}
	}
}

func (g *textGraph) event(t *textThread, e *textEvent) {
	at := Point{Thread: t.number, Op: e.op}
	if e.kind == "FENCE" && !g.fine {
		return
	}
	fmt.Fprintf(&g.b, "%s %s", g.names[at], e.kind)
	switch e.kind {
	case "R", "WAIT", "PASSED", "BLOCKED", "CLEAR":
		sources := g.e.Sources(t.number, e.op)
		v := g.e.Value(at)
		if e.kind == "BLOCKED" {
			v = g.e.Final(e.at, e.size)
		}
		fmt.Fprintf(&g.b, " %s=%d <%s", g.p.bytes(e.at, e.size), v, g.sources(sources))
		if e.kind == "R" && g.e.Half(t.number, e.op) {
			at.Half = true
			fmt.Fprintf(&g.b, "\n%s W %s=%d", g.names[at], g.p.bytes(e.at, e.size), g.e.Value(at))
		}
	case "W":
		fmt.Fprintf(&g.b, " %s=%d", g.p.bytes(e.at, e.size), g.e.Value(at))
	case "SGI", "RING":
		fmt.Fprintf(&g.b, " %d:%d", e.target, e.intid)
	case "TAKE":
		fmt.Fprintf(&g.b, " %d", e.intid)
	case "SEV":
		fmt.Fprintf(&g.b, " %d", e.target)
	}
	g.b.WriteString("\n")
}

func (p *textProgram) bytes(at uint64, size uint8) string {
	name, off := p.cells[(at-cellsAt)/8].name, (at-cellsAt)%8
	if off == 0 {
		return fmt.Sprintf("%s/%d", name, size)
	}
	return fmt.Sprintf("%s+%d/%d", name, off, size)
}

// sources names a write, or each with the byte from which on it is read.
func (g *textGraph) sources(list []Point) string {
	if !slices.ContainsFunc(list, func(p Point) bool { return p != list[0] }) {
		return " " + g.names[list[0]]
	}
	text := ""
	for i, p := range list {
		if i == 0 || p != list[i-1] {
			text += fmt.Sprintf(" %s@%d", g.names[p], i)
		}
	}
	return text
}

func (g *textGraph) order(cell int) {
	at := cellsAt + 8*uint64(cell)
	from, last := uint64(0), ""
	for i := uint64(0); i <= 8; i++ {
		text := ""
		if i < 8 {
			for _, p := range g.e.Order(at + i) {
				text += " " + g.names[p]
			}
			if text == last {
				continue
			}
		}
		if last != "" {
			fmt.Fprintf(&g.b, "co %s:%s\n", g.p.bytes(at+from, uint8(i-from)), last)
		}
		from, last = i, text
	}
}

// lines are the interrupts in the order in which they are met.
func (g *textGraph) lines() {
	var seen [][2]int
	for _, t := range g.p.threads {
		for i := range t.log {
			e := &t.log[i]
			line := [2]int{e.target, e.intid}
			if e.kind != "SGI" && e.kind != "RING" && e.kind != "TAKE" || slices.Contains(seen, line) {
				continue
			}
			seen = append(seen, line)
			fmt.Fprintf(&g.b, "irq %d:%d:", e.target, e.intid)
			g.latch(textLine(e.target, e.intid), "TAKE")
		}
	}
}

// latch writes what sets an object and what clears it: setters between two clearings are a set, of the plain text.
func (g *textGraph) latch(at uint64, clears string) {
	var batch []Point
	flush := func() {
		if len(batch) == 0 {
			return
		}
		if !g.fine {
			slices.SortFunc(batch, func(a, b Point) int { return (a.Thread-b.Thread)*1000 + a.Op - b.Op })
		}
		var words []string
		for _, p := range batch {
			words = append(words, g.names[p])
		}
		batch = nil
		fmt.Fprintf(&g.b, " {%s}", strings.Join(words, " "))
	}
	for _, p := range g.e.Order(at) {
		if g.kind(p) != clears {
			batch = append(batch, p)
			continue
		}
		flush()
		g.b.WriteString(" " + g.names[p])
	}
	flush()
	g.b.WriteString("\n")
}

// kind is what an operation is in plain's language.
func (g *textGraph) kind(p Point) string {
	for _, e := range g.p.threads[p.Thread].log {
		if e.op == p.Op || e.kind == "CLEAR" && e.op+1 == p.Op {
			return e.kind
		}
	}
	panic(fmt.Sprint("BUG: no event ", p))
}

// outcome is the last state.
func (p *textProgram) outcome(e *Execution) string {
	var words []string
	for _, t := range p.threads {
		for r, named := range t.named {
			if named {
				words = append(words, fmt.Sprintf("%d:r%d=%d", t.number, r, t.regs[r].Bits))
			}
		}
	}
	for i, c := range p.cells {
		words = append(words, fmt.Sprintf("%s=%d", c.name, e.Final(cellsAt+8*uint64(i), 8)))
	}
	for i := range p.threads {
		if e.Waits(i) {
			words = append(words, fmt.Sprintf("hang=%d", i))
		}
	}
	var seen [][2]int
	for _, t := range p.threads {
		for _, m := range t.log {
			line := [2]int{m.target, m.intid}
			if m.kind != "SGI" && m.kind != "RING" && m.kind != "TAKE" || slices.Contains(seen, line) {
				continue
			}
			seen = append(seen, line)
			if e.Final(textLine(m.target, m.intid), 8) != 0 {
				words = append(words, fmt.Sprintf("pending=%d:%d", m.target, m.intid))
			}
		}
	}
	return strings.Join(words, " ")
}
