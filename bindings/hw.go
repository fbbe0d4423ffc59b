package bindings

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// hwModule makes machines.
var hwModule = &api.Module{
	Name:    "hw",
	Doc:     "Simulated machines: presets, topologies, changes to them, and what is inside.",
	Example: `local hw = require "hw"; local m = hw.machine("virt", { cpus = 4 }); print(m.ncpus)`,
}

func init() {
	hwModule.Classes = []*api.Class{maskClass}
	hwModule.Topics = registerTopics()
	hwModule.Funcs = []api.Func{
		{
			Name: "machine",
			Doc: "Builds a machine and boots it; time 0 is after the boot. Machines made inside a run of bench.compare have " +
				"the run's seed.",
			Params: []api.Param{
				api.P("topology", api.Either(api.Enum(machine.Presets()...), api.OptionsOf(machineSchema)),
					"a preset, or a table of what differs from the preset virt"),
				api.Opt("changes", api.OptionsOf(machineSchema), "none", "what differs from the preset"),
			},
			Returns: []api.Param{api.P("machine", api.ObjectOf(machineClass), "the machine")},
			Example: `hw.machine("kunpeng920", { linux = { ipi_barrier = "dsb_ishst" } })`,
			Fn:      hwMachine,
		},
		{
			Name: "presets", Doc: "Lists the built-in machines.",
			Returns: []api.Param{api.P("names", api.ListOf(api.String()), "names for hw.machine")},
			Example: `hw.presets()`,
			Fn:      listNames(machine.Presets()),
		},
		ipiBarriersFunc,
		decodeFunc,
	}
}

// listNames is a function that answers a list of names.
func listNames(names []string) lua.LGFunction {
	return func(L *lua.LState) int {
		list := L.NewTable()
		for _, name := range names {
			list.Append(lua.LString(name))
		}
		L.Push(list)
		return 1
	}
}

func hwMachine(L *lua.LState) int {
	s := session(L)
	s.describing(L)
	spec, _ := machine.Preset("virt")
	changes := 2
	if preset, ok := L.Get(1).(lua.LString); ok {
		spec, _ = machine.Preset(string(preset))
	} else {
		if L.Get(2) != lua.LNil {
			api.ArgErrorf(L, 2, "nothing behind a topology table")
		}
		spec.Name, spec.CPUs, spec.Clusters, changes = "custom", 0, 1, 1
	}
	spec.Seed = s.RunSeed()
	o := machineSchema.At(L, changes)
	if err := changeSpec(&spec, o); err != nil {
		api.Errorf(L, "hw.machine: %v", err)
	}
	s.built(&spec)
	m, err := machine.New(spec)
	if err != nil {
		api.Errorf(L, "hw.machine: %v", err)
	}
	h := host.Of(L)
	m.Engine.SetStop(h.Stopped)
	if o.Bool("boot", true) {
		if err := m.Boot(); err != nil {
			m.Close()
			api.Errorf(L, "hw.machine: %v", err)
		}
	}
	object := newMachineObject(h, m)
	s.attach(object)
	s.watch(object)
	ud := machineClass.New(L, object)
	h.CloseWith(ud, object.held.close)
	L.Push(ud)
	return 1
}
