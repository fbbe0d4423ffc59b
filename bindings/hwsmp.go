package bindings

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/host/api"
)

var maskWords = func() (words api.Words[linux.MaskName]) {
	for _, w := range []struct {
		text string
		mask linux.MaskName
	}{{"online", linux.CPUOnlineMask}, {"present", linux.CPUPresentMask}, {"possible", linux.CPUPossibleMask}} {
		words = append(words, api.Word[linux.MaskName]{Text: w.text, Value: w.mask})
	}
	return words
}()

var pauseWords = func() (words api.Words[linux.PauseForm]) {
	for f := linux.PauseV1; f <= linux.PauseRFC; f++ {
		words = append(words, api.Word[linux.PauseForm]{Text: f.String(), Value: f})
	}
	return words
}()

var cpuList = api.ListOf(api.Count(0))

// cpusAt is the list of CPUs at position n as a mask, each of which the kernel must know.
func cpusAt(L *lua.LState, k *linux.Kernel, n int) linux.CPUMask {
	mask := linux.NewCPUMask(k.NRCPUIDs())
	list := L.Get(n).(*lua.LTable)
	for i := 1; i <= list.Len(); i++ {
		number := int(list.RawGetInt(i).(lua.LNumber))
		if number >= k.NRCPUIDs() {
			api.ArgErrorf(L, n, "CPUs from 0 to %d, which is below nr_cpu_ids, not %d", k.NRCPUIDs()-1, number)
		}
		mask.Set(number)
	}
	return mask
}

// linuxFuncs are what the kernel shows of CPUs as a whole.
func linuxFuncs() []api.Func {
	mask := api.P("mask", maskWords.Type(), "cpu_online_mask, cpu_present_mask or cpu_possible_mask")
	return []api.Func{{
		Name: "cpus", Doc: "A mask of CPUs as it stands in memory.", Params: []api.Param{mask},
		Returns: []api.Param{api.P("cpus", cpuList, "their numbers in order")},
		Example: `hw.machine("virt", { linux = { maxcpus = 2 } }).linux:cpus("online")`,
		Fn: func(L *lua.LState) int {
			k := api.Object[*linuxObject](L, 1)
			k.m.mustSeeNone(L, "Linux:cpus")
			api.Boundary(L)
			list, m := L.NewTable(), k.m.Kernel.Mask(maskWords.At(L, 2))
			for i := m.Next(0); i >= 0; i = m.Next(i + 1) {
				list.Append(lua.LNumber(i))
			}
			L.Push(list)
			return 1
		},
	}, {
		Name: "set_cpus", Doc: "Changes a mask of CPUs in memory as a debugger does, and with that of the online CPUs " +
			"__num_online_cpus. CPUs come and go by cpu_up and cpu_down instead.",
		Params:  []api.Param{mask, api.P("cpus", cpuList, "their numbers")},
		Example: `local m = hw.machine("virt"); m.linux:set_cpus("online", { 0, 1 }); return m.linux:cpus("online")`,
		Fn: func(L *lua.LState) int {
			k := api.Object[*linuxObject](L, 1)
			k.m.mustSeeNone(L, "Linux:set_cpus")
			api.Boundary(L)
			k.m.Kernel.SetMask(maskWords.At(L, 2), cpusAt(L, k.m.Kernel, 3))
			return 0
		},
	}, {
		Name: "address", Doc: "Where what the kernel knows of the CPUs lies in memory, for programs that read it: a mask " +
			"has words of 8 bytes, num_online_cpus 4 bytes.",
		Params: []api.Param{api.P("name", api.Enum("online", "present", "possible", "num_online_cpus"),
			"cpu_online_mask, cpu_present_mask, cpu_possible_mask, or __num_online_cpus")},
		Returns: []api.Param{api.P("addr", api.U64(), "its address")},
		Example: `local m = hw.machine("virt")
return m:run(0, function(cpu) return cpu:load(m.linux:address "online") end)`,
		Fn: func(L *lua.LState) int {
			k := api.Object[*linuxObject](L, 1).m.Kernel
			if mask, ok := maskWords.Lookup(api.StringAt(L, 2)); ok {
				api.PushU64(L, k.MaskAddress(mask))
			} else {
				api.PushU64(L, k.NumOnlineAddress())
			}
			return 1
		},
	}}
}

