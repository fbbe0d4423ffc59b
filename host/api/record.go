package api

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"

	lua "github.com/yuin/gopher-lua"
	luar "layeh.com/gopher-luar"
)

// NewRecord makes the class of the Go struct T: for small plain structs such as specifications and statistics. Its
// objects, which Class.New makes around a T, have a read-only field for each exported field of T.
//
// Fields appear in snake_case, or under the name in their `lua` tag. A uint64 appears as a u64, an integer of at most
// 32 bits whose type has a String method (an enumeration) as its text, a struct as an object of a class of its own, a
// slice or array as a table made afresh.
//
// example is an expression that yields such an object. fields says what each field means, with its unit; those of
// structs inside are named with the way to them, as "latencies.mean_ps". NewRecord panics, at start-up, unless each
// field has its text and a type that Lua can show faithfully.
func NewRecord[T any](name, doc, example string, fields map[string]string) *Class {
	r := recorder{fields: fields, used: map[string]bool{}}
	c := r.class(reflect.TypeFor[T](), name, doc, example, "")
	if len(r.used) != len(fields) {
		panic(fmt.Sprintf("BUG: api.NewRecord %s: %d texts for %d fields", name, len(fields), len(r.used)))
	}
	return c
}

type recorder struct {
	fields map[string]string
	used   map[string]bool
}

// class makes the class of a struct; path is the way to it.
func (r *recorder) class(t reflect.Type, name, doc, example, path string) *Class {
	c := &Class{Name: name, Doc: doc}
	for i := range t.NumField() {
		field := luaFieldName(t.Field(i))
		if field == "" {
			continue
		}
		key := path + field
		text, ok := r.fields[key]
		if !ok || r.used[key] {
			panic(fmt.Sprintf("BUG: api.NewRecord %s: field %q has no text, or there are two", name, key))
		}
		r.used[key] = true
		f := Field{Name: field, Doc: text, Example: example + "." + field}
		f.Type = r.typeOf(t.Field(i).Type, text, f.Example, key)
		f.Get = func(L *lua.LState) int {
			L.Push(recordValue(&f.Type, reflect.ValueOf(Object[any](L, 1)).Field(i), func(c *Class, v any) lua.LValue {
				return c.New(L, v)
			}))
			return 1
		}
		c.Fields, c.record = append(c.Fields, f), append(c.record, i)
	}
	c.String = c.recordText
	if t.Implements(reflect.TypeFor[fmt.Stringer]()) {
		c.String = func(v any) string { return v.(fmt.Stringer).String() }
	}
	return c
}

// typeOf is the descriptor's type for the Go type of the field at path.
func (r *recorder) typeOf(t reflect.Type, doc, example, path string) Type {
	switch kind := t.Kind(); {
	case kind == reflect.Struct:
		name := strings.TrimSuffix(t.Name(), "Values")
		return ObjectOf(r.class(t, strings.ToUpper(name[:1])+name[1:], doc, example, path+"."))
	case kind == reflect.Slice, kind == reflect.Array:
		return ListOf(r.typeOf(t.Elem(), doc, example+"[1]", path))
	case kind == reflect.String, isEnumeration(t):
		return String()
	case kind == reflect.Bool:
		return Bool()
	case kind == reflect.Uint64:
		return U64()
	case reflect.Zero(t).CanInt():
		return Int(-maxExact, maxExact)
	}
	panic(fmt.Sprintf("BUG: api.NewRecord: %s is a %s, which Lua cannot show faithfully", path, t))
}

// isEnumeration reports whether a type is an integer of at most 32 bits that has a text.
func isEnumeration(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return t.Implements(reflect.TypeFor[fmt.Stringer]())
	}
	return false
}

