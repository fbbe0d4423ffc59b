package api

import (
	"fmt"
	"reflect"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Describe gives the view a descriptor: its name and text, an expression that yields such an object, and what each
// field means, with its unit. Fields of structs inside are named with the way to them, as "latencies.mean_ps". It
// panics, at start-up, unless each field has its text.
func (w *View[T]) Describe(name, doc, example string, fields map[string]string) *View[T] {
	d := viewDescriber{fields: fields, used: map[string]bool{}}
	d.describe(w.root, name, doc, example, "")
	if len(d.used) != len(fields) {
		panic(fmt.Sprintf("BUG: api.View %s: %d texts for %d fields", name, len(fields), len(d.used)))
	}
	return w
}

// Class returns the view's descriptor, made by Describe.
func (w *View[T]) Class() *Class {
	if w.root.class == nil {
		panic("BUG: api.View of " + w.root.name() + " is not described")
	}
	return w.root.class
}

type viewDescriber struct {
	fields map[string]string
	used   map[string]bool
}

func (d *viewDescriber) describe(vt *viewType, name, doc, example, path string) {
	vt.class = &Class{Name: name, Doc: doc, String: vt.text}
	for _, fieldName := range vt.names {
		i, ok := vt.fields[fieldName]
		if !ok {
			continue
		}
		key := path + fieldName
		text, ok := d.fields[key]
		if !ok {
			panic(fmt.Sprintf("BUG: api.View %s: field %q has no text", name, key))
		}
		d.used[key] = true
		f := Field{Name: fieldName, Doc: text, Example: example + "." + fieldName, Get: vt.fieldGetter(i)}
		f.Type = d.typeOf(vt, vt.typ.Field(i).Type, text, f.Example, key)
		vt.class.Fields = append(vt.class.Fields, f)
	}
}

// typeOf is the descriptor's type for a Go type that a view shows.
func (d *viewDescriber) typeOf(vt *viewType, t reflect.Type, doc, example, path string) Type {
	switch t.Kind() {
	case reflect.Struct, reflect.Slice, reflect.Array:
		for _, m := range vt.members {
			if m.typ != t {
				continue
			}
			if t.Kind() != reflect.Struct {
				return ListOf(d.typeOf(m, t.Elem(), doc, example+"[1]", path))
			}
			d.describe(m, className(t), doc, example, path+".")
			return ObjectOf(m.class)
		}
		return ListOf(d.typeOf(vt, t.Elem(), doc, example+"[1]", path))
	case reflect.String:
		return String()
	case reflect.Bool:
		return Bool()
	case reflect.Float32, reflect.Float64:
		return Number()
	}
	zero := reflect.Zero(t)
	switch {
	case isEnumeration(zero):
		return String()
	case t.Kind() == reflect.Uint64:
		return U64()
	}
	return Int(-maxExact, maxExact)
}

// className makes Latency of latencyValues.
func className(t reflect.Type) string {
	name := strings.TrimSuffix(t.Name(), "Values")
	return strings.ToUpper(name[:1]) + name[1:]
}

func (vt *viewType) fieldGetter(i int) lua.LGFunction {
	return func(L *lua.LState) int {
		pushReflected(L, reflect.ValueOf(Object[any](L, 1)).Field(i))
		return 1
	}
}

// WithDifference lets scripts subtract one such object from another, as in after - before or after:since(before).
// It is for counters: all fields must be uint64. It comes after Describe.
func (w *View[T]) WithDifference() *View[T] {
	vt, c := w.root, w.Class()
	for _, i := range vt.fields {
		if vt.typ.Field(i).Type.Kind() != reflect.Uint64 {
			panic(fmt.Sprintf("BUG: api.View %s: field %s is not a counter", c.Name, vt.typ.Field(i).Name))
		}
	}
	subtract := func(L *lua.LState) int {
		later, earlier := Object[any](L, 1), Object[any](L, 2)
		difference := reflect.New(vt.typ).Elem()
		for _, f := range c.Fields {
			i := vt.fields[f.Name]
			a, b := reflect.ValueOf(later).Field(i).Uint(), reflect.ValueOf(earlier).Field(i).Uint()
			if a < b {
				Errorf(L, "difference of two %s: %s went down from %d to %d; the later one comes first, and both are of "+
					"one machine", c.Name, f.Name, b, a)
			}
			difference.Field(i).SetUint(a - b)
		}
		L.Push(w.New(L, difference.Interface().(T)))
		return 1
	}
	self := ObjectOf(c)
	returns := []Param{P("difference", self, "what was counted between the two")}
	first := c.Fields[0].Example
	object := first[:strings.LastIndexByte(first, '.')]
	c.Funcs = append(c.Funcs, Func{
		Name: "since", Doc: "What was counted since an earlier state of the same counters.",
		Params: []Param{P("earlier", self, "the earlier counters")}, Returns: returns,
		Example: object + ":since(" + object + ")", Fn: subtract,
	})
	c.Ops = append(c.Ops, Func{
		Name: "__sub", Doc: "What was counted between two states of the same counters.",
		Params: []Param{P("later", self, "the later counters"), P("earlier", self, "the earlier counters")}, Returns: returns,
		Example: object + " - " + object, Fn: subtract,
	})
	return w
}
