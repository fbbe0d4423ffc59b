package bindings

import (
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/explore"
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
	step   uint64
	source string // the column
	what   string
	place  string // in the script
	object sim.Object
}

// About is sim.ObjectTracer.
func (r *recorder) About(object sim.Object, owner string) {
	r.object = object
	if !slices.Contains(r.owners[object], owner) {
		r.owners[object] = append(r.owners[object], owner)
	}
}

// Trace is sim.Tracer.
func (r *recorder) Trace(_ sim.Time, source, what string) {
	r.records = append(r.records, record{
		step: r.x.Engine().Fired(), source: source, what: what, place: place(r.x.object, source), object: r.object,
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

// counterexample repeats an execution and lays it out: one column for each CPU, one for each CPU's stores on their way,
// and one for the interrupt controller; one event a row.
func (x *exploration) counterexample(o explore.Options, name string, schedule explore.Schedule) result.Table {
	r := &recorder{x: x, owners: map[sim.Object][]string{}}
	x.Machine.Engine.SetTracer(r)
	v, _ := explore.Replay(x, o, schedule)
	x.Machine.Engine.SetTracer(nil)

	t := result.Table{Title: name + ": " + v.Finding, Columns: []string{"step"}}
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
		row[0] = rec.step
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
func (x *exploration) replay(L *lua.LState, token *explore.Token, o explore.Options) int {
	table := x.counterexample(o, token.Name, token.Schedule)
	if x.failure != nil {
		api.Raise(L, x.failure)
	}
	if err := session(L).Report.AddTable(table); err != nil {
		api.Raise(L, err)
	}
	api.Raise(L, ErrReplayed)
	return 0
}
