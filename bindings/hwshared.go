package bindings

import (
	"fmt"
	"hash/fnv"
	"math"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/host/api"
)

// sharedCell is a value that programs share. It is no hardware: its operations take no time and order no memory. Each
// is a step, so that it comes at its moment of simulated time, and the explorer tries every order.
type sharedCell struct {
	m        *machineObject
	value    lua.LValue // explored: the one from which executions begin
	object   uint64     // as an execution graph names it
	explored bool       // made in a program function of explore.run
}

// sharedObjects are the names of the cells of a machine in execution graphs, in the order in which they are made.
const sharedObjects = 1 << 61

// cellValues are what the cells of an exploration hold, by numbers that are made of the values, so that they are the
// same for all who explore a program; 0 is what a cell holds at first.
type cellValues map[uint64]lua.LValue

func (v *cellValues) number(value lua.LValue) uint64 {
	h := fnv.New64a()
	number, isNumber := value.(lua.LNumber)
	if isNumber {
		fmt.Fprintf(h, "number %x", math.Float64bits(float64(number)))
	} else {
		fmt.Fprintf(h, "%T %v", value, value)
	}
	n := h.Sum64() | 1
	if *v == nil {
		*v = cellValues{}
	}
	if held, known := (*v)[n]; known && held != value && !isNumber {
		panic("BUG: two values of cells have one number")
	}
	(*v)[n] = value
	return n
}

// holds is the value of a number.
func (c *sharedCell) holds(n uint64) lua.LValue {
	if n == 0 {
		return c.value
	}
	return c.m.exploration.cells[n]
}

// sharedValue is the value at position n, which must be one that nothing can change.
func sharedValue(L *lua.LState, n int) lua.LValue {
	switch v := L.Get(n).(type) {
	case api.U64Value:
		return api.U64Value(uint64(v)) // without what the value knows of where it comes from
	case lua.LNumber, lua.LString, lua.LBool, *lua.LNilType:
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
		c := &sharedCell{
			m: m, value: sharedValue(L, 2), object: sharedObjects + 8*uint64(m.sharedCells), explored: m.exploration != nil,
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
		if c.m.exploring() {
			return "shared value" // see mustSeeNone
		}
		return "shared " + api.Inspect(c.value)
	},
	Funcs: []api.Func{
		{
			Name: "get", Doc: "The value.", Returns: []api.Param{api.P("value", api.Any(), "what was set last")},
			Example: `hw.machine("virt"):shared(5):get()`,
			Fn: func(L *lua.LState) int {
				return sharedAt(L).access(L, keep)
			},
			Flow: api.Passes,
		},
		{
			Name: "set", Doc: "Changes the value.",
			Params:  []api.Param{api.Opt("value", api.Any(), "nil", "number, u64, string, boolean or nil")},
			Example: `hw.machine("virt"):shared():set("done")`,
			Fn: func(L *lua.LState) int {
				sharedAt(L).access(L, replace)
				return 0
			},
			Flow: api.Passes,
		},
		{
			Name: "add", Doc: "Adds to a number or u64, as one step; sums with a u64 are modulo 2^64.",
			Params:  []api.Param{api.P("value", api.Any(), "number or u64")},
			Returns: []api.Param{api.P("sum", api.Any(), "the new value, a number or u64")},
			Example: `hw.machine("virt"):shared(1):add(2)`,
			Fn: func(L *lua.LState) int {
				return sharedAt(L).access(L, add)
			},
			Flow: api.Passes,
		},
	},
}

// sharedAt is the cell at position 1.
func sharedAt(L *lua.LState) *sharedCell {
	c := api.Object[*sharedCell](L, 1)
	c.m.mustBeOpen(L)
	if x := c.m.exploration; x != nil && !c.explored {
		api.Errorf(L, "a shared value that was made outside of the program function, which must make all that an "+
			"execution uses")
	}
	return c
}

// cellOperation is what programs do with a cell.
type cellOperation struct {
	change  func(old, operand lua.LValue) (lua.LValue, error) // answers what the cell holds then
	operand int                                               // its position, 0 if there is none
	looks   bool                                              // the program gets what it finds
}

var (
	keep    = cellOperation{change: func(old, _ lua.LValue) (lua.LValue, error) { return old, nil }, looks: true}
	replace = cellOperation{change: func(_, operand lua.LValue) (lua.LValue, error) { return operand, nil }, operand: 2}
	add     = cellOperation{change: addShared, operand: 2, looks: true}
)

// access is an operation on a cell, as one step. It pushes what the cell holds then.
func (c *sharedCell) access(L *lua.LState, o cellOperation) int {
	operand := lua.LValue(lua.LNil)
	if o.operand > 0 {
		operand = sharedValue(L, o.operand)
	}
	old := c.value
	from := api.Sources{}
	x := c.m.exploration
	switch {
	case x == nil:
		c.step(L)
		old = c.value
	case x.done != nil:
		old = c.holds(x.done.Final(c.object, 8))
	case !x.outside:
		old, from = c.explore(L, o, operand)
	}
	now, err := o.change(old, operand)
	if err != nil {
		api.Errorf(L, "Shared:add: %v", err)
	}
	if x == nil || x.outside && x.done == nil {
		c.value = now
	}
	if v, ok := now.(api.U64Value); ok && !from.Empty() {
		now = caller(L).origins.Value(uint64(v), from)
	}
	L.Push(now)
	return 1
}

// step is the step of a program on the cell, timed.
func (c *sharedCell) step(L *lua.LState) {
	if p := threadOf(L); p != nil && p.runs(L) {
		if c.m.host.Stopped() {
			p.cpu.Proc().Pause()
		}
		p.cpu.Step()
	}
}

// explore is the step in an execution graph: an update of an object that orders no memory, and does not wait for the
// loads that its operand comes from. It answers what the cell held, unless the operation does not look, and where the
// result comes from.
func (c *sharedCell) explore(L *lua.LState, o cellOperation, operand lua.LValue) (lua.LValue, api.Sources) {
	x := c.m.exploration
	if c.m.device != nil {
		api.Errorf(L, "a shared value used in a function of device %s, which is explored: it is no part of the device",
			c.m.device.name)
	}
	p := caller(L)
	p.unshared(L)
	uses := api.Sources{}
	if o.operand > 0 {
		uses = p.origins.Of(L.Get(o.operand))
	}
	old, from := p.cpu.UpdateObject(c.object, func(old uint64) (now, result uint64, write bool) {
		value, err := o.change(c.holds(old), operand)
		if err != nil || o.operand == 0 {
			return old, old, false
		}
		return x.cells.number(value), old, true
	}, x.cells.number(operand), graph.Sources(uses))
	if !o.looks {
		return lua.LNil, uses
	}
	if _, computes := operand.(api.U64Value); computes { // the sum is a u64, which says where it comes from
		if _, err := o.change(c.holds(old), operand); err == nil {
			return c.holds(old), uses.Or(api.Sources(from))
		}
	}
	p.cpu.Settle(graph.Sources(from), true)
	return c.holds(old), uses
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
