package api

import (
	"sort"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Topics are things that help knows by name besides the descriptors, such as the registers of the hardware.
type Topics struct {
	Title string                   // heading of their list, such as "Registers"
	Doc   string                   // what they are
	Names []string                 // in the order of the list
	Find  func(name string) *Topic // also names that are not listed, such as members of arrays; nil: no such topic
}

// Topic is one of Topics.
type Topic struct {
	Name    string
	Doc     string     // one sentence
	Details []string   // further lines
	Columns []string   // headings of Rows
	Rows    [][]string // a table, such as the fields of a register
}

// Reference finds what is described by a set of modules: the modules, their functions, the classes of objects that
// functions return, the option tables that they take, and topics.
type Reference struct {
	Modules []*Module
	Globals []*Func   // functions that scripts need not require
	Classes []*Class  // in the order in which the modules mention them
	Tables  []*Schema // likewise
	Topics  []*Topics

	// Outcome tells what an example shows, for Markdown; nil: that is not known.
	Outcome func(example string) string

	entries map[string]*Entry
	names   []string // of entries, sorted
}

// Entry is one thing that the reference describes.
type Entry struct {
	Name  string // as scripts, help and error messages call it: "hw", "hw.machine", "Machine", "Machine:run"
	item  any    // *Module, *Class, *Schema, *Topic, *member
	class *Class // of the same name as the module that item is, as u64; may be nil
}

// member is a function or a field of a module or class.
type member struct {
	owner string // "hw." or "Machine:", as errors have it; for a field "hw." or "Machine."
	fn    *Func
	field *Field
	op    bool // a metamethod
}

// NewReference collects what the modules describe. Classes and option tables are found by way of the functions that
// mention them.
func NewReference(modules []*Module, globals []*Func) *Reference {
	r := &Reference{Modules: modules, Globals: globals, entries: map[string]*Entry{}}
	c := collector{ref: r, seen: map[any]bool{}}
	for _, f := range globals {
		c.add(f.Name, &member{fn: f})
		c.function(f)
	}
	for _, m := range modules {
		c.module(m)
	}
	for name := range r.entries {
		r.names = append(r.names, name)
	}
	sort.Strings(r.names)
	return r
}

// collector walks through descriptors.
type collector struct {
	ref  *Reference
	seen map[any]bool
}

func (c *collector) add(name string, item any) {
	if e := c.ref.entries[name]; e != nil {
		if class, ok := item.(*Class); ok {
			e.class = class
		}
		return
	}
	c.ref.entries[name] = &Entry{Name: name, item: item}
}

func (c *collector) module(m *Module) {
	c.ref.Topics = append(c.ref.Topics, m.Topics...)
	c.add(m.Name, m)
	c.members(m.Name+".", m.Name+".", m.Funcs, m.Fields)
	if m.Call != nil {
		c.function(m.Call)
	}
	for _, class := range m.Classes {
		c.class(class)
	}
}

func (c *collector) members(funcOwner, fieldOwner string, funcs []Func, fields []Field) {
	for i := range funcs {
		f := &funcs[i]
		c.add(funcOwner+f.Name, &member{owner: funcOwner, fn: f})
		c.function(f)
	}
	for i := range fields {
		f := &fields[i]
		c.add(fieldOwner+f.Name, &member{owner: fieldOwner, field: f})
		c.typ(&f.Type)
	}
}

func (c *collector) function(f *Func) {
	c.params(f.Params)
	c.params(f.Returns)
}

func (c *collector) params(params []Param) {
	for i := range params {
		c.typ(&params[i].Type)
	}
}

func (c *collector) typ(t *Type) {
	if t.class != nil {
		c.class(t.class)
	}
	if t.schema != nil {
		c.schema(t.schema)
	}
	for i := range t.members {
		c.typ(&t.members[i])
	}
	c.params(t.tuple)
}

func (c *collector) class(class *Class) {
	if c.seen[class] {
		return
	}
	c.seen[class] = true
	c.ref.Classes = append(c.ref.Classes, class)
	c.add(class.Name, class)
	c.members(class.Name+":", class.Name+".", class.Funcs, class.Fields)
	for i := range class.Ops {
		op := &class.Ops[i]
		c.add(class.Name+"."+op.Name, &member{owner: class.Name + " ", fn: op, op: true})
		c.function(op)
	}
	if x := class.Index; x != nil {
		c.typ(&x.Key)
		c.typ(&x.Value)
	}
}

func (c *collector) schema(s *Schema) {
	if c.seen[s] {
		return
	}
	c.seen[s] = true
	c.ref.Tables = append(c.ref.Tables, s)
	c.add(s.Name, s)
	c.params(s.Options)
	for _, t := range []*Type{s.Items, s.Others} {
		if t != nil {
			c.typ(t)
		}
	}
}

// Find returns the entry of a name; dot and colon mean the same. Topics are found too.
func (r *Reference) Find(name string) (*Entry, bool) {
	for _, candidate := range []string{name, strings.Replace(name, ".", ":", 1), strings.Replace(name, ":", ".", 1)} {
		if e := r.entries[candidate]; e != nil {
			return e, true
		}
	}
	for _, topics := range r.Topics {
		if t := topics.Find(name); t != nil {
			return &Entry{Name: t.Name, item: t}, true
		}
	}
	return nil, false
}

// Of returns the entry that describes a Lua value: a module, a described function or method, or the class of an object.
// A string is looked up as a name.
func (r *Reference) Of(L *lua.LState, v lua.LValue) (*Entry, bool) {
	if m := ModuleOf(v); m != nil {
		return r.Find(m.Name)
	}
	if c := ClassOf(v); c != nil {
		return &Entry{Name: c.Name, item: c}, true
	}
	switch v := v.(type) {
	case lua.LString:
		return r.Find(string(v))
	case *lua.LFunction:
		if f, owner := FuncOf(L, v); f != nil {
			return &Entry{Name: owner + f.Name, item: &member{owner: owner, fn: f}}, true
		}
	}
	return nil, false
}

// Names returns all names but those of topics, sorted.
func (r *Reference) Names() []string { return r.names }

// TopicNames returns the listed names of topics, sorted.
func (r *Reference) TopicNames() []string {
	var names []string
	for _, topics := range r.Topics {
		names = append(names, topics.Names...)
	}
	sort.Strings(names)
	return names
}

// Suggest returns the name that was probably meant by one that Find does not know, "" if none is near. The name of a
// member alone is enough: for "run" it is "Machine:run".
func (r *Reference) Suggest(name string) string {
	for _, full := range r.names {
		if i := strings.LastIndexAny(full, ".:"); i > 0 && full[i+1:] == name {
			return full
		}
	}
	return Suggest(name, append(r.TopicNames(), r.names...))
}
