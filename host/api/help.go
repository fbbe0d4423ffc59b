package api

import (
	"strings"
	"unicode/utf8"
)

// DefaultWidth is the number of columns for which help is laid out where nothing better is known.
const DefaultWidth = 80

// Text is what help says about the entry, laid out for a number of columns; it ends with a newline.
func (e *Entry) Text(width int) string {
	h := &helpWriter{width: max(width, narrowest)}
	switch item := e.item.(type) {
	case *Module:
		h.module(item)
	case *Class:
		h.class(item)
	case *Schema:
		h.schema(item)
	case *Topic:
		h.topic(item)
	case *member:
		h.member(item)
	}
	if e.class != nil {
		h.b.WriteByte('\n')
		h.class(e.class)
	}
	return h.b.String()
}

// Summary is the entry in one line.
func (e *Entry) Summary() string {
	switch item := e.item.(type) {
	case *Module:
		return firstSentence(item.Doc)
	case *Class:
		return firstSentence(item.Doc)
	case *Schema:
		return firstSentence(item.Doc)
	case *Topic:
		return firstSentence(item.Doc)
	case *member:
		return firstSentence(item.doc())
	}
	return ""
}

// Overview is what help says without a name: the modules, and how to ask for more.
func (r *Reference) Overview(width int) string {
	h := &helpWriter{width: max(width, narrowest)}
	for _, m := range r.Modules {
		h.rows = append(h.rows, row{m.Name, m.Doc})
	}
	h.table("Modules")
	for _, f := range r.Globals {
		h.rows = append(h.rows, row{f.Name, firstSentence(f.Doc)})
	}
	h.table("Functions")
	for _, c := range r.Classes {
		h.rows = append(h.rows, row{c.Name, firstSentence(c.Doc)})
	}
	h.table("Objects")
	for _, t := range r.Topics {
		h.rows = append(h.rows, row{t.Title, t.Doc})
	}
	h.table("Topics")
	return h.b.String()
}

// Text is the whole reference, each entry as Entry.Text has it and topics by their names.
func (r *Reference) Text(width int) string {
	h := &helpWriter{width: max(width, narrowest)}
	section := func(e Entry) {
		h.rule()
		h.b.WriteString(e.Text(width))
	}
	for _, f := range r.Globals {
		h.member(&member{fn: f})
	}
	for _, m := range r.Modules {
		section(Entry{Name: m.Name, item: m})
		if m.Call != nil {
			h.member(&member{fn: m.Call})
		}
		h.members(membersOf(m.Name+".", m.Name+".", m.Funcs, m.Fields, nil))
	}
	for _, c := range r.Classes {
		section(Entry{Name: c.Name, item: c})
		h.members(membersOf(c.Name+":", c.Name+".", c.Funcs, c.Fields, c.Ops))
	}
	for _, t := range r.Topics {
		h.rule()
		h.paragraph("", t.Title+": "+t.Doc)
		for _, name := range t.Names {
			h.rows = append(h.rows, row{name, t.Find(name).Doc})
		}
		h.table("")
	}
	return strings.TrimPrefix(h.b.String(), "\n")
}

func (h *helpWriter) rule() {
	h.b.WriteString("\n" + strings.Repeat("-", h.width) + "\n")
}

func (h *helpWriter) members(list []*member) {
	for _, m := range list {
		h.b.WriteByte('\n')
		h.member(m)
	}
}

// membersOf lists the members of a module or class in the order of their descriptors, fields first.
func membersOf(funcOwner, fieldOwner string, funcs []Func, fields []Field, ops []Func) []*member {
	var list []*member
	for i := range fields {
		list = append(list, &member{owner: fieldOwner, field: &fields[i]})
	}
	for i := range funcs {
		list = append(list, &member{owner: funcOwner, fn: &funcs[i]})
	}
	for i := range ops {
		list = append(list, &member{owner: fieldOwner, fn: &ops[i], op: true})
	}
	return list
}

// helpWriter lays text out in a number of columns.
type helpWriter struct {
	b     strings.Builder
	width int
	rows  []row // of the table under construction
}

// row is a name and what is said about it.
type row struct{ name, text string }

const (
	narrowest  = 30 // columns that we still lay out for
	indent     = "  "
	widestName = 26 // longer names stand on a line of their own
)

func (h *helpWriter) module(m *Module) {
	h.paragraph("", "module "+m.Name)
	h.paragraph(indent, m.Doc)
	if m.Call != nil {
		h.rows = append(h.rows, row{signature(&member{fn: m.Call}), firstSentence(m.Call.Doc)})
	}
	h.memberRows(membersOf(m.Name+".", m.Name+".", m.Funcs, m.Fields, nil))
	h.table("Functions")
	for _, t := range m.Topics {
		h.rows = append(h.rows, row{t.Title, t.Doc})
	}
	h.table("Topics")
	h.example(m.Example)
}

