package bindings

import (
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

// recorder keeps the text trace of one execution, for its columns.
type recorder struct {
	x       *exploration
	records []record
	object  sim.Object              // of the record that comes next
	owners  map[sim.Object][]string // who has accessed an object
}

// A record is one event of an execution.
type record struct {
	source string // the column
	what   string
	place  string // in the script
	object sim.Object
}

// About is sim.ObjectTracer.
func (r *recorder) About(object sim.Object, owner string) {
	if !r.x.ordered {
		return
	}
	r.object = object
	if !slices.Contains(r.owners[object], owner) {
		r.owners[object] = append(r.owners[object], owner)
	}
}

// Wants is sim.Tracer.
func (r *recorder) Wants() sim.Kinds { return sim.Of(sim.Step) }

// Trace is sim.Tracer.
func (r *recorder) Trace(step *sim.Record) {
	if !r.x.ordered { // the search on the way to the execution
		return
	}
	source, what := step.Source, step.Text
	r.records = append(r.records, record{
		source: source, what: what, place: place(r.x.object, source), object: r.object,
	})
	r.object = 0
}

// place is the line of the script at which the program of a CPU stands, "" for the kernel's own.
func place(m *machineObject, cpu string) string {
	for _, c := range m.cpus {
		if c != nil && c.thread != nil && c.cpu.String() == cpu {
			text := strings.TrimSuffix(strings.TrimSpace(api.Place(c.thread.State())), ":")
			if i := strings.LastIndexByte(text, ':'); i >= 0 {
				return "line " + text[i+1:]
			}
		}
	}
	return ""
}

// matters leaves out what has no part in a failure between CPUs: accesses to locations that one CPU alone uses, and
// instruction barriers.
func (r *recorder) matters(rec *record) bool {
	if rec.object != 0 {
		return len(r.owners[rec.object]) > 1
	}
	for _, name := range endRegisters {
		if strings.Contains(rec.what, name) {
			return false
		}
	}
	return rec.what != "isb"
}

// show repeats the execution of a path, in an order that agrees with it, and lays it out: one column for each CPU, and
// one for each part of the interrupt controller; one event a row.
func (x *exploration) show(p *graph.Program, path graph.Path) (t result.Table, found bool, err error) {
	r := &recorder{x: x, owners: map[sim.Object][]string{}}
	x.object.Engine.Attach(r)
	_, v, found, err := graph.Show(p, x.model, x.options, path, nil)
	x.object.Engine.Detach()
	return r.table(v.Finding), found, err
}

// table lays the execution out.
func (r *recorder) table(finding string) result.Table {
	t := result.Table{Title: r.x.name + ": " + finding, Columns: []string{"step"}}
	for i := range r.records {
		if rec := &r.records[i]; r.matters(rec) && !slices.Contains(t.Columns, rec.source) {
			t.Columns = append(t.Columns, rec.source)
		}
	}
	slices.Sort(t.Columns[1:])
	folded := 0
	for i := range r.records {
		rec := &r.records[i]
		if !r.matters(rec) {
			folded++
			continue
		}
		row := make([]any, len(t.Columns))
		row[0] = uint64(i + 1)
		for k := 1; k < len(row); k++ {
			row[k] = ""
		}
		text := rec.what
		if rec.place != "" {
			text += "  (" + rec.place + ")"
		}
		row[slices.Index(t.Columns, rec.source)] = text
		t.Rows = append(t.Rows, row)
	}
	if folded > 0 {
		t.Title += fmt.Sprintf(" (%d events that do not matter are left out)", folded)
	}
	return t
}

// luaTable is a table as bench.table takes it.
func luaTable(L *lua.LState, t *result.Table) *lua.LTable {
	out, columns, rows := L.NewTable(), L.NewTable(), L.NewTable()
	for _, c := range t.Columns {
		columns.Append(lua.LString(c))
	}
	for _, row := range t.Rows {
		cells := L.NewTable()
		for _, cell := range row {
			if n, ok := cell.(uint64); ok {
				cells.Append(lua.LNumber(n))
			} else {
				cells.Append(lua.LString(cell.(string)))
			}
		}
		rows.Append(cells)
	}
	out.RawSetString("title", lua.LString(t.Title))
	out.RawSetString("columns", columns)
	out.RawSetString("rows", rows)
	return out
}

// replay repeats the execution of a token and ends the script.
func (x *exploration) replay(L *lua.LState, token *explore.Token) int {
	var table result.Table
	found := false
	err := x.run(L, func(p *graph.Program) (err error) {
		if path, ok := pathOf(token.Schedule); ok {
			table, found, err = x.show(p, path)
		}
		return err
	})
	switch {
	case err != nil:
		api.Raise(L, err)
	case !found:
		api.Errorf(L, "explore.run: %s has no execution of this token, which is of another version of the script", x.name)
	}
	if err := session(L).Report.AddTable(table); err != nil {
		api.Raise(L, err)
	}
	api.Raise(L, ErrReplayed)
	return 0
}

// schedule is a path in a replay token: how many choices, how many cuts, the cuts, and the choices.
func schedule(p graph.Path) explore.Schedule {
	s := explore.Schedule{uint32(len(p.Choices)), uint32(len(p.Cuts))}
	for _, c := range p.Cuts {
		s = append(s, uint32(c>>32), uint32(c))
	}
	for _, c := range p.Choices {
		s = append(s, uint32(c))
	}
	return s
}

// pathOf is the path in a token. Zeros at its end may be missing.
func pathOf(s explore.Schedule) (p graph.Path, ok bool) {
	if len(s) < 2 {
		return p, false
	}
	choices, cuts := int(s[0]), int(s[1])
	const most = 1 << 20
	if choices > most || cuts > most || len(s) > 2+2*cuts+choices {
		return p, false
	}
	s = append(slices.Clone(s), make(explore.Schedule, 2+2*cuts+choices-len(s))...)[2:]
	for i := range cuts {
		p.Cuts = append(p.Cuts, uint64(s[2*i])<<32|uint64(s[2*i+1]))
	}
	for _, c := range s[2*cuts:] {
		p.Choices = append(p.Choices, uint16(c))
	}
	return p, true
}
