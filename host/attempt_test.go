package host_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// trier is a host whose module calls a function of the script as an Attempt.
func trier(t *testing.T, limits host.Limits, stderr *strings.Builder) (*host.Host, *[]host.Attempt) {
	t.Helper()
	var all []host.Attempt
	module := &api.Module{Name: "try", Funcs: []api.Func{
		{Name: "attempt", Params: []api.Param{api.P("fn", api.Function(), "")}, Fn: func(L *lua.LState) int {
			fn := api.FunctionAt(L, 1)
			all = append(all, host.Of(L).Attempt(L, func(L *lua.LState) {
				L.Push(fn)
				L.Call(0, 0)
			}))
			return 0
		}},
		{Name: "accept", Fn: func(L *lua.LState) int {
			L.Push(lua.LBool(host.Of(L).Accept(L, all[len(all)-1])))
			return 1
		}},
		{Name: "fail", Fn: func(L *lua.LState) int {
			host.Of(L).Fail("failed")
			return 0
		}},
	}}
	h, err := host.New(host.Options{Modules: []*api.Module{module}, Preload: true, Limits: limits, Stderr: stderr})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h, &all
}

// TestAttempt: errors, the budget and failures are taken back, and count when they are accepted.
func TestAttempt(t *testing.T) {
	var stderr strings.Builder
	h, all := trier(t, host.Limits{Instructions: 2000}, &stderr)
	err := h.Run(context.Background(), "t", `
		try.attempt(function() error("no") end)
		assert(not try.accept())
		try.attempt(function() while true do end end) -- takes the whole budget
		assert(not try.accept())
		try.attempt(function() pcall(function() while true do end end) end)
		assert(not try.accept())
		try.attempt(function() try.fail() for i = 1, 200 do end end)
		for i = 1, 3 do assert(try.accept()) end
		while try.accept() do end`)
	var failed *host.FailedError
	if !errors.As(err, &failed) {
		t.Fatalf("the run ended with %v", err)
	}
	want := []bool{false, false, false, true}
	var done []bool
	for _, a := range *all {
		done = append(done, a.Done)
	}
	last := (*all)[len(*all)-1]
	if !slices.Equal(done, want) || last.Spent < 200 || last.Spent > 400 ||
		!slices.Equal(last.Failures, []string{"failed"}) {
		t.Errorf("attempts %+v", *all)
	}
	if n := strings.Count(stderr.String(), "failed"); n != failed.Count || n < 4 {
		t.Errorf("%d failures shown, %d counted", n, failed.Count)
	}
}

// TestAttemptIsStopped: the end of the run passes through an attempt, and so does a panic.
func TestAttemptIsStopped(t *testing.T) {
	var stderr strings.Builder
	h, all := trier(t, host.Limits{}, &stderr)
	ctx, cancel := context.WithCancel(context.Background())
	h.State().G.Global.RawSetString("cancel", h.State().NewFunction(func(L *lua.LState) int {
		cancel()
		return 0
	}))
	err := h.Run(ctx, "t", `try.attempt(function() cancel() while true do end end) error("went on")`)
	var stopped *host.StoppedError
	if !errors.As(err, &stopped) || len(*all) != 0 {
		t.Errorf("ended with %v, %d attempts", err, len(*all))
	}
}

// TestReseed: what math.random draws depends on the seed alone, and what it drew before goes on afterwards.
func TestReseed(t *testing.T) {
	h, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	draw := func() string {
		values, err := h.Eval(context.Background(), "t", "math.random(1000000)")
		if err != nil {
			t.Fatal(err)
		}
		return values[0].String()
	}
	restore := h.Reseed(7)
	first := draw()
	restore()
	outer := draw()
	restore = h.Reseed(7)
	again := draw()
	restore()
	if first != again || first == outer || outer == draw() {
		t.Errorf("drew %s and %s of one seed, %s outside", first, again, outer)
	}
}
