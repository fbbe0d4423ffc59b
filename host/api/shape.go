package api

import (
	"sort"

	lua "github.com/yuin/gopher-lua"
)

// Shape is what is known of the value of an expression without running it: the value itself if it is a variable or a
// part of one, otherwise the type that a descriptor promises. Completion works on shapes. The zero Shape knows nothing.
type Shape struct {
	L     *lua.LState
	value lua.LValue // nil: not known
	typ   *Type      // nil: not known
}

// ShapeOf is the shape of a value.
func ShapeOf(L *lua.LState, v lua.LValue) Shape { return Shape{L: L, value: v} }

// ShapeOfClass is the shape of some object of a class.
func ShapeOfClass(L *lua.LState, c *Class) Shape {
	t := ObjectOf(c)
	return Shape{L: L, typ: &t}
}

// Known reports whether anything is known.
func (s Shape) Known() bool { return s.value != nil && s.value != lua.LNil || s.typ != nil }

// class returns the class of an object, nil if there is none.
func (s Shape) class() *Class {
	if c := ClassOf(s.value); c != nil {
		return c
	}
	if s.value == nil && s.typ != nil {
		return classIn(s.typ)
	}
	return nil
}

// classIn returns the first class among a type and its alternatives.
func classIn(t *Type) *Class {
	if t.class != nil {
		return t.class
	}
	if t.kind == kindEither {
		for i := range t.members {
			if c := classIn(&t.members[i]); c != nil {
				return c
			}
		}
	}
	return nil
}

// isString reports whether the value is a string, whose methods are those of the library.
func (s Shape) isString() bool {
	if s.value != nil {
		return s.value.Type() == lua.LTString
	}
	return s.typ != nil && (s.typ.kind == kindString || s.typ.kind == kindWord)
}

// Function returns the descriptor of a function, nil if it has none.
func (s Shape) Function() *Func {
	switch v := s.value.(type) {
	case *lua.LFunction:
		if b := runtimeOf(s.L).bound[v]; b != nil {
			return b.desc
		}
	case *lua.LTable:
		if m, ok := markOf(v.Metatable).(*Module); ok {
			return m.Call
		}
	}
	return nil
}

// Method returns the descriptor of a method of the object, nil if it has none of that name.
func (s Shape) Method(name string) *Func {
	if c := s.class(); c != nil {
		for i := range c.Funcs {
			if c.Funcs[i].Name == name {
				return &c.Funcs[i]
			}
		}
	}
	return nil
}

// Result is the shape of what calling f returns.
func (s Shape) Result(f *Func) Shape {
	if f == nil || len(f.Returns) == 0 {
		return Shape{L: s.L}
	}
	return Shape{L: s.L, typ: &f.Returns[0].Type}
}

// Field is the shape of what stands behind a dot.
func (s Shape) Field(name string) Shape {
	if table, ok := s.value.(*lua.LTable); ok {
		return Shape{L: s.L, value: fieldOf(table, name, maxIndexChain)}
	}
	c := s.class()
	if c == nil {
		return Shape{L: s.L}
	}
	for i := range c.Fields {
		if f := &c.Fields[i]; f.Name == name {
			return Shape{L: s.L, value: s.read(f.Get), typ: &f.Type}
		}
	}
	return Shape{L: s.L}
}

// Item is the shape of what stands in brackets: a string, a float64, or nil for a key that is not known.
func (s Shape) Item(key any) Shape {
	var k lua.LValue
	switch key := key.(type) {
	case string:
		k = lua.LString(key)
	case float64:
		k = lua.LNumber(key)
	}
	if table, ok := s.value.(*lua.LTable); ok && k != nil {
		return Shape{L: s.L, value: table.RawGet(k)}
	}
	if c := s.class(); c != nil && c.Index != nil {
		item := Shape{L: s.L, typ: &c.Index.Value}
		if k != nil {
			item.value = s.read(c.Index.Get, k)
		}
		return item
	}
	if s.value == nil && s.typ != nil && s.typ.kind == kindList {
		return Shape{L: s.L, typ: &s.typ.members[0]}
	}
	return Shape{L: s.L}
}

