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
	devices *host.Member  // made when first needed
	entry   *host.Picture // of the Lua state with which executions begin, before the program function is called
	begin   *host.Picture // and after; nil while nothing can change any
	stores  bool          // the functions of the exploration besides the programs can
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
	if m.exploration != nil && m.inside() {
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

// inside reports whether a program, a handler or a device is running.
func (m *machineObject) inside() bool { return m.Engine.Current() != nil || m.device != nil }

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

// admitDevice lets a function of a device run from now on.
func (m *machineObject) admitDevice(L *lua.LState, fn *lua.LFunction) {
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

// unchanged ends the exploration if an execution does not begin with the Lua state with which the first did.
func (x *exploration) unchanged(look func(x *exploration) error) {
	if err := look(x); err != nil && x.failure == nil {
		x.failure = fmt.Errorf("this program depends on Lua state from outside (%w in the execution before): build all that "+
			"it uses in the program function, and set there what the programs set", err)
	}
}

// begins is before the program function is called, with what it reads before it sets it.
func (s *programSharing) begins(x *exploration) error {
	if x.executions == 1 {
		s.entry = x.object.host.NewPicture(true)
	}
	if x.executions > 1 && s.begin == nil {
		return nil // nothing can change any
	}
	return s.entry.Same(nil, x.program)
}

// begun is after the program function was called, with all that the programs and it can use.
func (s *programSharing) begun(x *exploration) error {
	if x.executions == 1 {
		functions := x.functions()
		if x.check != nil {
			functions = append(functions, x.check)
		}
		s.stores = x.object.host.Stores(functions...)
	}
	if s.begin == nil {
		if !s.stores && !s.Active() {
			return nil
		}
		s.begin = x.object.host.NewPicture(false)
	}
	return s.begin.Same(s.Sharing, x.functions()...)
}

// functions are those that an execution depends on besides the programs.
func (x *exploration) functions() []*lua.LFunction {
	functions := []*lua.LFunction{x.program}
	if k := x.object.linux; k != nil && k.sendMask != nil {
		functions = append(functions, k.sendMask)
	}
	return functions
}

// installed are the script's functions that stand in place of the kernel's.
type installed struct {
	sendMask *lua.LFunction
	irq      []*lua.LFunction // by CPU
}

// installation is what is installed now.
func (m *machineObject) installation() installed {
	i := installed{irq: make([]*lua.LFunction, len(m.cpus))}
	if m.linux != nil {
		i.sendMask = m.linux.sendMask
	}
	for n, c := range m.cpus {
		if c != nil {
			i.irq[n] = c.irq
		}
	}
	return i
}

// reinstall makes an installation the present one.
func (m *machineObject) reinstall(i installed) {
	if m.linux != nil && m.linux.sendMask != i.sendMask {
		m.linux.install(i.sendMask)
	}
	for n, c := range m.cpus {
		if c != nil && c.irq != i.irq[n] {
			c.install(i.irq[n])
		}
	}
}
