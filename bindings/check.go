package bindings

import (
	"fmt"
	"regexp"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// CheckModule lets scripts test what they simulate. A failed check is reported with its place; the script goes on, and
// the run's exit status is 1.
var CheckModule = &api.Module{
	Name:    "check",
	Doc:     "Checks that report file and line of a failure and go on; a run with failed checks exits with status 1.",
	Example: `local check = require "check"; check.eq(1 + 1, 2)`,
	Funcs: []api.Func{
		{
			Name: "eq",
			Doc: "Checks that two values are equal: numbers, u64s (also with numbers) and strings by value, " +
				"tables by contents.",
			Params: []api.Param{
				api.Opt("got", api.Any(), "nil", "the value under test"),
				api.Opt("want", api.Any(), "nil", "what it should be"),
				api.Opt("what", api.String(), "none", "text to put before the report"),
			},
			Returns: []api.Param{api.P("equal", api.Bool(), "whether the check held")},
			Example: `check.eq({1, 2}, {1, 2})`,
			Fn:      checkEq,
		},
		{
			Name: "ok",
			Doc:  "Checks that a value is neither false nor nil.",
			Params: []api.Param{
				api.Opt("value", api.Any(), "nil", "the value under test"),
				api.Opt("what", api.String(), "none", "text to put before the report"),
			},
			Returns: []api.Param{api.P("ok", api.Bool(), "whether the check held")},
			Example: `check.ok(2 > 1)`,
			Fn:      checkOK,
		},
		{
			Name: "fails",
			Doc:  "Checks that a function raises an error, and that its message matches.",
			Params: []api.Param{
				api.P("fn", api.Function(), "called without arguments"),
				api.Opt("pattern", api.String(), "any message", "Go regular expression that the message must match"),
			},
			Returns: []api.Param{api.P("failed", api.Bool(), "whether the check held")},
			Example: `check.fails(function() error "no such CPU" end, "CPU")`,
			Fn:      checkFails,
		},
	},
}

// report ends a check: what is "" if it held.
func report(L *lua.LState, failure string) int {
	api.Boundary(L)
	if failure != "" {
		host.Of(L).Fail(api.Place(L) + " " + failure)
	}
	L.Push(lua.LBool(failure == ""))
	return 1
}

// labelled puts the author's text at position n before a report.
func labelled(L *lua.LState, n int, name string) string {
	if what := api.OptStringAt(L, n, ""); what != "" {
		return name + ": " + what
	}
	return name
}

func checkEq(L *lua.LState) int {
	c := deepEqual{pairs: map[[2]*lua.LTable]bool{}}
	if difference := c.compare(L.Get(1), L.Get(2), ""); difference != "" {
		return report(L, labelled(L, 3, "check.eq")+": "+difference)
	}
	return report(L, "")
}

func checkOK(L *lua.LState) int {
	if api.BoolAt(L, 1) {
		return report(L, "")
	}
	return report(L, labelled(L, 2, "check.ok")+": got "+api.Inspect(L.Get(1)))
}

func checkFails(L *lua.LState) int {
	pattern, err := regexp.Compile(api.OptStringAt(L, 2, ""))
	if err != nil {
		api.ArgErrorf(L, 2, "regular expression (%v)", err)
	}
	_, err = host.Of(L).Try(L, api.FunctionAt(L, 1))
	switch {
	case err == nil:
		return report(L, "check.fails: no error was raised")
	case !pattern.MatchString(err.Error()):
		return report(L, fmt.Sprintf("check.fails: the message %q does not match %q", err, pattern))
	}
	return report(L, "")
}

// deepEqual compares values with their contents.
type deepEqual struct {
	pairs map[[2]*lua.LTable]bool // tables that are being compared, or were found equal
}

// compare returns "" or the first difference, with the path to it.
func (c *deepEqual) compare(got, want lua.LValue, path string) string {
	if g, ok := api.ToU64(got); ok {
		if w, ok := api.ToU64(want); ok && g == w {
			return ""
		}
	}
	g, ok := got.(*lua.LTable)
	w, ok2 := want.(*lua.LTable)
	if !ok || !ok2 {
		if got == want {
			return ""
		}
		return fmt.Sprintf("%sgot %s, want %s", prefix(path), api.Inspect(got), api.Inspect(want))
	}
	pair := [2]*lua.LTable{g, w}
	if g == w || c.pairs[pair] {
		return ""
	}
	c.pairs[pair] = true
	for _, key := range api.SortedKeys(g, w) {
		if d := c.compare(g.RawGet(key), w.RawGet(key), path+"["+api.Inspect(key)+"]"); d != "" {
			return d
		}
	}
	return ""
}

func prefix(path string) string {
	if path == "" {
		return ""
	}
	return "at " + path + ": "
}
