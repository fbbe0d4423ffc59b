package bindings

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

// readStudy reads the arguments of bench.hypotheses, whose form the schema has checked.
func readStudy(L *lua.LState) *studyCall {
	v := hypothesesSchema.At(L, 1)
	c := &studyCall{make: v.Function("make"), measure: v.Function("measure"), reuse: v.Bool("reuse", false)}
	c.Name, c.Unit, c.Sample = v.String("name", ""), v.String("unit", ""), int(v.Int("sample", 64))
	c.Seed = session(L).Report.Seed
	rows := v.Get("rows").(*lua.LTable)
	for i := 1; i <= rows.Len(); i++ {
		t := rows.RawGetInt(i).(*lua.LTable)
		row := result.StudyRow{Name: title(L, "row", i, t)}
		unit := c.Unit
		if u, ok := t.RawGetString("unit").(lua.LString); ok {
			row.Unit, unit = string(u), string(u)
		}
		if base, ok := t.RawGetString("base").(lua.LString); ok {
			row.Base = string(base)
		}
		var pub *publishedCase
		if figure, ok := t.RawGetString("published").(*lua.LTable); ok {
			pub = readFigure(L, hypothesesName, row.Name, unit, figure)
			row.Figure = &pub.Figure
		}
		if resolution, ok := t.RawGetString("resolution").(lua.LNumber); ok {
			row.Resolution = int64(resolution)
		}
		changes, _ := t.RawGetString("changes").(*lua.LTable)
		c.Rows, c.rows, c.rowChanges = append(c.Rows, row), append(c.rows, pub), append(c.rowChanges, changes)
	}
	constants := v.Sub("constants")
	for _, name := range constants.Others() {
		c.Constants = append(c.Constants, readConstant(L, name, constants.Get(name).(*lua.LTable)))
	}
	all, _ := v.Get("fit").(*lua.LTable)
	hypotheses := v.Get("hypotheses").(*lua.LTable)
	for i := 1; i <= hypotheses.Len(); i++ {
		t := hypotheses.RawGetInt(i).(*lua.LTable)
		own, _ := t.RawGetString("fit").(*lua.LTable)
		changes, _ := t.RawGetString("changes").(*lua.LTable)
		c.Hypotheses = append(c.Hypotheses, result.Hypothesis{
			Name: title(L, "hypothesis", i, t), Fit: slices.Concat(fitsOf(L, all), fitsOf(L, own)),
		})
		c.changes = append(c.changes, changes)
	}
	return c
}

// isLatency reports whether a constant is a latency: one that is named by no path is, unless it has the name of an
// option of hw.machine and of no latency there.
func isLatency(name string) bool {
	if _, known := machine.ParseLatency(name); known {
		return true
	}
	option := func(p api.Param) bool { return p.Name == name }
	return !strings.Contains(name, ".") && !slices.ContainsFunc(machineSchema.Options, option)
}

// placeOf is where the options of hw.machine have a constant.
func placeOf(name string) []string {
	if isLatency(name) {
		return []string{"latency", name}
	}
	return strings.Split(name, ".")
}

func readConstant(L *lua.LState, name string, t *lua.LTable) result.Constant {
	latency := isLatency(name)
	c := result.Constant{Name: name, Origin: result.Origin(t.RawGetInt(4).(lua.LString))}
	if latency {
		c.Unit = "ps"
	}
	for i, to := range []*int64{&c.Low, &c.Typical, &c.High} {
		*to = whole(L, name, latency, t.RawGetInt(i+1))
	}
	if row, ok := t.RawGetInt(5).(lua.LString); ok {
		c.Row = string(row)
	}
	return c
}

// changed makes the table of changes of a hypothesis and a row, with the constants in their places.
func (c *studyCall) changed(L *lua.LState, h, row int, values []int64) *lua.LTable {
	changes := L.NewTable()
	for _, t := range []*lua.LTable{c.changes[h], c.rowChanges[row]} {
		if t != nil {
			merge(L, changes, t, 0)
		}
	}
	for i := range c.Constants {
		k := &c.Constants[i]
		path, at := placeOf(k.Name), changes
		for _, step := range path[:len(path)-1] {
			next, ok := at.RawGetString(step).(*lua.LTable)
			if !ok {
				next = L.NewTable()
				at.RawSetString(step, next)
			}
			at = next
		}
		at.RawSetString(path[len(path)-1], lua.LNumber(float64(values[i])/scale(k.Unit == "ps")))
	}
	return changes
}

// checkChanges refuses changes that already have what a constant stands for.
func (c *studyCall) checkChanges(L *lua.LState) {
	for h, changes := range c.changes {
		c.checkChange(L, "hypothesis", c.Hypotheses[h].Name, changes)
	}
	for row, changes := range c.rowChanges {
		c.checkChange(L, "row", c.Rows[row].Name, changes)
	}
}

func (c *studyCall) checkChange(L *lua.LState, what, name string, changes *lua.LTable) {
	if changes == nil {
		return
	}
	for i := range c.Constants {
		var at lua.LValue = changes
		path := placeOf(c.Constants[i].Name)
		for _, step := range path {
			if t, ok := at.(*lua.LTable); ok {
				at = t.RawGetString(step)
			}
		}
		if at != lua.LNil && at.Type() != lua.LTTable {
			api.Errorf(L, "bench.hypotheses: %s %q changes %s, which is a constant of the study", what, name,
				strings.Join(path, "."))
		}
	}
}

// merge puts copies of what a table and the tables in it hold into another, so that no run sees what another has done
// to it.
func merge(L *lua.LState, into, t *lua.LTable, depth int) {
	const deepest = 16
	if depth == deepest {
		api.Errorf(L, "bench.hypotheses: changes are nested more than %d levels deep", deepest)
	}
	for key, v := range entries(t) {
		if inner, ok := v.(*lua.LTable); ok {
			there, ok := into.RawGet(key).(*lua.LTable)
			if !ok {
				there = L.NewTable()
			}
			merge(L, there, inner, depth+1)
			v = there
		}
		into.RawSet(key, v)
	}
}

// jsonTable makes a Lua table of a list, with the names that its entries have in JSON.
func jsonTable(L *lua.LState, list any) *lua.LTable {
	text, err := json.Marshal(list)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		panic("BUG: " + err.Error())
	}
	t, ok := jsonValue(L, v).(*lua.LTable)
	if !ok {
		return L.NewTable() // of no list
	}
	return t
}

func jsonValue(L *lua.LState, v any) lua.LValue {
	switch v := v.(type) {
	case string:
		return lua.LString(v)
	case float64:
		return lua.LNumber(v)
	case bool:
		return lua.LBool(v)
	case []any:
		t := L.NewTable()
		for _, x := range v {
			t.Append(jsonValue(L, x))
		}
		return t
	case map[string]any:
		t := L.NewTable()
		for _, name := range slices.Sorted(maps.Keys(v)) {
			t.RawSetString(name, jsonValue(L, v[name]))
		}
		return t
	}
	return lua.LNil
}
