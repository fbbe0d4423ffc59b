package bindings

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

var exploreRunFunc = api.Func{
	Name: "run",
	Doc: "Executes programs on a machine in every order and looks for an execution that goes wrong: a check that fails, " +
		"a deadlock, a wait that only its timeout can end, an interrupt that nobody takes. The program function is called " +
		"once; each execution begins with the Lua variables and tables as it has left them. What a program does with a u64 " +
		"that it has loaded says what depends on the load: to compare it is a branch, in m:assert and the functions of " +
		"check, too, on which what follows depends. A loop that waits for a value must use cpu:wait: as a plain loop it " +
		"has no end. The machine is used up.",
	Params: []api.Param{api.P("exploration", api.OptionsOf(exploreSchema), "what to explore")},
	Returns: []api.Param{api.P("outcome", api.Table(), "name, verdict (a line that names model and assumptions), "+
		"verified, executions, failing (of them, those in which a store-exclusive fails without a cause), failures; with "+
		"a failure also finding, token (for hwscript run --replay) and counterexample, which print draws and bench.table "+
		"takes; `hwscript run --svg FILE` draws it as a picture. It is an execution of the programs as they are: of all "+
		"that were visited and have this finding, the one with the fewest events on what CPUs share, and of those the one "+
		"that goes from one CPU to another the least often. Accesses to what one CPU alone uses, and how an interrupt is "+
		"ended, are not drawn. Nothing is removed: programs without one of their accesses could fail for another reason")},
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
		api.Opt("atomics", atomicsWords.Type(), "architecture", "performed: what an atomic writes comes before all that "+
			"follows, as on known cores; the architecture does not promise it before a system register write"),
	}, searchOptions...)
}

var atomicsWords = api.Words[bool]{{Text: "architecture", Value: false}, {Text: "performed", Value: true}}

func exploreRun(L *lua.LState) int {
	s := session(L)
	s.describing(L)
	v := exploreSchema.At(L, 1)
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
		nothing := explore.Claim{Report: &graph.Report{Limits: graph.Stopped}}
		L.Push(summary(L, name, &explored{Claim: nothing}))
		return 1
	}
	x := newExploration(L, v)
	defer host.Of(L).Reseed(x.seed)()
	defer m.Close()
	if m.Engine.Pending() {
		api.Errorf(L, onItsWay)
	}
	if s.Replay != nil {
		return x.replay(L, s.Replay)
	}
	e := x.explore(L, s)
	out := summary(L, name, &e)
	if e.Report.Failure != nil {
		token := explore.Token{
			Name: name, Params: s.Report.Params.String(), Seed: s.Report.Seed, Path: e.Report.Failure.Path,
			Digest: e.finding.digest,
		}
		out.RawSetString("token", lua.LString(token.String()))
		out.RawSetString("counterexample", e.finding.lua(L))
		if err := s.Report.AddSequence(e.finding.events); err != nil {
			api.Raise(L, err)
		}
	}
	L.Push(out)
	return 1
}

// newExploration makes the machine of the options one that is explored.
func newExploration(L *lua.LState, v api.Values) *exploration {
	s, ud := session(L), v.Get("machine").(*lua.LUserData)
	m := ud.Value.(*machineObject)
	m.Engine.SetStop(nil) // a stop between executions is enough, and leaves no program in its middle
	s.forget(m)
	x := &exploration{
		L: L, name: v.String("name", ""), object: m, ud: ud, program: v.Function("program"), check: v.Function("check"),
		seed: s.RunSeed(), outside: true, active: noCPU,
		programs: make([]*luaProgram, len(m.CPUs)), copy: make([]*host.Copy, len(m.CPUs)),
	}
	x.model, x.options = readSearch(L, v)
	x.options.Failures = 1
	if performed, _ := atomicsWords.Lookup(v.String("atomics", "architecture")); performed {
		x.model = x.model.Performed()
	}
	m.exploration = x
	return x
}

const onItsWay = "explore.run: something is still on its way on the machine, or a timer runs: let it come with m:run()"

// writing reports whether a write has not arrived at its device.
func (m *machineObject) writing() bool {
	return slices.ContainsFunc(m.CPUs, func(c *cpu.CPU) bool { return !c.Idle() })
}

