package host

import (
	"fmt"
	"math"
	"strings"

	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// Copies are the Lua variables and tables that functions can change, of which each of several programs has its own, and
// as which they all begin: so a program can be run again and again, in turns with others, and find the same each time.
//
// Tables keep their identity: what changes is what they hold.
type Copies struct {
	host      *Host
	variables []*lua.Upvalue
	globals   []string
	tables    []*lua.LTable
	first     []lua.LValue // what the variables, then the globals, hold at first
	contents  []contents   // of the tables, at first
}

type contents struct {
	metatable lua.LValue
	entries   []entry
}

// A Copy is what the variables and tables hold for one program. The zero Copy holds nothing.
type Copy struct {
	values []lua.LValue // of the variables, then of the globals
	tables []lua.LTable
}

// NewCopies makes the present state the one from which the programs begin that use some functions. Others may change
// it, too, but do not run in turns with them. The error says what cannot be copied.
func (h *Host) NewCopies(others []*lua.LFunction, functions ...*lua.LFunction) (*Copies, error) {
	r := h.newReach()
	for _, fn := range functions {
		r.function(fn)
	}
	used := len(r.nodes)
	for _, fn := range others {
		r.function(fn)
	}
	c := &Copies{host: h}
	if !r.stores {
		return c, nil
	}
	for i := range used {
		n := &r.nodes[i]
		switch what := n.what.(type) {
		case *lua.Upvalue:
			if n.stored {
				c.variables = append(c.variables, what)
			}
		case globalName:
			if n.stored {
				c.globals = append(c.globals, string(what))
			}
		case *lua.LTable:
			if api.ModuleOf(what) == nil && what != h.globals.RawGetString("string") {
				c.tables = append(c.tables, what)
			}
		case *lua.LState:
			return nil, fmt.Errorf("%s would go on where it stands", r.describe(i))
		}
	}
	for _, t := range c.tables {
		c.contents = append(c.contents, contents{t.Metatable, entriesOf(t)})
	}
	c.first = c.values(nil)
	c.Begin() // the order of what is entered anew is the same each time
	return c, nil
}

// Name is a name of the present state, false if it holds anything but plain values.
func (c *Copies) Name() (string, bool) {
	var b strings.Builder
	for _, v := range c.values(nil) {
		if !name(&b, v) {
			return "", false
		}
	}
	for _, t := range c.tables {
		if !name(&b, t.Metatable) {
			return "", false
		}
		for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
			if !name(&b, k) || !name(&b, v) {
				return "", false
			}
		}
		b.WriteByte('}')
	}
	return b.String(), true
}

// name adds a plain value to a name.
func name(b *strings.Builder, v lua.LValue) bool {
	switch v := v.(type) {
	case *lua.LNilType, lua.LBool:
		fmt.Fprintf(b, "%v ", v)
	case lua.LNumber:
		fmt.Fprintf(b, "%x ", math.Float64bits(float64(v)))
	case lua.LString:
		fmt.Fprintf(b, "%q ", string(v))
	case api.U64Value:
		fmt.Fprintf(b, "u%d ", uint64(v))
	default:
		return false
	}
	return true
}

// Empty reports whether nothing can be changed.
func (c *Copies) Empty() bool { return len(c.variables)+len(c.globals)+len(c.tables) == 0 }

// values appends what the variables, then the globals, hold now.
func (c *Copies) values(to []lua.LValue) []lua.LValue {
	for _, v := range c.variables {
		to = append(to, v.Value())
	}
	for _, name := range c.globals {
		to = append(to, c.host.globals.RawGetString(name))
	}
	return to
}

// setValues makes them hold others.
func (c *Copies) setValues(from []lua.LValue) {
	for i, v := range c.variables {
		v.SetValue(from[i])
	}
	for i, name := range c.globals {
		c.host.globals.RawSetString(name, from[len(c.variables)+i])
	}
}

// Save takes the present state into a copy.
func (c *Copies) Save(to *Copy) {
	to.values, to.tables = c.values(to.values[:0]), to.tables[:0]
	for _, t := range c.tables {
		to.tables = append(to.tables, *t)
	}
}

// Load makes a copy the present state.
func (c *Copies) Load(from *Copy) {
	c.setValues(from.values)
	for i, t := range c.tables {
		*t = from.tables[i]
	}
}

// Begin makes the present state the one from which all begin.
func (c *Copies) Begin() {
	c.setValues(c.first)
	for i, t := range c.tables {
		fresh := lua.LTable{Metatable: c.contents[i].metatable}
		for _, e := range c.contents[i].entries {
			fresh.RawSet(e.key, e.value)
		}
		*t = fresh
	}
}
