package host_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// unwinding is a panic value of an engine that tears its programs down.
type unwinding struct{ reason string }

func (unwinding) Unwind() {}

// goModule lets scripts reach Go code that misbehaves.
var goModule = &api.Module{Name: "go", Funcs: []api.Func{
	{Name: "bug", Fn: func(*lua.LState) int { panic("BUG: the cache line has two owners") }},
	{Name: "crash", Fn: func(L *lua.LState) int {
		var none []int
		return none[L.GetTop()]
	}},
	{Name: "unwind", Fn: func(*lua.LState) int { panic(unwinding{"machine dropped"}) }},
	{Name: "call", Params: []api.Param{api.P("f", api.Function(), "")}, Fn: func(L *lua.LState) int {
		L.Push(api.FunctionAt(L, 1))
		L.Call(0, 1)
		return 1
	}},
	{Name: "usage", Fn: func(L *lua.LState) int {
		api.Raise(L, fmt.Errorf("bench.params: %w", &host.UsageError{Msg: "no parameter \"x\""}))
		return 0
	}},
	{Name: "fail", Fn: func(L *lua.LState) int {
		host.Of(L).Fail("it failed")
		return 0
	}},
	{Name: "nested", Doc: "Calls a function on the thread, as an interrupt does.", Params: []api.Param{
		api.P("f", api.Function(), ""),
	}, Fn: func(L *lua.LState) int {
		if _, err := host.ThreadOf(L).Call(api.FunctionAt(L, 1)); err != nil {
			api.Raise(L, err)
		}
		return 0
	}},
	{Name: "thread", Doc: "Runs a function on a thread, as a machine does.", Params: []api.Param{
		api.P("f", api.Function(), ""),
	}, Fn: func(L *lua.LState) int {
		t := host.Of(L).NewThread()
		values, err := t.Call(api.FunctionAt(L, 1), lua.LNumber(7))
		t.Release()
		if err != nil {
			api.Raise(L, fmt.Errorf("%w (CPU 3)", err))
		}
		for _, v := range values {
			L.Push(v)
		}
		return len(values)
	}},
}}

