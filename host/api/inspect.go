package api

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// ToString returns the text of v as tostring gives it where no __tostring is involved that is written in Lua.
// It never contains an address: those differ from run to run.
func ToString(v lua.LValue) string {
	switch v := v.(type) {
	case *lua.LTable:
		if m, ok := markOf(v.Metatable).(*Module); ok {
			return "module " + m.Name
		}
		return "table"
	case *lua.LUserData:
		return objectText(v)
	case lua.LNumber:
		return numberText(v)
	case lua.LString, lua.LBool, *lua.LNilType, U64Value:
		return v.String()
	}
	return v.Type().String()
}

func objectText(ud *lua.LUserData) string {
	c := classOf(ud)
	switch {
	case c == nil:
		return "userdata"
	case c.String == nil:
		return "[" + c.Name + "]"
	}
	return c.String(ud.Value)
}

// numberText is the text of a number on every processor. The library converts numbers to int64 to find the integers
// among them; where that saturates, 2^63 seems to be one.
func numberText(n lua.LNumber) string {
	if n >= 1<<63 {
		return fmt.Sprint(float64(n))
	}
	return n.String()
}

// describe names a value in an error message.
func describe(v lua.LValue) string {
	switch v := v.(type) {
	case *lua.LNilType:
		return "nil"
	case lua.LString:
		const long = 60
		if len(v) > long {
			return strconv.Quote(string(v[:long])) + "..."
		}
		return strconv.Quote(string(v))
	case lua.LNumber:
		if math.IsInf(float64(v), 0) || math.IsNaN(float64(v)) {
			return "the number " + v.String()
		}
		return numberText(v)
	case *lua.LTable:
		if m, ok := markOf(v.Metatable).(*Module); ok {
			return "module " + m.Name
		}
	case U64Value:
		return "u64 " + v.String()
	case *lua.LUserData:
		if c := classOf(v); c != nil {
			return c.Name
		}
	}
	return ToString(v)
}

// keyText returns a key as a script would name it.
func keyText(k lua.LValue) string {
	if s, ok := k.(lua.LString); ok {
		return string(s)
	}
	return ToString(k)
}

// Inspection limits: enough to recognise a value, little enough for a terminal.
const (
	inspectDepth = 4
	inspectItems = 100
)

// Inspect returns values as people want to see them: strings quoted, tables with their contents in a fixed order,
// objects by their summary; several values are separated by tabs.
func Inspect(values ...lua.LValue) string {
	var b strings.Builder
	in := inspector{out: &b, open: map[*lua.LTable]bool{}}
	for i, v := range values {
		if i > 0 {
			b.WriteByte('\t')
		}
		in.value(v, 0)
	}
	return b.String()
}

type inspector struct {
	out  *strings.Builder
	open map[*lua.LTable]bool // tables that enclose the present one
}

func (in *inspector) value(v lua.LValue, depth int) {
	table, ok := v.(*lua.LTable)
	if !ok || markOf(table.Metatable) != nil {
		if s, ok := v.(lua.LString); ok {
			in.out.WriteString(strconv.Quote(string(s)))
			return
		}
		in.out.WriteString(ToString(v))
		return
	}
	switch {
	case in.open[table]:
		in.out.WriteString("{...the same table...}")
		return
	case depth == inspectDepth:
		in.out.WriteString("{...}")
		return
	}
	in.open[table] = true
	in.table(table, depth)
	delete(in.open, table)
}

func (in *inspector) table(table *lua.LTable, depth int) {
	n := border(table)
	rest := keysBeyond(table, n)
	in.out.WriteByte('{')
	for i := 1; i <= min(n, inspectItems); i++ {
		if i > 1 {
			in.out.WriteString(", ")
		}
		in.value(table.RawGetInt(i), depth+1)
	}
	for i, k := range rest[:min(len(rest), max(0, inspectItems-n))] {
		if i > 0 || n > 0 {
			in.out.WriteString(", ")
		}
		in.out.WriteString(inspectKey(k))
		in.out.WriteString(" = ")
		in.value(table.RawGet(k), depth+1)
	}
	if more := n + len(rest) - inspectItems; more > 0 {
		fmt.Fprintf(in.out, ", ... %d more", more)
	}
	in.out.WriteByte('}')
}

func inspectKey(k lua.LValue) string {
	s, ok := k.(lua.LString)
	if !ok {
		return "[" + ToString(k) + "]"
	}
	for i, c := range []byte(s) {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return "[" + strconv.Quote(string(s)) + "]"
		}
	}
	if s == "" {
		return `[""]`
	}
	return string(s)
}

// border returns how many entries from 1 on are not nil.
func border(table *lua.LTable) int {
	n := 0
	for table.RawGetInt(n+1) != lua.LNil {
		n++
	}
	return n
}

// keysBeyond returns the keys of entries outside 1 to n, sorted.
func keysBeyond(table *lua.LTable, n int) []lua.LValue {
	var keys []lua.LValue
	table.ForEach(func(k, _ lua.LValue) {
		if i, ok := k.(lua.LNumber); ok && i >= 1 && i <= lua.LNumber(n) && i == lua.LNumber(int64(i)) {
			return
		}
		keys = append(keys, k)
	})
	sortKeys(keys)
	return keys
}

// SortedKeys returns the keys that any of the tables has, each once: numbers by value, then strings, then the rest by
// their text.
func SortedKeys(tables ...*lua.LTable) []lua.LValue {
	var keys []lua.LValue
	seen := map[lua.LValue]bool{}
	for _, table := range tables {
		table.ForEach(func(k, _ lua.LValue) {
			if !seen[k] {
				seen[k] = true
				keys = append(keys, k)
			}
		})
	}
	sortKeys(keys)
	return keys
}

func sortKeys(keys []lua.LValue) {
	rank := func(k lua.LValue) int {
		switch k.Type() {
		case lua.LTNumber:
			return 0
		case lua.LTString:
			return 1
		}
		return 2
	}
	sort.SliceStable(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		if ra, rb := rank(a), rank(b); ra != rb {
			return ra < rb
		}
		if x, ok := a.(lua.LNumber); ok {
			return x < b.(lua.LNumber)
		}
		return ToString(a) < ToString(b)
	})
}