// busy reports whether a program has not ended.
func (m *machineObject) busy() bool {
	return slices.ContainsFunc(m.CPUs, func(c *cpu.CPU) bool { return c.Proc().Busy() })
}

// explored is what an exploration has found.
type explored struct {
	explore.Claim
	finding finding // the report's failure
}

// explore explores the machine. The hosts of a script share the tasks, unless the script's functions leave something
// behind that the others would not have.
func (x *exploration) explore(L *lua.LState, s *Session) (e explored) {
	h := host.Of(L)
	alone := len(h.Effects(x.program)) > 0 || x.check != nil && len(h.Effects(x.check)) > 0
	plan := graph.NewPlan(x.options)
	for tasks := plan.Tasks(); len(tasks) > 0; tasks = plan.Tasks() {
		executions, estimated := plan.Done()
		x.options.Progress = func(n int) { s.explores(x.name, explore.Progress(executions+n, estimated)) }
		results := make([]*graph.Result, len(tasks))
		if alone {
			for i := range results {
				results[i] = x.carryOut(L, tasks[i])
			}
		} else {
			x.covered(h, executions)
			results = share(L, s, len(tasks), func(L *lua.LState, i int) *graph.Result {
				r := x.carryOut(L, tasks[i])
				x.passOn(L, s, executions, r)
				return r
			})
			h.StoppedAt("")
		}
		plan.Add(results)
	}
	s.explores(x.name, "")
	r, err := plan.Report()
	if err != nil {
		api.Raise(L, err)
	}
	e.Claim = explore.Claim{Model: x.model.Name, Options: x.options, Report: r}
	if r.Limits&graph.Stopped != 0 {
		h.StoppedAt("explore.run: " + x.name + ": " + e.String())
		api.Raise(L, x.stop(h, x.halted))
	}
	if r.Failure != nil {
		err := x.run(L, func(p *graph.Program) (err error) {
			found := false
			if e.finding, found, err = x.show(p, r.Failure.Path); err == nil && !found {
				panic("BUG: an execution that fails cannot be repeated")
			}
			return err
		})
		if err != nil {
			api.Raise(L, err)
		}
	}
	return e
}

// covered notes how far the exploration is, in case that the run ends.
func (x *exploration) covered(h *host.Host, executions int) {
	h.StoppedAt(fmt.Sprintf("explore.run: %s: stopped after %d executions", x.name, executions))
}

// passOn ends a run of several hosts in a task of one of them: but for the budget, an end is that of all, and none of
// them adds up what was covered.
func (x *exploration) passOn(L *lua.LState, s *Session, executions int, r *graph.Result) {
	h := host.Of(L)
	cause := h.StopCause()
	if s.Team == nil || s.Team.size == 1 || cause == nil || errors.Is(cause, host.ErrBudget) {
		return
	}
	if r != nil {
		executions += r.Executions()
	}
	x.covered(h, executions)
	api.Raise(L, x.stop(h, x.halted))
}

// carryOut does a task on L.
func (x *exploration) carryOut(L *lua.LState, t *graph.Task) (r *graph.Result) {
	if host.Of(L).Stopped() {
		return nil
	}
	err := x.run(L, func(p *graph.Program) error {
		r = t.Run(p, x.model, x.options)
		return cmp.Or(r.Err(), r.Halted())
	})
	if err != nil && !host.Of(L).Stopped() {
		api.Raise(L, err)
	}
	x.halted = err
	return r
}

// machineAssert ends an execution under exploration; otherwise it is an error.
func machineAssert(L *lua.LState) int {
	m := api.Object[*machineObject](L, 1)
	x := m.exploration
	if x != nil {
		x.checked = x.checked || x.ordered
	}
	if api.BoolAt(L, 2) {
		return 0
	}
	text := api.OptStringAt(L, 3, "assertion failed")
	switch c := threadOf(L); {
	case x == nil:
		api.Errorf(L, "Machine:assert: %s", text)
	case c != nil && c.m == m && m.device == nil:
		x.ends(c, &assertion{text: text})
	case x.outside && m.device == nil && x.finding == "": // the check may catch the error
		x.finding = text
	}
	api.Raise(L, &assertion{text: text})
	return 0
}