func newHost(t testing.TB, out *bytes.Buffer) *host.Host {
	t.Helper()
	h, err := host.New(host.Options{
		Modules: []*api.Module{goModule}, Preload: true, Stdout: out, Stderr: out, Seed: 5, Args: []string{"a1"},
		Dir: "scripts", FS: fstest.MapFS{
			"bom.lua":        {Data: []byte("\ufeffreturn 2")},
			"util.lua":       {Data: []byte("return {twice = function(x) return 2 * x end}")},
			"sub/deep.lua":   {Data: []byte("return 'deep'")},
			"one.lua":        {Data: []byte("return require 'two'")},
			"two.lua":        {Data: []byte("return require 'one'")},
			"broken.lua":     {Data: []byte("local x =\n= 1")},
			"raises.lua":     {Data: []byte("\nerror 'no'")},
			"notlua.txt":     {Data: []byte("x")},
			"quiet.lua":      {Data: []byte("loads = (rawget(_G, 'loads') or 0) + 1")},
			"executable.lua": {Data: []byte("#!/usr/bin/hwscript\nreturn 1")},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// TestScripts runs scripts that succeed.
func TestScripts(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`print(1, 1.5, "x", nil, true, {}, print, coroutine.create(print), math, go)`,
			"1\t1.5\tx\tnil\ttrue\ttable\tfunction\tthread\ttable\tmodule go"},
		{`print(setmetatable({}, {__tostring = function() return "me" end}))`, "me"},
		{`x = 1 x = x + 1 print(x, _G.x, rawget(_G, "y"))`, "2\t2\tnil"},
		{`print(inspect({1, a = {"x"}}, "x", nil, 1), {1})`, "{1, a = {\"x\"}}\t\"x\"\tnil\t1\ttable"},
		{`print(arg[1], #arg)`, "a1\t1"},
		{`print(require "util".twice(4), require "util" == require "util.lua", require "sub.deep", require "sub/deep")`,
			"8\ttrue\tdeep\tdeep"},
		{`print(require "math" == math, require "go" == go, require "executable")`, "true\ttrue\t1"},
		{"\ufeffprint(require 'bom', load('\ufeffreturn 3')())", "2\t3"},
		{"\ufeff#!/usr/bin/hwscript\nprint(4)", "4"},
		{`local e = {code = 7} local ok, got = pcall(go.thread, function() error(e) end) print(ok, got == e)`, "false\ttrue"},
		{`local mt = {__tostring = function() return "my own" end}
			print(pcall(go.thread, function() error(setmetatable({}, mt)) end))`, "false\tmy own"},
		{`require "quiet" require "quiet" print(loads)`, "1"},
		{`local t = {} for i = 1, 1e6 do t[i] = i end print(#table.concat(t))`, "5888896"},
		{`local function f(n) return n == 0 and 0 or 1 + f(n - 1) end print(f(3000))`, "3000"},
		{`print(select("#", unpack({}, 1, 100000)))`, "100000"},
		{`print(go.call(function() return select("#", unpack({}, 1, 100000)) end))`, "100000"},
		{`local function f(n, x) return n == 0 and x or f(n - 1, x) + 0 end
			print(go.thread(function(x) return f(3000, x), 8 end))`,
			"7\t8"},
		{`local n = tonumber print(n "1e5", n "0xff", n("zz", 36), n " -7 ", n "x", n "1.5", n "")`,
			"100000\t255\t1295\t-7\tnil\t1.5\tnil"},
		{`print(string.format("%5.2f|%-4d|%04x|%s|%q|%%|%g|%c|%i|%u", 1.5, 7, 255, {}, 'a"b\n', 0.1, 65, -3, 4))`,
			" 1.50|7   |00ff|table|\"a\\\"b\\\n\"|%|0.1|A|-3|4"},
		{`print(("%s %d"):format("a", "12"), #("x"):rep(10), ("abc"):upper())`, "a 12\t10\tABC"},
		{`print(string.format("%x", -1), math.huge == 1/0, collectgarbage())`, "ffffffffffffffff\ttrue\t0"},
		{`print(load("return 1 + 1")(), loadstring("return 3")(), load("x ="))`,
			"2\t3\tnil\tload:1: unexpected end of the source text; is an 'end' or a closing bracket missing?"},
		{`local parts = {"return ", "5"} local i = 0 print(load(function() i = i + 1 return parts[i] end)())`, "5"},
		{`print(pcall(error, {code = 1}))`, "false\ttable"},
		{`print(pcall(function() local x x[{}] = 1 end))`,
			"false\ttest.lua:1: attempt to index a non-table object(nil) with key 'table'"},
		{`print(xpcall(function() error "a" end, function(m) return "handled " .. m end))`,
			"false\thandled test.lua:1: a"},
		{`print(xpcall(function() return 1, 2 end, print))`, "true\t1\t2"},
		{`local co = coroutine.wrap(function(a) local b = coroutine.yield(a + 1) return b * 2 end) print(co(1), co(10))`,
			"2\t20"},
		{`local co = coroutine.create(function() error "x" end) print(coroutine.resume(co)) print(coroutine.status(co))`,
			"false\ttest.lua:1: x\ndead"},
		{`local co = coroutine.wrap(function() return coroutine.yield(1) end) print(co(), co(2))`, "1\t2"},
		{`local function f() return coroutine.yield(1) end
			local co = coroutine.wrap(function() return 0, f() end) print(co(), co(2))`,
			"1\t0\t2"},
		{`print(coroutine.wrap(math.max)(1, 2), coroutine.resume(coroutine.create(pcall), math.max, 3, 4))`,
			"2\ttrue\ttrue\t4"},
		{`local co = coroutine.wrap(function() print(pcall(coroutine.yield, 1)) coroutine.yield(2) end) print(co())`,
			"false\ttest.lua:1: coroutine.yield: cannot yield inside pcall, sort, gsub or another function written in Go\n2"},
		{`for k in pairs(coroutine) do print(k) end`, "create\nresume\nrunning\nstatus\nwrap\nyield"},
		{`print(pcall(setmetatable, "", {}))`,
			"false\ttest.lua:1: bad argument #1 to (anonymous) (table expected, got string)"},
	} {
		var out bytes.Buffer
		err := newHost(t, &out).Run(context.Background(), "test.lua", c.source)
		if got := strings.TrimSuffix(out.String(), "\n"); err != nil || got != c.want {
			t.Errorf("%s\n got %s %v\nwant %s", c.source, got, err, c.want)
		}
	}
}

// TestPortable runs what Go does differently on different processors; 386 differs most from amd64.
func TestPortable(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`print(2^63, -2^63, 2^64, 1/0)`, "9.223372036854776e+18\t-9223372036854775808\t1.8446744073709552e+19\t+Inf"},
		{`print(2^63 .. "", tostring(2^63), table.concat {2^63}, ("%s"):format(2^63), ("a"):gsub("a", 2^63))`,
			strings.Repeat("9.223372036854776e+18\t", 5) + "1"},
		{`print(string.rep(2^63, 1), string.len(2^63), string.sub(2^63, 1, 3), string.byte(2^63, 3))`,
			"9.223372036854776e+18\t21\t9.2\t50"},
		{`print(("abc"):find("a", 1e19), ("abc"):find("c", -1e19), ("abc"):match("c", 2^32 + 1))`, "nil\t3\tnil"},
		{`print(("abc"):sub(1, 2^32 + 2), #("abc"):sub(2^32 + 1), ("abc"):sub(-1e300), #("abc"):sub(1, -1e19))`,
			"abc\t0\tabc\t0"},
		{`print(select("#", ("abc"):byte(2^32 + 1)), select("#", select(2^32 + 1, 1, 2)), ("aa"):gsub("a", "b", 2^32 + 1))`,
			"0\t0\tbb\t2"},
		{`print(table.concat({1, 2}, ",", 2^32 + 1), table.remove({1, 2}, 2^32 + 1), unpack({1, 2}, 2^32 + 2))`, "\tnil"},
		{`print(math.ldexp(1, 2^32), math.ldexp(1, -2^32), pcall(unpack, {}, 0/0))`,
			"+Inf\t0\tfalse\ttest.lua:1: bad argument #2 to (anonymous) (the number is NaN)"},
		{`print(pcall(string.char, 2^32 + 65))`,
			"false\ttest.lua:1: bad argument #1 to (anonymous) (expected a character code in 0..255, got 4294967361)"},
		{`print(pcall(table.insert, {}, 2^40, 1))`,
			"false\ttest.lua:1: bad argument #2 to (anonymous) (the position is out of bounds)"},
		{`print(pcall(math.random, 1e19))`,
			"false\ttest.lua:1: bad argument #1 to (anonymous) (expected a number from -2^53 to 2^53, got 1e+19)"},
		{`print(pcall(math.randomseed, 1e19))`,
			"false\ttest.lua:1: bad argument #1 to (anonymous) (expected a number from -2^53 to 2^53, got 1e+19)"},
		{`print(pcall(tonumber, "1", 2^32 + 10))`,
			"false\ttest.lua:1: tonumber: argument 2 \"base\": expected integer in 2..36, got 4294967306"},
		{`local t = {[2^63] = 1, [2^32 + 1] = 2} for k, v in pairs(t) do print(k, v) end print(t[2^63], t[1])`,
			"9.223372036854776e+18\t1\n4294967297\t2\n1\tnil"},
		{`print(("%d %x"):format(2^53, 2^63), pcall(string.format, "%d", 2^63))`,
			"9007199254740992 8000000000000000\tfalse\ttest.lua:1: string.format: argument 2: expected integer, " +
				"got 9.223372036854776e+18"},
	} {
		var out bytes.Buffer
		err := newHost(t, &out).Run(context.Background(), "test.lua", c.source)
		if got := strings.TrimSuffix(out.String(), "\n"); err != nil || got != c.want {
			t.Errorf("%s\n got %s %v\nwant %s", c.source, got, err, c.want)
		}
	}
}

