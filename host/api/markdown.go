package api

import (
	"fmt"
	"strings"
)

// Markdown is the whole reference as one Markdown document with the given title and introduction.
func (r *Reference) Markdown(title, introduction string) string {
	w := &markdownWriter{outcome: r.Outcome}
	w.line("# %s", title)
	w.paragraph(introduction)
	w.contents(r)
	if len(r.Globals) > 0 {
		w.line("\n## Global functions")
	}
	for _, f := range r.Globals {
		w.member(&member{fn: f})
	}
	for _, m := range r.Modules {
		w.line("\n## Module %s", m.Name)
		w.paragraph(m.Doc)
		w.code(m.Example)
		if m.Call != nil {
			w.member(&member{fn: m.Call})
		}
		w.members(membersOf(m.Name+".", m.Name+".", m.Funcs, m.Fields, nil))
	}
	for _, c := range r.Classes {
		w.line("\n## Class %s", c.Name)
		w.paragraph(c.Doc)
		w.fields(c)
		w.members(membersOf(c.Name+":", "", c.Funcs, nil, c.Ops))
	}
	if len(r.Tables) > 0 {
		w.line("\n## Option tables")
	}
	for _, s := range r.Tables {
		w.schema(s)
	}
	for _, t := range r.Topics {
		w.line("\n## %s", t.Title)
		w.paragraph(t.Doc)
		for _, name := range t.Names {
			w.topic(t.Find(name))
		}
	}
	return w.b.String()
}

type markdownWriter struct {
	b       strings.Builder
	outcome func(example string) string
}

func (w *markdownWriter) line(format string, args ...any) {
	fmt.Fprintf(&w.b, format+"\n", args...)
}

func (w *markdownWriter) paragraph(text string) {
	if text != "" {
		w.line("\n%s", markdownText(text))
	}
}

// markdownText keeps Markdown from reading a text as markup.
func markdownText(text string) string {
	return strings.NewReplacer("*", `\*`, "_", `\_`, "<", "&lt;", "|", `\|`, "[", `\[`).Replace(text)
}

// contents lists modules, classes and topics; the links are those that forges make of headings.
func (w *markdownWriter) contents(r *Reference) {
	w.line("")
	link := func(heading, doc string) {
		anchor := strings.ReplaceAll(strings.ToLower(heading), " ", "-")
		w.line("- [%s](#%s): %s", heading, anchor, markdownText(firstSentence(doc)))
	}
	if len(r.Globals) > 0 {
		link("Global functions", "What is there besides the functions of Lua 5.1.")
	}
	for _, m := range r.Modules {
		link("Module "+m.Name, m.Doc)
	}
	for _, c := range r.Classes {
		link("Class "+c.Name, c.Doc)
	}
	if len(r.Tables) > 0 {
		link("Option tables", "The entries of tables that functions take.")
	}
	for _, t := range r.Topics {
		link(t.Title, t.Doc)
	}
}

func (w *markdownWriter) code(code string) {
	if code == "" {
		return
	}
	w.line("\n```lua\n%s", code)
	for line := range strings.Lines(w.outcomeOf(code)) {
		w.line("--> %s", strings.TrimSuffix(line, "\n"))
	}
	w.line("```")
}

// cell is an example in a table.
func (w *markdownWriter) cell(example string) string {
	text := strings.ReplaceAll(example, "\n", " ")
	if outcome := w.outcomeOf(example); outcome != "" {
		text += "  --> " + strings.ReplaceAll(outcome, "\n", " ")
	}
	return code(text)
}

func (w *markdownWriter) outcomeOf(example string) string {
	if w.outcome == nil {
		return ""
	}
	return w.outcome(example)
}

// fields is a table of a class's fields, with examples.
func (w *markdownWriter) fields(c *Class) {
	if len(c.Fields) == 0 && c.Index == nil {
		return
	}
	rows := [][]string{{"field", "type", "", "meaning", "example"}}
	for i := range c.Fields {
		f := &c.Fields[i]
		rows = append(rows, []string{code(f.Name), markdownText(f.Type.result()), access(f.Set == nil), markdownText(f.Doc),
			w.cell(f.Example)})
	}
	if x := c.Index; x != nil {
		rows = append(rows, []string{code("[" + x.Key.brief() + "]"), markdownText(x.Value.result()), access(x.Set == nil),
			markdownText(x.Doc), w.cell(x.Example)})
	}
	w.table(rows)
}

func access(readOnly bool) string {
	if readOnly {
		return "read-only"
	}
	return "can be set"
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(text, "|", `\|`) + "`"
}

// table writes rows of cells, the first of which are the headings.
func (w *markdownWriter) table(rows [][]string) {
	w.line("")
	for i, row := range rows {
		w.line("| %s |", strings.Join(row, " | "))
		if i == 0 {
			w.line("|%s", strings.Repeat(" --- |", len(row)))
		}
	}
}

func (w *markdownWriter) members(list []*member) {
	for _, m := range list {
		w.member(m)
	}
}

func (w *markdownWriter) member(m *member) {
	w.line("\n### `%s%s`", signature(m), results(m))
	w.paragraph(m.doc())
	if m.field != nil {
		w.paragraph(m.field.Type.result() + "; " + access(m.field.Set == nil) + ".")
		w.code(m.field.Example)
		return
	}
	w.params("argument", m.fn.Params, (*Type).brief)
	w.params("result", m.fn.Returns, (*Type).result)
	w.code(m.fn.Example)
}

func (w *markdownWriter) params(title string, params []Param, typ func(*Type) string) {
	if len(params) == 0 {
		return
	}
	rows := [][]string{{title, "type", "meaning"}}
	for i := range params {
		p := &params[i]
		text := markdownText(p.Doc)
		switch {
		case p.Default != "":
			text += "; default: " + markdownText(p.Default)
		case p.Optional:
			text += "; optional"
		case p.Variadic:
			text += "; any number"
		}
		rows = append(rows, []string{code(p.Name), markdownText(typ(&p.Type)), text})
	}
	w.table(rows)
}

func (w *markdownWriter) schema(s *Schema) {
	w.line("\n### Table %s", s.Name)
	w.paragraph(s.Doc)
	w.params("entry", s.Options, (*Type).brief)
	if s.Items != nil {
		w.paragraph("Entries 1 to n: " + s.Items.brief() + ".")
	}
	if s.Others != nil {
		w.paragraph("Any other name: " + s.Others.brief() + ".")
	}
}

func (w *markdownWriter) topic(t *Topic) {
	w.line("\n### %s", t.Name)
	w.paragraph(t.Doc)
	for _, line := range t.Details {
		w.paragraph(line)
	}
	if len(t.Rows) == 0 {
		return
	}
	rows := [][]string{t.Columns}
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i := range row {
			cells[i] = markdownText(row[i])
		}
		rows = append(rows, cells)
	}
	w.table(rows)
}
