package bindings

import (
	"fmt"
	"io"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

var compareFunc = api.Func{
	Name: "compare",
	Doc: "Runs each case several times, each run on a machine of its own, and compares the values with those of the " +
		"first case. Run i of every case has the same seed, so that cases meet the same jitter and draw the same " +
		"from math.random. Hosts share the runs (hwscript run -j N): make and body must not assign variables of the text " +
		"around them, change its tables, or print.",
	Params: []api.Param{api.P("comparison", api.OptionsOf(compareSchema), "what to compare")},
	Returns: []api.Param{api.P("outcome", api.Table(), "name, unit, runs, and the list cases, each with label, values, "+
		"mean, median, low, high; from the second on delta_percent and, from 4 runs on, p; where a figure is published, "+
		"role (given, fitted, predicted, interval, indistinguishable, unexplained, or unjudged where constants that are "+
		"merely assumed were not varied), least and most of an interval, published_mean, deviation_percent if it is "+
		"predicted and, from the second on, published_delta_percent, with its 95 % interval published_delta_low to "+
		"published_delta_high. "+
		"outcome.case[label] finds one by its label")},
	Example: `bench.compare {
  name = "ipi_latency", unit = "ps", runs = 4,
  body = function(m)
    return m:run(0, function(cpu) cpu:smp_call_function_single(1); return cpu:now() end)
  end,
  { "wmb()", function() return hw.machine("kunpeng920", { linux = { ipi_barrier = "dsb_st" } }) end },
  { "dsb(ishst)", function() return hw.machine("kunpeng920", { linux = { ipi_barrier = "dsb_ishst" } }) end },
}`,
	Fn: benchCompare,
}

var (
	caseType = api.TupleOf(
		api.P("label", api.String(), "name of the case"),
		api.P("make", api.Function(), "returns what body is called with, usually a machine"),
	)
	figureType = api.OptionsOf(figureSchema)

	judgedSchema = &api.Schema{
		Name: "judged", Doc: "A hypothesis of a study that bench.hypotheses has made, which must be the cases' own machine.",
		Options: []api.Param{
			api.P("study", api.String(), "name of the study"), api.P("hypothesis", api.String(), "name of the hypothesis"),
		},
	}

	compareSchema = &api.Schema{
		Name: "bench.compare", Doc: "A comparison; its unnamed entries are the cases, { label, make }.",
		Options: []api.Param{
			api.P("name", api.String(), "name of the result"),
			api.P("unit", api.String(), "unit of the values"),
			api.Opt("runs", api.Int(1, 1_000_000), "1", "runs of each case"),
			api.P("body", api.Function(), "called with what make returned; returns the value of the run, an integer"),
			api.Opt("published", api.OptionsOf(&api.Schema{
				Name: "published", Doc: "Published figures by label.", Others: &figureType,
			}), "none", "figures to set beside the cases, by label: bench.published(...)"),
			api.Opt("judged", api.OptionsOf(judgedSchema), "none", "the study whose rows, named as the cases are, have the "+
				"roles and intervals of the figures"),
		},
		Items: &caseType,
	}
)

// compareCall is one call of bench.compare.
type compareCall struct {
	name, unit string
	runs       int
	body       *lua.LFunction
	labels     []string
	make       []*lua.LFunction
	published  []*publishedCase
	judged     *result.Judged // nil: by no study
}

func benchCompare(L *lua.LState) int {
	s := session(L)
	s.describing(L)
	c := readComparison(L)
	s.comparing(L, "bench.compare")
	if err := s.Report.CheckCompare(c.name, c.unit, c.labels); err != nil {
		api.Errorf(L, "bench.compare: %v", err)
	}
	mustShare(L, s, "bench.compare", "body", c.body)
	for i, label := range c.labels {
		mustShare(L, s, "bench.compare", fmt.Sprintf("the function that makes case %q", label), c.make[i])
	}
	defer s.progress("")
	runs := share(L, s, len(c.labels)*c.runs, func(L *lua.LState, i int) caseRun {
		return s.runCase(L, c, i/c.runs, i%c.runs+1)
	})
	cases := make([]result.Case, len(c.labels))
	for i, label := range c.labels {
		cases[i] = result.Case{Label: label}
		var used constants
		for _, run := range runs[i*c.runs : (i+1)*c.runs] {
			cases[i].Values = append(cases[i].Values, run.value)
			for _, constant := range run.constants {
				used.add(constant)
			}
		}
		if p := c.published[i]; p != nil {
			cases[i].Published, cases[i].Grounds = &p.Figure, used.grounds(p.row)
			cases[i].Grounds.Judged = c.judged
		}
	}
	block, err := s.Report.Compare(c.name, c.unit, cases)
	if err != nil {
		api.Errorf(L, "bench.compare: %v", err)
	}
	L.Push(outcome(L, block, c.runs))
	return 1
}

// comparing notes that the script compares something, which it cannot do inside a run.
func (s *Session) comparing(L *lua.LState, by string) {
	s.compared = true
	if s.Interactive {
		s.Report.Reset()
	}
	if s.run != (Run{}) {
		api.Errorf(L, "%s: called from inside a run of %q", by, s.run.Name)
	}
}

func readComparison(L *lua.LState) *compareCall {
	v := compareSchema.At(L, 1)
	c := &compareCall{
		name: v.String("name", ""), unit: v.String("unit", ""), runs: int(v.Int("runs", 1)), body: v.Function("body"),
	}
	for i := 1; i <= v.Len(); i++ {
		entry := v.Item(i).(*lua.LTable)
		c.labels = append(c.labels, string(entry.RawGetInt(1).(lua.LString)))
		c.make = append(c.make, entry.RawGetInt(2).(*lua.LFunction))
	}
	c.published = make([]*publishedCase, len(c.labels))
	figures := v.Sub("published")
	for _, label := range figures.Others() {
		found := false
		for i := range c.labels {
			if c.labels[i] == label {
				found = true
				c.published[i] = readFigure(L, "bench.compare", label, c.unit, figures.Get(label).(*lua.LTable))
			}
		}
		if !found {
			api.Errorf(L, "bench.compare: published: no case %q%s", label, hint(label, c.labels))
		}
	}
	if v.Has("judged") {
		c.judged = judgedBy(L, v.Sub("judged"))
	}
	return c
}

// judgedBy finds the hypothesis that an option names.
func judgedBy(L *lua.LState, v api.Values) *result.Judged {
	study, hypothesis := v.String("study", ""), v.String("hypothesis", "")
	var studies, names []string
	all := session(L).Report.Hypotheses
	for i := range all {
		studies = append(studies, all[i].Study)
		if all[i].Study == study {
			if all[i].Name == hypothesis {
				return &all[i]
			}
			names = append(names, all[i].Name)
		}
	}
	switch {
	case names != nil:
		api.Errorf(L, "bench.compare: judged: study %q has no hypothesis %q%s", study, hypothesis, hint(hypothesis, names))
	case studies == nil:
		api.Errorf(L, "bench.compare: judged: no study was made before")
	}
	api.Errorf(L, "bench.compare: judged: no study %q%s", study, hint(study, studies))
	return nil
}

// A caseRun is what came of one run.
type caseRun struct {
	value     uint64
	constants constants // of its machines
}

// runCase makes the machine of one run, runs the body on it, and closes it, also where the script fails.
func (s *Session) runCase(L *lua.LState, c *compareCall, i, run int) caseRun {
	defer s.begin(host.Of(L), Run{Name: c.name, Case: c.labels[i], Index: run})()
	s.progress(fmt.Sprintf("%v of %d", s.run, c.runs))

	L.Push(c.make[i])
	L.Call(0, 1)
	machine := L.Get(-1)
	L.Pop(1)
	defer closeObject(machine)
	L.Push(c.body)
	L.Push(machine)
	L.Call(1, 1)
	ret := L.Get(-1)
	L.Pop(1)
	value, ok := api.ToU64(ret)
	if !ok {
		api.Errorf(L, "bench.compare: body of %q, case %q: expected an integer from 0 on, exact (below 2^53, or a u64), "+
			"got %s", c.name, c.labels[i], api.Inspect(ret))
	}
	return caseRun{value, s.constants}
}

// closeObject closes what a Lua object stands for, if it can be closed: a machine holds coroutines, which nothing
// collects.
func closeObject(v lua.LValue) {
	if ud, ok := v.(*lua.LUserData); ok {
		if c, ok := ud.Value.(io.Closer); ok {
			c.Close() // an error could only come from a machine that is gone anyway
		}
	}
}

func (s *Session) progress(text string) {
	if s.Progress != nil {
		s.Progress(text)
	}
}

// outcome makes the table that bench.compare returns.
func outcome(L *lua.LState, b *result.CompareBlock, runs int) *lua.LTable {
	out, list, byLabel := L.NewTable(), L.NewTable(), L.NewTable()
	out.RawSetString("name", lua.LString(b.Name))
	out.RawSetString("unit", lua.LString(b.Unit))
	out.RawSetString("runs", lua.LNumber(runs))
	out.RawSetString("cases", list)
	out.RawSetString("case", byLabel)
	for _, c := range b.Cases {
		t := L.NewTable()
		list.Append(t)
		byLabel.RawSetString(c.Case, t)
		t.RawSetString("label", lua.LString(c.Case))
		values := L.NewTable()
		for _, v := range c.Values {
			values.Append(exactValue(L, v))
		}
		t.RawSetString("values", values)
		set := func(name string, x *float64) {
			if x != nil {
				t.RawSetString(name, lua.LNumber(*x))
			}
		}
		set("mean", &c.Mean)
		set("median", &c.Median)
		set("low", &c.Low)
		set("high", &c.High)
		if c.Comparison != nil {
			set("delta_percent", c.Comparison.DeltaPercent)
			set("p", c.Comparison.P)
		}
		if c.Published != nil {
			t.RawSetString("role", lua.LString(c.Published.Role))
			set("least", c.Published.Least)
			set("most", c.Published.Most)
			set("published_mean", &c.Published.Mean)
			set("deviation_percent", c.Published.DeviationPercent)
		}
		if c.Difference != nil {
			set("published_delta_percent", &c.Difference.Percent)
			if r := c.Difference.Range; r != nil {
				set("published_delta_low", &r.Low)
				set("published_delta_high", &r.High)
			}
		}
	}
	return out
}

// exactValue is a number where that is exact, otherwise a u64.
func exactValue(L *lua.LState, v uint64) lua.LValue {
	if v <= maxExact {
		return lua.LNumber(v)
	}
	return api.U64Value(v)
}
