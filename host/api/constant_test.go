package api_test

import (
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/host/api"
)

// TestConstants: fields that are constants are each object's own, beside methods, and read-only; they are asked for
// once, and the virtual machine finds members of both kinds without calling Go.
func TestConstants(t *testing.T) {
	asked := 0
	seat := &api.Class{
		Name: "Seat", Doc: "A seat.",
		Fields: []api.Field{{
			Name: "row", Type: api.Count(0), Doc: "Its row.", Example: "s.row", Constant: true,
			Get: func(L *lua.LState) int {
				asked++
				L.Push(lua.LNumber(api.Object[int](L, 1)))
				return 1
			},
		}},
		Funcs: []api.Func{{
			Name: "twice", Doc: "Twice its row.", Example: "s:twice()",
			Fn: func(L *lua.LState) int {
				L.Push(lua.LNumber(2 * api.Object[int](L, 1)))
				return 1
			},
		}},
	}
	L := lua.NewState()
	defer L.Close()
	api.Attach(L)
	L.SetGlobal("a", seat.New(L, 3))
	L.SetGlobal("b", seat.New(L, 4))
	const loop = `for i = 1, 3 do assert(a.row == 3 and b.row == 4 and a:twice() == 6 and b:twice() == 8) end`
	if err := L.DoString(loop); err != nil {
		t.Error(err)
	}
	if asked != 2 {
		t.Errorf("asked %d times for the row of 2 objects", asked)
	}
	for code, want := range map[string]string{
		"a.row = 5":            "Seat.row is read-only",
		"a.twice = 5":          "Seat:twice is a method and cannot be replaced",
		"return a.raw":         `Seat has no method or field "raw"; did you mean "row"?`,
		"return a.two":         `Seat has no method or field "two"`,
		"a.twice()":            "Seat:twice: called with a dot",
		"return tostring(a)+1": "cannot perform add operation",
	} {
		if err := L.DoString(code); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", code, err, want)
		}
	}
	if api.ClassOf(L.GetGlobal("a")) != seat {
		t.Error("the object has lost its class")
	}
}
