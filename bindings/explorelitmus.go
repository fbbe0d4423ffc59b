package bindings

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/explore/litmus"
	"github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

var litmusFunc = api.Func{
	Name: "litmus",
	Doc: "Runs a litmus test: a few accesses on several CPUs, in every execution that the model allows. Prints how " +
		"often each outcome came, and whether the one that is asked for is allowed. W x 1 is a store, R x a load, L x 1 " +
		"STLR, A x LDAR, Q x LDAPR, SWP, SWPA, SWPL, SWPAL x 1 atomics, LDAXR-STLXR x 1 an exclusive pair, dmb, dsb and " +
		"isb barriers, addr, data, ctrl, ctrlisb a dependency from the load before; msr SGI1R interrupts the thread that " +
		"begins with IRQ:.",
	Params: []api.Param{api.P("test", api.OptionsOf(litmusSchema), "the test")},
	Returns: []api.Param{api.P("outcome", api.Table(), "name; verdict: allowed, forbidden, or not seen if a limit "+
		"was met; complete, executions, and seen: whether the outcome that was asked for came")},
	Example: `explore.litmus { name = "MP", threads = "W x 1; W y 1 | R y; R x", outcome = "1:R y=1 & 1:R x=0" }`,
	Fn:      exploreLitmus,
}

var litmusSchema = &api.Schema{
	Name: "explore.litmus", Doc: "A litmus test.",
	Options: append([]api.Param{
		api.Opt("name", api.String(), `"litmus"`, "name of the test"),
		api.P("threads", api.String(), "the threads between |, their instructions between ;"),
		api.Opt("outcome", api.String(), "none", "the outcome that is asked for: 1:R y=1 & 1:R x=0 & x=2"),
	}, searchOptions...),
}

func exploreLitmus(L *lua.LState) int {
	s := session(L)
	s.describing(L)
	v := litmusSchema.At(L, 1)
	name := v.String("name", "litmus")
	test, err := litmus.Parse(name + "\t" + v.String("threads", "") + "\t" + v.String("outcome", ""))
	if err != nil {
		api.Errorf(L, "explore.litmus: %v", err)
	}
	model, options := readSearch(L, v)
	r := share(L, s, 1, func(L *lua.LState, _ int) *graph.Report { // one of the hosts explores for all
		r, err := test.Explore(model, options)
		if err != nil {
			api.Errorf(L, "explore.litmus: %v", err)
		}
		return r
	})[0]
	if r.Limits&graph.Stopped != 0 {
		api.Raise(L, host.Of(L).StopCause())
	}
	seen := false
	t := result.Table{Columns: []string{"count", "outcome", ""}}
	for _, outcome := range r.Outcomes {
		mark := ""
		if test.Holds(outcome.Outcome) {
			seen, mark = true, "asked for"
		}
		t.Rows = append(t.Rows, []any{int64(outcome.Count), test.Describe(outcome.Outcome), mark})
	}
	verdict := ""
	if len(test.Weak) > 0 {
		verdict = explore.Asked(seen, r)
	}
	t.Title = fmt.Sprintf("%s: %s%d executions under %s", name, verdict+choose(verdict == "", "", ", "), r.Executions,
		model.Name)
	if r.Limits != 0 {
		t.Title += ", not all"
	}
	api.Boundary(L)
	if err := s.Report.AddTable(t); err != nil {
		api.Raise(L, err)
	}
	out := L.NewTable()
	out.RawSetString("name", lua.LString(name))
	out.RawSetString("verdict", lua.LString(verdict))
	out.RawSetString("complete", lua.LBool(r.Limits == 0))
	out.RawSetString("executions", lua.LNumber(r.Executions))
	out.RawSetString("seen", lua.LBool(seen))
	L.Push(out)
	return 1
}