// TestScriptErrors runs scripts that fail.
func TestScriptErrors(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`prnt "x"`, `test.lua:1: undefined global "prnt"; did you mean "print"?`},
		{`print(os)`, `test.lua:1: undefined global "os"`},
		{`io.write "x"`, `test.lua:1: undefined global "io"`},
		{`debug.traceback()`, `test.lua:1: undefined global "debug"`},
		{`dofile "x"`, `test.lua:1: undefined global "dofile"`},
		{`local function f() y = 1 end f()`,
			`test.lua:1: assignment to undefined global "y" inside a function; is a local missing?`},
		{"\n\nerror 'no'", `test.lua:3: no`},
		{`rawset(go, "call", print)`, `test.lua:1: module go is read-only`},
		{`table.insert(go, print)`, `test.lua:1: module go is read-only`},
		{`go.call = print`, `test.lua:1: module go is read-only`},
		{`setmetatable(go, {})`, `test.lua:1: cannot change a protected metatable`},
		{`error("no", 0)`, `test.lua:1: no`},
		{"local function f() error('no', 2) end\nf()", `test.lua:2: no`},
		{"local function f()\n  error('no', 1)\nend\nf()", `test.lua:2: no`},
		{"local function f() error('no', 3) end\nlocal function g()\n  f()\nend\ng()", `test.lua:5: no`},
		{"local function f() error('no', 2) end\nlocal ok, e = pcall(f)\nerror(e, 0)", `test.lua:3: no`},
		{`error("no", 1e9)`, `test.lua:1: no`},
		{"\nerror(setmetatable({}, {__tostring = function() return 'my own' end}))", `test.lua:2: my own`},
		{"\nerror(setmetatable({}, {__tostring = function() return {} end}))", `test.lua:2: error object: {}`},
		{"\nerror(setmetatable({}, {__tostring = function() error 'x' end}))", `test.lua:2: error object: {}`},
		{"\ngo.thread(function()\nerror(setmetatable({}, {__tostring = function() return 'my own' end})) end)",
			`test.lua:3: my own (CPU 3)`},
		{`error {code = 2}`, `test.lua:1: error object: {code = 2}`},
		{`go.thread(function() error {code = 2} end)`, `test.lua:1: error object: {code = 2} (CPU 3)`},
		{`local ok, e = pcall(go.thread, function() error {code = 2} end) error(e)`,
			`test.lua:1: error object: {code = 2} (CPU 3)`},
		{`error(nil)`, `test.lua:1: error object: nil`},
		{`local f f()`, `test.lua:1: attempt to call a non-function object`},
		{`local function f() return 1 + f() end f()`, `test.lua:1: stack overflow`},
		{`go.thread(function() local function f() return 1 + f() end f() end)`, `test.lua:1: stack overflow (CPU 3)`},
		{`print(1 .. {})`, `test.lua:1: cannot perform concat operation between number and table`},
		{`print(tonumber "9007199254740993")`,
			`test.lua:1: tonumber: 9007199254740993 is beyond 2^53, where Lua numbers stop being exact; use u64`},
		{`print(tonumber "0xffffffffffffffffff")`,
			`test.lua:1: tonumber: 0xffffffffffffffffff is beyond 2^53, where Lua numbers stop being exact; use u64`},
		{`string.format("%d", 1.5)`, `test.lua:1: string.format: argument 2: expected integer, got 1.5`},
		{`string.format("%d")`, `test.lua:1: string.format: argument 2: expected a value for "%d", got nothing`},
		{`string.format("%y", 1)`, `test.lua:1: string.format: "%y" is not a conversion`},
		{`string.format("%p", {})`, `test.lua:1: string.format: "%p" is not a conversion`},
		{`string.format("%1000d", 1)`, `test.lua:1: string.format: the width or precision in "%1000" is above 99`},
		{`math.random(2, 1)`, `test.lua:1: math.random: there is no exact integer in 2..1`},
		{`collectgarbage "count"`,
			`test.lua:1: collectgarbage: "count" is not supported: memory use differs from run to run`},
		{`table.concat {1, {}}`, `test.lua:1: table.concat: entry 2 is a table, not a string or number`},
		{`require "gone"`,
			`test.lua:1: require "gone": no such module, and no file gone.lua beside the script; did you mean "go"?`},
		{`require "../x"`,
			`test.lua:1: require "../x": expected the name of a module or of a .lua file beside the script or below it`},
		{`require "/etc/passwd"`, `test.lua:1: require "/etc/passwd": expected the name of a module or of a .lua file ` +
			`beside the script or below it`},
		{`require "notlua.txt"`,
			`test.lua:1: require "notlua.txt": no such module, and no file notlua/txt.lua beside the script; built in are go`},
		{`require "one"`, `scripts/two.lua:1: require "one": the files require each other: one.lua -> two.lua -> one.lua`},
		{`require "broken"`, `test.lua:1: scripts/broken.lua:2:1: syntax error near "="`},
		{`require "raises"`, `scripts/raises.lua:2: no`},
		{`go.thread(function() local x = nil .. "" end)`,
			`test.lua:1: cannot perform concat operation between nil and string (CPU 3)`},
		{`go.usage()`, `test.lua:1: bench.params: no parameter "x"`},
	} {
		var out bytes.Buffer
		err := newHost(t, &out).Run(context.Background(), "test.lua", c.source)
		var script *host.ScriptError
		if !errors.As(err, &script) || err.Error() != c.want {
			t.Errorf("%s\n got %v\nwant %s", c.source, err, c.want)
		}
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		source, want string
		incomplete   bool
	}{
		{"print(\n", `test.lua:1: unexpected end of the source text; is an 'end' or a closing bracket missing?`, true},
		{"for i = 1, 2 do\nprint(i)",
			`test.lua:2: unexpected end of the source text; is an 'end' or a closing bracket missing?`, true},
		{"y = 1\nx = [==[a\nb]=]\n\n", `test.lua:2: unterminated multiline string`, true},
		{"--[[ [=[ ]] x = '\\'[[' -- [[\ny = \"--[[\" --[=[ ]] open\n\n", `test.lua:2: unterminated comment`, true},
		{"x = 'a", `test.lua:1: unterminated string`, false},
		{"x = 'a\ny = 1", `test.lua:1: unterminated string near "a"`, false},
		{"x = 'a\\\nb\ny = 1", `test.lua:2: unterminated string near "a\nb"`, false},
		{"local x = = 1", `test.lua:1:11: syntax error near "="`, false},
		{"goto nowhere", `test.lua:1: no visible label 'nowhere' for <goto> at line 1`, false},
		{"x = 1\ny = {0x8000000000000000}",
			`test.lua:2: 0x8000000000000000 is beyond 2^53, where Lua numbers stop being exact; ` +
				`write u64"0x8000000000000000"`, false},
		{"x = 9007199254740993",
			`test.lua:1: 9007199254740993 is beyond 2^53, where Lua numbers stop being exact; ` +
				`write u64"9007199254740993"`, false},
	} {
		var out bytes.Buffer
		err := newHost(t, &out).Run(context.Background(), "test.lua", c.source)
		var syntax *host.SyntaxError
		if !errors.As(err, &syntax) || err.Error() != c.want || syntax.Incomplete != c.incomplete {
			t.Errorf("%q\n got %v\nwant %s", c.source, err, c.want)
		}
	}
	var out bytes.Buffer
	if err := newHost(t, &out).Run(context.Background(), "t", "x = {0x1fffffffffffff, 1e30, 0.5}"); err != nil {
		t.Errorf("exact literals are refused: %v", err)
	}
}

