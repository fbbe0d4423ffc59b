package bindings

import (
	"strconv"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/host/api"
)

var (
	costsSchema = &api.Schema{
		Name: "costs", Doc: "Straight-line code in the kernel's functions, in cycles of the CPU's clock, and lines of " +
			"stack that they store to.",
		Options: costOptions(),
	}

	linuxSchema = &api.Schema{
		Name: "linux", Doc: "What patches change in the kernel, and what its code costs.",
		Options: append([]api.Param{
			api.Opt("polling_idle", api.Bool(), "false", "set_nr_if_polling reads the target's thread_info before an IPI"),
			api.Opt("stack_node", api.Count(0), "each CPU's own", "node of memory that all stacks are on, one for each die"),
			api.Opt("nr_cpus", api.Int(0, 4096), "0", "nr_cpus= of the command line: CPUs that the kernel knows, 0 for all"),
			api.Opt("maxcpus", api.Int(0, 4096), "0", "maxcpus= of the command line: CPUs that the boot brings up, 0 for all"),
			api.Opt("pause", pauseWords.Type(), "v1", "form in which pause_remote_cpus was posted"),
			api.Opt("pause_one_line", api.Bool(), "false", "its two masks, or flag and counter, lie on one line of memory"),
			api.Opt("costs", api.OptionsOf(costsSchema), "the assumed", "cycles of straight-line code, lines of stack"),
		}, driverOptions...),
	}
)

func costOptions() (options []api.Param) {
	for _, c := range linux.DefaultCosts().List() {
		options = append(options, api.Opt(c.Name, api.Int(0, c.Unit.Most()), strconv.FormatInt(c.Typical, 10),
			c.Doc+", in "+c.Unit.String()))
	}
	return options
}

// changeLinux applies a script's changes to the kernel and to the driver of its interrupt controller.
func changeLinux(spec *machine.Spec, o api.Values) {
	spec.Linux.PollingIdle = o.Bool("polling_idle", spec.Linux.PollingIdle)
	spec.Linux.StackNode = int(o.Int("stack_node", int64(spec.Linux.StackNode)))
	spec.Linux.NRCPUs = int(o.Int("nr_cpus", int64(spec.Linux.NRCPUs)))
	spec.Linux.MaxCPUs = int(o.Int("maxcpus", int64(spec.Linux.MaxCPUs)))
	if f, ok := pauseWords.Lookup(o.String("pause", "")); ok {
		spec.Linux.Pause = f
	}
	spec.Linux.PauseOneLine = o.Bool("pause_one_line", spec.Linux.PauseOneLine)
	costs := o.Sub("costs")
	for _, c := range spec.Costs.List() {
		spec.Costs.Set(c.Name, costs.Int(c.Name, c.Typical))
	}
	changeDriver(spec, o)
}

// linuxObject is the kernel as a script holds it.
type linuxObject struct {
	m  *machineObject
	ud *lua.LUserData
	driverObject
}

// kernel is the machine's kernel as a Lua value.
func (m *machineObject) kernel(L *lua.LState) *lua.LUserData {
	if m.linux == nil {
		m.linux = &linuxObject{m: m, driverObject: newDriverObject(m.Kernel)}
		m.linux.ud = linuxClass.New(L, m.linux)
	}
	return m.linux.ud
}

var linuxClass = &api.Class{
	Name: "Linux", Doc: "The kernel of a machine: what patches change, and the paths that a script can replace.",
	String: func(v any) string { return "linux" + v.(*linuxObject).driverObject.String() },
}

func init() {
	linuxClass.Funcs = append(linuxFuncs(), itsLPIFunc, requestIRQFunc)
	linuxClass.Fields = append(driverFields(), api.Field{
		Name: "costs", Type: api.ObjectOf(costsClass), Doc: "Cycles of straight-line code in the kernel's functions.",
		Example: `hw.machine("virt").linux.costs`,
		Get: func(L *lua.LState) int {
			L.Push(costsClass.New(L, api.Object[*linuxObject](L, 1).m.Kernel.Costs))
			return 1
		},
	})
}
