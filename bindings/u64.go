package bindings

import (
	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// U64Module makes u64 objects: u64"0xffff_8000_0000_0000". The class itself is api.U64Class, which every host has.
var U64Module = &api.Module{
	Name: "u64",
	Doc: "64-bit unsigned integers. Lua numbers are exact up to 2^53 only, so registers, addresses and table entries " +
		"are u64 objects, made from a string or from an exact integer.",
	Example: `local u64 = require "u64"; print(u64"0xffff_8000_0000_0000":bits(63, 48))`,
	Call: &api.Func{
		Name: "u64",
		Doc:  "Makes a u64.",
		Params: []api.Param{
			api.P("value", api.Either(api.U64(), api.String()), "hexadecimal (0x), binary (0b) or decimal digits, "+
				"or an integer"),
		},
		Returns: []api.Param{api.P("value", api.ObjectOf(api.U64Class), "the 64-bit value")},
		Example: `u64"0xffff_8000_0000_0000"`,
		Fn:      u64New,
		Flow:    api.Computes,
	},
	Funcs: []api.Func{{
		Name:    "is",
		Doc:     "Tells whether a value is a u64 object.",
		Params:  []api.Param{api.Opt("value", api.Any(), "nil", "any value")},
		Returns: []api.Param{api.P("is_u64", api.Bool(), "true for u64 objects, false for numbers and all else")},
		Example: `u64.is(u64"1")`,
		Fn:      u64Is,
		Flow:    api.Passes,
	}},
	Fields: []api.Field{{
		Name: "max", Type: api.ObjectOf(api.U64Class), Doc: "The greatest value, 2^64-1.", Example: `u64.max`,
		Get: func(L *lua.LState) int {
			api.PushU64(L, 1<<64-1)
			return 1
		},
	}},
}

func u64New(L *lua.LState) int {
	text, ok := L.Get(1).(lua.LString)
	if !ok {
		api.PushU64(L, api.U64At(L, 1))
		return 1
	}
	v, err := api.ParseU64(string(text))
	if err != nil {
		api.Errorf(L, "u64: %v", err)
	}
	api.PushU64(L, v)
	return 1
}

func u64Is(L *lua.LState) int {
	_, ok := L.Get(1).(api.U64Value)
	L.Push(lua.LBool(ok))
	return 1
}
