package bindings

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/host/api"
)

var barrierWords = func() (words api.Words[irqchip.IPIBarrier]) {
	for _, name := range irqchip.IPIBarriers() {
		b, _ := irqchip.ParseIPIBarrier(name)
		words = append(words, api.Word[irqchip.IPIBarrier]{Text: name, Value: b})
	}
	return words
}()

var broadcastWords = func() (words api.Words[irqchip.SGIBroadcast]) {
	for b := irqchip.BroadcastList; b <= irqchip.BroadcastFixed; b++ {
		words = append(words, api.Word[irqchip.SGIBroadcast]{Text: b.String(), Value: b})
	}
	return words
}()

var ipiBarriersFunc = api.Func{
	Name: "ipi_barriers", Doc: "Lists the barriers that gic_ipi_send_mask can have before ICC_SGI1R_EL1.",
	Returns: []api.Param{api.P("names", api.ListOf(api.String()), "values of linux.ipi_barrier")},
	Example: `hw.ipi_barriers()`,
	Fn:      listNames(irqchip.IPIBarriers()),
}

// driverOptions are what patches change in the driver of a GICv3.
var driverOptions = []api.Param{
	api.Opt("ipi_barrier", barrierWords.Type(), "dsb_st", "barrier before ICC_SGI1R_EL1 in gic_ipi_send_mask"),
	api.Opt("pseudo_nmi", api.Bool(), "false", "irqchip.gicv3_pseudo_nmi=1: interrupts are masked by ICC_PMR_EL1"),
	api.Opt("sgi_broadcast", broadcastWords.Type(), "list", "when gic_ipi_send_mask writes ICC_SGI1R_EL1 once for all "+
		"others: list: never; v1, v2: as posted; review: as sketched in reply; fixed: only where it reaches exactly "+
		"the mask"),
	api.Opt("eoimode", api.Int(0, 1), "1", "1: ICC_EOIR1_EL1 drops the priority, ICC_DIR_EL1 deactivates"),
	api.Opt("its", api.OptionsOf(itsDriverSchema), "the preset's", "what versions and patches change in the ITS's driver"),
}

// changeDriver applies a script's changes to the driver.
func changeDriver(spec *machine.Spec, o api.Values) {
	board, ok := spec.Board.(*machine.ArmSpec)
	if !ok {
		return
	}
	if b, ok := barrierWords.Lookup(o.String("ipi_barrier", "")); ok {
		board.Driver.IPIBarrier = b
	}
	if b, ok := broadcastWords.Lookup(o.String("sgi_broadcast", "")); ok {
		board.Driver.SGIBroadcast = b
	}
	changeITSDriver(&board.Driver.ITS, o.Sub("its"))
	board.Driver.PseudoNMI = o.Bool("pseudo_nmi", board.Driver.PseudoNMI)
	if o.Has("eoimode") {
		board.Driver.EOImode1 = o.Int("eoimode", 0) == 1
	}
}

// driverObject is the driver of the interrupt controller as a script holds it, by way of the kernel.
type driverObject struct {
	driver   *irqchip.GICv3 // nil on a board without a GICv3
	native   irqchip.Ops
	sendMask *lua.LFunction // replaces gic_ipi_send_mask, nil if nothing does
}

func newDriverObject(k *linux.Kernel) driverObject {
	driver, ok := k.IRQChip().(*irqchip.GICv3)
	if !ok {
		return driverObject{}
	}
	return driverObject{driver: driver, native: driver.Ops}
}

// String is what the kernel's summary says of the driver.
func (d *driverObject) String() string {
	if d.driver == nil {
		return ""
	}
	o := d.driver.Options
	return fmt.Sprintf(": ipi_barrier %s, EOImode %d", o.IPIBarrier, eoiMode(o))
}

