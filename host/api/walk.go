package api

import (
	"fmt"
	"strconv"

	lua "github.com/yuin/gopher-lua"
)

// What is shown of values, however large they are: enough to recognise them, little enough for a terminal.
const (
	shownDepth   = 4       // tables inside one another
	shownEntries = 100     // of one table
	shownItems   = 400     // entries of all tables together
	shownText    = 1 << 14 // bytes of all strings together

	// countedEntries bounds the work for one table: of a larger one it is not said how many entries are left out, and
	// its keys are in the order in which they were set.
	countedEntries = 10_000
)

// node is a value as it will be shown: a text, or entries in braces.
type node struct {
	text    string
	key     string // in the enclosing table, with the equals sign; "" for a position
	entries []*node
	braces  bool
}

// walk makes nodes of values, for all that shows them.
type walk struct {
	open  map[*lua.LTable]bool // tables that enclose the present one
	items int                  // entries that may still be shown
	text  int                  // bytes of strings that may still be shown

	counts func(entries int) // is told of the work that a table makes
}

func newWalk() *walk {
	return &walk{open: map[*lua.LTable]bool{}, items: shownItems, text: shownText, counts: func(int) {}}
}

// value makes the node of a value inside so many tables.
func (w *walk) value(v lua.LValue, depth int) *node {
	switch v := v.(type) {
	case *lua.LTable:
		if markOf(v.Metatable) == nil {
			return w.table(v, depth)
		}
	case lua.LString:
		return &node{text: w.quote(v)}
	case *lua.LUserData:
		if c := classOf(v); c != nil && c.looksLikeTable(v.Value) {
			return w.record(c, v.Value, depth)
		}
	}
	return &node{text: ToString(v)}
}

func (w *walk) table(t *lua.LTable, depth int) *node {
	switch {
	case w.open[t]:
		return &node{text: "{...the same table...}"}
	case depth == shownDepth:
		return &node{text: "{...}"}
	}
	w.open[t] = true
	defer delete(w.open, t)
	n := &node{braces: true}
	list, keys, whole := contents(t)
	total := list + len(keys)
	w.counts(1 + total)
	for i := range total {
		if i == shownEntries || w.items == 0 {
			n.entries = append(n.entries, &node{text: fmt.Sprintf("... %d more", total-i)})
			break
		}
		w.items--
		if i < list {
			n.entries = append(n.entries, w.value(t.RawGetInt(i+1), depth+1))
			continue
		}
		key := w.key(keys[i-list]) + " = "
		entry := w.value(t.RawGet(keys[i-list]), depth+1)
		entry.key = key
		n.entries = append(n.entries, entry)
	}
	if !whole {
		n.entries[len(n.entries)-1] = &node{text: "... more"}
	}
	return n
}

// record makes the node of a record, which looks like a table.
func (w *walk) record(c *Class, v any, depth int) *node {
	n := &node{braces: true}
	for _, e := range c.entries(v) {
		child := w.value(e.value, depth+1)
		child.key = e.name + " = "
		n.entries = append(n.entries, child)
	}
	return n
}

// quote shows a string.
func (w *walk) quote(s lua.LString) string {
	if len(s) > w.text {
		s = s[:w.text]
		w.text = 0
		return strconv.Quote(string(s)) + "..."
	}
	w.text -= len(s)
	return strconv.Quote(string(s))
}

// key shows a key as a script would write it between braces.
func (w *walk) key(k lua.LValue) string {
	s, ok := k.(lua.LString)
	if !ok {
		return "[" + ToString(k) + "]"
	}
	if isName(string(s)) && len(s) <= maxName {
		return string(s)
	}
	return "[" + w.quote(s) + "]"
}

// isName reports whether a key can stand behind a dot, or is a keyword.
func isName(s string) bool {
	for i, c := range []byte(s) {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// contents returns how many entries from 1 on are not nil, and the keys of the others, sorted; or, with whole false,
// those of the first countedEntries.
func contents(t *lua.LTable) (list int, keys []lua.LValue, whole bool) {
	for list < countedEntries && t.RawGetInt(list+1) != lua.LNil {
		list++
	}
	counted := 0
	for k, _ := t.Next(lua.LNil); k != lua.LNil; k, _ = t.Next(k) {
		if counted++; counted > countedEntries {
			return list, keys, false
		}
		if i, ok := k.(lua.LNumber); ok && i >= 1 && i <= lua.LNumber(list) && i == lua.LNumber(int64(i)) {
			continue
		}
		keys = append(keys, k)
	}
	sortKeys(keys)
	return list, keys, true
}