func TestTraceback(t *testing.T) {
	var out bytes.Buffer
	err := newHost(t, &out).Run(context.Background(), "test.lua", `
local function inner() error "deep" end
local function outer()
  inner()
end
pcall(function() end)
go.thread(function() outer() end)`)
	var script *host.ScriptError
	if !errors.As(err, &script) {
		t.Fatal(err)
	}
	want := "test.lua:2: in function 'inner'\ntest.lua:4: in function 'outer'\ntest.lua:7: in main chunk\n" +
		"test.lua:7: in main chunk"
	if script.File != "test.lua" || script.Line != 2 || script.Msg != "deep (CPU 3)" || script.Traceback != want {
		t.Errorf("got %+v\nwant traceback %s", script, want)
	}
}

func TestEval(t *testing.T) {
	var out bytes.Buffer
	h := newHost(t, &out)
	for _, c := range []struct{ source, want string }{
		{`1 + 1`, "[2]"}, {`return 1, 2`, "[1 2]"}, {`x = 5`, "[]"}, {`x`, "[5]"}, {`-- nothing`, "[]"}, {``, "[]"},
		{"\ufeff1 + 1", "[2]"},
	} {
		values, err := h.Eval(context.Background(), "input", c.source)
		if got := fmt.Sprint(values); err != nil || got != c.want {
			t.Errorf("%s: %s %v, want %s", c.source, got, err, c.want)
		}
	}
	for _, source := range []string{"1 +", "f(", "function f()", "if x then"} {
		_, err := h.Eval(context.Background(), "input", source)
		var syntax *host.SyntaxError
		if !errors.As(err, &syntax) || !syntax.Incomplete {
			t.Errorf("%s: %v is not recognised as incomplete", source, err)
		}
	}
}

