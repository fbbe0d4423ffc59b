package bindings

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/host/api"
)

var decodeFunc = api.Func{
	Name: "decode", Doc: "Takes the value of a register apart into its fields, or with ITS_CMD a command of an ITS.",
	Params: []api.Param{
		api.P("register", api.String(), "name as in the manual; members of arrays with their number; or ITS_CMD"),
		api.P("value", api.U64(), "the register's value, or the first doubleword of a command"),
		api.Opt("dw1", api.U64(), "0", "of a command: the second"), api.Opt("dw2", api.U64(), "0", "the third"),
		api.Opt("dw3", api.U64(), "0", "the fourth"),
	},
	Returns: []api.Param{api.P("decoded", api.ObjectOf(decodedClass), "the fields; tostring and print give a line each")},
	Example: `hw.decode("ICC_SGI1R_EL1", u64"0x10003020001")`,
	Fn: func(L *lua.LState) int {
		name := api.StringAt(L, 1)
		if name == ITSCommand {
			L.Push(decodedClass.New(L, decodeCommand(L)))
			return 1
		}
		if _, ok := findRegister(name); !ok {
			api.UnknownArg(L, 1, "register", registerNames(""))
		}
		d, err := Decode(name, api.U64At(L, 2))
		if err != nil {
			api.ArgErrorf(L, 2, "a value of 32 bits")
		}
		L.Push(decodedClass.New(L, d))
		return 1
	},
}

// decodedClass is a register's value as a table of fields.
var decodedClass = &api.Class{
	Name: "Decoded", Doc: "A register's value, taken apart by hw.decode. Each field can be read by its name.",
	Funcs: []api.Func{{
		Name: "fields", Doc: "Lists the fields from the highest bit down.",
		Returns: []api.Param{api.P("fields", api.ListOf(api.Table()), "tables of name, hi and lo (bits), value, and doc")},
		Example: `hw.decode("GICD_CTLR", 0x12):fields()[1].name`,
		Fn: func(L *lua.LState) int {
			list := L.NewTable()
			for _, f := range api.Object[*DecodedRegister](L, 1).Fields {
				row := L.NewTable()
				row.RawSetString("name", lua.LString(f.Name))
				row.RawSetString("hi", lua.LNumber(f.Hi))
				row.RawSetString("lo", lua.LNumber(f.Lo))
				row.RawSetString("value", fieldValue(L, &f))
				row.RawSetString("doc", lua.LString(f.Doc))
				list.Append(row)
			}
			L.Push(list)
			return 1
		},
	}},
	Index: &api.Index{
		Doc: "value of the field of this name: a number, or a u64 if it has more than 53 bits",
		Key: api.String(), Value: api.Either(api.Count(0), api.U64()),
		Example: `hw.decode("ICC_SGI1R_EL1", u64"0x10003020001").INTID`,
		Get: func(L *lua.LState) int {
			for _, f := range api.Object[*DecodedRegister](L, 1).Fields {
				if f.Name == api.StringAt(L, 2) {
					L.Push(fieldValue(L, &f))
					return 1
				}
			}
			return 0
		},
		Names: func(v any) []string {
			var names []string
			for _, f := range v.(*DecodedRegister).Fields {
				names = append(names, f.Name)
			}
			return names
		},
	},
	String: func(v any) string { return v.(*DecodedRegister).String() },
}

// fieldValue is a number where every value of the field is one exactly.
func fieldValue(L *lua.LState, f *DecodedField) lua.LValue {
	const exactBits = 53
	if f.Hi-f.Lo < exactBits {
		return lua.LNumber(f.Value)
	}
	return api.U64Value(f.Value)
}
