package bindings

import (
	"errors"
	"fmt"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

var exploreRunFunc = api.Func{
	Name: "run",
	Doc: "Executes programs on a machine in every order and looks for an execution that goes wrong: a check that fails, " +
		"a deadlock, a wait that only its timeout can end, an interrupt that nobody takes. The program function is called " +
		"for each execution and must build all that it uses; the machine is used up.",
	Params: []api.Param{api.P("exploration", api.OptionsOf(exploreSchema), "what to explore")},
	Returns: []api.Param{api.P("outcome", api.Table(), "name, verdict (a line that names model and assumptions), "+
		"verified, executions, redundant (executions given up since another has the same result), failures; with a "+
		"failure also finding, token (for hwscript run --replay) and counterexample, a table for bench.table")},
	Example: `explore.run {
  name = "message", machine = hw.machine("virt", { cpus = 2 }),
  program = function(m)
    local data, flag = m:lines(1):addr(0), m:lines(1):addr(0)
    m:spawn(0, function(cpu) cpu:store(data, 1); cpu:dmb "ishst"; cpu:store(flag, 1) end)
    m:spawn(1, function(cpu)
      cpu:wait(flag, 1)
      m:assert(cpu:load(data) == 1, "stale read")
    end)
  end,
}`,
	Fn: exploreRun,
}

var exploreSchema = &api.Schema{Name: "explore.run", Doc: "An exploration."}

func init() {
	exploreSchema.Options = append([]api.Param{
		api.P("name", api.String(), "name of the exploration, which a replay token holds"),
		api.P("machine", api.ObjectOf(machineClass), "the machine, on which nothing runs"),
		api.P("program", api.Function(), "function(m): starts the programs with m:spawn"),
		api.Opt("check", api.Function(), "none", "function(m), at the end of each execution: m:assert there, or return what "+
			"is wrong as a string"),
	}, searchOptions...)
}

// exploration is a machine that is being explored, with Lua programs: its explore.Subject.
type exploration struct {
	*machine.Explored
	L       *lua.LState
	object  *machineObject
	ud      lua.LValue
	program *lua.LFunction
	check   *lua.LFunction
	failure error // of the script: the exploration ends
	finding string
	checked bool   // something that could have found a fault has run
	taken   uint64 // interrupts that the CPUs had taken when the execution began

	installed  installed
	executions int    // begun so far
	seed       uint64 // of math.random in each
}

// assertion ends an execution: m:assert has failed.
type assertion struct{ text string }

func (a *assertion) Error() string { return a.text }

func exploreRun(L *lua.LState) int {
	s := session(L)
	s.describing(L)
	v := exploreSchema.At(L, 1)
	spec, o := readSearch(L, v)
	m := v.Get("machine").(*lua.LUserData).Value.(*machineObject)
	name := v.String("name", "")
	switch {
	case m.closed:
		api.Errorf(L, "explore.run: the machine is closed")
	case m.exploration != nil:
		api.Errorf(L, "explore.run: the machine is being explored")
	case len(m.devices) > 0:
		api.Errorf(L, "explore.run: device %s was made outside of the program function, which must make all that an "+
			"execution uses", m.devices[0].name)
	case m.busy():
		api.Errorf(L, "explore.run: programs run on the machine")
	case m.writing():
		api.Errorf(L, onItsWay)
	}
	if err := m.Explorable(); err != nil {
		api.Errorf(L, "explore.run: %v", err)
	}
	if s.Replay != nil && s.Replay.Name != name {
		L.Push(summary(L, name, &explore.Report{Limits: explore.ExecutionLimit}))
		return 1
	}
	x := newExploration(L, v, spec)
	defer host.Of(L).Reseed(x.seed)()
	defer m.Close()
	if m.Engine.Pending() { // an SGI
		api.Errorf(L, onItsWay)
	}
	stop := o.Stop
	o.Stop = func() bool { return x.failure != nil || stop() }
	if s.Replay != nil {
		return x.replay(L, s.Replay, o)
	}
	e := x.explored(L, s, func() (e explored) {
		e.report, e.err = explore.Explore(o, func() (explore.Subject, error) { return x, nil })
		e.checked = x.checked
		if x.failure != nil {
			e.err = x.failure
		}
		if e.err == nil && e.report.Failure != nil {
			e.counterexample = x.counterexample(o, name, e.report.Failure.Schedule)
		}
		return e
	})
	if e.err != nil {
		api.Raise(L, e.err)
	}
	stopped(L, e.report)
	out := summary(L, name, e.report)
	if e.report.Verified() {
		verdict, verified := claim(e, spec)
		out.RawSetString("verdict", lua.LString(verdict))
		out.RawSetString("verified", lua.LBool(verified))
	}
	if e.report.Failure != nil {
		token := explore.Token{
			Name: name, Params: s.Report.Params.String(), Seed: s.Report.Seed, Schedule: e.report.Failure.Schedule,
		}
		out.RawSetString("token", lua.LString(token.String()))
		out.RawSetString("counterexample", luaTable(L, &e.counterexample))
	}
	L.Push(out)
	return 1
}

// newExploration makes the machine of the options one that is explored.
func newExploration(L *lua.LState, v api.Values, spec mem.ExploredSpec) *exploration {
	s, ud := session(L), v.Get("machine").(*lua.LUserData)
	m := ud.Value.(*machineObject)
	m.Engine.SetStop(nil) // a stop between executions is enough, and leaves no program in its middle
	s.forget(m)
	m.exploration = &exploration{
		Explored: m.Explore(spec), L: L, object: m, ud: ud, program: v.Function("program"), check: v.Function("check"),
		seed: s.RunSeed(),
	}
	m.sharing.Mark()
	m.exploration.installed = m.installation()
	return m.exploration
}

const onItsWay = "explore.run: something is still on its way on the machine: let it arrive with m:run()"

// writing reports whether a write has not arrived at its device.
func (m *machineObject) writing() bool {
	return slices.ContainsFunc(m.CPUs, func(c *cpu.CPU) bool { return !c.Idle() })
}

// explored is what an exploration has found.
type explored struct {
	report         *explore.Report
	checked        bool
	counterexample result.Table // of the report's failure
	err            error
}

// claim is the verdict on an exploration that found nothing within no limit: under which model, by what assumptions. It
// is refused if nothing could have been found but a program that never ends.
func claim(e explored, spec mem.ExploredSpec) (verdict string, verified bool) {
	if !e.checked {
		return fmt.Sprintf("nothing was checked: %d executions without m:assert, check, or an interrupt that was taken",
			e.report.Executions), false
	}
	model := spec.Model.String()
	if spec.Model == mem.Arm {
		model += " without load buffering"
	}
	return fmt.Sprintf("%s (%s, atomics %s)", e.report, model, choose(spec.BufferedAtomics, "buffered", "performed")), true
}

// interrupts counts those that the machine's CPUs have taken.
func (m *machineObject) interrupts() (n uint64) {
	for _, c := range m.CPUs {
		n += c.Stats().Interrupts
	}
	return n
}

// explored lets one of the hosts explore for all, unless the script's functions leave something behind that the others
// would not have.
func (x *exploration) explored(L *lua.LState, s *Session, compute func() explored) explored {
	h := host.Of(L)
	if len(h.Effects(x.program)) > 0 || x.check != nil && len(h.Effects(x.check)) > 0 {
		return compute()
	}
	return share(L, s, 1, func(L *lua.LState, _ int) explored {
		x.L, x.failure = L, nil
		return compute()
	})[0]
}

// busy reports whether a program has not ended.
func (m *machineObject) busy() bool {
	for _, p := range m.CPUs {
		if p.Proc().Busy() {
			return true
		}
	}
	return false
}

// Engine is explore.Subject.
func (x *exploration) Engine() *sim.Engine { return x.Machine.Engine }

// Begin is explore.Subject: the script's function starts the programs of an execution.
func (x *exploration) Begin() {
	x.Restore()
	x.executions++
	x.finding = ""
	x.object.sharing.Rewind()
	x.object.sharedCells = 0
	x.object.reinstall(x.installed)
	host.Of(x.L).Reseed(x.seed)
	for _, c := range x.object.cpus {
		if c != nil && c.thread != nil {
			c.thread.Release() // its program was given up in its middle
			c.thread = nil
		}
	}
	x.taken = x.object.interrupts()
	x.unchanged(x.object.sharing.begins)
	x.call(x.program)
	x.unchanged(x.object.sharing.begun)
	if err := x.object.sharing.Refresh(); err != nil && x.failure == nil {
		x.failure = advised(err) // programs may change something before their first step
	}
}

// call runs a function of the script outside of the programs, with the machine as its argument.
func (x *exploration) call(fn *lua.LFunction) (result lua.LValue) {
	values, err := host.Of(x.L).Try(x.L, fn, x.ud)
	var a *assertion
	switch {
	case err == nil:
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

// End is explore.Subject.
func (x *exploration) End(e explore.Ending) explore.Verdict {
	var a *assertion
	var p *programError
	var device *deviceError
	var d *explore.DivergedError
	switch {
	case errors.As(e.Err, &d):
		x.failure = fmt.Errorf("this program depends on Lua state from outside (%s at %s): build all that it uses in the "+
			"program function", d.Channel, place(x.object, d.Channel))
		return explore.Verdict{}
	case errors.As(e.Err, &a):
		return explore.Verdict{Finding: a.text}
	case errors.As(e.Err, &p), errors.As(e.Err, &device):
		x.failure = e.Err
		return explore.Verdict{}
	}
	if err := advised(x.object.sharing.Check()); err != nil {
		x.failure = err
		return explore.Verdict{}
	}
	if text := x.Problem(e.Err, e.Deadlines); text != "" {
		return explore.Verdict{Finding: text}
	}
	x.checked = x.checked || x.check != nil || x.object.interrupts() > x.taken
	if x.check != nil && x.finding == "" {
		if text, ok := x.call(x.check).(lua.LString); ok {
			x.finding = string(text)
		}
	}
	return explore.Verdict{Finding: x.finding}
}

// machineAssert ends an execution under exploration; otherwise it is an error.
func machineAssert(L *lua.LState) int {
	m := api.Object[*machineObject](L, 1)
	if m.exploration != nil {
		m.exploration.checked = true
	}
	if api.BoolAt(L, 2) {
		return 0
	}
	text := api.OptStringAt(L, 3, "assertion failed")
	if m.exploration == nil {
		api.Errorf(L, "Machine:assert: %s", text)
	}
	api.Raise(L, &assertion{text: text})
	return 0
}
