package bindings

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/host/api"
)

// sysRegWords are the system registers that MRS and MSR can name.
var sysRegWords = func() (words api.Words[bits.SysReg]) {
	for _, table := range systemTables {
		for i := range table {
			if r := &table[i]; r.Where == bits.InSystem {
				words = append(words, api.Word[bits.SysReg]{Text: r.Name, Value: bits.SysReg(r.Addr)})
			}
		}
	}
	return words
}()

// sysRegs finds a register by name at each mrs and msr; a search through the words would show in a loop.
var sysRegs = func() map[string]bits.SysReg {
	m := make(map[string]bits.SysReg, len(sysRegWords))
	for _, w := range sysRegWords {
		m[w.Text] = w.Value
	}
	return m
}()

// sysRegAt is the register named at position n.
func sysRegAt(L *lua.LState, n int) bits.SysReg {
	name := api.StringAt(L, n)
	r, ok := sysRegs[name]
	if !ok {
		names := make([]string, len(sysRegWords))
		for i, w := range sysRegWords {
			names[i] = w.Text
		}
		api.UnknownArg(L, n, "system register", names)
	}
	return r
}

// sysRegFuncs are MRS and MSR.
func sysRegFuncs() []api.Func {
	register := api.P("register", api.String(), "name as in the manual, such as "+maskRegister)
	return []api.Func{
		{
			Name: "msr", Doc: "Writes a system register. It is not a memory access: only a DSB orders it after stores.",
			Params:  []api.Param{register, valueParam},
			Example: runExample(`cpu:msr("` + maskRegister + `", 0xf0); return cpu:mrs("` + maskRegister + `")`),
			Fn: func(L *lua.LState) int {
				c, r := programAt(L), sysRegAt(L, 2)
				c.uses(L, 0, 3)
				if !c.m.Kernel.WriteSys(c.cpu, r, api.U64At(L, 3)) {
					api.Errorf(L, "CPU:msr: %s cannot be written: the instruction is UNDEFINED", api.StringAt(L, 2))
				}
				return 0
			},
			Flow: api.Passes,
		},
		{
			Name: "mrs", Doc: "Reads a system register.", Params: []api.Param{register},
			Returns: []api.Param{api.P("value", api.U64(), "its value")},
			Example: runExample(fmt.Sprintf(`return cpu:mrs(%q)`, cycleCounter)),
			Fn: func(L *lua.LState) int {
				c, r := programAt(L), sysRegAt(L, 2)
				v, ok := c.cpu.ReadSys(r)
				if !ok {
					api.Errorf(L, "CPU:mrs: %s cannot be read: the instruction is UNDEFINED", api.StringAt(L, 2))
				}
				c.pushLoaded(L, v)
				return 1
			},
		},
	}
}

// inspectSysFunc reads a system register as a debugger does.
var inspectSysFunc = api.Func{
	Name: "read",
	Doc: "Reads a system register as a debugger does: from outside of the CPU's program, without simulated time. " +
		"Inside, use mrs.",
	Params:  []api.Param{api.P("register", api.String(), "name as in the manual, such as "+maskRegister)},
	Returns: []api.Param{api.P("value", api.U64(), "the register's value")},
	Example: `hw.machine("virt"):cpu(2):read("` + maskRegister + `")`,
	Fn: func(L *lua.LState) int {
		c, r := inspectedCPU(L), sysRegAt(L, 2)
		v, err := c.core().InspectSys(r)
		if err != nil {
			api.Errorf(L, "CPU:read: %v", err)
		}
		api.PushU64(L, v)
		return 1
	},
}