// cpuSMPFuncs are the kernel's paths by which one CPU reaches many, or brings others up and down.
func cpuSMPFuncs() []api.Func {
	list := api.P("cpus", cpuList, "their numbers")
	function := api.Opt("func", api.Function(), "an empty function", "function(cpu)")
	wait := api.Opt("wait", api.Bool(), "true", "return when it has run on all")
	number := api.P("cpu", api.Count(0), "number of the CPU")
	return append([]api.Func{
		kernelFunc("on_each_cpu", "The kernel's: runs a function on all CPUs that are online, this one too.",
			[]api.Param{function, wait}, `cpu:on_each_cpu()`, func(L *lua.LState, c *cpuObject) error {
				return c.callMany(L, nil, true, 2)
			}),
		kernelFunc("smp_call_function_many", "The kernel's: runs a function on CPUs that are online, without this one.",
			[]api.Param{list, function, wait}, `cpu:smp_call_function_many({ 1, 2, 3 })`,
			func(L *lua.LState, c *cpuObject) error {
				return c.callMany(L, cpusAt(L, c.m.Kernel, 2), false, 3)
			}),
		exploredFunc("ipi_send_mask", "gic_ipi_send_mask, or what the driver has in its place: sends a software generated "+
			"interrupt to CPUs.", []api.Param{api.P("intid", api.Int(0, 15), "the interrupt"), list},
			`cpu:ipi_send_mask(1, { 1, 2 })`, func(L *lua.LState, c *cpuObject) error {
				c.m.Kernel.IRQChip().IPISendMask(c.cpu, api.IntAt(L, 2), cpusAt(L, c.m.Kernel, 3))
				return nil
			}),
		kernelFunc("cpu_up", "The kernel's: brings a CPU up that is present and not online.", []api.Param{number},
			`cpu:cpu_down(1); cpu:cpu_up(1)`, func(L *lua.LState, c *cpuObject) error {
				return c.m.Kernel.CPUUp(c.cpu, api.IntAt(L, 2))
			}),
		kernelFunc("cpu_down", "The kernel's: takes an idle CPU down.", []api.Param{number}, `cpu:cpu_down(1)`,
			func(L *lua.LState, c *cpuObject) error { return c.m.Kernel.CPUDown(c.cpu, api.IntAt(L, 2)) }),
		exploredFunc("set_cpu_online", "The kernel's, of the CPU itself: its bit of cpu_online_mask, then the counter.",
			[]api.Param{api.P("online", api.Bool(), "false where it goes")}, `cpu:set_cpu_online(false)`,
			func(L *lua.LState, c *cpuObject) error {
				c.m.Kernel.SetCPUOnline(c.cpu, api.BoolAt(L, 2))
				return nil
			}),
		kernelFunc("smp_send_stop", "The kernel's: stops all other CPUs for ever.",
			[]api.Param{api.Opt("crash", api.Bool(), "false", "as crash_smp_send_stop does: they are switched off")},
			`cpu:smp_send_stop()`, func(L *lua.LState, c *cpuObject) error {
				c.m.Kernel.Port().SMPSendStop(c.cpu, lua.LVAsBool(L.Get(2)))
				return nil
			}),
	}, pauseFuncs()...)
}