func (h *helpWriter) class(c *Class) {
	h.paragraph("", "class "+c.Name)
	h.paragraph(indent, c.Doc)
	h.memberRows(membersOf("", "", nil, c.Fields, nil))
	if c.Index != nil {
		h.rows = append(h.rows, row{"[" + c.Index.Key.brief() + "]", c.Index.Doc})
	}
	h.table("Fields")
	h.memberRows(membersOf(":", "", c.Funcs, nil, nil))
	h.table("Methods")
	h.memberRows(membersOf("", "", nil, nil, c.Ops))
	h.table("Operators")
}

func (h *helpWriter) memberRows(list []*member) {
	for _, m := range list {
		h.rows = append(h.rows, row{signature(m), firstSentence(m.doc())})
	}
}

func (h *helpWriter) schema(s *Schema) {
	h.paragraph("", "table "+s.Name)
	h.paragraph(indent, s.Doc)
	h.options("Entries", s)
}

// options writes the entries of a table. Tables inside it have entries of their own.
func (h *helpWriter) options(title string, s *Schema) {
	for i := range s.Options {
		h.rows = append(h.rows, row{s.Options[i].Name, paramText(&s.Options[i], (*Type).brief)})
	}
	if s.Items != nil {
		h.rows = append(h.rows, row{"[1], [2], ...", s.Items.String()})
	}
	if s.Others != nil {
		h.rows = append(h.rows, row{"any other name", s.Others.String()})
	}
	h.table(title)
}

func (h *helpWriter) topic(t *Topic) {
	h.paragraph("", t.Name+": "+t.Doc)
	for _, line := range t.Details {
		h.paragraph(indent, line)
	}
	if len(t.Rows) > 0 {
		h.b.WriteByte('\n')
		h.columns(t.Rows)
	}
}

