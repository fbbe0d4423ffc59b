package api

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// comparedDepth is how many tables inside one another are compared.
const comparedDepth = 1000

// Difference compares two values: numbers and strings by value, also a u64 with a number, tables by their contents. It
// returns "" or the first difference, with the way to it. The run is charged for each entry.
func Difference(L *lua.LState, got, want lua.LValue) string {
	c := comparison{L: L, pairs: map[[2]*lua.LTable]bool{}}
	return c.compare(got, want, nil)
}

type comparison struct {
	L     *lua.LState
	pairs map[[2]*lua.LTable]bool // tables that are being compared, or were found equal
}

// way leads to a value inside tables; nil is the outermost.
type way struct {
	from  *way
	key   lua.LValue
	depth int
}

func (c *comparison) compare(got, want lua.LValue, at *way) string {
	g, ok := got.(*lua.LTable)
	w, ok2 := want.(*lua.LTable)
	if !ok || !ok2 {
		if equalValues(got, want) {
			return ""
		}
		return fmt.Sprintf("%sgot %s, want %s", at, Inspect(got), Inspect(want))
	}
	pair := [2]*lua.LTable{g, w}
	if g == w || c.pairs[pair] {
		return ""
	}
	c.pairs[pair] = true
	inside := &way{from: at, depth: 1}
	if at != nil {
		inside.depth = at.depth + 1
	}
	if inside.depth > comparedDepth {
		return fmt.Sprintf("%sthere are more tables inside one another than the %d that are compared", at, comparedDepth)
	}
	for k, v := g.Next(lua.LNil); k != lua.LNil; k, v = g.Next(k) {
		Spend(c.L, 1)
		inside.key = k
		if d := c.compare(v, w.RawGet(k), inside); d != "" {
			return d
		}
	}
	for k, v := w.Next(lua.LNil); k != lua.LNil; k, v = w.Next(k) {
		Spend(c.L, 1)
		inside.key = k
		if g.RawGet(k) == lua.LNil {
			return c.compare(lua.LNil, v, inside)
		}
	}
	return ""
}

func equalValues(a, b lua.LValue) bool {
	x, ok := ToU64(a)
	y, ok2 := ToU64(b)
	return a == b || ok && ok2 && x == y
}

// String is "at [1]["name"]: ", and "" for the outermost value. Of a long way it is the end.
func (w *way) String() string {
	if w == nil {
		return ""
	}
	const shown = 10
	var parts [shown]string
	first := shown
	for ; w != nil && first > 0; w = w.from {
		first--
		parts[first] = "[" + Inspect(w.key) + "]"
	}
	if w != nil {
		parts[first] = "..." + parts[first]
	}
	return "at " + strings.Join(parts[first:], "") + ": "
}
