package bindings

import (
	"errors"
	"fmt"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// machineObject is a machine as a script holds it.
type machineObject struct {
	*machine.Machine
	host    *host.Host
	cpus    []*cpuObject // made when first asked for
	linux   *linuxObject
	awaited *luaProgram // whose end the last run waits for
	stopped bool        // by the user, inside programs that can go on
	closed  bool
	held    *heldEngine // what the host holds of the machine

	device  *luaDevice   // whose function is being called, nil for none
	devices []*luaDevice // made outside of an exploration

	sharing     programSharing
	sharedCells int          // made so far; see m:shared
	exploration *exploration // nil while the machine is timed
}

func newMachineObject(h *host.Host, m *machine.Machine) *machineObject {
	return &machineObject{
		Machine: m, host: h, cpus: make([]*cpuObject, len(m.CPUs)), held: &heldEngine{m.Engine},
		sharing: programSharing{Sharing: h.NewSharing()},
	}
}

// Close ends the machine's programs, for m:close and bench.compare. It cannot be used afterwards.
func (m *machineObject) Close() error {
	m.closed, m.held.engine = true, nil
	m.Engine.Close()
	return nil
}

// heldEngine is the engine of a machine whose programs the host ends when scripts have dropped it: the collector does
// not end coroutines. The machine's other objects, which may still be held, look as before.
type heldEngine struct{ engine *sim.Engine } // nil once it is closed

func (h *heldEngine) close() bool {
	if h.engine == nil {
		return true
	}
	if h.engine.Current() != nil {
		return false
	}
	h.engine.Close()
	return true
}

// String is the summary that tostring and the REPL show.
func (m *machineObject) String() string {
	if m.exploring() {
		return fmt.Sprintf("machine %s: %d CPUs", m.Spec.Name, len(m.CPUs)) // see mustSeeNone
	}
	return fmt.Sprintf("machine %s: %d CPUs, at %s ns", m.Spec.Name, len(m.CPUs), m.Now().Nanoseconds())
}

// machineAt is the machine at position 1, which must be open.
func machineAt(L *lua.LState) *machineObject {
	m := api.Object[*machineObject](L, 1)
	m.mustBeOpen(L)
	return m
}

func (m *machineObject) mustBeOpen(L *lua.LState) {
	m.mustBeExplored(L)
	if m.closed {
		api.Errorf(L, "the machine is closed")
	}
}

// machineClass is filled by init, since its functions make objects of it.
var machineClass = &api.Class{
	Name: "Machine", Doc: "A simulated machine. Times are in ps since the end of the boot.",
	String: func(v any) string { return v.(*machineObject).String() },
}

func init() {
	self := func(get func(L *lua.LState, m *machineObject) lua.LValue) lua.LGFunction {
		return func(L *lua.LState) int {
			L.Push(get(L, api.Object[*machineObject](L, 1)))
			return 1
		}
	}
	machineClass.Fields = []api.Field{
		{
			Name: "ncpus", Type: api.Count(1), Doc: "Number of CPUs.", Example: `hw.machine("virt").ncpus`,
			Get: self(func(_ *lua.LState, m *machineObject) lua.LValue { return lua.LNumber(len(m.CPUs)) }),
		},
		{
			Name: "spec", Type: api.ObjectOf(specClass), Doc: "What the machine was built from.",
			Example: `hw.machine("virt").spec`,
			Get:     self(func(L *lua.LState, m *machineObject) lua.LValue { return specClass.New(L, viewSpec(&m.Spec)) }),
		},
		{
			Name: "linux", Type: api.ObjectOf(linuxClass), Doc: "The kernel that runs on the machine.",
			Example: `hw.machine("virt").linux`,
			Get:     self(func(L *lua.LState, m *machineObject) lua.LValue { return m.kernel(L) }),
		},
	}
	machineClass.Fields = slices.Concat(machineClass.Fields, gicFields(), []api.Field{itsField}, smmuFields())
	machineClass.Funcs = slices.Concat(machineRunFuncs(), machineViewFuncs(), topologyFuncs(),
		[]api.Func{perfFunc, deviceFunc, irqLineFunc, sharedFunc, remarksFunc, evictFunc})
}

func machineRunFuncs() []api.Func {
	cpu := api.P("cpu", api.Count(0), "number of the CPU")
	program := api.P("program", api.Function(), "function(cpu), the CPU's program")
	results := []api.Param{api.Rest("results", api.Any(), "what the program returned")}
	return []api.Func{
		{
			Name: "run",
			Doc: "Runs a program on a CPU and simulates until it returns; what other CPUs still do stays queued. Without " +
				"arguments, simulates until all programs have ended and all messages have arrived. A store that has not drained " +
				"by then does so at its time: the program ends with a dsb if what runs next must see it.",
			Params: []api.Param{
				api.Opt("cpu", api.Count(0), "none", cpu.Doc), api.Opt("program", api.Function(), "none", program.Doc),
			},
			Returns: results, Example: `hw.machine("virt"):run(0, function(cpu) cpu:exec(10); return cpu:now() end)`,
			Fn: machineRun,
		},
		{
			Name: "spawn", Doc: "Starts a program on a CPU; m:run() simulates it beside the others.",
			Params: []api.Param{cpu, program}, Fn: machineSpawn,
			Example: `local m = hw.machine("virt"); m:spawn(1, function(cpu) cpu:exec(10) end); m:run()`,
		},
		{
			Name: "continue",
			Doc: "Goes on with a run that was stopped. A program that is started on the same CPU instead takes the place of " +
				"the stopped one.",
			Returns: results, Fn: machineContinue,
			Example: `local m = hw.machine("virt"); m:spawn(0, function(cpu) cpu:exec(10) end); m:continue()`,
		},
		{
			Name: "assert",
			Doc: "Says what must hold. Where explore.run explores the machine, the execution ends here otherwise, and is a " +
				"failure; elsewhere it is an error.",
			Params: []api.Param{
				api.Opt("condition", api.Any(), "nil", "fails if it is false or nil"),
				api.Opt("what", api.String(), `"assertion failed"`, "what is wrong then"),
			},
			Example: `hw.machine("virt"):assert(1 + 1 == 2, "arithmetic")`, Fn: machineAssert,
		},
		{
			Name: "close", Doc: "Gives up the machine's programs. It cannot be used afterwards; dropping it does the same.",
			Example: `hw.machine("virt"):close()`,
			Fn: func(L *lua.LState) int {
				m := api.Object[*machineObject](L, 1)
				notInside(L, m, "close")
				m.Close()
				return 0
			},
		},
	}
}

func machineViewFuncs() []api.Func {
	return []api.Func{
		{
			Name: "now", Doc: "Simulated time.", Returns: []api.Param{api.P("time", api.Count(0), "ps since the boot")},
			Example: `hw.machine("virt"):now()`,
			Fn: func(L *lua.LState) int {
				m := machineAt(L)
				api.PushInt(L, int64(m.present(L)))
				return 1
			},
		},
		{
			Name: "cpu", Doc: "One of the machine's CPUs.", Params: []api.Param{api.P("cpu", api.Count(0), "its number")},
			Returns: []api.Param{api.P("cpu", api.ObjectOf(cpuClass), "the CPU")}, Example: `hw.machine("virt"):cpu(3)`,
			Fn: func(L *lua.LState) int {
				L.Push(cpuAt(L, machineAt(L), 2).object(L))
				return 1
			},
		},
		{
			Name: "stats", Doc: "The machine's counters so far, over all CPUs.",
			Returns: []api.Param{api.P("stats", api.ObjectOf(statsClass), "named u64 counters")},
			Example: `local m = hw.machine("virt"); local before = m:stats()
m:run(0, function(cpu) cpu:smp_call_function_single(1) end)
return (m:stats() - before).sgis_sent`,
			Fn: func(L *lua.LState) int {
				m := machineAt(L)
				m.mustSeeNone(L, "Machine:stats")
				api.Boundary(L)
				L.Push(statsClass.New(L, machineStats(m)))
				return 1
			},
		},
		{
			Name:    "describe",
			Doc:     "Every latency with its unit, source, and whether it is sourced, assumed or fitted; and the parts.",
			Returns: []api.Param{api.P("text", api.String(), "a table")}, Example: `print(hw.machine("kunpeng920"):describe())`,
			Fn: func(L *lua.LState) int {
				L.Push(lua.LString(machineAt(L).Describe()))
				return 1
			},
		},
		{
			Name: "trace", Doc: "Calls a function and records every access, barrier, register and interrupt step meanwhile.",
			Params:  []api.Param{api.P("body", api.Function(), "called without arguments")},
			Returns: []api.Param{api.P("text", api.String(), "a step a line: time in ns, who, what")}, Fn: machineTrace,
			Example: `local m = hw.machine("virt"); return m:trace(function() m:run(0, function(cpu) cpu:isb() end) end)`,
		},
		{
			Name: "profile",
			Doc: "Calls a function and takes the time of all smp_call_function_single meanwhile apart that wait for another " +
				"CPU: along the path from the caller and back. The parts add up to the total.",
			Params: []api.Param{api.P("body", api.Function(), "called without arguments")},
			Returns: []api.Param{api.P("profile", api.Table(),
				"calls; total in ps; parts, a list of { name, ps } in the order of the path")},
			Example: `local m = hw.machine("virt")
return m:profile(function() m:run(0, function(cpu) cpu:smp_call_function_single(1) end) end)`,
			Fn: machineProfile,
		},
	}
}

// present is the time of the program that runs, or the machine's; that is also a device's, which a message may have
// reached while the program waits.
func (m *machineObject) present(L *lua.LState) sim.Time {
	if c := threadOf(L); m.exploring() && c != nil {
		return c.now()
	}
	if p := m.Engine.Current(); p != nil && m.device == nil {
		return m.timely(p.Now())
	}
	return m.Now()
}

// timely is a time since the boot for a script, which can hold those up to the end of time: a program's last step may
// have led behind.
func (m *machineObject) timely(t sim.Time) sim.Time { return m.Since(min(t, sim.EndOfTime)) }

// cpuAt is the CPU whose number is the argument at position n.
func cpuAt(L *lua.LState, m *machineObject, n int) *cpuObject {
	i := api.IntAt(L, n)
	if i >= len(m.CPUs) {
		api.ArgErrorf(L, n, "a CPU from 0 to %d", len(m.CPUs)-1)
	}
	return m.cpuObject(i)
}

// notInside refuses to drive a machine from one of its own programs.
func notInside(L *lua.LState, m *machineObject, method string) {
	m.mustNotWait(L, "Machine:"+method)
	m.mustBeExplored(L)
	if p := m.runner(L); p != "" {
		api.Errorf(L, "Machine:%s: called from the program of %s, which the machine is running; call it from the script",
			method, p)
	}
	if m.exploration != nil {
		api.Errorf(L, "Machine:%s: explore.run drives the machine; m:spawn starts a program", method)
	}
}

func machineRun(L *lua.LState) int {
	m := machineAt(L)
	notInside(L, m, "run")
	fn := api.FunctionAt(L, 3)
	switch {
	case L.Get(2) == lua.LNil && fn == nil:
		m.awaited = nil
		return m.drive(L)
	case L.Get(2) == lua.LNil:
		api.ArgErrorf(L, 2, "the number of the program's CPU")
	case fn == nil:
		api.ArgErrorf(L, 3, "a function(cpu)")
	}
	c := cpuAt(L, m, 2)
	m.awaited = m.start(L, c, fn)
	return m.drive(L)
}

func machineSpawn(L *lua.LState) int {
	m := machineAt(L)
	m.mustSeeNone(L, "Machine:spawn")
	api.Boundary(L)
	m.start(L, cpuAt(L, m, 2), api.FunctionAt(L, 3))
	return 0
}

func machineContinue(L *lua.LState) int {
	m := machineAt(L)
	notInside(L, m, "continue")
	return m.drive(L)
}

// start makes fn the program of a CPU.
func (m *machineObject) start(L *lua.LState, c *cpuObject, fn *lua.LFunction) *luaProgram {
	if m.stopped && c.thread != nil {
		m.giveUp(L, c)
	}
	p := &luaProgram{cpu: c, fn: fn}
	c.admit(L, fn)
	spawn := m.Spawn
	if m.exploration != nil {
		spawn = m.exploration.spawn
	}
	if err := spawn(c.cpu.ID, p); err != nil {
		c.member.Retire(fn)
		api.Errorf(L, "%v", err)
	}
	return p
}

// giveUp ends the program of a CPU on which the user has stopped a run and begins another: at its next instruction, or
// when the wait ends that it is in.
func (m *machineObject) giveUp(L *lua.LState, c *cpuObject) {
	fmt.Fprintf(m.host.Stderr(), "note: the stopped program of %s is given up for the new one\n", c.cpu)
	if m.awaited != nil && m.awaited.cpu == c {
		m.awaited = nil
	}
	c.thread.Kill(errGivenUp)
	m.simulate(L, c.cpu.Proc())
}

// simulate drives the machine, and raises the error with which that ends.
func (m *machineObject) simulate(L *lua.LState, until *sim.Proc) {
	if err := m.sharing.Refresh(); err != nil {
		api.Errorf(L, "%v", advised(err))
	}
	err := m.Drive(until)
	if err == nil {
		err = advised(m.sharing.Check())
	}
	m.stopped = err != nil && m.host.Stopped()
	if err == nil {
		return
	}
	if m.stopped {
		m.host.StoppedAt(fmt.Sprintf("machine %s at %s ns", m.Spec.Name, m.Now().Nanoseconds()))
	}
	if errors.Is(err, sim.ErrStopped) {
		api.Raise(L, m.host.StopCause())
	}
	var failed *programError
	if errors.As(err, &failed) && m.awaited != nil && failed.cpu == m.awaited.cpu.cpu {
		m.awaited = nil // it ends by the error: there are no results to go on to
	}
	api.Raise(L, err)
}

// drive simulates until the awaited program ends, or until nothing is left to do, and pushes the program's results.
func (m *machineObject) drive(L *lua.LState) int {
	var until *sim.Proc
	if m.awaited != nil {
		until = m.awaited.cpu.cpu.Proc()
	}
	m.simulate(L, until)
	if m.awaited == nil {
		return 0
	}
	results := m.awaited.results
	m.awaited = nil
	for _, v := range results {
		L.Push(v)
	}
	return len(results)
}

func machineProfile(L *lua.LState) int {
	m := machineAt(L)
	m.mustSeeNone(L, "Machine:profile")
	var probe linux.Probe
	m.Kernel.SetProbe(&probe)
	defer m.Kernel.SetProbe(nil)
	L.Push(api.FunctionAt(L, 2))
	L.Call(0, 0)
	out, parts := L.NewTable(), L.NewTable()
	out.RawSetString("calls", lua.LNumber(probe.Calls))
	out.RawSetString("total", lua.LNumber(probe.Total))
	out.RawSetString("parts", parts)
	for _, part := range probe.Parts() {
		row := L.NewTable()
		row.RawSetString("name", lua.LString(part.Name))
		row.RawSetString("ps", lua.LNumber(part.Time))
		parts.Append(row)
	}
	L.Push(out)
	return 1
}
