package host_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		h, err := host.New(host.Options{})
		if err != nil {
			b.Fatal(err)
		}
		h.Close()
	}
}

func BenchmarkNewThread(b *testing.B) {
	h, err := host.New(host.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	b.ReportAllocs()
	for range b.N {
		h.NewThread()
	}
}

func BenchmarkThreadCall(b *testing.B) {
	h, err := host.New(host.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	fn, thread := evalFunction(b, h, `function() end`), h.NewThread()
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if _, err := thread.Call(fn); err != nil {
			b.Fatal(err)
		}
	}
}

// The cost of Lua code and of calls into Go. Limits cost those who ask for them, and no one else.
func BenchmarkScript(b *testing.B) {
	for _, c := range []struct{ name, source string }{
		{"loop", `function(n) local x = 0 for i = 1, n do x = x + i end end`},
		{"function", `function(n) local call = bench.call for i = 1, n do call(i) end end`},
		{"method", `function(n) local o = bench.object() for i = 1, n do o:call(i) end end`},
		{"equal", `function(n) local x, hits = 3, 0 for i = 1, n do if i == x then hits = i end end end`},
		{"equalplain", `function(n) local hits = 0 for i = 1, n do if i == "3" then hits = i end end end`},
		{"concat", `function(n) local s = "a" for i = 1, n do local x = s .. "b" end end`},
		{"index", `function(n) local t = {1, 2, 3} for i = 1, n do t[2] = t[3] t[3] = i end end`},
		{"find", `function(n) local find = string.find for i = 1, n do find("key = value", "(%w+)%s*=%s*(%w+)") end end`},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkScript(b, host.Options{}, c.source) })
		limits := host.Limits{Instructions: 1 << 50, Memory: 1 << 40}
		b.Run(c.name+"/limited", func(b *testing.B) { benchmarkScript(b, host.Options{Limits: limits}, c.source) })
	}
}

func benchmarkScript(b *testing.B, opts host.Options, source string) {
	opts.Modules, opts.Preload = []*api.Module{benchModule()}, true
	h, err := host.New(opts)
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	fn := evalFunction(b, h, source)
	h.State().SetGlobal("f", fn)
	run := fmt.Sprintf("f(%d)", b.N)
	b.ReportAllocs()
	b.ResetTimer()
	if err := h.Run(context.Background(), "bench.lua", run); err != nil {
		b.Fatal(err)
	}
}

// benchModule has the two kinds of functions that a module can have.
func benchModule() *api.Module {
	number := []api.Param{api.P("n", api.Count(0), "any")}
	class := &api.Class{Name: "Object", Funcs: []api.Func{{
		Name: "call", Params: number, Fn: func(L *lua.LState) int {
			api.Object[int](L, 1)
			return 0
		},
	}}}
	return &api.Module{Name: "bench", Funcs: []api.Func{
		{Name: "call", Params: number, Fn: func(*lua.LState) int { return 0 }},
		{Name: "object", Fn: func(L *lua.LState) int {
			L.Push(class.New(L, 1))
			return 1
		}},
	}}
}
