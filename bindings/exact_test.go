package bindings

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// TestNo64BitValueChanges sends ten thousand random values, or a million with HWSCRIPT_LONG=1, through every kind of
// 64-bit parameter that the descriptors have: each arrives as it was sent, or is refused. A u64 object is never
// refused; a number is, unless it is an exact integer from 0 to 2^53-1.
func TestNo64BitValueChanges(t *testing.T) {
	values := 10_000
	if os.Getenv("HWSCRIPT_LONG") == "1" {
		values = 1_000_000
	}
	kinds := u64Params()
	if len(kinds) < 4 {
		t.Fatalf("found %d kinds of 64-bit parameters only", len(kinds))
	}
	for _, p := range kinds {
		t.Run(p.Type.String(), func(t *testing.T) { sendThrough(t, p, values) })
	}
}

// u64Params lists the parameters that take 64-bit values, one of each type.
func u64Params() []api.Param {
	r := NewReference()
	var kinds []api.Param
	add := func(params []api.Param) {
		for _, p := range params {
			same := func(k api.Param) bool { return k.Type.String() == p.Type.String() && k.Optional == p.Optional }
			if takesU64(p.Type) && !slices.ContainsFunc(kinds, same) {
				kinds = append(kinds, p)
			}
		}
	}
	addFuncs := func(funcs []api.Func) {
		for i := range funcs {
			add(funcs[i].Params)
		}
	}
	for _, m := range r.Modules {
		addFuncs(m.Funcs)
		if m.Call != nil {
			add(m.Call.Params)
		}
	}
	for _, c := range r.Classes {
		addFuncs(c.Funcs)
		addFuncs(c.Ops)
	}
	for _, s := range r.Tables {
		add(s.Options)
	}
	return kinds
}

// takesU64 reports whether a type is a 64-bit value, or one of several types is.
func takesU64(t api.Type) bool {
	isU64 := func(t api.Type) bool { return t.String() == api.U64().String() }
	return isU64(t) || !strings.HasPrefix(t.String(), "list") && slices.ContainsFunc(t.Members(), isU64)
}

// takesNegative reports whether a type takes negative integers besides.
func takesNegative(t api.Type) bool {
	return slices.ContainsFunc(t.Members(), func(m api.Type) bool { return m.String() == "integer" })
}

// sendThrough calls a function with one parameter of the kind, directly and by way of an option table.
func sendThrough(t *testing.T, p api.Param, values int) {
	var got uint64
	schema := &api.Schema{Name: "probe", Options: []api.Param{p}}
	probe := &api.Module{Name: "probe", Funcs: []api.Func{
		{Name: "direct", Params: []api.Param{p}, Fn: func(L *lua.LState) int {
			got, _ = api.ToU64(L.Get(1))
			return 0
		}},
		{Name: "option", Params: []api.Param{api.P("options", api.OptionsOf(schema), "")}, Fn: func(L *lua.LState) int {
			got = schema.At(L, 1).U64(p.Name, 0)
			return 0
		}},
	}}
	h, err := host.New(host.Options{Modules: []*api.Module{probe}, Preload: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	L := h.State()
	module := L.G.Global.RawGetString("probe")
	direct, option := L.GetField(module, "direct"), L.GetField(module, "option")
	table := L.NewTable()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range values {
		v := random.Uint64() >> random.UintN(64)
		got = ^v
		if i%16 == 0 {
			table.RawSetString(p.Name, api.U64Value(v))
			call(L, option, table)
		} else {
			call(L, direct, api.U64Value(v))
		}
		if got != v {
			t.Fatalf("%s: u64 0x%x became 0x%x", p.Name, v, got)
		}
		if i%8 == 0 && !takesNegative(p.Type) {
			sendNumber(t, L, direct, &got, random)
		}
	}
}

// sendNumber sends a Lua number near one of the limits of exactness, which must be refused or arrive.
func sendNumber(t *testing.T, L *lua.LState, direct lua.LValue, got *uint64, random *rand.Rand) {
	numbers := []float64{
		float64(random.Uint64()), math.Ldexp(1, 53) - float64(random.UintN(4)), -float64(random.UintN(4)),
		random.Float64() * 100, math.NaN(), math.Inf(1), float64(random.Uint64N(1 << 53)),
	}
	n := numbers[random.IntN(len(numbers))]
	exact := n >= 0 && n < 1<<53 && n == math.Trunc(n)
	*got = ^uint64(0)
	err := L.CallByParam(lua.P{Fn: direct, Protect: true}, lua.LNumber(n))
	switch {
	case exact && (err != nil || *got != uint64(n)):
		t.Fatalf("the number %v became 0x%x, error %v", n, *got, err)
	case !exact && err == nil:
		t.Fatalf("the number %v was taken as 0x%x", n, *got)
	}
}

func call(L *lua.LState, fn lua.LValue, arg lua.LValue) {
	L.Push(fn)
	L.Push(arg)
	L.Call(1, 0)
}

// TestMemoryKeepsEveryBit stores random values by way of a program and loads them again.
func TestMemoryKeepsEveryBit(t *testing.T) {
	h := newInspected(t)
	random := rand.New(rand.NewPCG(3, 4))
	values := make([]string, 500)
	for i := range values {
		values[i] = fmt.Sprintf("u64%q", fmt.Sprintf("0x%x", random.Uint64()))
	}
	code := `local m = hw.machine("virt"); local a = m:lines(1):addr(0)
		local values = {` + strings.Join(values, ", ") + `}
		m:run(0, function(cpu)
			for _, v in ipairs(values) do
				cpu:store(a, v)
				check.eq(cpu:load(a), v)
				check.eq(cpu:swap(a, 0), v)
			end
		end)`
	if err := h.Run(t.Context(), "input", code); err != nil {
		t.Error(err)
	}
}
