package host_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// limitedHost makes a host with limits and the Go functions for tests.
func limitedHost(t testing.TB, out *bytes.Buffer, limits host.Limits) *host.Host {
	t.Helper()
	h, err := host.New(host.Options{
		Modules: []*api.Module{goModule}, Preload: true, Stdout: out, Stderr: out, Limits: limits,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// TestBudget expects a budget to end a run after the same number of rounds each time, wherever they are made, and with
// or without a limit of memory.
func TestBudget(t *testing.T) {
	const budget = 100_000
	for _, source := range []string{
		`while true do n = n + 1 end`,
		`coroutine.wrap(function() while true do n = n + 1 end end)()`,
		`local co = coroutine.wrap(function() while true do n = n + 1 coroutine.yield() end end) while true do co() end`,
		`go.thread(function() while true do n = n + 1 end end)`,
		`while true do pcall(function() while true do n = n + 1 end end) end`,
		`while true do n = n + 1 local s = n .. "a" .. n string.find(s, "1+a*") table.sort({n, 3, 2, 1}) end`,
	} {
		var rounds []string
		for _, memory := range []int64{0, 0, 1 << 30} {
			h := limitedHost(t, new(bytes.Buffer), host.Limits{Instructions: budget, Memory: memory})
			if err := h.Run(context.Background(), "test.lua", "n = 0"); err != nil {
				t.Fatal(err)
			}
			err := h.Run(context.Background(), "test.lua", source)
			var limit *host.LimitError
			if !errors.As(err, &limit) || host.ExitCode(err) != 1 {
				t.Fatalf("%s: %v", source, err)
			}
			rounds = append(rounds, h.Global("n").String())
		}
		if rounds[0] == "0" || rounds[1] != rounds[0] || rounds[2] != rounds[0] {
			t.Errorf("%s: ended after %v rounds", source, rounds)
		}
	}
}

// TestBudgetFits expects a script that needs less than its budget not to notice, run after run.
func TestBudgetFits(t *testing.T) {
	h := limitedHost(t, new(bytes.Buffer), host.Limits{Instructions: 10_000, Memory: 1 << 30})
	for range 100 {
		if err := h.Run(context.Background(), "test.lua", `for i = 1, 1000 do local x = i * i end`); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLimitErrors checks what the errors wrap.
func TestLimitErrors(t *testing.T) {
	h := limitedHost(t, new(bytes.Buffer), host.Limits{Instructions: 1000})
	err := h.Run(context.Background(), "test.lua", "\nwhile true do end")
	var stopped *host.StoppedError
	if !errors.As(err, &stopped) || stopped.File != "test.lua" || stopped.Line != 2 {
		t.Errorf("got %v", err)
	}
	cause := &host.LimitError{Msg: "5 ms are over", Err: context.DeadlineExceeded}
	ctx, cancel := context.WithTimeoutCause(context.Background(), 5*time.Millisecond, cause)
	defer cancel()
	err = limitedHost(t, new(bytes.Buffer), host.Limits{}).Run(ctx, "test.lua", "while true do end")
	if !errors.Is(err, context.DeadlineExceeded) || err.Error() != "test.lua:1: stopped: 5 ms are over" {
		t.Errorf("got %v", err)
	}
}

// TestFreedMemory expects a host whose script has filled its memory to be usable once that is let go.
func TestFreedMemory(t *testing.T) {
	h := limitedHost(t, new(bytes.Buffer), host.Limits{Memory: 32 << 20})
	ctx := context.Background()
	if err := h.Run(ctx, "test.lua", `all = {} while true do all[#all + 1] = {} end`); err == nil {
		t.Fatal("the memory has no end")
	}
	if err := h.Run(ctx, "test.lua", `all = nil`); err != nil {
		t.Fatal(err)
	}
	if err := h.Run(ctx, "test.lua", `for i = 1, 100000 do local t = {i} end`); err != nil {
		t.Errorf("the memory was let go: %v", err)
	}
}

// TestChecked runs what is compiled differently under limits, and expects the same of it.
func TestChecked(t *testing.T) {
	for _, source := range []string{
		`return "a" .. 1 .. 2.5 .. "b", 1 .. 2`,
		`local function two() return "x", "y" end return "a" .. two(), two() .. "a", ("a" .. (two())) .. two()`,
		`return (function(...) return "a" .. ... end)("b", "c")`,
		`local function f() return "a" .. "b" end return f(), f()`,
		`return ("a" .. "b") .. ("c" .. ("d" .. "e")) .. #("f" .. "g")`,
		`local order = {} local function o(x) order[#order + 1] = x return x end
			local s = o "a" .. o "b" .. (o "c" .. o "d") .. o "e" return s, table.concat(order)`,
		`local mt = {} mt.__concat = function(a, b)
				local function text(v) return type(v) == "table" and v.name or v end
				return setmetatable({name = "(" .. text(a) .. text(b) .. ")"}, mt)
			end
			local t = setmetatable({name = "t"}, mt)
			return (t .. "a").name, ("a" .. t).name, ("a" .. "b" .. t .. "c" .. "d").name, (t .. t .. 1).name`,
		`return pcall(function() return "a" .. nil end)`,
		`return pcall(function() return "a" .. "b" .. {} .. "c" end)`,
		`return pcall(function() return print .. "c" end)`,
		`local t = {} t[1], t[2], t.x, t["y"], t[#t + 1] = 1, 2, 3, 4, 5 return t`,
		`local i, t = 1, {} i, t[i] = i + 1, 20 return i, t`,
		`local t = {[1] = "a", [1 + 1] = "b", ["c"] = "d", [true] = 1, e = 2, [1.5] = 3, "z"} return t`,
		`local function f() return 1, 2 end local t = {[f()] = f()} t[f()] = t[f()] .. "x" return t`,
		`local t = setmetatable({}, {__newindex = function(t, k, v) rawset(t, k .. "!", v) end}) t["a" .. 1] = "b" return t`,
		`return pcall(function() local t t["a" .. "b"] = 1 end)`,
		`return pcall(function() local t = {} t[nil .. "x"] = 1 end)`,
		`local t = {} for i = 100000, 1, -25000 do t[i] = i end return t[100000], #t > 0`,
		`local s = "" for i = 1, 10 do s = s .. i .. (i % 2 == 0 and "," or ";") end return s`,
		`local f = load "return 'a' .. ... .. 'c'" return f "b"`,
		`return "\0c" .. "iiiiiiii" .. "c"`,
	} {
		var want string
		for i, limits := range []host.Limits{{}, {Instructions: 1 << 40}, {Memory: 1 << 40}} {
			h := limitedHost(t, new(bytes.Buffer), limits)
			values, err := h.Eval(context.Background(), "test.lua", source)
			got := fmt.Sprintf("%s %v", api.Inspect(values...), err)
			if i == 0 {
				want = got
			}
			if got != want || err != nil {
				t.Errorf("%s\n with %+v: %s\nwithout limits: %s", source, limits, got, want)
			}
		}
	}
}

// TestLimitedHosts runs hosts with different limits at once; each must meet its own.
func TestLimitedHosts(t *testing.T) {
	results := make(chan error)
	const hosts = 4
	for i := range hosts {
		budget := int64(i+1) * 10_000
		h := limitedHost(t, new(bytes.Buffer), host.Limits{Instructions: budget})
		go func() {
			err := h.Run(context.Background(), "test.lua", mixedScript+` while true do pcall(error) end`)
			want := fmt.Sprintf("test.lua:8: stopped: the budget of %d instructions is used up", budget)
			if err != nil && err.Error() == want {
				err = nil
			}
			results <- err
		}()
	}
	for range hosts {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

// TestStopNamesALineOfTheText ends a script after each of its instructions.
func TestStopNamesALineOfTheText(t *testing.T) {
	for source, lines := range map[string][]int{
		"local x = 1\n\nlocal y = 2\n\n\n-- the end":          {1, 3},
		"local function f()\n  local x\nend\n\nf()\n\n":       {1, 2, 3, 5},
		"load('local x = 1\\nlocal y = 2', '@test')()\n":      {1, 2},
		"local t = {\n  1,\n  2\n}\nprint(\n  t\n)\n\n-- end": {1, 2, 3, 4, 5, 6, 7},
	} {
		for budget := int64(1); ; budget++ {
			err := limitedHost(t, new(bytes.Buffer), host.Limits{Instructions: budget}).Run(t.Context(), "test", source)
			if err == nil {
				break
			}
			var stopped *host.StoppedError
			if !errors.As(err, &stopped) || !slices.Contains(lines, stopped.Line) {
				t.Errorf("%q ended after %d instructions: %v", source, budget, err)
			}
		}
	}
}
