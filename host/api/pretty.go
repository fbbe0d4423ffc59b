package api

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"
)

// Pretty returns values as Inspect does, for people: what does not fit into a line of the given number of columns is
// broken at the entries of tables, and text of several lines appears as such.
func Pretty(width int, values ...lua.LValue) string {
	if len(values) == 1 {
		if s, ok := values[0].(lua.LString); ok && isText(string(s)) {
			return strings.TrimSuffix(string(s), "\n")
		}
	}
	p := prettyPrinter{open: map[*lua.LTable]bool{}, width: width}
	nodes := make([]*prettyNode, len(values))
	oneLine := make([]string, len(values))
	for i, v := range values {
		nodes[i] = p.node(v, 0)
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

// prettyNode is a value as it will be printed: a text, or entries in braces.
type prettyNode struct {
	text    string
	key     string // in the enclosing table, with the equals sign; "" for a position
	entries []*prettyNode
	braces  bool
}

// prettyPrinter turns values into nodes.
type prettyPrinter struct {
	open  map[*lua.LTable]bool // tables that enclose the present one
	width int
	items int // table entries so far
}

// prettyItems limits the entries of all tables of one value together: nested tables of inspectItems each would fill
// many screens.
const prettyItems = 400

func (p *prettyPrinter) node(v lua.LValue, depth int) *prettyNode {
	switch v := v.(type) {
	case *lua.LTable:
		if markOf(v.Metatable) == nil {
			return p.table(v, depth)
		}
	case lua.LString:
		return &prettyNode{text: strconv.Quote(string(v))}
	case *lua.LUserData:
		if c := classOf(v); c != nil && c.looksLikeTable(v.Value) {
			return p.record(c, v.Value, depth)
		}
	}
	return &prettyNode{text: ToString(v)}
}

func (p *prettyPrinter) table(t *lua.LTable, depth int) *prettyNode {
	switch {
	case p.open[t]:
		return &prettyNode{text: "{...the same table...}"}
	case depth == inspectDepth:
		return &prettyNode{text: "{...}"}
	}
	p.open[t] = true
	defer delete(p.open, t)
	node := &prettyNode{braces: true}
	n := border(t)
	rest := keysBeyond(t, n)
	total := n + len(rest)
	for i := 0; i < total; i++ {
		if i == inspectItems || p.items >= prettyItems {
			node.entries = append(node.entries, &prettyNode{text: fmt.Sprintf("... %d more", total-i)})
			break
		}
		p.items++
		if i < n {
			node.entries = append(node.entries, p.node(t.RawGetInt(i+1), depth+1))
			continue
		}
		key := rest[i-n]
		entry := p.node(t.RawGet(key), depth+1)
		entry.key = inspectKey(key) + " = "
		node.entries = append(node.entries, entry)
	}
	return node
}

// record makes the node of a record, which looks like a table.
func (p *prettyPrinter) record(c *Class, v any, depth int) *prettyNode {
	node := &prettyNode{braces: true}
	for _, e := range c.entries(v) {
		child := p.node(e.value, depth+1)
		child.key = e.name + " = "
		node.entries = append(node.entries, child)
	}
	return node
}

// line is the node in one line.
func (n *prettyNode) line() string {
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
func (n *prettyNode) write(b *strings.Builder, margin string, width int) {
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
func (n *prettyNode) flat() bool {
	for _, e := range n.entries {
		if e.braces {
			return false
		}
	}
	return true
}

// small reports whether the entries are small texts without keys, such as numbers.
func (n *prettyNode) small() bool {
	const small = 24
	for _, e := range n.entries {
		if e.braces || e.key != "" || len(e.text) > small {
			return false
		}
	}
	return true
}

// writeColumns writes entries that are no tables, as many on a line as fit.
func (n *prettyNode) writeColumns(b *strings.Builder, margin string, width int) {
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
