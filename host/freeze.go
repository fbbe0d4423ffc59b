package host

import (
	"errors"

	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// Freeze is a copy of a function that finds Lua's variables and tables as they are now, whatever becomes of them. It
// visits the values that they hold, for each of which the run on L is charged. The error says what cannot be copied.
// What the copy changes is nobody else's.
func (h *Host) Freeze(L *lua.LState, fn *lua.LFunction, visit func(v lua.LValue)) (*lua.LFunction, error) {
	f := &freezing{
		host: h, L: L, visit: visit, copies: map[any]lua.LValue{}, variables: map[*lua.Upvalue]*lua.Upvalue{},
	}
	frozen := f.function(fn)
	return frozen, f.err
}

// errGoesOn is why a function cannot be called again and again.
var errGoesOn = errors.New("an iterator or a coroutine would go on where it stands")

type freezing struct {
	host      *Host
	L         *lua.LState
	visit     func(v lua.LValue)
	copies    map[any]lua.LValue
	variables map[*lua.Upvalue]*lua.Upvalue
	err       error
}

func (f *freezing) value(v lua.LValue) lua.LValue {
	api.Spend(f.L, 1)
	f.visit(v)
	switch v := v.(type) {
	case *lua.LFunction:
		return f.function(v)
	case *lua.LTable:
		return f.table(v)
	case *lua.LState:
		f.err = errGoesOn
	}
	return v
}

func (f *freezing) function(fn *lua.LFunction) *lua.LFunction {
	if c, done := f.copies[fn]; done {
		return c.(*lua.LFunction)
	}
	switch {
	case fn.IsG && len(fn.Upvalues) > 0:
		f.err = errGoesOn
		return fn
	case fn.IsG:
		return fn
	}
	c := *fn
	f.copies[fn] = &c
	c.Upvalues = make([]*lua.Upvalue, len(fn.Upvalues))
	for i, uv := range fn.Upvalues {
		c.Upvalues[i] = f.variable(uv)
	}
	if globals := f.host.usesOf(fn.Proto).globals; len(globals) > 0 {
		c.Env = f.L.NewTable()
		c.Env.Metatable = f.host.globals.Metatable
		for i := range globals {
			name := globals[i].name
			c.Env.RawSetString(name, f.value(f.host.globals.RawGetString(name)))
		}
	}
	return &c
}

func (f *freezing) variable(uv *lua.Upvalue) *lua.Upvalue {
	if c, done := f.variables[uv]; done {
		return c
	}
	c := &lua.Upvalue{}
	f.variables[uv] = c
	c.SetValue(f.value(uv.Value()))
	return c
}

func (f *freezing) table(t *lua.LTable) *lua.LTable {
	if api.ModuleOf(t) != nil || t == f.host.globals.RawGetString("string") {
		return t
	}
	if c, done := f.copies[t]; done {
		return c.(*lua.LTable)
	}
	c := f.L.NewTable()
	f.copies[t] = c
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		c.RawSet(f.value(k), f.value(v))
	}
	c.Metatable = f.value(t.Metatable)
	return c
}