// columns writes rows of cells, the last of which may be long.
func (h *helpWriter) columns(rows [][]string) {
	var widths []int
	for _, r := range rows {
		for i, cell := range r[:len(r)-1] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, r := range rows {
		line := indent
		for i, cell := range r[:len(r)-1] {
			line += pad(cell, widths[i]) + indent
		}
		h.hanging(line, r[len(r)-1])
	}
}

func (m *member) doc() string {
	if m.field != nil {
		return m.field.Doc
	}
	return m.fn.Doc
}

func (h *helpWriter) member(m *member) {
	h.paragraph("", signature(m)+results(m))
	if m.field != nil {
		h.paragraph(indent, m.field.Type.result()+"; "+access(m.field.Set == nil))
		h.paragraph(indent, m.field.Doc)
		h.example(m.field.Example)
		return
	}
	f := m.fn
	h.paragraph(indent, f.Doc)
	h.params("Arguments", f.Params, (*Type).brief)
	for _, s := range schemasOf(f.Params) {
		h.options("Table "+s.Name+": "+firstSentence(s.Doc), s)
	}
	h.params("Results", f.Returns, (*Type).result)
	h.example(f.Example)
}

func (h *helpWriter) params(title string, params []Param, typ func(*Type) string) {
	for i := range params {
		h.rows = append(h.rows, row{params[i].Name, paramText(&params[i], typ)})
	}
	h.table(title)
}

// paramText says what a parameter means, then its type.
func paramText(p *Param, typ func(*Type) string) string {
	text := p.Doc + " (" + typ(&p.Type)
	switch {
	case p.Default != "":
		text += "; default: " + p.Default
	case p.Optional:
		text += "; optional"
	case p.Variadic:
		text += "; any number"
	}
	return text + ")"
}

// result is the type of what scripts get: a u64 is then always an object.
func (t *Type) result() string {
	switch t.kind {
	case kindU64:
		return U64Class.Name
	case kindAny:
		return "any value"
	case kindEither:
		parts := make([]string, len(t.members))
		for i := range t.members {
			parts[i] = t.members[i].result()
		}
		return strings.Join(parts, " or ")
	case kindList:
		return "list of " + t.members[0].result()
	}
	return t.brief()
}

// brief is the type for help, where an option table has a name to look up.
func (t *Type) brief() string {
	switch t.kind {
	case kindOptions:
		return "table " + t.schema.Name
	case kindEither:
		parts := make([]string, len(t.members))
		for i := range t.members {
			parts[i] = t.members[i].brief()
		}
		return strings.Join(parts, " or ")
	case kindList:
		return "list of " + t.members[0].brief()
	}
	return t.String()
}

// schemasOf lists the option tables that parameters take, each once, with those inside them.
func schemasOf(params []Param) []*Schema {
	c := collector{ref: &Reference{entries: map[string]*Entry{}}, seen: map[any]bool{}}
	for i := range params {
		c.schemasIn(&params[i].Type)
	}
	return c.ref.Tables
}

// schemasIn is typ without classes: their methods take tables that are not this function's.
func (c *collector) schemasIn(t *Type) {
	if s := t.schema; s != nil && !c.seen[s] {
		c.seen[s] = true
		c.ref.Tables = append(c.ref.Tables, s)
		for i := range s.Options {
			c.schemasIn(&s.Options[i].Type)
		}
		for _, entry := range []*Type{s.Items, s.Others} {
			if entry != nil {
				c.schemasIn(entry)
			}
		}
	}
	for i := range t.members {
		c.schemasIn(&t.members[i])
	}
	for i := range t.tuple {
		c.schemasIn(&t.tuple[i].Type)
	}
}

// signature is how a member is used: "hw.machine(topology [, changes])", "Machine.ncpus", "a + b".
func signature(m *member) string {
	switch {
	case m.field != nil:
		return m.owner + m.field.Name
	case m.op:
		return opSignature(m.fn)
	}
	return m.owner + m.fn.Name + "(" + arguments(m.fn.Params) + ")"
}

// arguments writes a parameter list as the Lua manual does, with optional ones in brackets.
func arguments(params []Param) string {
	var b strings.Builder
	open := 0
	for i := range params {
		p := &params[i]
		if p.Optional || p.Variadic {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteByte('[')
			open++
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.Name)
		if p.Variadic {
			b.WriteString(", ...")
		}
	}
	b.WriteString(strings.Repeat("]", open))
	return b.String()
}

// opSigns are the operators that metamethods stand for.
var opSigns = map[string]string{
	"__add": "+", "__sub": "-", "__mul": "*", "__div": "/", "__mod": "%", "__eq": "==", "__lt": "<", "__le": "<=",
	"__concat": "..",
}

func opSignature(f *Func) string {
	if sign, ok := opSigns[f.Name]; ok && len(f.Params) == 2 {
		return f.Params[0].Name + " " + sign + " " + f.Params[1].Name
	}
	if f.Name == "__len" {
		return "#" + f.Params[0].Name
	}
	return f.Name
}

// results is the end of a signature.
func results(m *member) string {
	if m.fn == nil || len(m.fn.Returns) == 0 {
		return ""
	}
	names := make([]string, len(m.fn.Returns))
	for i := range names {
		names[i] = m.fn.Returns[i].Name
		if m.fn.Returns[i].Variadic {
			names[i] += "..."
		}
	}
	return " -> " + strings.Join(names, ", ")
}

// firstSentence is text up to its first full stop.
func firstSentence(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}

func (h *helpWriter) example(code string) {
	if code == "" {
		return
	}
	h.b.WriteString("\nExample\n")
	for _, line := range strings.Split(code, "\n") {
		h.b.WriteString(indent + line + "\n")
	}
}

// table writes the rows collected so far under a title, if there are any.
func (h *helpWriter) table(title string) {
	if len(h.rows) == 0 {
		return
	}
	if h.b.Len() > 0 {
		h.b.WriteByte('\n')
	}
	if title != "" {
		h.paragraph("", title)
	}
	limit := min(widestName, h.width/3)
	width := 0
	for _, r := range h.rows {
		if n := utf8.RuneCountInString(r.name); n <= limit {
			width = max(width, n)
		}
	}
	for _, r := range h.rows {
		if utf8.RuneCountInString(r.name) > limit {
			h.paragraph(indent, r.name)
			h.paragraph(strings.Repeat(" ", len(indent)+width+len(indent)), r.text)
			continue
		}
		h.hanging(indent+pad(r.name, width)+indent, r.text)
	}
	h.rows = h.rows[:0]
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// paragraph writes text with every line behind a margin.
func (h *helpWriter) paragraph(margin, text string) { h.hanging(margin, text) }

// hanging writes text behind a first margin; further lines are indented as far.
func (h *helpWriter) hanging(first, text string) {
	margin := utf8.RuneCountInString(first)
	line := first
	column, empty := margin, true
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if !empty && column+1+n > h.width {
			h.b.WriteString(line + "\n")
			line, column, empty = strings.Repeat(" ", margin), margin, true
		}
		if !empty {
			line, column = line+" ", column+1
		}
		line, column, empty = line+word, column+n, false
	}
	h.b.WriteString(strings.TrimRight(line, " ") + "\n")
}