// pauseFuncs are the paths around a pause of remote CPUs.
func pauseFuncs() []api.Func {
	return []api.Func{
		kernelFunc("local_irq_disable", "The kernel's: masks interrupts, with pseudo-NMIs by ICC_PMR_EL1.", nil,
			`cpu:local_irq_disable(); cpu:local_irq_enable()`, func(_ *lua.LState, c *cpuObject) error {
				c.m.Kernel.Arch.LocalIRQSave(c.cpu)
				return nil
			}),
		kernelFunc("local_irq_enable", "The kernel's: undoes local_irq_disable, and takes what is pending.", nil,
			`cpu:local_irq_disable(); cpu:local_irq_enable()`, func(_ *lua.LState, c *cpuObject) error {
				c.m.Kernel.Arch.LocalIRQRestore(c.cpu, false)
				return nil
			}),
		kernelFunc("cpus_read_lock", "The kernel's: no CPU comes or goes until cpus_read_unlock.", nil,
			`cpu:cpus_read_lock(); cpu:cpus_read_unlock()`, func(_ *lua.LState, c *cpuObject) error {
				return c.m.Kernel.CPUsReadLock(c.cpu)
			}),
		kernelFunc("cpus_read_unlock", "The kernel's: undoes cpus_read_lock.", nil,
			`cpu:cpus_read_lock(); cpu:cpus_read_unlock()`, func(_ *lua.LState, c *cpuObject) error {
				c.m.Kernel.CPUsReadUnlock(c.cpu)
				return nil
			}),
		kernelFunc("pause_remote_cpus", "Stops all other CPUs until resume_remote_cpus, by NMIs, in the form of "+
			"linux.pause. The machine has pseudo-NMIs.", nil, pauseExample, func(L *lua.LState, c *cpuObject) error {
			c.mustHaveNMIs(L, "pause_remote_cpus")
			return c.m.Kernel.Port().PauseRemoteCPUs(c.cpu)
		}),
		kernelFunc("resume_remote_cpus", "Undoes pause_remote_cpus.", nil, pauseExample,
			func(L *lua.LState, c *cpuObject) error {
				if !c.m.Kernel.PauseAllocated() {
					api.Errorf(L, "CPU:resume_remote_cpus: no CPU has called pause_remote_cpus")
				}
				c.m.Kernel.Port().ResumeRemoteCPUs(c.cpu)
				return nil
			}),
		kernelFunc("update_ptes", "Makes entries of a page table anew, with break-before-make while all other CPUs are "+
			"paused: once for all entries, with linux.pause rfc once for each.", []api.Param{
			addrParam, api.P("count", api.Int(1, 512), "entries of 8 bytes, from the address on"),
		}, updateExample, func(L *lua.LState, c *cpuObject) error {
			c.mustHaveNMIs(L, "update_ptes")
			table, count := access(L, c, 2, 8, bus.Write), api.IntAt(L, 3)
			if last := table + 8*uint64(count-1); !c.m.Memory.Contains(last, 8) || !c.m.Memory.Contains(table, 8) {
				api.ArgErrorf(L, 2, "the address of %d entries in RAM", count)
			}
			return c.m.Kernel.Port().UpdatePTEs(c.cpu, table, count)
		}),
	}
}

// Programs on a machine with pseudo-NMIs.
const (
	pauseExample = `local m = hw.machine("arm80", { cpus = 8, linux = { pause = "v2" } })
m:run(0, function(cpu)
  cpu:local_irq_disable()
  cpu:pause_remote_cpus()
  cpu:resume_remote_cpus()
  cpu:local_irq_enable()
end)`
	updateExample = `local m = hw.machine("arm80", { cpus = 8, linux = { pause = "v2", sgi_broadcast = "v2" } })
local table = m:lines(1)
return m:run(0, function(cpu) cpu:update_ptes(table:addr(0), 8); return cpu:load(table:addr(0)) end)`
)

// mustHaveNMIs refuses what works by pseudo-NMIs on a machine without.
func (c *cpuObject) mustHaveNMIs(L *lua.LState, method string) {
	if !c.m.Kernel.Port().PseudoNMIs() {
		api.Errorf(L, "CPU:%s: %s has no pseudo-NMIs; make the machine with linux = { pseudo_nmi = true }", method,
			c.m.Spec.Name)
	}
}

// kernelFunc is a path of the kernel as a method of the CPU that runs it.
func kernelFunc(
	name, doc string, params []api.Param, example string, do func(L *lua.LState, c *cpuObject) error,
) api.Func {
	return exploredFunc(name, doc, params, example, func(L *lua.LState, c *cpuObject) error {
		if c.m.exploration != nil {
			api.Errorf(L, "CPU:%s: explore.run does not explore it", name)
		}
		return do(L, c)
	})
}

