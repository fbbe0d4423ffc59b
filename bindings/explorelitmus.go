package bindings

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/explore/litmus"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

var litmusFunc = api.Func{
	Name: "litmus",
	Doc: "Runs a litmus test: a few accesses on several CPUs, in every order. Prints how often each outcome came, and " +
		"whether the one that is asked for did. W x 1 is a store, R x a load, L x 1 STLR, A x LDAR, Q x LDAPR, SWP, SWPA, " +
		"SWPL, SWPAL x 1 atomics, LDAXR-STLXR x 1 an exclusive pair, dmb, dsb and isb barriers, addr, data, ctrl, ctrlisb " +
		"a dependency from the load before; msr SGI1R interrupts the thread that begins with IRQ:.",
	Params: []api.Param{api.P("test", api.OptionsOf(litmusSchema), "the test")},
	Returns: []api.Param{api.P("outcome", api.Table(), "as from explore.run, and seen: whether the outcome that was "+
		"asked for came")},
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
	spec, o := readSearch(L, v)
	name := v.String("name", "litmus")
	test, err := litmus.Parse(name + "\t" + v.String("threads", "") + "\t" + v.String("outcome", ""))
	if err != nil {
		api.Errorf(L, "explore.litmus: %v", err)
	}
	o.Workers = workers()
	r, err := explore.Explore(o, func() (explore.Subject, error) { return test.Subject(spec) })
	if err != nil {
		api.Errorf(L, "explore.litmus: %v", err)
	}
	stopped(L, r)
	seen := false
	t := result.Table{Title: fmt.Sprintf("%s: %s", name, r), Columns: []string{"count", "outcome", ""}}
	for _, outcome := range r.Outcomes {
		mark := ""
		if test.Holds(outcome.Outcome) {
			seen, mark = true, "asked for"
		}
		t.Rows = append(t.Rows, []any{int64(outcome.Count), test.Describe(outcome.Outcome), mark})
	}
	if len(test.Weak) > 0 {
		t.Title += choose(seen, ", the outcome came", ", the outcome did not come")
	}
	api.Boundary(L)
	if err := s.Report.AddTable(t); err != nil {
		api.Raise(L, err)
	}
	out := summary(L, name, r)
	out.RawSetString("seen", lua.LBool(seen))
	L.Push(out)
	return 1
}
