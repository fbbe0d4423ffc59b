package bindings

import (
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// exploration is a machine that is being explored as execution graphs, with Lua programs.
//
// The program function is called once. From then on each CPU is a thread of the graph, which is run again whenever what
// it has read changes. So each has a copy of the Lua variables and tables that programs can change, and begins as the
// program function has left them; nothing is lost by that, since programs must not communicate through Lua. When an
// execution is complete, all programs are run once more in an order of it, without copies, and only what they do then
// counts: what fails, is printed, or is left behind for the check.
type exploration struct {
	L       *lua.LState
	name    string
	graphs  *machine.Graphs
	built   *graph.Program
	broken  error // why it could not be built
	object  *machineObject
	ud      lua.LValue
	model   *graph.Model
	options graph.Options
	program *lua.LFunction
	check   *lua.LFunction
	seed    uint64 // of math.random

	programs []*luaProgram    // by CPU, nil for none
	irq      []*lua.LFunction // handlers that the program function has left, by CPU
	begun    string           // what was wrong with the program function
	outside  bool             // neither a program, nor a handler, nor a device is running

	copies *host.Copies
	copy   []*host.Copy // by CPU, nil for one that has not begun
	active int          // the CPU whose copy is present
	checks *host.Copies // of what the check alone can change

	ordered bool             // the programs are run in the order of an execution
	done    *graph.Execution // that is being checked
	finding string           // what an assertion has found in it
	failure error            // of the script, in it
	checked bool             // something that could have found a fault has run in it
	halted  error            // with which the last task has ended since the run is to end

	cells cellValues
}

const noCPU = -1

// assertion ends an execution: m:assert has failed.
type assertion struct{ text string }

func (a *assertion) Error() string { return a.text }

// run gives the machine's program to a function, on L.
func (x *exploration) run(L *lua.LState, do func(p *graph.Program) error) error {
	x.L, x.failure = L, nil
	if x.built == nil && x.broken == nil { // once: it begins with the machine as it is
		x.broken = x.build()
	}
	if x.broken != nil {
		return x.broken
	}
	h := host.Of(L)
	end := h.Follow(x)
	h.Mute(true)
	x.outside = false
	defer func() {
		x.outside = true
		h.Mute(false)
		end()
	}()
	err := do(x.built)
	var changed *graph.ChangedError
	switch {
	case h.Stopped():
		return x.stop(h, err)
	case errors.As(err, &changed) && changed.Thread < len(x.object.CPUs):
		err = fmt.Errorf("this program depends on something that is not seen (%s%s: %s, where it has done something else "+
			"after the same loaded values): what it does must follow from what it loads; see cpu:depend",
			x.object.CPUs[changed.Thread], changed.Place, changed.Is)
		if failed := x.object.cpuObject(changed.Thread).failed; failed != nil {
			err = fmt.Errorf("%w; it may also fail: %w", err, failed)
		}
	}
	return err
}

// stop is why the run is to end, with the place of err, if it ended something for that reason: a program, a handler, a
// device, the check.
func (x *exploration) stop(h *host.Host, err error) error {
	var inside *host.StoppedError
	if errors.As(err, &inside) && errors.Is(inside, h.StopCause()) {
		return inside
	}
	return h.StopCause()
}

// build calls the program function, and makes what it leaves the state from which executions begin.
func (x *exploration) build() error {
	m := x.object
	x.call(x.program)
	if x.failure != nil {
		return x.failure
	}
	taken := m.interrupts()
	if err := m.Drive(nil); err != nil { // what the program function has done to devices takes effect
		return err
	}
	if m.interrupts() != taken {
		return errors.New("explore.run: the program function has made an interrupt pending: expected that programs do")
	}
	x.begun, x.finding = x.finding, ""
	x.irq = make([]*lua.LFunction, len(m.cpus))
	functions := []*lua.LFunction{}
	for i, c := range m.cpus {
		if c != nil && c.irq != nil {
			x.irq[i] = c.irq
			functions = append(functions, c.irq)
		}
		if p := x.programs[i]; p != nil {
			functions = append(functions, p.fn)
		}
	}
	if m.linux != nil && m.linux.sendMask != nil {
		functions = append(functions, m.linux.sendMask)
	}
	err := m.sharing.Refresh()
	if err != nil {
		return advised(err)
	}
	others := []*lua.LFunction{}
	if x.check != nil {
		others = append(others, x.check)
	}
	for _, d := range m.devices {
		if d.copies, err = m.host.NewCopies(others, d.functions()...); err != nil {
			return fmt.Errorf("device %s depends on Lua state from outside (%w in each execution)", d.name, err)
		}
	}
	if x.copies, err = m.host.NewCopies(others, functions...); err == nil && x.check != nil {
		x.checks, err = m.host.NewCopies(nil, x.check)
	}
	if err != nil {
		return fmt.Errorf("this program depends on Lua state from outside (%w in each execution): make it in the program "+
			"that uses it", err)
	}
	if x.graphs, err = m.Graphs(); err != nil {
		return err
	}
	x.built = x.graphs.Program(x.begin)
	x.built.Begin, x.built.Restart, x.built.Resumed, x.built.Changed, x.built.End =
		x.pass, x.restart, x.resumed, x.changed, x.end
	return nil
}

// spawn starts a program in each execution.
func (x *exploration) spawn(number int, p sim.Program) error {
	c := x.object.CPUs[number]
	switch {
	case x.programs[number] != nil:
		return fmt.Errorf("%s runs a program already", c)
	case c.Power() != cpu.On:
		return fmt.Errorf("%s is %s", c, c.Power())
	case x.graphs != nil:
		return fmt.Errorf("a program for %s is started after the program function", c)
	}
	x.programs[number] = p.(*luaProgram)
	return nil
}

// condition is a function as the condition of a wait, which the explorer asks of many values, in whatever order and
// whatever the program does meanwhile: so it finds Lua as it is now. What that comes from the wait depends on.
func (x *exploration) condition(L *lua.LState, c *cpuObject, fn *lua.LFunction) func(v uint64) bool {
	if effects := c.m.host.Effects(fn); len(effects) > 0 {
		api.Errorf(L, "CPU:wait: the condition %v: under explore.run it must look at the value only", effects[0])
	}
	from, frozen, err := c.freeze(L, fn)
	if err != nil {
		api.Errorf(L, "CPU:wait: the condition cannot be asked twice: %v", err)
	}
	c.cpu.Uses(graph.Sources{}, from)
	return func(v uint64) bool {
		thread := c.m.host.NewThread()
		values, err := thread.Call(frozen, api.U64Value(v))
		thread.Release()
		if err != nil {
			c.cpu.Refuse(err)
		}
		return len(values) > 0 && lua.LVAsBool(values[0])
	}
}

// call runs a function of the script outside of the programs, with the machine as its argument.
func (x *exploration) call(fn *lua.LFunction) (result lua.LValue) {
	outside := x.outside
	x.outside = true
	values, err := host.Of(x.L).Try(x.L, fn, x.ud)
	x.outside = outside
	var a *assertion
	switch {
	case err == nil, x.finding != "": // an assertion ends the execution, whatever comes then
	case errors.As(err, &a):
		x.finding = a.text
	case x.failure == nil:
		x.failure = err
	}
	if len(values) == 0 {
		return lua.LNil
	}
	return values[0]
}

// pass is graph.Program's Begin: what was found before does not count.
func (x *exploration) pass() {
	if x.checks != nil {
		x.checks.Begin()
	}
	x.active = noCPU
	clear(x.copy)
}

// begin is a CPU's program from its beginning. Its last run, if any, was given up in its middle.
func (x *exploration) begin(c *cpu.CPU) func() {
	o := x.object.cpuObject(c.ID)
	if o.thread != nil {
		o.thread.Release()
		o.thread = nil
	}
	if o.member != nil {
		o.member.On(nil)
	}
	o.origins.Begin()
	o.takeBack()
	o.irq = x.irq[c.ID]
	if !x.copies.Empty() {
		if x.copy[c.ID] == nil {
			x.copy[c.ID] = &host.Copy{}
		}
		if !x.ordered {
			x.away(c.ID)
			x.copies.Begin()
		}
	}
	p := x.programs[c.ID]
	if p == nil {
		return nil
	}
	return func() { o.call(p.fn) }
}

// away keeps the copy that is present, before that of another CPU is.
func (x *exploration) away(next int) {
	if x.active != noCPU {
		x.copies.Save(x.copy[x.active])
	}
	x.active = next
}

// resumed makes a CPU's copy the present one.
func (x *exploration) resumed(thread int) {
	if x.ordered || thread >= len(x.copy) || thread == x.active || x.copies.Empty() || x.copy[thread] == nil {
		return
	}
	x.away(thread)
	x.copies.Load(x.copy[thread])
}

// restart is before the programs are run in the order of an execution.
func (x *exploration) restart() {
	x.ordered, x.finding, x.failure, x.checked = true, x.begun, nil, false
	x.copies.Begin()
	x.active = noCPU
	x.object.host.Mute(x.object.Engine.Tracing) // printed already
}

// changed says where a program does something else than before.
func (x *exploration) changed(e *graph.ChangedError) {
	if e.Thread < len(x.object.CPUs) {
		if at := position(x.object, x.object.CPUs[e.Thread].String()); at != "" {
			e.Place = " at " + at
		}
	}
}

// end is after they were run.
func (x *exploration) end(e *graph.Execution) graph.Verdict {
	v := x.examine(e)
	v.Checked = x.checked || x.check != nil || x.object.interrupts() > 0
	x.ordered = false
	x.object.host.Mute(true)
	for _, c := range x.copy { // the programs may go on from here
		if c != nil {
			x.copies.Save(c)
		}
	}
	return v
}

func (x *exploration) examine(e *graph.Execution) graph.Verdict {
	shared := advised(x.object.sharing.Check())
	switch {
	case x.failure != nil:
		return graph.Verdict{Err: x.failure}
	case shared != nil:
		return graph.Verdict{Err: shared}
	case x.finding != "":
		return graph.Verdict{Finding: x.finding}
	}
	if text := x.graphs.Problem(e); text != "" {
		return graph.Verdict{Finding: text}
	}
	if x.check != nil {
		x.done = e
		if text, ok := x.call(x.check).(lua.LString); ok && x.finding == "" {
			x.finding = string(text)
		}
		x.done = nil
	}
	return graph.Verdict{Finding: x.finding, Err: x.failure}
}

// interrupts counts those that the machine's CPUs have taken in the execution.
func (m *machineObject) interrupts() (n uint64) {
	for _, c := range m.CPUs {
		n += c.Stats().Interrupts
	}
	return n
}

// ends ends what a CPU does, by an error of its program. It counts if the programs are run in an order of an execution:
// before, what was read may not be what can be read.
func (x *exploration) ends(c *cpuObject, err error) {
	var a *assertion
	switch {
	case c.m.host.Stopped():
		c.cpu.Refuse(err)
	case !x.ordered:
		c.failed = err
	case x.finding != "" || x.failure != nil:
	case errors.As(err, &a):
		x.finding = a.text
	default:
		x.failure = &programError{cpu: c.cpu, at: c.now(), err: err}
	}
	c.cpu.EndHere()
}

// Origins is api.Follower.
func (x *exploration) Origins(L *lua.LState) *api.Origins {
	if c := threadOf(L); c != nil && c.m == x.object && !x.outside {
		return &c.origins
	}
	return nil
}

// Decide is api.Follower.
func (x *exploration) Decide(L *lua.LState, from api.Sources, decision bool) {
	threadOf(L).cpu.Settle(graph.Sources(from), decision)
}

// A handing is a function that a program has handed to another CPU.
type handing struct {
	to *host.Member
	fn *lua.LFunction
}

// hand notes that a program has handed a function to another CPU. To the kernel that is a number, made of what the
// program has decided so far: which of its loads the function knows has to be known, and is a decision.
func (c *cpuObject) hand(L *lua.LState, to *cpuObject, fn *lua.LFunction) {
	from, _, err := c.freeze(L, fn)
	if err != nil {
		api.Errorf(L, "CPU:smp_call_function_single: the function cannot be handed over: %v", err)
	}
	c.cpu.Settle(from, true)
	c.handed = append(c.handed, handing{to.member, fn})
}

// freeze is a function that finds Lua as it is now, and the loads from which that comes.
func (c *cpuObject) freeze(L *lua.LState, fn *lua.LFunction) (graph.Sources, *lua.LFunction, error) {
	from := api.Sources{}
	frozen, err := c.m.host.Freeze(L, fn, func(v lua.LValue) { from = from.Or(c.origins.Of(v)) })
	return graph.Sources(from), frozen, err
}

// takeBack takes back what the CPU's last run has handed to others.
func (c *cpuObject) takeBack() {
	for _, h := range c.handed {
		h.to.Retire(h.fn)
	}
	c.handed = c.handed[:0]
}

// pushLoaded pushes the value that an instruction has answered.
func (c *cpuObject) pushLoaded(L *lua.LState, v uint64) {
	if c.m.exploration == nil {
		api.PushU64(L, v)
		return
	}
	L.Push(c.origins.Value(v, api.Sources(c.cpu.Result())))
}

// uses says what the next access uses: the address at one position of the stack, data at others.
func (c *cpuObject) uses(L *lua.LState, addr int, data ...int) {
	if c.m.exploration == nil {
		return
	}
	from := api.Sources{}
	for _, n := range data {
		from = from.Or(c.origins.Of(L.Get(n)))
	}
	at := graph.Sources{}
	if addr > 0 {
		at = graph.Sources(c.origins.Of(L.Get(addr)))
		c.cpu.Settle(at, false) // to look whether something is there
	}
	c.cpu.Uses(at, graph.Sources(from))
}