// exploredFunc is one that says what depends on what it loads, so that it can be explored.
func exploredFunc(
	name, doc string, params []api.Param, example string, do func(L *lua.LState, c *cpuObject) error,
) api.Func {
	if strings.HasPrefix(example, "cpu:") {
		example = runExample(example)
	}
	return api.Func{
		Name: name, Doc: doc, Params: params, Example: example,
		Fn: func(L *lua.LState) int {
			c := programAt(L)
			if err := do(L, c); err != nil {
				api.Errorf(L, "CPU:%s: %v", name, err)
			}
			return 0
		},
	}
}

// callMany is a call to many CPUs, of the function at position n; mask nil is all that are online.
func (c *cpuObject) callMany(L *lua.LState, mask linux.CPUMask, local bool, n int) error {
	call := linux.CallMask{Mask: mask, RunLocal: local, Wait: L.Get(n+1) == lua.LNil || api.BoolAt(L, n+1)}
	if mask == nil {
		call.Mask = c.m.Kernel.Online()
	}
	fn := api.FunctionAt(L, n)
	if fn == nil {
		return c.m.Kernel.SMPCallFunctionManyCond(c.cpu, call, nil, 0)
	}
	online := c.m.Kernel.Online()
	for i := call.Mask.Next(0); i >= 0; i = call.Mask.Next(i + 1) {
		if online.Has(i) && (local || i != c.cpu.ID) {
			c.m.cpuObject(i).admit(L, fn)
		}
	}
	return c.m.Kernel.SMPCallFunctionManyCond(c.cpu, call, func(on *cpu.CPU, _ uint64) {
		callee := c.m.cpuObject(on.ID)
		defer callee.retire(fn)
		callee.call(fn)
	}, 0)
}

var perfFunc = api.Func{
	Name: "perf",
	Doc: "Calls a function and takes the time of one CPU meanwhile apart by the functions of the kernel that it is in, " +
		"as perf record of its task would show it; regions with interrupts off are included, what other CPUs do is not.",
	Params: []api.Param{
		api.P("cpu", api.Count(0), "number of the CPU"), api.P("body", api.Function(), "called without arguments"),
	},
	Returns: []api.Param{api.P("profile", api.Table(), "total in ps; functions, a list of { name, path, self, total } in "+
		"the order in which they were first called; ps[name], the time in a function and in what it calls")},
	Example: `local m = hw.machine("virt")
return m:perf(0, function() m:run(0, function(cpu) cpu:on_each_cpu() end) end).ps["gic_ipi_send_mask"]`,
	Fn: machinePerf,
}

func machinePerf(L *lua.LState) int {
	m := machineAt(L)
	m.mustSeeNone(L, "Machine:perf")
	c := cpuAt(L, m, 2).cpu
	p := &sim.Profile{Only: c.String()}
	p.Begin(c.String(), max(c.Now(), m.Engine.Now()))
	m.Engine.Attach(p)
	defer m.Engine.Detach()
	L.Push(api.FunctionAt(L, 3))
	L.Call(0, 0)
	p.End(c.String(), max(c.Now(), m.Engine.Now()))
	out, list, byName := L.NewTable(), L.NewTable(), L.NewTable()
	out.RawSetString("total", lua.LNumber(p.Total(0)))
	out.RawSetString("functions", list)
	out.RawSetString("ps", byName)
	for i := range p.Nodes {
		f, total := &p.Nodes[i], lua.LNumber(p.Total(i))
		row := L.NewTable()
		row.RawSetString("name", lua.LString(f.Symbol))
		row.RawSetString("path", lua.LString(p.Path(i)))
		row.RawSetString("self", lua.LNumber(f.Self))
		row.RawSetString("total", total)
		list.Append(row)
		if !p.Recursive(i) {
			sum, _ := byName.RawGetString(f.Symbol).(lua.LNumber)
			byName.RawSetString(f.Symbol, sum+total)
		}
	}
	L.Push(out)
	return 1
}
