package bindings

import (
	"errors"
	"strconv"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// ErrReplayed ends a script when the execution that Session.Replay names was repeated.
var ErrReplayed = errors.New("the script ended after the replay")

// exploreModule executes programs in every order.
var exploreModule = &api.Module{
	Name: "explore",
	Doc: "Executes programs in every order that the architecture allows, and shows one in which they fail. Time means " +
		"nothing here: exec is only a point at which others can come, and a timeout passes when nothing else can happen.",
	Example: `local explore = require "explore"`,
	Funcs:   []api.Func{exploreRunFunc, litmusFunc},
}

// searchOptions are what explore.run and explore.litmus have in common.
var searchOptions = []api.Param{
	api.Opt("model", graphWords.Type(), "arm", "memory model"),
	api.Opt("strategy", strategyWords.Type(), "exhaustive",
		"exhaustive: every execution; random: some, chosen by the seed of the run until one fails, which verifies nothing"),
	api.Opt("max_executions", api.Int(1, 1<<40), strconv.Itoa(graph.DefaultExecutions),
		"most executions, with those that are given up at max_events"),
	api.Opt("max_events", api.Int(1, 1<<14), strconv.Itoa(graph.DefaultEvents), "most events of an execution"),
}

// graphWords are the models of execution graphs.
var graphWords = api.Words[*graph.Model]{
	{Text: graph.Arm.Name, Value: &graph.Arm}, {Text: graph.TSO.Name, Value: &graph.TSO},
	{Text: graph.SC.Name, Value: &graph.SC},
}

// strategyWords say whether executions are chosen at random.
var strategyWords = api.Words[bool]{{Text: "exhaustive", Value: false}, {Text: "random", Value: true}}

// readSearch reads the common options.
func readSearch(L *lua.LState, v api.Values) (*graph.Model, graph.Options) {
	model, _ := graphWords.Lookup(v.String("model", graph.Arm.Name))
	random, _ := strategyWords.Lookup(v.String("strategy", "exhaustive"))
	return model, graph.Options{
		Random: random, Seed: session(L).RunSeed(),
		Executions: int(v.Int("max_executions", graph.DefaultExecutions)),
		Events:     int(v.Int("max_events", graph.DefaultEvents)),
		Stop:       host.Of(L).Stopped,
	}
}

// summary is the table that an exploration returns.
func summary(L *lua.LState, name string, e *explored) *lua.LTable {
	t := L.NewTable()
	t.RawSetString("name", lua.LString(name))
	t.RawSetString("verdict", lua.LString(e.String()))
	t.RawSetString("verified", lua.LBool(e.Verified()))
	t.RawSetString("executions", lua.LNumber(e.Report.Executions))
	t.RawSetString("failing", lua.LNumber(e.Report.Failing))
	t.RawSetString("failures", lua.LNumber(e.Report.Failures))
	if e.Report.Failure != nil {
		t.RawSetString("finding", lua.LString(e.Report.Failure.Finding))
	}
	return t
}
