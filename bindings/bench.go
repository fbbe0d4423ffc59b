package bindings

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

// benchModule is the module with which scripts declare parameters, compare cases and show results.
var benchModule = &api.Module{
	Name: "bench",
	Doc: "Parameters, comparisons and results. Results appear in the format that the command line asks for; a script " +
		"never writes files.",
	Example: `local bench = require "bench"`,
	Funcs: []api.Func{
		paramsFunc,
		compareFunc,
		hypothesesFunc,
		publishedFunc,
		chartFunc,
		{
			Name: "table", Doc: "Adds a table to the results.",
			Params:  []api.Param{api.P("table", api.OptionsOf(tableSchema), "title, columns and rows")},
			Example: `bench.table { title = "Parts", columns = { "part", "time" }, rows = { { "SGI", "250 ns" } } }`,
			Fn:      benchTable,
		},
		{
			Name: "note", Doc: "Adds a remark to the text form of the results.",
			Params:  []api.Param{api.P("text", api.String(), "the remark, one or more lines")},
			Example: `bench.note("The parts add up to the whole.")`,
			Fn:      benchNote,
		},
		{
			Name: "format_ps", Doc: "Formats a time exactly, in the largest unit of which it has at least one.",
			Params: []api.Param{
				api.P("ps", api.Either(api.U64(), api.Int(-maxExact, maxExact)), "time or difference of times, in ps"),
			},
			Returns: []api.Param{api.P("text", api.String(), "such as 1.320123 us")},
			Example: `bench.format_ps(1320123)`,
			Fn:      benchFormatPs,
		},
	},
}

var tableSchema = &api.Schema{
	Name: "bench.table", Doc: "A table of results.",
	Options: []api.Param{
		api.Opt("title", api.String(), `""`, "stands above the table"),
		api.P("columns", api.ListOf(api.String()), "headings"),
		api.P("rows", api.ListOf(api.ListOf(api.Either(
			api.String(), api.Number(), api.U64(), api.Bool(),
		))), "one list of cells for each row; fractions keep six significant digits"),
	},
}

func benchTable(L *lua.LState) int {
	mustBeOutside(L, session(L), "bench.table")
	v := tableSchema.At(L, 1)
	t := result.Table{Title: v.String("title", "")}
	columns := v.Get("columns").(*lua.LTable)
	for i := 1; i <= columns.Len(); i++ {
		t.Columns = append(t.Columns, string(columns.RawGetInt(i).(lua.LString)))
	}
	rows := v.Get("rows").(*lua.LTable)
	for i := 1; i <= rows.Len(); i++ {
		row := rows.RawGetInt(i).(*lua.LTable)
		cells := make([]any, row.Len())
		for j := range cells {
			cells[j] = cell(row.RawGetInt(j + 1))
		}
		t.Rows = append(t.Rows, cells)
	}
	api.Boundary(L)
	if err := session(L).Report.AddTable(t); err != nil {
		api.Raise(L, err)
	}
	return 0
}

// cell converts a table's cell, whose type the schema has checked.
func cell(v lua.LValue) any {
	switch v := v.(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		if f := float64(v); f != math.Trunc(f) || math.Abs(f) > maxExact {
			return f
		}
		return int64(v)
	case lua.LBool:
		return v.String()
	}
	u, _ := api.ToU64(v)
	return u
}

func benchNote(L *lua.LState) int {
	mustBeOutside(L, session(L), "bench.note")
	api.Boundary(L)
	if err := session(L).Report.AddNote(api.StringAt(L, 1)); err != nil {
		api.Raise(L, err)
	}
	return 0
}

func benchFormatPs(L *lua.LState) int {
	ps, ok := api.ToU64(L.Get(1))
	switch {
	case !ok: // negative
		L.Push(lua.LString(result.FormatPs(int64(L.Get(1).(lua.LNumber)))))
	case ps > math.MaxInt64:
		api.ArgErrorf(L, 1, "a time below 2^63 ps")
	default:
		L.Push(lua.LString(result.FormatPs(int64(ps))))
	}
	return 1
}
