package bindings

import (
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/host/api"
)

func cpuControlFuncs() []api.Func {
	return slices.Concat(sysRegFuncs(), cpuTimeFuncs(), cpuWaitFuncs(), cpuEventFuncs(), cpuInterruptFuncs())
}

func cpuTimeFuncs() []api.Func {
	return []api.Func{
		{
			Name: "id", Doc: "The CPU's number.", Returns: []api.Param{api.P("cpu", api.Count(0), "from 0")},
			Example: `hw.machine("virt"):cpu(3):id()`,
			Fn: func(L *lua.LState) int {
				api.PushInt(L, int64(api.Object[*cpuObject](L, 1).cpu.ID))
				return 1
			},
		},
		{
			Name: "now", Doc: "Simulated time of the CPU.",
			Returns: []api.Param{api.P("time", api.Count(0), "ps since the boot")},
			Example: runExample(`return cpu:now()`),
			Fn: func(L *lua.LState) int {
				c := api.Object[*cpuObject](L, 1)
				if c.runs(L) {
					c.cpu.Boundary()
				} else {
					c.m.mustSeeNone(L, "CPU:now of another CPU")
				}
				api.PushInt(L, int64(c.now()))
				return 1
			},
		},
		{
			Name: "ktime", Doc: "ktime_get(): the generic counter in ns, in steps of its period (10 ns).",
			Returns: []api.Param{api.P("time", api.Count(0), "ns")}, Example: runExample(`return cpu:ktime()`),
			Fn: func(L *lua.LState) int {
				api.PushInt(L, int64(programAt(L).core().ReadClock()/sim.Nanosecond))
				return 1
			},
		},
		{
			Name: "exec", Doc: "Straight-line work, which an interrupt may cut short.",
			Params:  []api.Param{api.P("cycles", api.Int(0, 1_000_000_000), "cycles of the CPU's clock")},
			Example: runExample(`cpu:exec(100)`),
			Fn: func(L *lua.LState) int {
				c := programAt(L)
				c.cpu.Exec(int64(api.IntAt(L, 2)))
				c.worked(L)
				return 0
			},
		},
	}
}

func cpuWaitFuncs() []api.Func {
	return []api.Func{
		{
			Name: "wait",
			Doc: "Waits until a location holds a value that satisfies a condition, as smp_cond_load_acquire does: the loads " +
				"acquire, and the CPU sleeps on the line between two looks.",
			Params: []api.Param{
				addrParam, api.P("condition", api.Either(api.U64(), api.Function()), "the value, or function(u64) that tells"),
				api.Opt("timeout", api.Number(), "forever", "ns"),
			},
			Returns: []api.Param{
				api.P("value", api.Either(api.U64(), api.Bool()), "what was read; false if the timeout passed"),
			},
			Example: runExample(`return cpu:wait(a, 0)`), Fn: cpuWait, Flow: api.Passes,
		},
		{
			Name: "wfi", Doc: "Waits for an interrupt. An unmasked one is taken first.",
			Example: `local m = hw.machine("virt")
m:spawn(1, function(cpu) cpu:wfi() end)
m:run(0, function(cpu) cpu:smp_call_function_single(1) end)`,
			Fn: func(L *lua.LState) int {
				programAt(L).cpu.WaitForInterrupt()
				return 0
			},
		},
	}
}

func cpuInterruptFuncs() []api.Func {
	return []api.Func{
		{
			Name: "mask_irq", Doc: "Masks interrupts (PSTATE.I), or unmasks them and takes what is pending.",
			Params: []api.Param{api.P("masked", api.Bool(), "true to mask")}, Example: runExample(`cpu:mask_irq(true)`),
			Fn: func(L *lua.LState) int {
				programAt(L).cpu.MaskIRQ(api.BoolAt(L, 2))
				return 0
			},
		},
		{
			Name: "on_irq",
			Doc: "Makes a function take the CPU's interrupts in place of the kernel. It runs with interrupts masked, and " +
				"acknowledges and ends the interrupt itself.",
			Params:  []api.Param{api.Opt("handler", api.Function(), "the kernel's", "function(cpu); nil gives the kernel back")},
			Example: handlerExample,
			Fn: func(L *lua.LState) int {
				c := api.Object[*cpuObject](L, 1)
				api.Boundary(L)
				if !c.runs(L) {
					c.m.mustSeeNone(L, "CPU:on_irq of another CPU")
				}
				fn := api.FunctionAt(L, 2)
				if fn != nil {
					c.admit(L, fn)
				}
				if c.irq != nil {
					c.retire(c.irq)
				}
				c.install(fn)
				return 0
			},
		},
	}
}

func cpuWait(L *lua.LState) int {
	c := programAt(L)
	c.uses(L, 2, 3)
	addr, timeout := access(L, c, 2, 8, bus.Read), timeoutAt(L, 4)
	if r := c.m.Devices.Find(bus.Addr(addr)); r != nil {
		api.ArgErrorf(L, 2, "an address in RAM, since no CPU can sleep on %s: poll it in a loop", r.Register(bus.Addr(addr)))
	}
	var v uint64
	var ok bool
	switch fn := api.FunctionAt(L, 3); {
	case fn != nil && c.m.exploration != nil:
		v, ok = c.cpu.Wait(addr, 8, bus.Acquire, c.m.exploration.condition(L, c, fn), timeout)
	case fn != nil:
		v, ok = c.cpu.WaitActively(addr, 8, bus.Acquire, func(v uint64) bool {
			L.Push(fn)
			api.PushU64(L, v)
			L.Call(1, 1)
			ok := lua.LVAsBool(L.Get(-1))
			L.Pop(1)
			return ok
		}, timeout)
	default:
		want := api.U64At(L, 3)
		v, ok = c.cpu.Wait(addr, 8, bus.Acquire, func(v uint64) bool { return v == want }, timeout)
	}
	if !ok {
		L.Push(lua.LFalse)
		return 1
	}
	c.pushLoaded(L, v)
	return 1
}

func cpuKernelFuncs() []api.Func {
	return append(append(cpuSMPFuncs(), itsFuncs()...), api.Func{
		Name: "smp_call_function_single",
		Doc:  "The kernel's: runs a function on another CPU through an IPI, or at once if the CPU is the own one.",
		Params: []api.Param{
			api.P("cpu", api.Count(0), "number of the CPU to run on"),
			api.Opt("func", api.Function(), "an empty function", "function(cpu)"),
			api.Opt("wait", api.Bool(), "true", "return when the function has run"),
		},
		Example: `local m = hw.machine("virt")
m:run(0, function(cpu) cpu:smp_call_function_single(1, nil, true) end)`,
		Fn: smpCallFunctionSingle,
	})
}

func smpCallFunctionSingle(L *lua.LState) int {
	c, target := programAt(L), api.IntAt(L, 2)
	if target >= len(c.m.CPUs) {
		api.ArgErrorf(L, 2, "a CPU from 0 to %d", len(c.m.CPUs)-1)
	}
	var f func(*cpu.CPU, uint64)
	if fn := api.FunctionAt(L, 3); fn != nil {
		callee := c.m.cpuObject(target)
		callee.admit(L, fn)
		if c.m.exploration != nil {
			c.hand(L, callee, fn)
		}
		f = func(*cpu.CPU, uint64) {
			defer callee.retire(fn)
			callee.call(fn)
		}
	}
	wait := L.Get(4) == lua.LNil || api.BoolAt(L, 4)
	if err := c.m.Kernel.SMPCallFunctionSingle(c.cpu, target, f, 0, wait); err != nil {
		api.Errorf(L, "CPU:smp_call_function_single: %v", err)
	}
	return 0
}
