package bindings

import (
	"errors"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/mem"
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

var (
	modelWords = api.Words[mem.Model]{
		{Text: mem.Arm.String(), Value: mem.Arm}, {Text: mem.TSO.String(), Value: mem.TSO},
		{Text: mem.SC.String(), Value: mem.SC},
	}
	atomicsWords = api.Words[bool]{{Text: "performed", Value: false}, {Text: "buffered", Value: true}}

	strategyWords = func() (words api.Words[explore.Strategy]) {
		for i, name := range explore.Strategies() {
			words = append(words, api.Word[explore.Strategy]{Text: name, Value: explore.Strategy(i)})
		}
		return words
	}()
)

// searchOptions are what explore.run and explore.litmus have in common.
var searchOptions = []api.Param{
	api.Opt("model", modelWords.Type(), "arm", "memory model"),
	api.Opt("atomics", atomicsWords.Type(), "performed",
		"performed: an atomic acts on memory at once, as known cores do; buffered: its write completes like a store's, all "+
			"that the architecture promises before a system register write"),
	api.Opt("strategy", strategyWords.Type(), "exhaustive",
		"exhaustive: every order that matters; plain: every order; bounded: with 0, 1, 2, ... preemptions first; random: by "+
			"priorities drawn anew for each execution"),
	api.Opt("preemptions", api.Int(0, 1000), "no limit", "bounded: the most preemptions"),
	api.Opt("max_executions", api.Int(1, 1<<40), "1000000", "most executions"),
	api.Opt("max_steps", api.Int(1, 1<<20), "10000", "most steps of an execution"),
}

// readSearch reads the common options.
func readSearch(L *lua.LState, v api.Values) (mem.ExploredSpec, explore.Options) {
	spec := mem.ExploredSpec{}
	spec.Model, _ = modelWords.Lookup(v.String("model", mem.Arm.String()))
	spec.BufferedAtomics, _ = atomicsWords.Lookup(v.String("atomics", "performed"))
	o := explore.Options{
		Preemptions: int(v.Int("preemptions", -1)), Executions: int(v.Int("max_executions", 0)),
		Steps: int(v.Int("max_steps", 0)), Seed: session(L).RunSeed(), Stop: host.Of(L).Stopped,
	}
	o.Strategy, _ = strategyWords.Lookup(v.String("strategy", explore.Exhaustive.String()))
	return spec, o
}

// summary is the table that an exploration returns.
func summary(L *lua.LState, name string, r *explore.Report) *lua.LTable {
	t := L.NewTable()
	t.RawSetString("name", lua.LString(name))
	t.RawSetString("verdict", lua.LString(r.String()))
	t.RawSetString("verified", lua.LBool(r.Verified()))
	t.RawSetString("executions", lua.LNumber(r.Executions))
	t.RawSetString("redundant", lua.LNumber(r.Redundant))
	t.RawSetString("failures", lua.LNumber(r.Failures))
	if r.Failure != nil {
		t.RawSetString("finding", lua.LString(r.Failure.Finding))
	}
	return t
}

// stopped raises the user's interrupt.
func stopped(L *lua.LState, r *explore.Report) {
	if r.Limits&explore.Stopped != 0 {
		api.Raise(L, host.Of(L).Context().Err())
	}
}
