package api

import (
	"strconv"
	"strings"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"
)

// Inspect returns values as people want to see them: strings quoted, tables with their contents in a fixed order,
// objects by their summary; several values are separated by tabs. Of large values it shows a part: see walk.
func Inspect(values ...lua.LValue) string { return newWalk().line(values) }

// InspectFor is Inspect for a script that runs on L, and charged to it.
func InspectFor(L *lua.LState, values ...lua.LValue) string {
	w := newWalk()
	w.counts = func(entries int) { Spend(L, entries) }
	return w.line(values)
}

// line shows values in one line.
func (w *walk) line(values []lua.LValue) string {
	lines := make([]string, len(values))
	for i, v := range values {
		lines[i] = w.value(v, 0).line()
	}
	return strings.Join(lines, "\t")
}

// Pretty returns values as Inspect does, for people: what does not fit into a line of the given number of columns is
// broken at the entries of tables, and text of several lines appears as such.
func Pretty(width int, values ...lua.LValue) string {
	if len(values) == 1 {
		if s, ok := values[0].(lua.LString); ok && isText(string(s)) {
			return strings.TrimSuffix(string(s), "\n")
		}
	}
	w := newWalk()
	nodes := make([]*node, len(values))
	oneLine := make([]string, len(values))
	for i, v := range values {
		nodes[i] = w.value(v, 0)
		oneLine[i] = nodes[i].line()
	}
	line := strings.Join(oneLine, "\t")
	const tab = 8
	if utf8.RuneCountInString(line)+tab*(len(values)-1) <= width {
		return line
	}
	blocks := make([]string, len(values))
	for i, n := range nodes {
		var b strings.Builder
		n.write(&b, "", width)
		blocks[i] = b.String()
	}
	return strings.Join(blocks, "\n")
}

// isText reports whether a string is several lines without control characters.
func isText(s string) bool {
	if !strings.Contains(s, "\n") || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r != '\n' && r != '\t' && !strconv.IsPrint(r) {
			return false
		}
	}
	return true
}

// line is the node in one line.
func (n *node) line() string {
	if !n.braces {
		return n.key + n.text
	}
	parts := make([]string, len(n.entries))
	for i, e := range n.entries {
		parts[i] = e.line()
	}
	return n.key + "{" + strings.Join(parts, ", ") + "}"
}

// write writes the node behind an indentation, in one line if that fits.
func (n *node) write(b *strings.Builder, margin string, width int) {
	line := n.line()
	if !n.braces || len(n.entries) == 0 || len(margin)+utf8.RuneCountInString(line)+1 <= width {
		b.WriteString(margin + line)
		return
	}
	b.WriteString(margin + n.key + "{\n")
	if n.small() || n.key == "" && margin != "" && n.flat() {
		n.writeColumns(b, margin+indent, width)
	} else {
		for _, e := range n.entries {
			e.write(b, margin+indent, width)
			b.WriteString(",\n")
		}
	}
	b.WriteString(margin + "}")
}

// flat reports whether no entry is a table.
func (n *node) flat() bool {
	for _, e := range n.entries {
		if e.braces {
			return false
		}
	}
	return true
}

// small reports whether the entries are small texts without keys, such as numbers.
func (n *node) small() bool {
	const small = 24
	for _, e := range n.entries {
		if e.braces || e.key != "" || len(e.text) > small {
			return false
		}
	}
	return true
}

// writeColumns writes entries that are no tables, as many on a line as fit.
func (n *node) writeColumns(b *strings.Builder, margin string, width int) {
	column := 0
	for i, e := range n.entries {
		text := e.key + e.text + ","
		switch size := utf8.RuneCountInString(text); {
		case column > 0 && column+1+size > width:
			b.WriteString("\n" + margin + text)
			column = len(margin) + size
		case column > 0:
			b.WriteString(" " + text)
			column += 1 + size
		default:
			b.WriteString(margin + text)
			column = len(margin) + size
		}
		if i == len(n.entries)-1 {
			b.WriteByte('\n')
		}
	}
}
