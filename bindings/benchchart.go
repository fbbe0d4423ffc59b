package bindings

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

var chartFunc = api.Func{
	Name: "chart",
	Doc: "Declares a chart, which `hwscript run --svg FILE` draws: lines over numbers, or bars or intervals over " +
		"labels. All charts of a script are drawn in one file, one below the other.",
	Params: []api.Param{api.P("chart", api.OptionsOf(chartSchema), "what to draw")},
	Example: `bench.chart {
  title = "7 stores, then a barrier", y = "time of a call (ns)", kind = "intervals", labels = { "serial", "flush" },
  series = {
    { "simulated, 5 to 95 %", values = { 1320, 1300 }, low = { 1290, 1280 }, high = { 1350, 1310 } },
    { "published", values = { 1319, 1319 } },
  },
}`,
	Fn: benchChart,
}

var (
	seriesType = api.OptionsOf(&api.Schema{
		Name: "series", Doc: "A series of a chart, { name, ... }.",
		Options: []api.Param{
			api.P("values", api.ListOf(api.Number()), "in the unit of the y axis, one for each label, or for each number of at"),
			api.Opt("at", api.ListOf(api.Number()), "none", "of lines: where on the x axis the values lie, in its unit"),
			api.Opt("low", api.ListOf(api.Number()), "none", "of lines and intervals: lower ends, in the unit of the y axis"),
			api.Opt("high", api.ListOf(api.Number()), "none", "of lines and intervals: upper ends, in the unit of the y axis"),
		},
		Items: &nameType,
	})

	chartSchema = &api.Schema{
		Name: "bench.chart", Doc: "A chart.",
		Options: []api.Param{
			api.P("title", api.String(), "stands above the chart"),
			api.Opt("kind", api.Enum(result.ChartKinds()...), `"lines"`, "form of the chart"),
			api.Opt("x", api.String(), `""`, "what the x axis shows"),
			api.Opt("y", api.String(), `""`, "what the y axis shows, with its unit"),
			api.Opt("labels", api.ListOf(api.String()), "none", "of bars and intervals: names along the x axis"),
			api.P("series", api.ListOf(seriesType), "what is drawn, each in a colour of its own"),
		},
	}
)

func benchChart(L *lua.LState) int {
	mustBeOutside(L, session(L), "bench.chart")
	v := chartSchema.At(L, 1)
	c := result.Chart{
		Title: v.String("title", ""), X: v.String("x", ""), Y: v.String("y", ""),
		Kind: result.ChartKind(v.String("kind", string(result.Lines))),
	}
	if labels, ok := v.Get("labels").(*lua.LTable); ok {
		for i := 1; i <= labels.Len(); i++ {
			c.Labels = append(c.Labels, string(labels.RawGetInt(i).(lua.LString)))
		}
	}
	list := v.Get("series").(*lua.LTable)
	for i := 1; i <= list.Len(); i++ {
		t := list.RawGetInt(i).(*lua.LTable)
		if t.Len() != 1 {
			api.Errorf(L, "bench.chart: series %d: expected { name, ... }, got %d unnamed entries", i, t.Len())
		}
		c.Series = append(c.Series, result.Series{
			Name: string(t.RawGetInt(1).(lua.LString)), X: numbers(t, "at"), Y: numbers(t, "values"),
			Low: numbers(t, "low"), High: numbers(t, "high"),
		})
	}
	api.Boundary(L)
	if err := session(L).Report.AddChart(c); err != nil {
		api.Errorf(L, "bench.chart: %v", err)
	}
	return 0
}

// numbers reads a list whose type the schema has checked.
func numbers(t *lua.LTable, name string) []float64 {
	list, ok := t.RawGetString(name).(*lua.LTable)
	if !ok {
		return nil
	}
	values := make([]float64, list.Len())
	for i := range values {
		values[i] = float64(list.RawGetInt(i + 1).(lua.LNumber))
	}
	return values
}