// TestClosedAndBusy calls a host that is closed, and one from inside of its own run: from the script, from a program on
// a thread, and while it is being closed.
func TestClosedAndBusy(t *testing.T) {
	var h *host.Host
	calls := map[string]func() error{
		"Run":   func() error { return h.Run(t.Context(), "inner", "x = 1") },
		"Eval":  func() error { _, err := h.Eval(t.Context(), "inner", "1"); return err },
		"Close": func() error { return h.Close() },
		"Input": func() error {
			in, err := h.Input("inner", "1")
			if err != nil {
				return err
			}
			_, err = in.Run(t.Context())
			return err
		},
	}
	expect := func(where string, want error) {
		for name, call := range calls {
			if err := call(); err != want {
				t.Errorf("%s %s: got %v, want %v", name, where, err, want)
			}
		}
	}
	count := 0
	module := &api.Module{Name: "outer", Funcs: []api.Func{{Name: "call", Fn: func(*lua.LState) int {
		count++
		expect("inside a run", host.ErrBusy)
		return 0
	}}}}
	var err error
	if h, err = host.New(host.Options{Modules: []*api.Module{module, goModule}, Preload: true}); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{
		"outer.call()", "go.thread(function() outer.call() end)", "pcall(outer.call) error 'x'", "outer.call()",
	} {
		h.Run(t.Context(), "test.lua", source)
	}
	if count != 4 {
		t.Errorf("called %d times", count)
	}
	thread := h.NewThread()
	fn := evalFunction(t, h, "function() end")
	in, err := h.Input("input", "1")
	if err != nil {
		t.Fatal(err)
	}
	object := &lua.LUserData{}
	h.CloseWith(object, func() bool { expect("while it is being closed", host.ErrBusy); return true })
	if err := h.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	runtime.KeepAlive(object)
	expect("of a closed host", host.ErrClosed)
	if _, err := in.Run(t.Context()); err != host.ErrClosed {
		t.Errorf("Input.Run of a closed host: %v", err)
	}
	if _, err := thread.Call(fn); err != host.ErrClosed {
		t.Errorf("Thread.Call of a closed host: %v", err)
	}
}
