package bindings

import (
	lua "github.com/yuin/gopher-lua"

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

// readFigure reads a figure, which the schema has checked, for a case of a comparison.
func readFigure(L *lua.LState, c *compareCall, label string, t *lua.LTable) *result.Published {
	if unit, ok := t.RawGetString("unit").(lua.LString); ok && string(unit) != c.unit {
		api.Errorf(L, "bench.compare: the figure published for %q is in %s, the comparison in %s",
			label, string(unit), c.unit)
	}
	list := t.RawGetString("values").(*lua.LTable)
	if list.Len() == 0 {
		api.Errorf(L, "bench.compare: the figure published for %q has no values", label)
	}
	pub := &result.Published{Source: string(t.RawGetString("source").(lua.LString))}
	for i := 1; i <= list.Len(); i++ {
		pub.Values = append(pub.Values, float64(list.RawGetInt(i).(lua.LNumber)))
	}
	return pub
}
