package api

import (
	"fmt"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// maxExact is the bound below which every integer has its own float64: Lua numbers are exact integers up to here.
const maxExact = 1 << 53

type kind uint8

const (
	kindNone kind = iota
	kindAny
	kindNil
	kindInt
	kindU64
	kindNumber
	kindString
	kindWord
	kindBool
	kindTable
	kindFunc
	kindObject
	kindOptions
	kindList
	kindTuple
	kindEither
)

// Type says which Lua values a parameter, option or field takes.
type Type struct {
	kind    kind
	lo, hi  lua.LNumber
	words   []string
	class   *Class
	schema  *Schema
	members []Type  // list: one; either: the alternatives
	tuple   []Param // the positions of a tuple
}

// Any is any value but nil.
func Any() Type { return Type{kind: kindAny} }

// Nil is nil, for a field that can be set to it: an alternative of Either.
func Nil() Type { return Type{kind: kindNil} }

// Int is an integer from lo to hi, both inclusive and within the exact range of Lua numbers.
func Int(lo, hi int64) Type {
	if lo > hi || lo < -maxExact || hi > maxExact {
		panic(fmt.Sprintf("BUG: api.Int(%d, %d): not a range of exact integers", lo, hi))
	}
	return Type{kind: kindInt, lo: lua.LNumber(lo), hi: lua.LNumber(hi)}
}

// Count is an integer from lo upwards.
func Count(lo int64) Type { return Int(lo, maxExact-1) }

// U64 is a 64-bit value: a u64 object, or an integer from 0 to 2^53-1.
func U64() Type { return Type{kind: kindU64} }

// Number is any number but NaN.
func Number() Type { return Type{kind: kindNumber} }

// maxString is the longest string that is taken for an argument: names and texts for people are shorter.
const maxString = 1 << 16

// String is a string of at most maxString bytes. Numbers are not taken for strings.
func String() Type { return Type{kind: kindString} }

// Enum is one of the given strings.
func Enum(words ...string) Type { return Type{kind: kindWord, words: words} }

// Bool is true or false.
func Bool() Type { return Type{kind: kindBool} }

// Table is any table, unchecked.
func Table() Type { return Type{kind: kindTable} }

// Function is a Lua function.
func Function() Type { return Type{kind: kindFunc} }

// ObjectOf is an object of class c.
func ObjectOf(c *Class) Type { return Type{kind: kindObject, class: c} }

// OptionsOf is a table with the named entries that s describes.
func OptionsOf(s *Schema) Type { return Type{kind: kindOptions, schema: s} }

// ListOf is a table with entries 1 to n of type t.
func ListOf(t Type) Type { return Type{kind: kindList, members: []Type{t}} }

// TupleOf is a table with the given entries at positions 1 to n.
func TupleOf(entries ...Param) Type { return Type{kind: kindTuple, tuple: entries} }

// Either is a value of any of the given types.
func Either(types ...Type) Type { return Type{kind: kindEither, members: types} }

// Class returns the class of an ObjectOf type, otherwise nil.
func (t Type) Class() *Class { return t.class }

// Schema returns the schema of an OptionsOf type, otherwise nil.
func (t Type) Schema() *Schema { return t.schema }

// Words returns the words of an Enum type, otherwise nil.
func (t Type) Words() []string { return t.words }

// Members returns the element type of a ListOf type or the alternatives of an Either type, otherwise nil.
func (t Type) Members() []Type { return t.members }

// Entries returns the positions of a TupleOf type, otherwise nil.
func (t Type) Entries() []Param { return t.tuple }

// String describes the type as error messages and the documentation do.
func (t Type) String() string {
	switch t.kind {
	case kindInt:
		switch {
		case t.hi >= maxExact-1 && t.lo <= 1-maxExact:
			return "integer"
		case t.hi >= maxExact-1:
			return fmt.Sprintf("integer >= %d", int64(t.lo))
		}
		return fmt.Sprintf("integer in %d..%d", int64(t.lo), int64(t.hi))
	case kindWord:
		quoted := make([]string, len(t.words))
		for i, w := range t.words {
			quoted[i] = fmt.Sprintf("%q", w)
		}
		return "one of " + strings.Join(quoted, ", ")
	case kindObject:
		return t.class.Name
	case kindList:
		return "list of " + t.members[0].String()
	case kindTuple:
		parts := make([]string, len(t.tuple))
		for i := range t.tuple {
			parts[i] = t.tuple[i].Type.String()
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case kindEither:
		parts := make([]string, len(t.members))
		for i := range t.members {
			parts[i] = t.members[i].String()
		}
		return strings.Join(parts, " or ")
	}
	return [...]string{
		kindNone: "nothing", kindAny: "any value", kindNil: "nil", kindU64: "u64 or integer in 0..2^53-1",
		kindNumber: "number", kindString: "string", kindBool: "boolean", kindTable: "table", kindFunc: "function",
		kindOptions: "table",
	}[t.kind]
}

// fits is the fast check. It decides alone for all types but tables with a structure, for which it only says that v is
// a table, and Either.
func (t *Type) fits(v lua.LValue) bool {
	switch t.kind {
	case kindInt:
		n, ok := v.(lua.LNumber)
		return ok && n >= t.lo && n <= t.hi && n == lua.LNumber(int64(n)) // NaN fails the first comparison
	case kindU64:
		switch v := v.(type) {
		case lua.LNumber:
			return v >= 0 && v < maxExact && v == lua.LNumber(int64(v))
		case U64Value:
			return true
		}
		return false
	case kindWord:
		s, ok := v.(lua.LString)
		if !ok {
			return false
		}
		for _, w := range t.words {
			if string(s) == w {
				return true
			}
		}
		return false
	case kindNumber:
		n, ok := v.(lua.LNumber)
		return ok && !math.IsNaN(float64(n))
	case kindString:
		s, ok := v.(lua.LString)
		return ok && len(s) <= maxString
	case kindBool:
		_, ok := v.(lua.LBool)
		return ok
	case kindFunc:
		_, ok := v.(*lua.LFunction)
		return ok
	case kindObject:
		return ClassOf(v) == t.class
	case kindTable, kindOptions, kindList, kindTuple:
		_, ok := v.(*lua.LTable)
		return ok
	case kindAny:
		return v != lua.LNil
	case kindNil:
		return v == lua.LNil
	}
	return false
}

// deep reports whether fits is not the whole check.
func (t *Type) deep() bool {
	switch t.kind {
	case kindOptions, kindList, kindTuple, kindEither:
		return true
	}
	return false
}

// check is the whole check. It returns "" or what is wrong, with the path to it inside a table.
func (t *Type) check(L *lua.LState, v lua.LValue, path string) string {
	switch t.kind {
	case kindEither:
		return t.checkEither(L, v, path)
	case kindOptions, kindList, kindTuple:
		table, ok := v.(*lua.LTable)
		if !ok {
			break
		}
		if t.kind == kindOptions {
			return t.schema.check(L, table, path)
		}
		return t.checkSequence(L, table, path)
	}
	if t.fits(v) {
		return ""
	}
	return at(path) + t.mismatch(v)
}

func at(path string) string {
	if path == "" {
		return ""
	}
	return path + ": "
}

// mismatch says what was expected and what was given.
func (t *Type) mismatch(v lua.LValue) string {
	text := fmt.Sprintf("expected %s, got %s", t, describe(v))
	switch n := v.(type) {
	case lua.LNumber:
		switch {
		case t.kind != kindInt && !t.takesU64():
		case n >= maxExact && t.takesU64():
			text += ", which is beyond the exact range of Lua numbers: write u64\"0x...\""
		case (n >= maxExact || n <= -maxExact) && !math.IsInf(float64(n), 0):
			text += ", which is beyond the exact range of Lua numbers"
		case n != lua.LNumber(math.Trunc(float64(n))):
			text += ", which is not an integer"
		}
	case lua.LString:
		if len(n) > maxString {
			text += fmt.Sprintf(" of %d bytes: at most %d are taken", len(n), maxString)
		}
		if t.kind == kindWord {
			if s := Suggest(string(n), t.words); s != "" {
				text += fmt.Sprintf("; did you mean %q?", s)
			}
		}
	}
	return text
}

func (t *Type) takesU64() bool {
	for i := range t.members {
		if t.kind == kindEither && t.members[i].kind == kindU64 {
			return true
		}
	}
	return t.kind == kindU64
}

// checkEither prefers the complaint of the alternative that is a table if v is one: it knows the entry that is wrong.
func (t *Type) checkEither(L *lua.LState, v lua.LValue, path string) string {
	complaint := ""
	for i := range t.members {
		m := &t.members[i]
		c := m.check(L, v, path)
		if c == "" {
			return ""
		}
		if m.deep() && m.fits(v) || m.kind == kindWord && v.Type() == lua.LTString {
			complaint = c
		}
	}
	if complaint == "" {
		complaint = at(path) + t.mismatch(v)
	}
	return complaint
}

// checkEntry is check for entry i of the table at path.
func (t *Type) checkEntry(L *lua.LState, table *lua.LTable, i int, path string) string {
	Spend(L, 1)
	v := table.RawGetInt(i)
	if t.fits(v) && !t.deep() {
		return ""
	}
	return t.check(L, v, fmt.Sprintf("%s[%d]", path, i))
}

func (t *Type) checkSequence(L *lua.LState, table *lua.LTable, path string) string {
	n := table.Len()
	for i := 1; i <= n; i++ {
		var entry *Type
		switch {
		case t.kind == kindList:
			entry = &t.members[0]
		case i <= len(t.tuple):
			entry = &t.tuple[i-1].Type
		default:
			return fmt.Sprintf("%sexpected %s, got %d entries", at(path), t, n)
		}
		if c := entry.checkEntry(L, table, i, path); c != "" {
			return c
		}
	}
	for i := n; i < len(t.tuple); i++ {
		if !t.tuple[i].Optional {
			return fmt.Sprintf("%s[%d]: expected %s, got nothing", path, i+1, t.tuple[i].Type)
		}
	}
	if keys := namedKeys(table); len(keys) > 0 {
		return fmt.Sprintf("%sexpected %s, got an entry named %q", at(path), t, keys[0])
	}
	return ""
}
