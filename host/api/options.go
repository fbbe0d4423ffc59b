package api

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"
)

// Schema describes the entries of an option table.
type Schema struct {
	Name    string // for the documentation
	Doc     string
	Options []Param // entries by name; use P for required ones and Opt for the others
	Items   *Type   // entries 1 to n; nil: none
	Others  *Type   // any other named entry; nil: none
}

// check returns "" or what is wrong with the table.
func (s *Schema) check(L *lua.LState, table *lua.LTable, path string) string {
	keys := namedKeys(table)
	if len(keys) == maxEntries {
		return fmt.Sprintf("%sexpected fewer than %d named entries", at(path), maxEntries)
	}
	for _, key := range keys {
		if s.option(key) != nil {
			continue
		}
		if len(key) > maxName {
			return fmt.Sprintf("%sexpected shorter names, got %s", at(path), key)
		}
		if s.Others == nil {
			return fmt.Sprintf("%sno option %q%s", at(path), key, didYouMean(key, s.names()))
		}
		if c := s.Others.check(L, table.RawGetString(key), join(path, key)); c != "" {
			return c
		}
	}
	for i := range s.Options {
		o := &s.Options[i]
		v := table.RawGetString(o.Name)
		if v == lua.LNil && o.Optional {
			continue
		}
		if c := o.Type.check(L, v, join(path, o.Name)); c != "" {
			return c
		}
	}
	return s.checkItems(L, table, path)
}

func (s *Schema) checkItems(L *lua.LState, table *lua.LTable, path string) string {
	n := table.Len()
	if s.Items == nil && n > 0 {
		return fmt.Sprintf("%sexpected named options, got %s at position 1", at(path), describe(table.RawGetInt(1)))
	}
	for i := 1; i <= n; i++ {
		if c := s.Items.checkEntry(L, table, i, path); c != "" {
			return c
		}
	}
	return ""
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func (s *Schema) option(name string) *Param {
	for i := range s.Options {
		if s.Options[i].Name == name {
			return &s.Options[i]
		}
	}
	return nil
}

func (s *Schema) names() []string {
	names := make([]string, len(s.Options))
	for i := range s.Options {
		names[i] = s.Options[i].Name
	}
	return names
}

// maxEntries is how many entries a table may have that is an argument, besides those from 1 to n.
const maxEntries = 1 << 12

// namedKeys returns the keys of a table outside 1 to n, as text, sorted: the first maxEntries of them.
func namedKeys(table *lua.LTable) []string {
	var keys []lua.LValue
	n := lua.LNumber(table.Len())
	for k, _ := table.Next(lua.LNil); k != lua.LNil && len(keys) < maxEntries; k, _ = table.Next(k) {
		if i, ok := k.(lua.LNumber); !ok || i < 1 || i > n || i != lua.LNumber(int64(i)) {
			keys = append(keys, k)
		}
	}
	sortKeys(keys)
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = keyText(k)
	}
	return names
}

// Values reads a table that fits a schema.
type Values struct {
	table  *lua.LTable // nil: all entries absent
	schema *Schema
}

// At returns the option table at stack position n, which a parameter of type OptionsOf(s) has checked. An absent
// table reads as an empty one.
func (s *Schema) At(L *lua.LState, n int) Values { return Values{TableAt(L, n), s} }

// Get returns the named entry, nil (the Lua value) if it is absent.
func (v Values) Get(name string) lua.LValue {
	if v.schema.Others == nil && v.schema.option(name) == nil {
		panic(fmt.Sprintf("BUG: %s has no option %q", v.schema.Name, name))
	}
	if v.table == nil {
		return lua.LNil
	}
	return v.table.RawGetString(name)
}

// Has reports whether the named entry is there.
func (v Values) Has(name string) bool { return v.Get(name) != lua.LNil }

// Int returns the named integer, def if it is absent.
func (v Values) Int(name string, def int64) int64 {
	if n, ok := v.Get(name).(lua.LNumber); ok {
		return int64(n)
	}
	return def
}

// U64 returns the named 64-bit value, def if it is absent.
func (v Values) U64(name string, def uint64) uint64 {
	if x := v.Get(name); x != lua.LNil {
		return mustU64(x)
	}
	return def
}

// Number returns the named number, def if it is absent.
func (v Values) Number(name string, def float64) float64 {
	if n, ok := v.Get(name).(lua.LNumber); ok {
		return float64(n)
	}
	return def
}

// String returns the named string, def if it is absent.
func (v Values) String(name, def string) string {
	if s, ok := v.Get(name).(lua.LString); ok {
		return string(s)
	}
	return def
}

// Bool returns the named boolean, def if it is absent.
func (v Values) Bool(name string, def bool) bool {
	if b, ok := v.Get(name).(lua.LBool); ok {
		return bool(b)
	}
	return def
}

// Function returns the named function, nil if it is absent.
func (v Values) Function(name string) *lua.LFunction {
	f, _ := v.Get(name).(*lua.LFunction)
	return f
}

// Sub returns the named option table, which reads as an empty one if it is absent.
func (v Values) Sub(name string) Values {
	o := v.schema.option(name)
	if o == nil || o.Type.schemaOf() == nil {
		panic(fmt.Sprintf("BUG: %s has no option table %q", v.schema.Name, name))
	}
	t, _ := v.Get(name).(*lua.LTable)
	return Values{t, o.Type.schemaOf()}
}

// schemaOf returns the schema of an option table type, also where it is one alternative of several.
func (t *Type) schemaOf() *Schema {
	for i := range t.members {
		if t.kind == kindEither && t.members[i].schema != nil {
			return t.members[i].schema
		}
	}
	return t.schema
}

// Len returns the number of entries 1 to n.
func (v Values) Len() int {
	if v.table == nil {
		return 0
	}
	return v.table.Len()
}

// Item returns entry i, counted from 1.
func (v Values) Item(i int) lua.LValue { return v.table.RawGetInt(i) }

// Others returns the names of the entries that the schema does not list, sorted.
func (v Values) Others() []string {
	if v.table == nil {
		return nil
	}
	var names []string
	for _, key := range namedKeys(v.table) {
		if v.schema.option(key) == nil {
			names = append(names, key)
		}
	}
	return names
}
