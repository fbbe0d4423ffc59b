package bindings

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/host/api"
)

// gicBoard is a board with a GICv3.
type gicBoard interface {
	GIC() *gicv3.GIC
	DistributorBase() uint64
}

// gic is the machine's board, which must have a GICv3 for the field of this name.
func (m *machineObject) gic(L *lua.LState, field string) gicBoard {
	board, ok := m.Board.(gicBoard)
	if !ok {
		api.Errorf(L, "Machine.%s: %s has no GICv3", field, m.Spec.Name)
	}
	return board
}

// gicTables are the registers of a GICv3.
var gicTables = []registerTable{
	{"GIC distributor", "Registers of the distributor's frame; read them as m.gicd.GICD_CTLR.", "GICD_", gic.Registers},
	{"GIC redistributor", "Registers of a redistributor's frames; read them as m.gicr[0].GICR_CTLR.", "GICR_",
		gic.Registers},
	{"ITS", "Registers of the interrupt translation service; read them as m.its.GITS_CTLR.", "GITS_", gic.Registers},
	{"ITS commands", "Words of commands and tables; hw.decode takes a whole command apart.", "ITS_", gic.Registers},
	{"GIC CPU interface", "System registers ICC_*_EL1; read them as m:cpu(0):read(name).", "ICC_", gic.Registers},
}

var gicSchema = &api.Schema{
	Name: "gic", Doc: "Options of the GICv3.",
	Options: []api.Param{
		api.Opt("spis", api.Int(0, 988), "the preset's", "shared interrupts: a multiple of 32, or 988"),
		api.Opt("ds", api.Bool(), "true", "one security state; false: the Non-secure view of two"),
		api.Opt("rss", api.Bool(), "false", "SGIs reach Aff0 values above 15"),
		api.Opt("priority_bits", api.Int(4, 8), "5", "priority bits of the CPU interface"),
		api.Opt("pending_writes", api.Bool(), "the preset's", "each LPI is read in the pending table, and written to it"),
		api.Opt("config_cache", api.Int(0, 256), "0", "LPI configuration bytes that each redistributor keeps"),
		api.Opt("config_cache_by_hint", api.Bool(), "false", "it keeps them only with a read-allocation hint"),
	},
}

func changeGIC(spec *gicv3.Spec, g api.Values) error {
	spec.NumSPIs = int(g.Int("spis", int64(spec.NumSPIs)))
	if n := spec.NumSPIs; n%32 != 0 && n != 988 {
		return fmt.Errorf("gic.spis: expected a multiple of 32, or 988, got %d", n)
	}
	spec.DS = g.Bool("ds", spec.DS)
	spec.NonSecureReset = !spec.DS // as firmware leaves it to a kernel
	spec.RSS = g.Bool("rss", spec.RSS)
	spec.PendingWrites = g.Bool("pending_writes", spec.PendingWrites)
	spec.ConfigCache = int(g.Int("config_cache", int64(spec.ConfigCache)))
	spec.ConfigCacheByHint = g.Bool("config_cache_by_hint", spec.ConfigCacheByHint)
	spec.CPUPriorityBits = int(g.Int("priority_bits", int64(spec.CPUPriorityBits)))
	return nil
}

// countSGIs adds what the machine's GICv3 counts, if it has one.
func (v *statsValues) countSGIs(m *machine.Machine) {
	if board, ok := m.Board.(gicBoard); ok {
		g := board.GIC().Total()
		v.SGIsSent, v.SGIsDelivered, v.SGIsCoalesced, v.SGIsDropped = g.SGIsSent, g.SGIsDelivered, g.SGIsCoalesced,
			g.SGIsDropped
	}
}

var (
	gicdClass = deviceClass("GICDistributor", "The distributor of a GICv3: the shared interrupts.", "GICD_", "GICD_CTLR",
		`hw.machine("virt").gicd`)
	gicrClass = deviceClass("GICRedistributor", "The redistributor of a CPU: its SGIs and PPIs.", "GICR_", "GICR_WAKER",
		`hw.machine("virt").gicr[3]`)

	// gicrsClass is what m.gicr is.
	gicrsClass = &api.Class{
		Name: "GICRedistributors", Doc: "The redistributors of a machine, one for each CPU.",
		String: func(v any) string { return fmt.Sprintf("%d redistributors", len(v.(*machineObject).CPUs)) },
		Index: &api.Index{
			Doc: "redistributor of the CPU of this number", Key: api.Count(0), Value: api.ObjectOf(gicrClass),
			Example: `hw.machine("virt").gicr[0]`,
			Get: func(L *lua.LState) int {
				m, i := api.Object[*machineObject](L, 1), api.IntAt(L, 2)
				controller := m.gic(L, "gicr").GIC()
				if i >= controller.CPUs() {
					api.Errorf(L, "Machine.gicr: expected a CPU from 0 to %d, got %d", controller.CPUs()-1, i)
				}
				g := controller.Spec()
				L.Push(gicrClass.New(L, &deviceObject{
					m: m, name: fmt.Sprintf("GICR%d", i), prefix: "GICR_", base: uint64(g.RedistributorBase(i)),
					device: controller.Redistributor(i),
				}))
				return 1
			},
		},
		Ops: []api.Func{{
			Name: "__len", Doc: "Number of redistributors.", Example: `#hw.machine("virt").gicr`,
			Params:  []api.Param{api.P("redistributors", api.Any(), "the redistributors")},
			Returns: []api.Param{api.P("count", api.Count(1), "redistributors")},
			Fn: func(L *lua.LState) int {
				api.PushInt(L, int64(len(api.Object[*machineObject](L, 1).CPUs)))
				return 1
			},
		}},
	}
)

// gicFields are a GICv3 as a machine shows it.
func gicFields() []api.Field {
	return []api.Field{
		{
			Name: "gicd", Type: api.ObjectOf(gicdClass), Doc: "The GIC's distributor.", Example: `hw.machine("virt").gicd`,
			Get: func(L *lua.LState) int {
				m := api.Object[*machineObject](L, 1)
				board := m.gic(L, "gicd")
				L.Push(gicdClass.New(L, &deviceObject{
					m: m, name: "GICD", prefix: "GICD_", base: board.DistributorBase(), device: board.GIC().Distributor(),
				}))
				return 1
			},
		},
		{
			Name: "gicr", Type: api.ObjectOf(gicrsClass), Doc: "The GIC's redistributors, by CPU.",
			Example: `hw.machine("virt").gicr`,
			Get: func(L *lua.LState) int {
				m := api.Object[*machineObject](L, 1)
				m.gic(L, "gicr")
				L.Push(gicrsClass.New(L, m))
				return 1
			},
		},
	}
}

// handlerExample is a handler of interrupts.
const handlerExample = `local m = hw.machine("virt"); local got
m:cpu(1):on_irq(function(cpu)
  got = cpu:mrs("ICC_IAR1_EL1")
  cpu:dsb "sy"
  cpu:msr("ICC_EOIR1_EL1", got)
  cpu:msr("ICC_DIR_EL1", got)
end)
m:run(0, function(cpu) cpu:msr("ICC_SGI1R_EL1", u64"0x3000002") end); m:run()
return got`

// endRegisters end an interrupt. What stands in them matters to no other CPU.
var endRegisters = [...]string{"ICC_EOIR1_EL1", "ICC_DIR_EL1"}