// read calls a getter on the object, if that is known. Getters have no effects; one that fails tells nothing.
func (s Shape) read(get lua.LGFunction, args ...lua.LValue) lua.LValue {
	if s.value == nil {
		return nil
	}
	top := s.L.GetTop()
	defer s.L.SetTop(top)
	s.L.Push(s.L.NewFunction(get))
	s.L.Push(s.value)
	for _, a := range args {
		s.L.Push(a)
	}
	if err := s.L.PCall(1+len(args), 1, nil); err != nil || s.L.Get(-1) == lua.LNil {
		return nil
	}
	return s.L.Get(-1)
}

// Fields lists the names that can stand behind a dot, sorted.
func (s Shape) Fields() []string {
	var names []string
	if table, ok := s.value.(*lua.LTable); ok {
		names = keysOf(table, maxIndexChain, func(lua.LValue) bool { return true })
	} else if c := s.class(); c != nil {
		names = memberNames(nil, c.Fields)
		if x := c.Index; x != nil && x.Names != nil {
			if ud, ok := s.value.(*lua.LUserData); ok {
				names = append(names, x.Names(ud.Value)...)
			}
		}
	}
	return sortedOnce(names)
}

// Methods lists the names that can stand behind a colon, sorted.
func (s Shape) Methods() []string {
	var names []string
	switch table, _ := s.value.(*lua.LTable); {
	case s.isString():
		if library, ok := s.L.GetMetaField(lua.LString(""), "__index").(*lua.LTable); ok {
			names = keysOf(library, 0, isFunction)
		}
	case table != nil && markOf(table.Metatable) == nil:
		names = keysOf(table, maxIndexChain, isFunction)
	case s.class() != nil:
		names = memberNames(s.class().Funcs, nil)
	}
	return sortedOnce(names)
}

func isFunction(v lua.LValue) bool { return v.Type() == lua.LTFunction }

// maxIndexChain is how many tables behind one another are looked through for a name.
const maxIndexChain = 8

// indexTable is the table in which names that t lacks are looked up, nil if there is none.
func indexTable(t *lua.LTable) *lua.LTable {
	mt, ok := t.Metatable.(*lua.LTable)
	if !ok {
		return nil
	}
	next, _ := mt.RawGetString("__index").(*lua.LTable)
	return next
}

func fieldOf(t *lua.LTable, name string, chain int) lua.LValue {
	if v := t.RawGetString(name); v != lua.LNil {
		return v
	}
	if next := indexTable(t); next != nil && chain > 0 {
		return fieldOf(next, name, chain-1)
	}
	return nil
}

func keysOf(t *lua.LTable, chain int, wanted func(lua.LValue) bool) []string {
	var names []string
	t.ForEach(func(k, v lua.LValue) {
		if s, ok := k.(lua.LString); ok && isName(string(s)) && wanted(v) {
			names = append(names, string(s))
		}
	})
	if next := indexTable(t); next != nil && chain > 0 {
		names = append(names, keysOf(next, chain-1, wanted)...)
	}
	return names
}

func sortedOnce(names []string) []string {
	sort.Strings(names)
	n := 0
	for i, name := range names {
		if i == 0 || name != names[n-1] {
			names[n] = name
			n++
		}
	}
	return names[:n]
}

// choices lists the strings that a value of the type can be, also among its alternatives.
func (t *Type) choices() []string {
	words := append([]string(nil), t.words...)
	for i := range t.members {
		words = append(words, t.members[i].choices()...)
	}
	return words
}

// Choices lists the words that can be the parameter's value.
func (p *Param) Choices() []string { return p.Type.choices() }

// Options returns the schema of the option table that the parameter takes, nil if it takes none.
func (p *Param) Options() *Schema { return p.Type.schemaOf() }

// Option returns the description of the named entry, nil if there is none.
func (s *Schema) Option(name string) *Param { return s.option(name) }

// OptionNames lists the names of the entries.
func (s *Schema) OptionNames() []string { return s.names() }

// ItemOptions returns the schema of the option tables at positions 1 to n, nil if there are none.
func (s *Schema) ItemOptions() *Schema {
	if s.Items == nil {
		return nil
	}
	return s.Items.schemaOf()
}

// ShapeOfString is the shape of some string.
func ShapeOfString(L *lua.LState) Shape { return ShapeOf(L, lua.LString("")) }
