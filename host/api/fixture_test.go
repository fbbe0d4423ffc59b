package api_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// lamp is an object with methods only; rack has fields and an index.
type lamp struct {
	level int
	seen  uint64
}

type rack struct{ lamps [4]*lamp }

var colors = api.Words[int]{{"red", 1}, {"green", 2}, {"blue", 3}}

var lampClass = &api.Class{Name: "Lamp", Doc: "A lamp."}

var rackClass = &api.Class{Name: "Rack", Doc: "Four lamps.", String: func(any) string { return "rack of 4" }}

var mainsSchema = &api.Schema{
	Name: "mains", Doc: "The supply.",
	Options: []api.Param{
		api.Opt("volts", api.Int(110, 240), "230", "voltage in V"),
		api.Opt("shape", api.Enum("sine", "square"), "sine", "wave form"),
	},
}

var rackSchema = &api.Schema{
	Name: "rack", Doc: "A rack.",
	Options: []api.Param{
		api.P("name", api.String(), "label"),
		api.Opt("mains", api.OptionsOf(mainsSchema), "{}", "supply"),
		api.Opt("levels", api.ListOf(api.Int(0, 9)), "none", "first levels"),
		api.Opt("pair", api.TupleOf(api.P("a", api.String(), ""), api.P("b", api.Function(), "")), "none", "a pair"),
		api.Opt("id", api.U64(), "0", "64-bit id"),
	},
}

var shopModule = &api.Module{Name: "shop", Doc: "Things for tests."}

func init() {
	rackClass.Fields = []api.Field{
		{Name: "name", Type: api.String(), Doc: "label", Get: func(L *lua.LState) int {
			L.Push(lua.LString("r1"))
			return 1
		}},
		{Name: "level", Type: api.Int(0, 9), Doc: "level of all", Get: func(L *lua.LState) int {
			api.PushInt(L, int64(api.Object[*rack](L, 1).lamps[0].level))
			return 1
		}, Set: func(L *lua.LState) int {
			for _, l := range api.Object[*rack](L, 1).lamps {
				l.level = api.IntAt(L, 2)
			}
			return 0
		}},
	}
	rackClass.Index = &api.Index{
		Key: api.Int(0, 3), Value: api.ObjectOf(lampClass),
		Get: func(L *lua.LState) int {
			L.Push(lampClass.New(L, api.Object[*rack](L, 1).lamps[api.IntAt(L, 2)]))
			return 1
		},
	}
	rackClass.Funcs = []api.Func{{Name: "off", Doc: "Turns all off.", Fn: func(*lua.LState) int { return 0 }}}
}

func init() {
	lampClass.Funcs = []api.Func{
		{
			Name: "set", Doc: "Sets the level.",
			Params: []api.Param{api.P("level", api.Int(0, 9), "level"), api.Opt("ms", api.Count(1), "1", "time in ms")},
			Fn: func(L *lua.LState) int {
				api.Object[*lamp](L, 1).level = api.IntAt(L, 2) + api.OptIntAt(L, 3, 0)
				return 0
			},
		},
		{
			Name: "mark", Doc: "Stores a 64-bit value and returns it.",
			Params: []api.Param{api.P("value", api.U64(), "value")},
			Fn: func(L *lua.LState) int {
				l := api.Object[*lamp](L, 1)
				l.seen = api.U64At(L, 2)
				api.PushU64(L, l.seen)
				return 1
			},
		},
		{
			Name: "paint", Doc: "Paints it.", Params: []api.Param{api.P("color", colors.Type(), "color")},
			Fn: func(L *lua.LState) int {
				api.PushInt(L, int64(colors.At(L, 2)))
				return 1
			},
		},
		{
			Name: "plug", Doc: "Plugs it in.",
			Params: []api.Param{api.P("socket", api.Int(0, 100), "socket")},
			Fn: func(L *lua.LState) int {
				if api.IntAt(L, 2) > 3 {
					api.ArgErrorf(L, 2, "socket in 0..%d", 3)
				}
				return 0
			},
		},
	}
}

func init() {
	shopModule.Funcs = []api.Func{
		{Name: "lamp", Doc: "Makes a lamp.", Fn: func(L *lua.LState) int {
			L.Push(lampClass.New(L, &lamp{}))
			return 1
		}},
		{Name: "rack", Doc: "Makes a rack.", Params: []api.Param{api.Opt("o", api.OptionsOf(rackSchema), "{}", "options")},
			Fn: newRack},
		{Name: "light", Doc: "Lights a lamp.", Params: []api.Param{
			api.P("lamp", api.ObjectOf(lampClass), "which"), api.Rest("levels", api.Int(0, 9), "levels"),
		}, Fn: func(L *lua.LState) int { return 0 }},
		{Name: "kinds", Doc: "Takes one of each.", Params: []api.Param{
			api.P("n", api.Number(), ""), api.P("s", api.String(), ""), api.P("b", api.Bool(), ""),
			api.P("t", api.Table(), ""), api.P("f", api.Function(), ""), api.P("a", api.Any(), ""),
			api.P("e", api.Either(api.String(), api.OptionsOf(mainsSchema)), ""),
		}, Fn: func(*lua.LState) int { return 0 }},
		{Name: "preset", Doc: "Looks a preset up.", Params: []api.Param{api.P("name", api.String(), "name")},
			Fn: func(L *lua.LState) int {
				api.UnknownArg(L, 1, "preset", []string{"virt", "kunpeng920"})
				return 0
			}},
	}
	shopModule.Fields = []api.Field{{Name: "answer", Type: api.Count(0), Doc: "42", Get: func(L *lua.LState) int {
		api.PushInt(L, 42)
		return 1
	}}}
}

func newRack(L *lua.LState) int {
	o := rackSchema.At(L, 1)
	r := &rack{}
	for i := range r.lamps {
		r.lamps[i] = &lamp{level: int(o.Sub("mains").Int("volts", 230))}
	}
	L.Push(rackClass.New(L, r))
	return 1
}

// run runs a script that has the test module as a global and returns what it printed.
func run(t *testing.T, source string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	u64 := &api.Module{Name: "u64", Call: &api.Func{
		Name: "u64", Params: []api.Param{api.P("text", api.String(), "")},
		Fn: func(L *lua.LState) int {
			v, err := api.ParseU64(api.StringAt(L, 1))
			if err != nil {
				api.Errorf(L, "%v", err)
			}
			api.PushU64(L, v)
			return 1
		},
	}}
	h, err := host.New(host.Options{Modules: []*api.Module{shopModule, u64}, Preload: true, Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	err = h.Run(context.Background(), "test.lua", source)
	return strings.TrimSuffix(out.String(), "\n"), err
}
