package bindings

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/host/api"
)

// sharedCell is a value that programs share. It is no hardware: its operations take no time and order no memory. Each
// is a step, so that it comes at its moment of simulated time, and the explorer tries every order.
type sharedCell struct {
	m         *machineObject
	value     lua.LValue
	object    sim.Object // as the seam names it
	execution int        // in which it was made; 0 outside of an exploration
}

// sharedObjects are the seam's names for the cells of a machine, in the order in which they are made.
const sharedObjects sim.Object = 1 << 62

// sharedValue is the value at position n, which must be one that nothing can change.
func sharedValue(L *lua.LState, n int) lua.LValue {
	switch v := L.Get(n).(type) {
	case lua.LNumber, lua.LString, lua.LBool, api.U64Value, *lua.LNilType:
		return v
	default:
		api.ArgErrorf(L, n, "a number, u64, string, boolean or nil")
		return nil
	}
}

var sharedFunc = api.Func{
	Name: "shared",
	Doc: "Makes a value that programs of different CPUs, handlers and devices share; Lua variables and tables they must " +
		"not. It is no hardware: using it takes no time and orders no memory accesses. Under explore.run it is made in the " +
		"program function.",
	Params:  []api.Param{api.Opt("value", api.Any(), "nil", "number, u64, string, boolean or nil")},
	Returns: []api.Param{api.P("shared", api.ObjectOf(sharedClass), "the value's holder")},
	Example: `local m = hw.machine("virt"); local hits = m:shared(0)
for i = 0, 1 do m:spawn(i, function(cpu) hits:add(1) end) end
m:run()
return hits`,
	Fn: func(L *lua.LState) int {
		m := machineAt(L)
		m.mustSeeNone(L, "Machine:shared")
		api.Boundary(L)
		c := &sharedCell{m: m, value: sharedValue(L, 2), object: sharedObjects + sim.Object(m.sharedCells)}
		if m.exploration != nil {
			c.execution = m.exploration.executions
		}
		m.sharedCells++
		L.Push(sharedClass.New(L, c))
		return 1
	},
}

var sharedClass = &api.Class{
	Name: "Shared", Doc: "A value that programs share, from m:shared. Each operation is a step of the program.",
	String: func(v any) string {
		c := v.(*sharedCell)
		if c.m.exploration != nil && c.m.inside() {
			return "shared value" // see mustSeeNone
		}
		return "shared " + api.Inspect(c.value)
	},
	Funcs: []api.Func{
		{
			Name: "get", Doc: "The value.", Returns: []api.Param{api.P("value", api.Any(), "what was set last")},
			Example: `hw.machine("virt"):shared(5):get()`,
			Fn: func(L *lua.LState) int {
				L.Push(sharedAt(L, false).value)
				return 1
			},
		},
		{
			Name: "set", Doc: "Changes the value.",
			Params:  []api.Param{api.Opt("value", api.Any(), "nil", "number, u64, string, boolean or nil")},
			Example: `hw.machine("virt"):shared():set("done")`,
			Fn: func(L *lua.LState) int {
				v := sharedValue(L, 2)
				sharedAt(L, true).value = v
				return 0
			},
		},
		{
			Name: "add", Doc: "Adds to a number or u64, as one step; sums with a u64 are modulo 2^64.",
			Params:  []api.Param{api.P("value", api.Any(), "number or u64")},
			Returns: []api.Param{api.P("sum", api.Any(), "the new value, a number or u64")},
			Example: `hw.machine("virt"):shared(1):add(2)`,
			Fn: func(L *lua.LState) int {
				c := sharedAt(L, true)
				sum, err := addShared(c.value, L.Get(2))
				if err != nil {
					api.Errorf(L, "Shared:add: %v", err)
				}
				c.value = sum
				L.Push(sum)
				return 1
			},
		},
	},
}

// sharedAt makes the step of an operation on the cell at position 1.
func sharedAt(L *lua.LState, write bool) *sharedCell {
	c := api.Object[*sharedCell](L, 1)
	m := c.m
	m.mustBeOpen(L)
	if x := m.exploration; x != nil && c.execution != x.executions {
		api.Errorf(L, "a shared value that was made outside of the program function, which must make all that an "+
			"execution uses")
	}
	p := m.Engine.Current()
	if p == nil || m.device != nil {
		m.Engine.Touch(c.object, write)
		return c
	}
	for _, cpu := range m.cpus {
		if cpu != nil && cpu.cpu.Proc() == p {
			cpu.boundaryOf(L, c.object, write)
			break
		}
	}
	return c
}

// boundaryOf is a step of the program on an object that is no hardware.
func (c *cpuObject) boundaryOf(L *lua.LState, object sim.Object, write bool) {
	if c.m.exploration != nil {
		c.unshared(L)
	} else if c.m.host.Stopped() {
		c.cpu.Proc().Pause()
	}
	c.cpu.Step(object, write)
}

func addShared(a, b lua.LValue) (lua.LValue, error) {
	x, number := a.(lua.LNumber)
	y, number2 := b.(lua.LNumber)
	if number && number2 {
		return x + y, nil
	}
	v, ok := api.ToU64(a)
	w, ok2 := api.ToU64(b)
	if !ok || !ok2 {
		return nil, fmt.Errorf("expected numbers or u64 values without a fraction, got %s and %s", api.Inspect(a),
			api.Inspect(b))
	}
	return api.U64Value(v + w), nil
}
