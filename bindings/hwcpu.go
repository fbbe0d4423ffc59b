package bindings

import (
	"fmt"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// cpuObject is a CPU as a script holds it.
type cpuObject struct {
	m      *machineObject
	cpu    *cpu.CPU
	ud     *lua.LUserData // the one Lua object, kept so that pushing it allocates nothing
	thread *host.Thread   // of the program or handler that runs, nil if none
	member *host.Member   // of the machine's programs that must not share; made when first needed
	irq    *lua.LFunction // that takes interrupts, nil for the kernel
	mask   *maskObject    // lent to a Lua gic_ipi_send_mask
	maskUD *lua.LUserData

	origins api.Origins // explored: of the values that the program has loaded
	handed  []handing   // and the functions that it has handed to other CPUs
	failed  error       // how the program has ended, in whatever order of events; maybe it cannot
}

func (m *machineObject) cpuObject(i int) *cpuObject {
	if m.cpus[i] == nil {
		m.cpus[i] = &cpuObject{m: m, cpu: m.CPUs[i]}
	}
	return m.cpus[i]
}

// core is the processor around the CPU.
func (c *cpuObject) core() machine.Core { return c.m.Board.Core(c.cpu.ID) }

// object is the CPU as a Lua value.
func (c *cpuObject) object(L *lua.LState) *lua.LUserData {
	if c.ud == nil {
		c.ud = cpuClass.New(L, c)
	}
	return c.ud
}

// String is the summary that tostring and the REPL show.
func (c *cpuObject) String() string {
	if c.m.exploring() {
		return fmt.Sprintf("CPU %d of %s", c.cpu.ID, c.m.Spec.Name) // see mustSeeNone
	}
	state := "idle"
	if p := c.cpu.Power(); p != cpu.On {
		state = p.String()
		if p == cpu.Parked && c.cpu.IRQ() {
			state += ", kept awake by an interrupt that nobody takes"
		}
	} else if why, waits := c.cpu.Proc().Waiting(); waits {
		state = "waits for " + why.String()
	} else if c.cpu.Proc().Busy() {
		state = "runs"
	}
	return fmt.Sprintf("CPU %d of %s: %s, at %s ns", c.cpu.ID, c.m.Spec.Name, state, c.now().Nanoseconds())
}

// now is the time of the CPU's program, or the machine's while the program waits or there is none. Explored, it means
// nothing, but is the same each time.
func (c *cpuObject) now() sim.Time {
	if c.m.exploration != nil {
		return min(c.cpu.Now(), sim.EndOfTime)
	}
	return c.m.timely(max(c.cpu.Now(), c.m.Engine.Now()))
}

// runs reports whether it is the CPU's program, or its handler, that runs on L.
func (c *cpuObject) runs(L *lua.LState) bool {
	if x := c.m.exploration; x != nil {
		return !x.outside && c.m.device == nil && threadOf(L) == c
	}
	return c.m.device == nil && c.m.Engine.Current() == c.cpu.Proc()
}

// programAt is the CPU at position 1, whose program must be the one that runs.
func programAt(L *lua.LState) *cpuObject {
	c := L.Get(1).(*lua.LUserData).Value.(*cpuObject)
	if !c.runs(L) {
		c.notRunning(L)
	}
	c.pause()
	if c.m.exploration != nil {
		c.unshared(L)
	}
	return c
}

func (c *cpuObject) notRunning(L *lua.LState) {
	c.m.mustBeOpen(L)
	c.m.mustNotWait(L, fmt.Sprintf("CPU %d", c.cpu.ID))
	if other := c.m.runner(L); other != "" {
		api.Errorf(L, "CPU %d used in the program of %s; a program acts on its own CPU only", c.cpu.ID, other)
	}
	api.Errorf(L, "CPU %d used outside of its program; start one with m:run(%d, function(cpu) ... end)", c.cpu.ID,
		c.cpu.ID)
}

var orderWords = api.Words[bus.Order]{
	{Text: "acquire", Value: bus.Acquire}, {Text: "acquire_pc", Value: bus.AcquirePC},
	{Text: "release", Value: bus.Release}, {Text: "acquire_release", Value: bus.AcquireRelease},
}

func orderAt(L *lua.LState, n int) bus.Order {
	if _, ok := L.Get(n).(lua.LString); !ok {
		return bus.Plain
	}
	return orderWords.At(L, n)
}

// access checks the address at position n before the CPU would abort.
func access(L *lua.LState, c *cpuObject, n int, size uint8, op bus.Op) uint64 {
	addr := api.U64At(L, n)
	if abort := c.cpu.Check(addr, size, op); abort != nil {
		c.cpu.Abort(abort)
		api.Errorf(L, "%v", abort)
	}
	return addr
}

func sizeAt(L *lua.LState, n int) uint8 {
	size := api.OptIntAt(L, n, 8)
	if size != 1 && size != 2 && size != 4 && size != 8 {
		api.ArgErrorf(L, n, "1, 2, 4 or 8 bytes")
	}
	return uint8(size)
}

// cpuClass has methods and constants only: that is the fast path.
var cpuClass = &api.Class{
	Name: "CPU", Doc: "A CPU. Its methods act in simulated time, inside the CPU's own program.",
	String: func(v any) string { return v.(*cpuObject).String() },
}

func init() {
	cpuClass.Fields = placeFields()
	cpuClass.Funcs = slices.Concat(cpuMemoryFuncs(), cpuAtomicFuncs(), cpuControlFuncs(), cpuKernelFuncs(),
		cpuInspectFuncs())
}

var (
	addrParam  = api.P("addr", api.U64(), "physical address, aligned to the size")
	sizeParam  = api.Opt("size", api.Int(1, 8), "8", "bytes: 1, 2, 4 or 8")
	valueParam = api.P("value", api.U64(), "value; the bits that fit are stored")
)

// runExample is an example for a method: it needs a program.
func runExample(body string) string {
	return `local m = hw.machine("virt"); local a = m:lines(1):addr(0)
return m:run(0, function(cpu) ` + body + ` end)`
}

func cpuMemoryFuncs() []api.Func {
	return []api.Func{
		{
			Name: "load", Doc: "Loads from memory or from a device.",
			Params: []api.Param{
				addrParam, api.Opt("order", orderWords[:2].Type(), "plain", "acquire: LDAR; acquire_pc: LDAPR"), sizeParam,
			},
			Returns: []api.Param{api.P("value", api.U64(), "what was read")}, Example: runExample(`return cpu:load(a)`),
			Fn: func(L *lua.LState) int {
				c, size := programAt(L), sizeAt(L, 4)
				c.uses(L, 2)
				c.pushLoaded(L, c.cpu.Load(access(L, c, 2, size, bus.Read), size, orderAt(L, 3)))
				return 1
			},
			Flow: api.Passes,
		},
		{
			Name: "store", Doc: "Stores to memory or to a device. The store drains later; see dmb and dsb.",
			Params: []api.Param{
				addrParam, valueParam, api.Opt("order", orderWords[2:3].Type(), "plain", "release: STLR"), sizeParam,
			},
			Example: runExample(`cpu:store(a, 1); return cpu:load(a)`),
			Fn: func(L *lua.LState) int {
				c, size := programAt(L), sizeAt(L, 5)
				c.uses(L, 2, 3)
				c.cpu.Store(access(L, c, 2, size, bus.Write), size, api.U64At(L, 3), orderAt(L, 4))
				return 0
			},
			Flow: api.Passes,
		},
		{
			Name: "write_all", Doc: "Stores 4 bytes to the start of each line.",
			Params: []api.Param{api.P("lines", api.ObjectOf(linesClass), "from m:lines"), valueParam},
			Example: `local m = hw.machine("virt"); local data = m:lines(7)
m:run(0, function(cpu) cpu:write_all(data, 5) end)`,
			Fn: func(L *lua.LState) int {
				c, l, v := programAt(L), api.Object[*linesObject](L, 2), api.U64At(L, 3)
				if l.m != c.m {
					api.Errorf(L, "CPU:write_all: the lines are another machine's")
				}
				for i := range l.count {
					c.uses(L, 0, 3)
					c.cpu.Store(l.base+uint64(i)*mem.LineSize, 4, v, bus.Plain)
				}
				return 0
			},
			Flow: api.Passes,
		},
		{
			Name: "dmb", Doc: "Data memory barrier: orders memory accesses, nothing else.",
			Params:  []api.Param{api.P("option", dmbWords.Type(), "domain and accesses: ishst, sy, ...")},
			Example: runExample(`cpu:dmb "ishst"`), Fn: fence(dmbWords),
		},
		{
			Name: "dsb", Doc: "Data synchronization barrier: waits until the accesses before it are complete.",
			Params:  []api.Param{api.P("option", dsbWords.Type(), "domain and accesses: ishst, sy, ...")},
			Example: runExample(`cpu:dsb "ishst"`), Fn: fence(dsbWords),
		},
		{
			Name: "isb", Doc: "Instruction synchronization barrier.", Example: runExample(`cpu:isb()`),
			Fn: func(L *lua.LState) int {
				programAt(L).cpu.Synchronize()
				return 0
			},
		},
		dependFunc(),
	}
}

func dependFunc() api.Func {
	return api.Func{
		Name: "depend",
		Doc: "Declares that what follows depends on the last load, which the explorer cannot see by itself: the address " +
			"of the next access (addr), the data of the next store (data), or whether it is executed (ctrl).",
		Params:  []api.Param{api.P("kind", dependencyWords.Type(), "addr, data or ctrl")},
		Example: runExample(`cpu:load(a); cpu:depend "addr"; cpu:load(a)`),
		Fn: func(L *lua.LState) int {
			programAt(L).cpu.Depend(dependencyWords.At(L, 2))
			return 0
		},
	}
}

var dependencyWords = api.Words[mem.Dependency]{
	{Text: "addr", Value: mem.AddressDependency}, {Text: "data", Value: mem.DataDependency},
	{Text: "ctrl", Value: mem.ControlDependency},
}

func fence(words api.Words[bus.Fence]) lua.LGFunction {
	return func(L *lua.LState) int {
		programAt(L).cpu.Fence(words.At(L, 2))
		return 0
	}
}

func cpuAtomicFuncs() []api.Func {
	order := api.Opt("order", orderWords.Type(), "plain", "acquire, release, or acquire_release as CASAL")
	old := []api.Param{api.P("old", api.U64(), "value before")}
	var funcs []api.Func
	for _, a := range [...]struct {
		name, doc string
		op        bus.AtomicOp
	}{
		{"swap", "Writes and answers the old value (SWP).", bus.Swap},
		{"fetch_add", "Adds (LDADD).", bus.Add},
		{"fetch_set", "Sets the bits of value (LDSET).", bus.Set},
		{"fetch_clear", "Clears the bits of value (LDCLR).", bus.Clear},
	} {
		funcs = append(funcs, api.Func{
			Name: a.name, Doc: a.doc, Params: []api.Param{addrParam, valueParam, order}, Returns: old,
			Example: runExample(`return cpu:` + a.name + `(a, 1)`),
			Fn: func(L *lua.LState) int {
				c := programAt(L)
				c.uses(L, 2, 3)
				c.pushLoaded(L, c.cpu.Atomic(access(L, c, 2, 8, bus.ReadModify), 8, a.op, api.U64At(L, 3), 0, orderAt(L, 4)))
				return 1
			},
			Flow: api.Passes,
		})
	}
	return append(funcs,
		api.Func{
			Name: "cas", Doc: "Compares and swaps (CAS): writes value if the location holds expected.",
			Params:  []api.Param{addrParam, api.P("expected", api.U64(), "value to compare with"), valueParam, order},
			Returns: old, Example: runExample(`return cpu:cas(a, 0, 1, "acquire_release")`),
			Fn: func(L *lua.LState) int {
				c := programAt(L)
				c.uses(L, 2, 3, 4)
				addr, expected, v := access(L, c, 2, 8, bus.ReadModify), api.U64At(L, 3), api.U64At(L, 4)
				c.pushLoaded(L, c.cpu.Atomic(addr, 8, bus.CompareAndSwap, v, expected, orderAt(L, 5)))
				return 1
			},
			Flow: api.Passes,
		},
		api.Func{
			Name: "ldxr", Doc: "Loads and sets the exclusive monitor (LDXR, LDAXR).",
			Params:  []api.Param{addrParam, api.Opt("order", orderWords[:1].Type(), "plain", "acquire: LDAXR")},
			Returns: []api.Param{api.P("value", api.U64(), "what was read")}, Example: runExample(`return cpu:ldxr(a)`),
			Fn: func(L *lua.LState) int {
				c := programAt(L)
				c.uses(L, 2)
				c.pushLoaded(L, c.cpu.LoadExclusive(access(L, c, 2, 8, bus.ReadModify), 8, orderAt(L, 3)))
				return 1
			},
			Flow: api.Passes,
		},
		api.Func{
			Name: "stxr", Doc: "Stores if the exclusive monitor still holds (STXR, STLXR).",
			Params:  []api.Param{addrParam, valueParam, api.Opt("order", orderWords[2:3].Type(), "plain", "release: STLXR")},
			Returns: []api.Param{api.P("stored", api.Bool(), "false: the line was written since ldxr")},
			Example: runExample(`cpu:ldxr(a); return cpu:stxr(a, 1)`),
			Fn: func(L *lua.LState) int {
				c := programAt(L)
				c.uses(L, 2, 3)
				stored := c.cpu.StoreExclusive(access(L, c, 2, 8, bus.ReadModify), 8, api.U64At(L, 3), orderAt(L, 4))
				L.Push(lua.LBool(stored))
				return 1
			},
			Flow: api.Passes,
		},
	)
}

// timeoutAt is the time in ns at position n, forever if it is absent.
func timeoutAt(L *lua.LState, n int) sim.Time {
	v, ok := L.Get(n).(lua.LNumber)
	if !ok {
		return sim.Never
	}
	t, ok := picoseconds(float64(v))
	if !ok {
		api.ArgErrorf(L, n, "a time in ns up to 1e9 in whole ps")
	}
	return t
}
