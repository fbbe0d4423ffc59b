package bindings

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"

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
	if difference := api.Difference(L, L.Get(1), L.Get(2)); difference != "" {
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
	pattern := patternAt(L, 2)
	_, err := host.Of(L).Try(L, api.FunctionAt(L, 1))
	switch {
	case err == nil:
		return report(L, "check.fails: no error was raised")
	case !pattern.MatchString(err.Error()):
		return report(L, fmt.Sprintf("check.fails: the message %q does not match %q", err, pattern))
	}
	return report(L, "")
}

// patternAt is the regular expression at position n. Matching takes its size times that of the text.
func patternAt(L *lua.LState, n int) *regexp.Regexp {
	const maxInstructions = 2000
	text := api.OptStringAt(L, n, "")
	parsed, err := syntax.Parse(api.Clip(text, maxInstructions), syntax.Perl)
	if err == nil {
		var program *syntax.Prog
		if program, err = syntax.Compile(parsed.Simplify()); err == nil && len(program.Inst) > maxInstructions {
			err = errors.New("it is too large")
		}
	}
	if len(text) > maxInstructions {
		err = errors.New("it is too long")
	}
	if err != nil {
		api.ArgErrorf(L, n, "regular expression (%v)", err)
	}
	return regexp.MustCompile(text)
}
