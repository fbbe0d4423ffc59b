package bindings

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// programSharing keeps the programs of a machine's CPUs, their handlers and its devices from communicating through Lua.
// What runs on one CPU, one function after another, may share, and so may the functions of devices.
//
// Timed, functions count from when they are handed over until they have run, programs until they end, and handlers
// while they are set. Explored, all count until the execution ends: an order that one execution has proves nothing.
type programSharing struct {
	*host.Sharing
	devices *host.Member // made when first needed
}

// advised adds what to do instead to an error of package host.
func advised(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: simulated time does not order Lua variables and tables; use a cell m:shared(value), simulated "+
		"memory, or what a program returns", err)
}

// sharer is the CPU among those that must not share.
func (c *cpuObject) sharer() *host.Member {
	if c.member == nil {
		c.member = c.m.sharing.NewMember(fmt.Sprintf("the program of %s", c.cpu))
	}
	return c.member
}

// running is whose function calls from L, nil outside of programs.
func (m *machineObject) running(L *lua.LState) *host.Member {
	if m.device != nil && m.exploration != nil {
		return m.device.member
	}
	if m.device != nil {
		return m.sharing.devices
	}
	if t := host.ThreadOf(L); t != nil {
		if c, ok := t.Owner.(*cpuObject); ok && c.m == m {
			return c.member
		}
	}
	return nil
}

// mustSeeNone refuses, in a program that is explored, what shows or changes a part of the machine that the explorer
// does not know: it would not try the other order.
func (m *machineObject) mustSeeNone(L *lua.LState, what string) {
	if m.exploring() {
		api.Errorf(L, "%s used in a program that is explored: what it does depends on the order of programs, which the "+
			"explorer would not see; use it in the program function or in check", what)
	}
}

// mustBeExplored refuses another machine in a program that is explored: it is not restored for each execution.
func (m *machineObject) mustBeExplored(L *lua.LState) {
	if t := host.ThreadOf(L); t != nil {
		if c, ok := t.Owner.(*cpuObject); ok && c.m != m && c.m.exploration != nil {
			api.Errorf(L, "another machine used in the program of %s, which is explored: no execution restores it", c.cpu)
		}
	}
}

// exploring reports whether a program, a handler or a device of an execution is running.
func (m *machineObject) exploring() bool { return m.exploration != nil && !m.exploration.outside }

// runner names the CPU whose program or handler runs on L, "" if none does.
func (m *machineObject) runner(L *lua.LState) string {
	if m.exploration == nil {
		if p := m.Engine.Current(); p != nil {
			return p.Name()
		}
		return ""
	}
	if c := threadOf(L); c != nil && m.exploring() {
		return c.cpu.String()
	}
	return ""
}

// admit lets a function run on the CPU from now on, or raises an error.
func (c *cpuObject) admit(L *lua.LState, fn *lua.LFunction) {
	c.m.admitTo(L, c.sharer(), fn)
}

func (m *machineObject) admitTo(L *lua.LState, member *host.Member, fn *lua.LFunction) {
	from := m.running(L)
	err := member.Admit(fn, from)
	if err == nil && from != nil {
		if err = m.sharing.Check(); err != nil {
			member.Retire(fn)
		}
	}
	if err != nil {
		api.Errorf(L, "%v", advised(err))
	}
}

// admitDevice lets a function of a device run from now on. Explored, each device is by itself.
func (m *machineObject) admitDevice(L *lua.LState, d *luaDevice, fn *lua.LFunction) {
	if m.exploration != nil {
		if d.member == nil {
			d.member = m.sharing.NewMember("device " + d.name)
		}
		m.admitTo(L, d.member, fn)
		return
	}
	if m.sharing.devices == nil {
		m.sharing.devices = m.sharing.NewMember("a device")
	}
	m.admitTo(L, m.sharing.devices, fn)
}

// admitOnce lets a function run that any CPU may run, within the CPU's program.
func (c *cpuObject) admitOnce(fn *lua.LFunction) {
	member := c.sharer()
	if member.Has(fn) {
		return
	}
	err := member.Admit(fn, nil)
	if err == nil {
		err = c.m.sharing.Check()
	}
	if err != nil {
		c.fail(advised(err))
	}
}

// retire takes a function out that does not run any more.
func (c *cpuObject) retire(fn *lua.LFunction) {
	if c.m.exploration == nil {
		c.member.Retire(fn)
	}
}

// unshared ends the program before its next step if it has changed what others can use. No pcall holds that up.
func (c *cpuObject) unshared(L *lua.LState) {
	if err := c.m.sharing.Check(); err != nil {
		c.thread.Kill(advised(err))
		api.Errorf(L, "%v", err)
	}
}

// draw is before the program uses math.random: its numbers are dealt out in the order of simulated time.
func (c *cpuObject) draw(L *lua.LState) {
	if c.m.exploration != nil {
		api.Errorf(L, "math.random in a program that is explored: its numbers depend on the order in which programs draw "+
			"them; draw them in the program function")
	}
	c.boundary()
}
