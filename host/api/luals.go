package api

import (
	"fmt"
	"strings"
)

// LuaLS is the reference as definitions for the Lua language server: completion, types and texts in an editor. It is
// one file, in which require gives each module its type.
func (r *Reference) LuaLS(introduction string) string {
	w := &luaLSWriter{}
	w.line("---@meta _")
	w.comment("-- ", introduction)
	w.line("error(%q)", "definitions for editors, not to be required")
	for _, s := range r.Tables {
		w.schema(s)
	}
	for _, c := range r.Classes {
		w.class(c)
	}
	for _, f := range r.Globals {
		w.function("", f)
	}
	for _, m := range r.Modules {
		w.module(m)
	}
	w.line("")
	for _, m := range r.Modules {
		w.line("---@overload fun(name: %q): %s", m.Name, moduleClass(m))
	}
	w.line("---@param name string\n---@return any\nfunction require(name) end")
	return w.b.String()
}

type luaLSWriter struct{ b strings.Builder }

func (w *luaLSWriter) line(format string, args ...any) {
	fmt.Fprintf(&w.b, format+"\n", args...)
}

// comment writes text in lines of a readable length.
func (w *luaLSWriter) comment(margin, text string) {
	h := &helpWriter{width: DefaultWidth}
	h.hanging("", text)
	for line := range strings.Lines(h.b.String()) {
		w.b.WriteString(margin + line)
	}
}

// doc is the text of a definition, with its example.
func (w *luaLSWriter) doc(text, example string) {
	w.line("")
	w.comment("--- ", text)
	if example == "" {
		return
	}
	w.line("---\n--- ```lua")
	for _, line := range strings.Split(example, "\n") {
		w.line("--- %s", line)
	}
	w.line("--- ```")
}

// moduleClass is the type of a module's table; a class of objects may have the module's name.
func moduleClass(m *Module) string { return "lib." + m.Name }

// schemaClass is the type of an option table.
func schemaClass(s *Schema) string { return "options." + s.Name }

func (w *luaLSWriter) schema(s *Schema) {
	w.doc(s.Doc, "")
	w.line("---@class %s", schemaClass(s))
	for i := range s.Options {
		w.param("field", &s.Options[i])
	}
	if s.Items != nil {
		w.line("---@field [integer] %s", s.Items.luaLS(true))
	}
	if s.Others != nil {
		w.line("---@field [string] %s", s.Others.luaLS(true))
	}
}

// param writes "---@param name? type text".
func (w *luaLSWriter) param(tag string, p *Param) {
	name := p.Name
	switch {
	case p.Variadic:
		name = "..."
	case p.Optional:
		name += "?"
	}
	text := p.Doc
	if p.Default != "" {
		text += "; default: " + p.Default
	}
	w.line("---@%s %s %s %s", tag, name, p.Type.luaLS(true), text)
}

func (w *luaLSWriter) class(c *Class) {
	w.doc(c.Doc, "")
	w.line("---@class %s", c.Name)
	w.fields(c.Fields)
	if x := c.Index; x != nil {
		w.line("---@field [%s] %s %s", x.Key.luaLS(false), x.Value.luaLS(false), x.Doc)
	}
	for i := range c.Ops {
		w.operator(&c.Ops[i])
	}
	w.line("local %s = {}", c.Name)
	for i := range c.Funcs {
		w.function(c.Name+":", &c.Funcs[i])
	}
}

func (w *luaLSWriter) fields(fields []Field) {
	for i := range fields {
		f := &fields[i]
		w.line("---@field %s %s %s", f.Name, f.Type.luaLS(false), f.Doc)
	}
}

// luaLSOperators are the metamethods that the language server knows as operators.
var luaLSOperators = map[string]string{
	"__add": "add", "__sub": "sub", "__mul": "mul", "__div": "div", "__mod": "mod", "__concat": "concat", "__len": "len",
}

func (w *luaLSWriter) operator(f *Func) {
	name, ok := luaLSOperators[f.Name]
	if !ok || len(f.Returns) != 1 {
		return
	}
	if len(f.Params) == 2 {
		name += "(" + f.Params[1].Type.luaLS(true) + ")"
	}
	w.line("---@operator %s: %s", name, f.Returns[0].Type.luaLS(false))
}

func (w *luaLSWriter) module(m *Module) {
	w.doc(m.Doc, m.Example)
	w.line("---@class %s", moduleClass(m))
	w.fields(m.Fields)
	if m.Call != nil {
		params := make([]string, len(m.Call.Params))
		for i := range params {
			params[i] = m.Call.Params[i].Name + ": " + m.Call.Params[i].Type.luaLS(true)
		}
		w.line("---@overload fun(%s): %s", strings.Join(params, ", "), m.Call.Returns[0].Type.luaLS(false))
	}
	w.line("%s = {}", m.Name)
	for i := range m.Funcs {
		w.function(m.Name+".", &m.Funcs[i])
	}
}

func (w *luaLSWriter) function(owner string, f *Func) {
	w.doc(f.Doc, f.Example)
	names := make([]string, len(f.Params))
	for i := range f.Params {
		p := &f.Params[i]
		w.param("param", p)
		names[i] = p.Name
		if p.Variadic {
			names[i] = "..."
		}
	}
	for i := range f.Returns {
		r := &f.Returns[i]
		if r.Variadic {
			w.line("---@return %s ... %s", r.Type.luaLS(false), r.Doc)
			continue
		}
		w.line("---@return %s %s %s", r.Type.luaLS(false), r.Name, r.Doc)
	}
	w.line("function %s%s(%s) end", owner, f.Name, strings.Join(names, ", "))
}

// luaLS is the type in the language server's terms. Where a u64 is taken, an integer is too; where one is given, it is
// always an object.
func (t *Type) luaLS(taken bool) string {
	switch t.kind {
	case kindInt:
		return "integer"
	case kindU64:
		if taken {
			return "u64|integer"
		}
		return U64Class.Name
	case kindWord:
		quoted := make([]string, len(t.words))
		for i, w := range t.words {
			quoted[i] = fmt.Sprintf("%q", w)
		}
		return strings.Join(quoted, "|")
	case kindObject:
		return t.class.Name
	case kindOptions:
		return schemaClass(t.schema)
	case kindList:
		element := t.members[0].luaLS(taken)
		if strings.Contains(element, "|") {
			element = "(" + element + ")"
		}
		return element + "[]"
	case kindTuple:
		parts := make([]string, len(t.tuple))
		for i := range t.tuple {
			parts[i] = fmt.Sprintf("[%d]: %s", i+1, t.tuple[i].Type.luaLS(taken))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case kindEither:
		parts := make([]string, len(t.members))
		for i := range t.members {
			parts[i] = t.members[i].luaLS(taken)
		}
		return strings.Join(parts, "|")
	}
	return [...]string{
		kindAny: "any", kindNil: "nil", kindNumber: "number", kindString: "string", kindBool: "boolean", kindTable: "table",
		kindFunc: "function",
	}[t.kind]
}
