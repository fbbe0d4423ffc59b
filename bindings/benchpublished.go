package bindings

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

var publishedFunc = api.Func{
	Name: "published",
	Doc:  "Returns a published figure and its source.",
	Params: []api.Param{
		api.P("document", api.String(), "key of the document, \"000\" to \"004\""),
		api.P("case", api.String(), "case, as the document calls it"),
		api.Opt("quantity", api.String(), "the only one that has such a case", "what was measured"),
	},
	Returns: []api.Param{api.P("figure", figureType, "the values with their unit and source")},
	Example: `bench.published("000", "wmb").source`,
	Fn:      benchPublished,
}

// figureSchema is a published figure as scripts see it and, from elsewhere, may give it.
var figureSchema = &api.Schema{
	Name: "figure", Doc: "A published figure.",
	Options: []api.Param{
		api.P("values", api.ListOf(api.Number()), "one value per run, in the figure's unit"),
		api.P("source", api.String(), "who published it, and where"),
		api.Opt("unit", api.String(), "that of the comparison", "unit of the values"),
		api.Opt("document", api.String(), "none", "key of the document"),
		api.Opt("quantity", api.String(), "none", "what was measured"),
		api.Opt("case", api.String(), "none", "case, as the document calls it"),
	},
}

func benchPublished(L *lua.LState) int {
	f, err := findFigure(session(L).Figures, api.StringAt(L, 1), api.StringAt(L, 2), api.OptStringAt(L, 3, ""))
	if err != nil {
		api.Errorf(L, "bench.published: %v", err)
	}
	t := L.NewTable()
	t.RawSetString("document", lua.LString(f.Document))
	t.RawSetString("quantity", lua.LString(f.Quantity))
	t.RawSetString("case", lua.LString(f.Case))
	values := L.NewTable()
	for _, v := range f.Values {
		values.Append(lua.LNumber(v))
	}
	t.RawSetString("values", values)
	t.RawSetString("unit", lua.LString(f.Unit))
	t.RawSetString("source", lua.LString(f.Source))
	L.Push(t)
	return 1
}

// A publishedCase is a published figure, and the row that it is, as far as the script knows.
type publishedCase struct {
	result.Figure
	row machine.PublishedRow
}

// readFigure reads a figure, which the schema has checked, for a case of what the function named by does.
func readFigure(L *lua.LState, by, label, unit string, t *lua.LTable) *publishedCase {
	if u, ok := t.RawGetString("unit").(lua.LString); ok && string(u) != unit {
		api.Errorf(L, "%s: the figure published for %q is in %s, what is simulated in %s", by, label, string(u), unit)
	}
	list := t.RawGetString("values").(*lua.LTable)
	if list.Len() == 0 {
		api.Errorf(L, "%s: the figure published for %q has no values", by, label)
	}
	text := func(name string) string {
		s, _ := t.RawGetString(name).(lua.LString)
		return string(s)
	}
	pub := &publishedCase{
		Figure: result.Figure{Source: text("source")},
		row:    machine.PublishedRow{Document: text("document"), Case: text("case")},
	}
	for i := 1; i <= list.Len(); i++ {
		value := float64(list.RawGetInt(i).(lua.LNumber))
		if math.IsInf(value, 0) {
			api.Errorf(L, "%s: value %d of the figure published for %q is infinite", by, i, label)
		}
		pub.Values = append(pub.Values, value)
	}
	return pub
}