// gicv3 is the driver of the machine's GICv3, which must be there for the field of this name.
func (k *linuxObject) gicv3(L *lua.LState, field string) *irqchip.GICv3 {
	if k.driver == nil {
		api.Errorf(L, "Linux.%s: %s has no GICv3", field, k.m.Spec.Name)
	}
	return k.driver
}

func eoiMode(o irqchip.Options) int {
	if o.EOImode1 {
		return 1
	}
	return 0
}

func driverFields() []api.Field {
	get := func(value func(L *lua.LState, k *linuxObject) lua.LValue) lua.LGFunction {
		return func(L *lua.LState) int {
			L.Push(value(L, api.Object[*linuxObject](L, 1)))
			return 1
		}
	}
	return []api.Field{
		{
			Name: "ipi_barrier", Type: barrierWords.Type(), Doc: "Barrier before ICC_SGI1R_EL1.",
			Example: `hw.machine("virt").linux.ipi_barrier`,
			Get: get(func(L *lua.LState, k *linuxObject) lua.LValue {
				return lua.LString(k.gicv3(L, "ipi_barrier").Options.IPIBarrier.String())
			}),
			Set: setIPIBarrier,
		},
		{
			Name: "eoimode", Type: api.Int(0, 1), Doc: "ICC_CTLR_EL1.EOImode.", Example: `hw.machine("virt").linux.eoimode`,
			Get: get(func(L *lua.LState, k *linuxObject) lua.LValue {
				return lua.LNumber(eoiMode(k.gicv3(L, "eoimode").Options))
			}),
		},
		{
			Name: "gic_ipi_send_mask", Type: api.Either(api.Function(), api.Nil()),
			Doc: "gic_ipi_send_mask as function(cpu, mask, intid), run by the CPU that sends; nil is the kernel's own.",
			Example: `local m = hw.machine("virt")
m.linux.gic_ipi_send_mask = function(cpu, mask, intid)
  cpu:dsb "ishst"
  local target = mask:next(0)
  while target do
    local sgi1r
    sgi1r, target = mask:target_list(target)
    cpu:msr("ICC_SGI1R_EL1", sgi1r + intid * 2^24)
  end
  cpu:isb()
end`,
			Get: get(func(L *lua.LState, k *linuxObject) lua.LValue {
				k.m.mustSeeNone(L, "Linux.gic_ipi_send_mask")
				if k.sendMask == nil {
					return lua.LNil
				}
				return k.sendMask
			}),
			Set: setSendMask,
		},
	}
}

func setIPIBarrier(L *lua.LState) int {
	api.Boundary(L)
	k := api.Object[*linuxObject](L, 1)
	driver := k.gicv3(L, "ipi_barrier")
	k.m.mustSeeNone(L, "Linux.ipi_barrier")
	driver.Options.IPIBarrier = barrierWords.At(L, 2)
	return 0
}

func setSendMask(L *lua.LState) int {
	api.Boundary(L)
	k := api.Object[*linuxObject](L, 1)
	k.gicv3(L, "gic_ipi_send_mask")
	k.m.mustSeeNone(L, "Linux.gic_ipi_send_mask")
	fn, _ := L.Get(2).(*lua.LFunction)
	k.install(fn)
	return 0
}

// install makes a function the kernel's gic_ipi_send_mask; nil gives the kernel's back.
func (k *linuxObject) install(fn *lua.LFunction) {
	k.sendMask = fn
	if fn == nil {
		k.driver.Ops.GICIPISendMask = k.native.GICIPISendMask
		return
	}
	k.driver.Ops.GICIPISendMask = func(c *cpu.CPU, intid int, mask linux.CPUMask) {
		sender := k.m.cpuObject(c.ID)
		sender.admitOnce(fn)
		sender.call(fn, sender.lend(mask), lua.LNumber(intid))
	}
}

// maskObject is a cpumask during a call of gic_ipi_send_mask.
type maskObject struct {
	k    *linuxObject
	mask linux.CPUMask
}