// recordValue makes the Lua value of a field; object makes those of structs. gopher-luar converts what is plain, for
// which it needs no state; it would lose bits of a uint64, and the shape of the rest.
func recordValue(t *Type, v reflect.Value, object func(*Class, any) lua.LValue) lua.LValue {
	switch t.kind {
	case kindObject:
		return object(t.class, v.Interface())
	case kindList:
		list := &lua.LTable{Metatable: lua.LNil}
		for i := range v.Len() {
			list.Append(recordValue(&t.members[0], v.Index(i), object))
		}
		return list
	case kindU64:
		return U64Value(v.Uint())
	case kindInt:
		mustBeExact(v.Int())
	case kindString:
		return luar.New(nil, fmt.Sprint(v.Interface())) // an enumeration by its text
	}
	return luar.New(nil, v.Interface())
}

// entry is a field of a record with its value.
type entry struct {
	name  string
	value lua.LValue
}

// entries returns the fields of a record, in order of declaration, to show them: the objects in it have no methods.
func (c *Class) entries(v any) []entry {
	object := func(c *Class, v any) lua.LValue {
		return &lua.LUserData{Value: v, Metatable: &lua.LTable{Metatable: mark(c)}}
	}
	list := make([]entry, len(c.record))
	for j, i := range c.record {
		f := &c.Fields[j]
		list[j] = entry{f.Name, recordValue(&f.Type, reflect.ValueOf(v).Field(i), object)}
	}
	return list
}

// looksLikeTable reports whether v is a record without a text of its own.
func (c *Class) looksLikeTable(v any) bool {
	_, ok := v.(fmt.Stringer)
	return c.record != nil && !ok
}

// recordText is Class.String of such a record.
func (c *Class) recordText(v any) string {
	return newWalk().record(c, v, 0).line()
}

// luaFieldName returns the name of f in Lua, "" if it is not to be seen.
func luaFieldName(f reflect.StructField) string {
	switch tag := f.Tag.Get("lua"); {
	case !f.IsExported():
		return ""
	case tag != "":
		return tag
	}
	return snakeCase(f.Name)
}

// snakeCase turns RWPDelay into rwp_delay.
func snakeCase(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 {
			afterLower := !unicode.IsUpper(runes[i-1])
			beforeLower := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if afterLower || beforeLower {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// WithDifference lets scripts subtract one record of the class from another, as in after - before or
// after:since(before). It is for counters: all fields must be uint64.
func (c *Class) WithDifference() *Class {
	for _, f := range c.Fields {
		if f.Type.kind != kindU64 {
			panic(fmt.Sprintf("BUG: record %s: field %s is not a counter", c.Name, f.Name))
		}
	}
	self := ObjectOf(c)
	returns := []Param{P("difference", self, "what was counted between the two")}
	first := c.Fields[0].Example
	object := first[:strings.LastIndexByte(first, '.')]
	c.Funcs = append(c.Funcs, Func{
		Name: "since", Doc: "What was counted since an earlier state of the same counters.",
		Params: []Param{P("earlier", self, "the earlier counters")}, Returns: returns,
		Example: object + ":since(" + object + ")", Fn: c.subtract,
	})
	c.Ops = append(c.Ops, Func{
		Name: "__sub", Doc: "What was counted between two states of the same counters.",
		Params: []Param{P("later", self, "the later counters"), P("earlier", self, "the earlier counters")}, Returns: returns,
		Example: object + " - " + object, Fn: c.subtract,
	})
	return c
}

// subtract is since and __sub.
func (c *Class) subtract(L *lua.LState) int {
	later, earlier := reflect.ValueOf(Object[any](L, 1)), reflect.ValueOf(Object[any](L, 2))
	difference := reflect.New(later.Type()).Elem()
	for j, i := range c.record {
		a, b := later.Field(i).Uint(), earlier.Field(i).Uint()
		if a < b {
			Errorf(L, "difference of two %s: %s went down from %d to %d; the later one comes first, and both are of "+
				"one machine", c.Name, c.Fields[j].Name, b, a)
		}
		difference.Field(i).SetUint(a - b)
	}
	L.Push(c.New(L, difference.Interface()))
	return 1
}
