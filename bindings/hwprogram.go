package bindings

import (
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/host/api"
)

// luaProgram is a Lua function as the program of a CPU, on a Lua thread of its own.
type luaProgram struct {
	cpu     *cpuObject
	fn      *lua.LFunction
	results []lua.LValue
}

// Run is sim.Program.
func (p *luaProgram) Run(*sim.Proc) {
	defer p.cpu.retire(p.fn)
	p.results = p.cpu.call(p.fn)
}

// call runs a Lua function for the CPU, with the CPU as its argument: its program, or a handler on top of one. An error
// in it ends the drive.
func (c *cpuObject) call(fn *lua.LFunction, more ...lua.LValue) []lua.LValue {
	outermost := c.thread == nil
	if outermost {
		c.thread = c.m.host.NewThread()
		c.thread.Owner = c
		c.thread.Sync = c.boundary
		c.thread.Draw = c.draw
		c.sharer().On(c.thread)
	}
	args := append([]lua.LValue{c.object(c.thread.State())}, more...)
	results, err := c.thread.Call(fn, args...)
	if shared := advised(c.m.sharing.Check()); err == nil {
		err = shared
	}
	if outermost {
		c.member.On(nil)
		c.thread.Release()
		c.thread = nil
	}
	if err != nil && err != errGivenUp {
		c.fail(err)
	}
	return results
}

// errGivenUp ends a program that was stopped, and whose CPU is to run another.
var errGivenUp = errors.New("given up")

// fail ends the drive at the program's time. What is due before happens before, unless the run is to end at once.
func (c *cpuObject) fail(err error) {
	if x := c.m.exploration; x != nil {
		x.ends(c, err)
	}
	failed := &programError{cpu: c.cpu, at: c.m.Since(c.cpu.Now()), err: err}
	if !c.m.host.Stopped() {
		c.cpu.Proc().Sync()
	}
	c.m.Engine.Fail(failed)
}

// boundary is before what others can see of the program: an access, or printing. A run that the user stops is parked
// here, where it can go on; the engine itself looks between events only, and a program may go without for long.
func (c *cpuObject) boundary() {
	if c.m.exploration != nil {
		c.unshared(c.thread.State())
		return
	}
	c.cpu.Proc().Sync()
	c.pause()
}

// pause parks the program if the user stops the run. Explored, that would be one more step than in the executions
// before: there the run ends with the execution.
func (c *cpuObject) pause() {
	if c.m.exploration == nil && c.m.host.Stopped() {
		c.cpu.Proc().Pause()
	}
}

// worked is after work without an access: a program of nothing else would keep the others from going on. What is due
// in the meantime happens now instead of at the next access, which nobody can tell apart. Explored, an interrupt may be
// taken behind it, where that can matter: if its handler may change what the program sees.
func (c *cpuObject) worked(L *lua.LState) {
	x, p := c.m.exploration, c.cpu.Proc()
	switch {
	case x == nil:
		p.Sync()
	case p.Now() >= sim.EndOfTime:
		api.Errorf(L, "simulated time has come to its end")
	case !x.copies.Empty():
		c.cpu.Boundary()
	}
}

// programError is an error of a CPU's program, with where in simulated time it came.
type programError struct {
	cpu *cpu.CPU
	at  sim.Time
	err error
}

func (e *programError) Error() string {
	return fmt.Sprintf("%v (in the program of %s at %s ns)", e.err, e.cpu, e.at.Nanoseconds())
}

func (e *programError) Unwrap() error { return e.err }

// install makes a function take the CPU's interrupts; nil gives the kernel back.
func (c *cpuObject) install(fn *lua.LFunction) {
	c.irq = fn
	if fn == nil {
		c.cpu.SetVector(c.m.Kernel.Vector())
		return
	}
	c.cpu.SetVector(&luaVector{c, fn})
}

// luaVector is a Lua function that takes a CPU's interrupts in place of the kernel.
type luaVector struct {
	cpu *cpuObject
	fn  *lua.LFunction
}

// IRQ is cpu.Vector.
func (v *luaVector) IRQ(*cpu.CPU) { v.cpu.call(v.fn) }
