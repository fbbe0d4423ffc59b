package bindings

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

// A finding is an execution that fails, as it is shown.
type finding struct {
	table  result.Table
	events result.Sequence
	digest uint32
}

// recorder hands what is traced of one execution to its counterexample.
type recorder struct {
	explore.Recorder
	x       *exploration
	watches bool
}

// Begin is graph.Watcher. On the way to the execution nothing was traced.
func (r *recorder) Begin() {
	r.Recorder.Begin()
	if !r.watches {
		r.x.object.Engine.Attach(r)
		r.watches = true
	}
}

// Wants is sim.Tracer.
func (r *recorder) Wants() sim.Kinds { return sim.Of(sim.Step) }

// Trace is sim.Tracer.
func (r *recorder) Trace(step *sim.Record) {
	r.Remark(step.Source, step.Text, place(r.x.object, step.Source))
}

// place is the line of the script at which the program of a CPU stands, "" for the kernel's own.
func place(m *machineObject, cpu string) string {
	text := position(m, cpu)
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		return "line " + text[i+1:]
	}
	return ""
}

// position is the same with the file: "boot.lua:7".
func position(m *machineObject, cpu string) string {
	for _, c := range m.cpus {
		if c != nil && c.thread != nil && c.cpu.String() == cpu {
			return strings.TrimSuffix(strings.TrimSpace(api.Place(c.thread.State())), ":")
		}
	}
	return ""
}

// hidden is what has no part in a failure between CPUs besides accesses to what one CPU alone uses: instruction
// barriers, and how an interrupt is ended.
func hidden(text string) bool {
	return text == "isb" || slices.ContainsFunc(endRegisters[:], func(name string) bool {
		return strings.Contains(text, name)
	})
}

// recorder makes one for an execution.
func (x *exploration) recorder() *recorder {
	m := x.object
	r := &recorder{x: x, Recorder: explore.Recorder{Hidden: hidden, Name: func(at uint64) string {
		if _, ok := cpu.EventOf(at); ok {
			return "an event"
		}
		if _, ok := cpu.ObjectOf(at); ok {
			return "an interrupt"
		}
		return m.Symbol(at)
	}}}
	for _, c := range m.CPUs {
		r.Threads = append(r.Threads, c.String())
	}
	return r
}

// show repeats the execution of a path and lays it out: one column for each CPU, and one for each part of the interrupt
// controller; one event a row, in an order that agrees with what the model orders.
func (x *exploration) show(p *graph.Program, path graph.Path) (f finding, found bool, err error) {
	r := x.recorder()
	steps, v, found, err := graph.Show(p, x.model, x.options, path, r)
	if r.watches {
		x.object.Engine.Detach()
	}
	if err != nil || !found {
		return f, false, err
	}
	c := r.Counterexample(steps)
	f.digest = explore.Digest(steps, v.Finding)
	f.table = result.Table{Title: c.Title(x.name, v.Finding), Columns: append([]string{"step"}, c.Columns...)}
	for i, cells := range c.Cells() {
		row := []any{uint64(i + 1)}
		for _, cell := range cells[1:] {
			row = append(row, cell)
		}
		f.table.Rows = append(f.table.Rows, row)
	}
	f.events = result.Sequence{Title: f.table.Title, Columns: c.Columns}
	for i, row := range c.Rows {
		f.events.Events = append(f.events.Events, result.SequenceEvent{
			Column: row.Column, Text: c.Cell(i), From: row.From,
		})
	}
	return f, true, nil
}

// lua is the execution as a table that bench.table takes and print draws.
func (f *finding) lua(L *lua.LState) *lua.LTable {
	out, columns, rows := L.NewTable(), L.NewTable(), L.NewTable()
	for _, c := range f.table.Columns {
		columns.Append(lua.LString(c))
	}
	for _, row := range f.table.Rows {
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
	out.RawSetString("title", lua.LString(f.table.Title))
	out.RawSetString("columns", columns)
	out.RawSetString("rows", rows)
	draw, err := L.LoadString("local text = ... return { __tostring = function() return text end }")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	L.Push(draw) // print calls what is written in Lua only
	L.Push(lua.LString(strings.TrimSuffix(f.table.Text(), "\n")))
	L.Call(1, 1)
	L.SetMetatable(out, L.Get(-1))
	L.Pop(1)
	return out
}

// replay repeats the execution of a token and ends the script.
func (x *exploration) replay(L *lua.LState, token *explore.Token) int {
	var f finding
	found := false
	err := x.run(L, func(p *graph.Program) (err error) {
		f, found, err = x.show(p, token.Path)
		return err
	})
	switch {
	case err != nil:
		api.Raise(L, err)
	case !found || f.digest != token.Digest:
		api.Errorf(L, "explore.run: %s has no execution of this token: the program, a parameter or an option has changed "+
			"since it was printed; explore again for a new one", x.name)
	}
	s := session(L)
	err = s.Report.AddTable(f.table)
	if err == nil {
		err = s.Report.AddSequence(f.events)
	}
	if err != nil {
		api.Raise(L, err)
	}
	api.Raise(L, ErrReplayed)
	return 0
}