// lend is a mask as a Lua value; each CPU has one, since it sends one IPI at a time.
func (c *cpuObject) lend(mask linux.CPUMask) *lua.LUserData {
	if c.mask == nil {
		c.mask = &maskObject{k: c.m.linux}
		c.maskUD = maskClass.New(c.thread0(), c.mask)
	}
	c.mask.mask = mask
	return c.maskUD
}

// thread0 is a Lua state to make values with.
func (c *cpuObject) thread0() *lua.LState {
	if c.thread != nil {
		return c.thread.State()
	}
	return c.m.host.State()
}

var maskClass = &api.Class{
	Name: "CPUMask", Doc: "A set of CPUs, struct cpumask. It is valid during the call that it was passed to.",
	String: func(v any) string { return fmt.Sprintf("mask of %d CPUs", v.(*maskObject).mask.Weight()) },
	Funcs: []api.Func{
		{
			Name: "next", Doc: "First CPU of the mask from a number on; for_each_cpu's step, with its time.",
			Params:  []api.Param{api.P("from", api.Count(0), "number to begin with")},
			Returns: []api.Param{api.P("cpu", api.Count(0), "number of the CPU, nil if there is none")},
			Example: maskExample(`mask:next(0)`),
			Fn: func(L *lua.LState) int {
				o := api.Object[*maskObject](L, 1)
				c := caller(L)
				return pushCPU(L, o.k.m.Kernel.NextCPU(c.cpu, o.mask, api.IntAt(L, 2)))
			},
		},
		{
			Name: "has", Doc: "Whether a CPU is in the mask.", Params: []api.Param{api.P("cpu", api.Count(0), "its number")},
			Returns: []api.Param{api.P("in_mask", api.Bool(), "true if it is")}, Example: maskExample(`mask:has(1)`),
			Fn: func(L *lua.LState) int {
				L.Push(lua.LBool(api.Object[*maskObject](L, 1).mask.Has(api.IntAt(L, 2))))
				return 1
			},
		},
		{
			Name: "weight", Doc: "Number of CPUs in the mask.", Returns: []api.Param{api.P("count", api.Count(0), "CPUs")},
			Example: maskExample(`mask:weight()`),
			Fn: func(L *lua.LState) int {
				api.PushInt(L, int64(api.Object[*maskObject](L, 1).mask.Weight()))
				return 1
			},
		},
		{
			Name:   "target_list",
			Doc:    "gic_compute_target_list: the ICC_SGI1R_EL1 value, without INTID, for the CPUs of the first one's cluster.",
			Params: []api.Param{api.P("first", api.Count(0), "first target")},
			Returns: []api.Param{
				api.P("sgi1r", api.U64(), "the register's value"), api.P("next", api.Count(0), "first CPU left, nil if none"),
			},
			Example: maskExample(`mask:target_list(1)`), Fn: maskTargetList,
		},
	},
}

func maskExample(body string) string {
	return `local m = hw.machine("virt")
m.linux.gic_ipi_send_mask = function(cpu, mask) print(` + body + `); cpu:msr("ICC_SGI1R_EL1", u64"0x1000002") end
m:run(0, function(cpu) cpu:smp_call_function_single(1) end)`
}

// caller is the CPU whose program or handler runs on L.
func caller(L *lua.LState) *cpuObject {
	t := threadOf(L)
	if t == nil {
		api.Errorf(L, "only a CPU's program can do this")
	}
	return t
}

func pushCPU(L *lua.LState, n int) int {
	if n < 0 {
		L.Push(lua.LNil)
	} else {
		api.PushInt(L, int64(n))
	}
	return 1
}

func maskTargetList(L *lua.LState) int {
	o, first := api.Object[*maskObject](L, 1), api.IntAt(L, 2)
	if !o.mask.Has(first) {
		api.ArgErrorf(L, 2, "a CPU of the mask")
	}
	w, next := o.k.driver.ComputeTargetList(caller(L).cpu, o.mask, first)
	api.PushU64(L, w)
	return 1 + pushCPU(L, next)
}
