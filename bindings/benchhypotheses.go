package bindings

import (
	"fmt"
	"math"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

var hypothesesFunc = api.Func{
	Name: "hypotheses",
	Doc: "Says which of several hypotheses published rows exclude, which they cannot tell apart, and what to measure to " +
		"tell. Under each hypothesis its constants are fitted, each on its row; then every row is simulated at points all " +
		"over the ranges of the other constants, with the fit made anew at each.",
	Params: []api.Param{
		api.P("study", api.OptionsOf(hypothesesSchema), "rows, constants, hypotheses, and what to simulate"),
	},
	Returns: []api.Param{api.P("outcome", api.Table(), "name; the list hypotheses, each with name, verdict (excluded, "+
		"consistent or cannot tell), fitted, rows (with role, verdict, simulated, low, high, least, most, inside, moves); "+
		"the list experiments (with name, separates, values), the best first. outcome.hypothesis[name] finds one by its "+
		"name, and its row[name] a row")},
	Example: `bench.hypotheses {
  name = "what a barrier waits for", unit = "ns", sample = 8,
  rows = {
    { "2 stores", published = { values = { 148, 152, 151, 149 }, source = "an example" } },
    { "4 stores", published = { values = { 198, 203, 199, 200 }, source = "an example" } },
    { "8 stores" },
  },
  constants = { base = { 0, 100, 200, "assumed" }, each = { 10, 20, 40, "sourced" } },
  fit = { base = "2 stores" },
  hypotheses = { { "one by one", changes = { serial = true } }, { "all at once", changes = { serial = false } } },
  measure = function(m, row)
    local stores = tonumber(row:match "%d+")
    return math.floor(m.latency.base + (m.serial and stores or 1) * m.latency.each)
  end,
}`,
	Fn: benchHypotheses,
}

var (
	studyRowType = api.OptionsOf(&api.Schema{
		Name: "row", Doc: "A row of a study, { name, ... }. One that was not published is an experiment.",
		Options: []api.Param{
			api.Opt("published", figureType, "none", "the published figure: bench.published(...)"),
			api.Opt("unit", api.String(), "that of the study", "unit of the row"),
			api.Opt("base", api.String(), "the first row", "the row from which the publication is to tell this one"),
			api.Opt("resolution", api.Count(0), "0", "what a measurement of the row can tell apart, in its unit"),
			api.Opt("changes", api.Table(), "none", "what differs from the machine where this row is measured, as hw.machine "+
				"takes it"),
		},
		Items: &nameType,
	})
	nameType     = api.String()
	constantType = api.TupleOf(
		api.P("low", api.Number(), "least value"), api.P("typical", api.Number(), "typical value"),
		api.P("high", api.Number(), "greatest value"),
		api.P("origin", api.Enum(result.Origins()...), "how far it can be trusted"),
		api.Opt("row", api.String(), "none", "of a given one: the row that it was taken from"),
	)
	fitRowType = api.Either(api.String(), api.ListOf(api.String())) // a list is refused with a word of its own
	fitType    = api.OptionsOf(&api.Schema{
		Name: "fit", Doc: "Which constant is fitted on which row. An earlier one is fitted anew for each value tried for a " +
			"later one.", Others: &fitRowType,
	})
	hypothesisType = api.OptionsOf(&api.Schema{
		Name: "hypothesis", Doc: "A hypothesis, { name, ... }.",
		Options: []api.Param{
			api.Opt("changes", api.Table(), "none", "what differs from the machine, as hw.machine takes it"),
			api.Opt("fit", fitType, "none", "constants that this hypothesis alone fits"),
		},
		Items: &nameType,
	})

	hypothesesSchema = &api.Schema{
		Name: "bench.hypotheses", Doc: "A study of hypotheses.",
		Options: []api.Param{
			api.P("name", api.String(), "name of the study"),
			api.P("unit", api.String(), "unit of the rows; thousandths of a cycle, mcycles, are printed as cycles"),
			api.P("rows", api.ListOf(studyRowType), "what is simulated"),
			api.Opt("constants", api.OptionsOf(&api.Schema{
				Name: "constants", Doc: "Constants by name: a latency in ns, or the path to an integer among the options of " +
					"hw.machine, such as store_buffer or linux.costs.irq_exit.", Others: &constantType,
			}), "none", "their ranges: { low, typical, high, origin }"),
			api.Opt("fit", fitType, "none", "constants that every hypothesis fits, and on which row each"),
			api.P("hypotheses", api.ListOf(hypothesisType), "the rivals"),
			api.Opt("make", api.Function(), "the changes themselves", "function(changes, row): returns what measure is "+
				"called with, usually a machine with these changes"),
			api.P("measure", api.Function(), "function(m, row): returns the value of the row, an integer in its unit"),
			api.Opt("sample", api.Int(1, 1_000_000), "64", "points at which each hypothesis is simulated"),
			api.Opt("reuse", api.Bool(), "false", "all rows that have the same changes are measured on one machine, one after "+
				"another: measure must not depend on what was measured before"),
		},
	}
)

// studyCall is one call of bench.hypotheses.
type studyCall struct {
	result.Study
	changes    []*lua.LTable // by hypothesis; nil: none
	rowChanges []*lua.LTable // by row; nil: none
	rows       []*publishedCase
	make       *lua.LFunction // nil: measure is called with the changes
	measure    *lua.LFunction
	reuse      bool
}

// A solved is an outcome and the constants of the machines that it comes from; of a typical point, it is where the
// others start.
type solved struct {
	result.Outcome
	constants constants
	start     *result.Start
}

func benchHypotheses(L *lua.LState) int {
	s := session(L)
	s.describing(L)
	c := readStudy(L)
	s.comparing(L, hypothesesName)
	err := c.Check()
	if err == nil {
		err = s.Report.CheckStudy(c.Name)
	}
	if err != nil {
		api.Errorf(L, "bench.hypotheses: %v", err)
	}
	mustShare(L, s, hypothesesName, "make", c.make)
	mustShare(L, s, hypothesesName, "measure", c.measure)
	c.checkChanges(L)
	defer s.progress("")
	s.progress(c.Name + ": fits")
	typical := s.solveAll(L, c, c.Typical(), nil)
	for h := range c.Hypotheses {
		if err := c.Fits(h, typical[h].Outcome); err != nil {
			api.Errorf(L, "bench.hypotheses: %v", err)
		}
	}
	s.progress(c.Name + ": sample")
	around := s.solveAll(L, c, c.Around(), typical)
	block, err := s.Report.Conclude(&c.Study, outcomes(typical), outcomes(around), c.grounds(typical))
	if err != nil {
		api.Raise(L, err)
	}
	L.Push(studyOutcome(L, block))
	return 1
}

const hypothesesName = "bench.hypotheses"

func outcomes(all []solved) []result.Outcome {
	out := make([]result.Outcome, len(all))
	for i := range all {
		out[i] = all[i].Outcome
	}
	return out
}

// grounds are those of each row that follow from constants of the machines which the study does not list.
func (c *studyCall) grounds(all []solved) []result.Grounds {
	var used constants
	for i := range all {
		for _, k := range all[i].constants {
			listed := func(listed result.Constant) bool { return listed.Name == k.name }
			if !slices.ContainsFunc(c.Constants, listed) {
				used.add(k)
			}
		}
	}
	grounds := make([]result.Grounds, len(c.rows))
	for i, row := range c.rows {
		if len(used) > 0 && row != nil {
			grounds[i] = used.grounds(row.row)
		}
	}
	return grounds
}

// solveAll solves points, those behind the typical ones from there.
func (s *Session) solveAll(L *lua.LState, c *studyCall, points []result.Point, typical []solved) []solved {
	return share(L, s, len(points), func(L *lua.LState, i int) solved {
		h := points[i].Hypothesis
		defer s.begin(host.Of(L), Run{Name: c.Name, Case: c.Hypotheses[h].Name, Index: 1, Point: true})()
		b := &workbench{studyCall: c, L: L, hypothesis: h}
		defer b.clear()
		var out solved
		if typical == nil {
			out.Outcome = c.Solve(points[i], b.simulate)
			out.start = c.StartAt(h, out.Outcome, b.simulate)
		} else {
			out.Outcome = c.SolveFrom(typical[h].start, points[i], b.simulate)
		}
		out.constants = s.constants
		return out
	})
}

// A workbench holds the machines of a study at one point, while the constants stay what they are.
type workbench struct {
	*studyCall
	L          *lua.LState
	hypothesis int
	values     []int64
	machines   map[*lua.LTable]lua.LValue // by the changes of a row, nil for none
}

// clear closes the machines.
func (b *workbench) clear() {
	for _, m := range b.machines {
		closeObject(m)
	}
	b.machines = nil
}

// machine is what a row is measured on: one of those that are there, if they may be used again.
func (b *workbench) machine(values []int64, row int) lua.LValue {
	if !b.reuse || !slices.Equal(values, b.values) {
		b.clear()
		b.machines, b.values = map[*lua.LTable]lua.LValue{}, slices.Clone(values)
	}
	key := b.rowChanges[row]
	m, found := b.machines[key]
	if !found {
		m = b.changed(b.L, b.hypothesis, row, values)
		if b.make != nil {
			b.L.Push(b.make)
			b.L.Push(m)
			b.L.Push(lua.LString(b.Rows[row].Name))
			b.L.Call(2, 1)
			m = b.L.Get(-1)
			b.L.Pop(1)
		}
		b.machines[key] = m
	}
	return m
}

// simulate measures a row.
func (b *workbench) simulate(values []int64, row int) int64 {
	c, L := b.studyCall, b.L
	m := b.machine(values, row)
	L.Push(c.measure)
	L.Push(m)
	L.Push(lua.LString(c.Rows[row].Name))
	L.Call(2, 1)
	ret := L.Get(-1)
	L.Pop(1)
	if n, ok := ret.(lua.LNumber); ok && n >= -maxExact && n < 0 && n == lua.LNumber(int64(n)) {
		return int64(n)
	}
	value, ok := api.ToU64(ret)
	if !ok || value > math.MaxInt64 {
		api.Errorf(L, "bench.hypotheses: measure of %q, row %q: expected an integer, exact (below 2^53, or a u64 below "+
			"2^63), got %s", c.Name, c.Rows[row].Name, api.Inspect(ret))
	}
	return int64(value)
}

func studyOutcome(L *lua.LState, b *result.StudyBlock) *lua.LTable {
	out, byName := L.NewTable(), L.NewTable()
	out.RawSetString("name", lua.LString(b.Study.Name))
	list := jsonTable(L, b.Hypotheses)
	out.RawSetString("hypotheses", list)
	out.RawSetString("hypothesis", byName)
	for i := range b.Hypotheses {
		h := list.RawGetInt(i + 1).(*lua.LTable)
		byName.RawSetString(b.Hypotheses[i].Name, h)
		rows := L.NewTable()
		h.RawSetString("row", rows)
		for k := range b.Hypotheses[i].Rows {
			rows.RawSetString(b.Hypotheses[i].Rows[k].Case, h.RawGetString("rows").(*lua.LTable).RawGetInt(k+1))
		}
	}
	out.RawSetString("experiments", jsonTable(L, b.Experiments))
	return out
}

// title is what a message calls a row or hypothesis: its one unnamed entry.
func title(L *lua.LState, what string, i int, t *lua.LTable) string {
	if t.Len() != 1 {
		api.Errorf(L, "bench.hypotheses: %s %d: expected { name, ... }, got %d unnamed entries", what, i, t.Len())
	}
	name := string(t.RawGetInt(1).(lua.LString))
	if name == "" {
		api.Errorf(L, "bench.hypotheses: %s %d has no name", what, i)
	}
	return name
}

// scale is in how many units of a constant one unit of the script is: latencies are in ns, and kept in ps.
func scale(latency bool) float64 {
	if latency {
		return 1000
	}
	return 1
}

// whole makes a whole number of a script's value.
func whole(L *lua.LState, name string, latency bool, v lua.LValue) int64 {
	x := float64(v.(lua.LNumber)) * scale(latency)
	n := math.Round(x)
	if math.Abs(x-n) > 1e-3 || math.Abs(n) > maxExact {
		unit := "an integer"
		if latency {
			unit = "ns in whole ps"
		}
		api.Errorf(L, "bench.hypotheses: constant %q: expected %s, got %v", name, unit, v)
	}
	return int64(n)
}

func fitsOf(L *lua.LState, t *lua.LTable) []result.Fit {
	if t == nil {
		return nil
	}
	var fits []result.Fit
	for key, v := range entries(t) { // in the order in which the script lists them
		row, ok := v.(lua.LString)
		if list, isList := v.(*lua.LTable); isList && list.Len() == 1 {
			row, ok = list.RawGetInt(1).(lua.LString), true
		}
		if !ok {
			api.Errorf(L, "bench.hypotheses: fit: constant %q: expected one row, got %s: one row for one constant", key,
				fmt.Sprint(api.Inspect(v)))
		}
		fits = append(fits, result.Fit{Constant: api.ToString(key), Row: string(row)})
	}
	return fits
}
