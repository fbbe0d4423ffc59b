package api_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// bareMethod returns a method of Lamp as a Lua value, and a lamp to call it on.
func bareMethod(t testing.TB, name string) (*lua.LState, lua.LValue, *lua.LUserData) {
	h, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	L := h.State()
	object := lampClass.New(L, &lamp{})
	return L, L.GetField(object, name), object
}

// TestBoundCallsAllocateNothing holds for calls from Go; those from Lua add what the virtual machine allocates for
// loop counters.
func TestBoundCallsAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for _, c := range []struct {
		method string
		args   []lua.LValue
	}{
		{"set", []lua.LValue{lua.LNumber(5), lua.LNumber(2000)}},
		{"set", []lua.LValue{lua.LNumber(5)}},
		{"paint", []lua.LValue{lua.LString("blue")}},
		{"plug", []lua.LValue{lua.LNumber(3)}},
	} {
		L, method, object := bareMethod(t, c.method)
		allocs := testing.AllocsPerRun(1000, func() {
			L.Push(method)
			L.Push(object)
			for _, arg := range c.args {
				L.Push(arg)
			}
			L.Call(1+len(c.args), 0)
		})
		if allocs != 0 {
			t.Errorf("%s%v: %v allocations a call", c.method, c.args, allocs)
		}
	}
}

// BenchmarkMethod is a bound method with two checked arguments, called from a Lua loop; BenchmarkRawMethod the same
// with gopher-lua alone, whose checks accept fractions.
func BenchmarkMethod(b *testing.B) {
	h, err := host.New(host.Options{Modules: []*api.Module{shopModule}, Preload: true})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	b.ReportAllocs()
	source := fmt.Sprintf(`local lamp = shop.lamp() for i = 1, %d do lamp:set(1, 2) end`, b.N)
	if err := h.Run(context.Background(), "bench.lua", source); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkRawMethod(b *testing.B) {
	L := lua.NewState()
	defer L.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	L.SetContext(ctx)
	methods, mt := L.NewTable(), L.NewTable()
	methods.RawSetString("set", L.NewFunction(func(L *lua.LState) int {
		L.CheckUserData(1).Value.(*lamp).level = L.CheckInt(2) + L.CheckInt(3)
		return 0
	}))
	mt.RawSetString("__index", methods)
	L.SetGlobal("lamp", &lua.LUserData{Value: &lamp{}, Metatable: mt})
	b.ReportAllocs()
	if err := L.DoString(fmt.Sprintf(`local lamp = lamp for i = 1, %d do lamp:set(1, 2) end`, b.N)); err != nil {
		b.Fatal(err)
	}
}

// TestContradictions expects descriptors that contradict themselves to be refused when they are installed.
func TestContradictions(t *testing.T) {
	none := func(*lua.LState) int { return 0 }
	withParams := func(params ...api.Param) api.Func { return api.Func{Name: "f", Fn: none, Params: params} }
	a, b := api.P("a", api.Any(), ""), api.P("b", api.Any(), "")
	for name, f := range map[string]api.Func{
		"no implementation":       {Name: "f"},
		"no type":                 withParams(api.Param{Name: "a"}),
		"two of a name":           withParams(a, a),
		"required after optional": withParams(api.Opt("o", api.Any(), "", ""), b),
		"variadic not last":       withParams(api.Rest("r", api.Any(), ""), b),
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("the descriptor was accepted")
				}
			}()
			h, err := host.New(host.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			api.NewModule(h.State(), &api.Module{Name: "m", Funcs: []api.Func{f}})
		})
	}
}
