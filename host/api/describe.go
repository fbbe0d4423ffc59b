package api

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"
)

// Module describes a table of functions that scripts get by require, or as a global.
type Module struct {
	Name    string
	Doc     string
	Example string
	Funcs   []Func
	Fields  []Field
	Call    *Func     // what calling the module itself does, as in u64"0xff"; nil: it cannot be called
	Classes []*Class  // of objects that no function returns, such as those that callbacks get
	Topics  []*Topics // what help knows besides, such as registers
}

// Class describes a kind of object: userdata with methods and fields.
//
// Method calls on a class without Fields and Index cost one table look-up, and two if all Fields are constants; else
// every access to a member runs a Go function first. So classes whose methods stand inside loops have nothing else.
type Class struct {
	Name   string
	Doc    string
	Funcs  []Func             // methods; Fn gets the object at position 1
	Fields []Field            // properties
	Ops    []Func             // operators by metamethod name, such as "__add"; Params are the operands
	Index  *Index             // access by key beyond the declared names; may be nil
	String func(v any) string // one-line summary for tostring and the REPL; nil: the class name in brackets

	record []int // of a class that NewRecord made: for each field its number in the Go struct
}

// Func describes a function or method.
type Func struct {
	Name    string
	Doc     string
	Params  []Param
	Returns []Param
	Example string
	Fn      lua.LGFunction
	Flow    Flow // of the sources of its arguments
}

// Param describes one argument or result. Use P, Opt and Rest.
type Param struct {
	Name     string
	Type     Type
	Doc      string // unit and meaning
	Optional bool   // may be absent or nil
	Default  string // what an absent argument means, for the documentation
	Variadic bool   // any number of arguments of Type; last only
}

// P is a required argument.
func P(name string, t Type, doc string) Param { return Param{Name: name, Type: t, Doc: doc} }

// Opt is an argument that may be absent or nil; def says in words or as a Lua literal what that means.
func Opt(name string, t Type, def, doc string) Param {
	return Param{Name: name, Type: t, Doc: doc, Optional: true, Default: def}
}

// Rest stands for any number of further arguments.
func Rest(name string, t Type, doc string) Param {
	return Param{Name: name, Type: t, Doc: doc, Variadic: true}
}

// Field describes a property of objects or a constant of a module.
type Field struct {
	Name    string
	Type    Type
	Doc     string
	Example string
	Get     lua.LGFunction // pushes the value; position 1 is the object (or the module table, at installation)
	Set     lua.LGFunction // position 1 is the object, 2 the value, which fits Type; nil: read-only

	// Constant says that an object's value is asked for when the object is made, and then stays.
	Constant bool
}

// Index describes objects that are also indexed by keys that are not declared names, such as m.gicr[3].
type Index struct {
	Doc     string
	Key     Type
	Value   Type
	Example string
	Get     lua.LGFunction       // positions: object, key; returning 0 results means "no such item"
	Set     lua.LGFunction       // positions: object, key, value; nil: read-only
	Names   func(v any) []string // the word keys of an object, for suggestions and completion; may be nil
}

// validate reports descriptors that contradict themselves. They are our own bugs, found at installation.
func (f *Func) validate(owner string) {
	if f.Name == "" || f.Fn == nil {
		panic(fmt.Sprintf("BUG: %s: function %q lacks a name or an implementation", owner, f.Name))
	}
	seen := map[string]bool{}
	optional := false
	for i := range f.Params {
		p := &f.Params[i]
		switch {
		case p.Name == "" || seen[p.Name]:
			panic(fmt.Sprintf("BUG: %s.%s: parameter %d has no name of its own", owner, f.Name, i+1))
		case p.Type.kind == kindNone:
			panic(fmt.Sprintf("BUG: %s.%s: parameter %q has no type", owner, f.Name, p.Name))
		case p.Variadic && i != len(f.Params)-1:
			panic(fmt.Sprintf("BUG: %s.%s: variadic parameter %q is not the last", owner, f.Name, p.Name))
		case optional && !p.Optional && !p.Variadic:
			panic(fmt.Sprintf("BUG: %s.%s: required parameter %q after an optional one", owner, f.Name, p.Name))
		}
		seen[p.Name] = true
		optional = optional || p.Optional
	}
}

// uniqueNames panics if two members of owner share a name.
func uniqueNames(owner string, funcs []Func, fields []Field) {
	seen := map[string]bool{}
	for i := range funcs {
		if seen[funcs[i].Name] {
			panic(fmt.Sprintf("BUG: %s: %q is described twice", owner, funcs[i].Name))
		}
		seen[funcs[i].Name] = true
	}
	for i := range fields {
		if seen[fields[i].Name] || fields[i].Get == nil {
			panic(fmt.Sprintf("BUG: %s: field %q is described twice or has no getter", owner, fields[i].Name))
		}
		seen[fields[i].Name] = true
	}
}

// memberNames lists methods and fields, unsorted.
func memberNames(funcs []Func, fields []Field) []string {
	names := make([]string, 0, len(funcs)+len(fields))
	for i := range funcs {
		names = append(names, funcs[i].Name)
	}
	for i := range fields {
		names = append(names, fields[i].Name)
	}
	return names
}
