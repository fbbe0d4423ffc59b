package bindings

import (
	"fmt"
	"io"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/its"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// itsBoard is a board that may have an ITS.
type itsBoard interface {
	ITS() *its.ITS
	ITSBase() uint64
	Message(device, event uint32, at sim.Time)
	Table(addr uint64) string
}

// itsOf is the machine's ITS, which must be there.
func (m *machineObject) itsOf(L *lua.LState, what string) (*its.ITS, itsBoard) {
	board, ok := m.Board.(itsBoard)
	if !ok || board.ITS() == nil {
		api.Errorf(L, "%s: %s has no ITS; the preset qdf2400 has one, and its = {} gives virt one", what, m.Spec.Name)
	}
	return board.ITS(), board
}

var itsSchema = &api.Schema{
	Name: "its", Doc: "Options of the ITS; an empty table gives the machine one.",
	Options: []api.Param{
		api.Opt("stall", api.Bool(), "false", "a command in error stops the queue; else it is ignored, with an event"),
		api.Opt("pta", api.Bool(), "false", "commands name a redistributor by its address; else by its number"),
		api.Opt("hcc", api.Int(0, 255), "0", "collections that the ITS holds itself"),
		api.Opt("cct", api.Bool(), "false", "a collection table adds to them; else it takes their place"),
		api.Opt("indirect", api.Bool(), "true", "the device table can have two levels"),
		api.Opt("device_bits", api.Int(1, 32), "16", "bits of a DeviceID"),
		api.Opt("translations", api.Int(1, 256), "1", "messages that are looked up at a time"),
		api.Opt("device_cache", api.Count(0), "0", "entries of the device table that the ITS keeps"),
		api.Opt("event_cache", api.Count(0), "0", "entries of interrupt translation tables that it keeps"),
		api.Opt("collection_cache", api.Count(0), "0", "entries of the collection table that it keeps"),
		api.Opt("cache_by_hint", api.Bool(), "false", "it keeps what it reads only with a read-allocation hint"),
	},
}

// changeITS applies a script's changes to the ITS, or makes one.
func changeITS(board *machine.ArmSpec, o api.Values) error {
	if !o.Has("its") {
		return nil
	}
	if board.ITS == nil {
		board.ITS = machine.DefaultITSSpec()
	}
	s, v := &board.ITS.ITS, o.Sub("its")
	s.Stall, s.PTA, s.Indirect = v.Bool("stall", s.Stall), v.Bool("pta", s.PTA), v.Bool("indirect", s.Indirect)
	s.CacheByHint, s.CCT = v.Bool("cache_by_hint", s.CacheByHint), v.Bool("cct", s.CCT)
	for _, f := range []struct {
		name string
		to   *int
	}{
		{"hcc", &s.HCC}, {"device_bits", &s.DeviceBits}, {"translations", &s.Translations},
		{"device_cache", &s.DeviceCache}, {"event_cache", &s.EventCache}, {"collection_cache", &s.CollectionCache},
	} {
		*f.to = int(v.Int(f.name, int64(*f.to)))
	}
	check := *s
	check.Redistributors = make([]bus.Addr, 1)
	return check.Validate()
}

var (
	cacheabilityWords = api.Words[gic.Cacheability]{
		{Text: "nC", Value: gic.NonCacheable}, {Text: "RaWt", Value: gic.RaWt}, {Text: "RaWb", Value: gic.RaWb},
		{Text: "WaWt", Value: gic.WaWt}, {Text: "WaWb", Value: gic.WaWb}, {Text: "RaWaWt", Value: gic.RaWaWt},
		{Text: "RaWaWb", Value: gic.RaWaWb},
	}
	itsVersionWords = api.Words[irqchip.ITSVersion]{
		{Text: irqchip.ITS49.String(), Value: irqchip.ITS49}, {Text: irqchip.ITS517.String(), Value: irqchip.ITS517},
	}
	itsWrapWords = api.Words[irqchip.ITSWrap]{
		{Text: irqchip.WrapRange.String(), Value: irqchip.WrapRange},
		{Text: irqchip.WrapLinear.String(), Value: irqchip.WrapLinear},
	}
	itsDriverSchema = &api.Schema{
		Name: "linux.its", Doc: "What versions and patches change in the driver of the ITS.",
		Options: []api.Param{
			api.Opt("version", itsVersionWords.Type(), "the preset's", "kernel whose driver it is"),
			api.Opt("cacheability", cacheabilityWords.Type(), "the version's", "InnerCache of all tables: WaWb up to 4.9, "+
				"RaWaWb since \"Enable cacheable attribute Read-allocate hints\""),
			api.Opt("device", cacheabilityWords.Type(), "cacheability", "that of the device table alone, GITS_BASER<n>"),
			api.Opt("collection", cacheabilityWords.Type(), "cacheability", "that of the collection table, GITS_BASER<n>"),
			api.Opt("queue", cacheabilityWords.Type(), "cacheability", "that of the command queue, GITS_CBASER"),
			api.Opt("config", cacheabilityWords.Type(), "cacheability", "that of the LPI configuration, GICR_PROPBASER"),
			api.Opt("pending", cacheabilityWords.Type(), "cacheability", "that of the pending tables, GICR_PENDBASER"),
			api.Opt("wrap", itsWrapWords.Type(), "the version's", "comparison of places in the queue: linear since "+
				"a050fa5476d4"),
		},
	}
)

// changeITSDriver applies a script's changes to the driver of the ITS.
func changeITSDriver(d *irqchip.ITSOptions, o api.Values) {
	if v, ok := itsVersionWords.Lookup(o.String("version", "")); ok {
		*d = irqchip.DefaultITSOptions(v)
	}
	if w, ok := itsWrapWords.Lookup(o.String("wrap", "")); ok {
		d.Wrap = w
	}
	if c, ok := cacheabilityWords.Lookup(o.String("cacheability", "")); ok {
		d.Cacheability = irqchip.AllTables(c)
	}
	for _, f := range []struct {
		name string
		to   *gic.Cacheability
	}{
		{"device", &d.Cacheability.Device}, {"collection", &d.Cacheability.Collection},
		{"queue", &d.Cacheability.Queue}, {"config", &d.Cacheability.Config}, {"pending", &d.Cacheability.Pending},
	} {
		if c, ok := cacheabilityWords.Lookup(o.String(f.name, "")); ok {
			*f.to = c
		}
	}
}

const itsExample = `hw.machine("qdf2400", { cpus = 2 }).its`

// itsClass is the ITS as a debugger sees it.
var itsClass = func() *api.Class {
	c := deviceClass("ITS", "The interrupt translation service of a GICv3.", "GITS_", "GITS_CTLR", itsExample)
	text := func(name, doc string, dump func(i *its.ITS, w io.Writer, peek its.Peek)) api.Func {
		return api.Func{
			Name: name, Doc: doc, Example: itsExample + ":" + name + "()",
			Fn: func(L *lua.LState) int {
				d := deviceAt(L)
				dump(d.device.(*its.ITS), host.Of(L).Stdout(), d.m.Memory.Peek)
				return 0
			},
		}
	}
	c.Funcs = append(c.Funcs,
		text("queue", "Prints the command queue, decoded: what is to be processed, and some commands before.",
			(*its.ITS).DumpQueue),
		text("tables", "Prints what the tables map, walked as the ITS walks them.", (*its.ITS).DumpTables),
		api.Func{
			Name: "events", Doc: "What software and devices have done wrong: commands and messages that were not done, and why.",
			Returns: []api.Param{
				api.P("events", api.ListOf(api.Table()), "tables of at (ps), text, number (of the manual; 0: none)"),
				api.P("more", api.Count(0), "events that came when the list was full"),
			},
			Example: itsExample + ":events()", Fn: itsEvents,
		},
		api.Func{
			Name: "message", Doc: "A device writes an event to GITS_TRANSLATER: a message-signalled interrupt.",
			Params: []api.Param{
				api.P("device", api.Int(0, 1<<32-1), "its DeviceID"), api.P("event", api.Int(0, 1<<32-1), "its EventID"),
			},
			Example: itsExample + ":message(8, 0)", Fn: itsMessage,
		},
		api.Func{
			Name: "lookups", Doc: "Calls a function, and lists the accesses to tables meanwhile of the ITS and of the " +
				"redistributors.",
			Params: []api.Param{api.P("func", api.Function(), "function()")},
			Returns: []api.Param{api.P("lookups", api.ListOf(api.Table()), "tables of at (ps), took (ps), master, table "+
				"(queue, level 1, device, ITT, collection, config, pending), write, addr, served (cache, system cache, "+
				"memory), by (who had put the line there)")},
			Example: `local m = hw.machine("qdf2400", { cpus = 2 })
m.its:lookups(function() m:run(0, function(cpu) cpu:its_create_device(8, 4) end) end)`,
			Fn: itsLookups,
		})
	return c
}()

func itsMessage(L *lua.LState) int {
	d := deviceAt(L)
	api.Boundary(L)
	d.m.mustSeeNone(L, "ITS:message")
	device, event := uint32(api.U64At(L, 2)), uint32(api.U64At(L, 3))
	d.m.Board.(itsBoard).Message(device, event, d.m.Epoch()+d.m.present(L))
	return 0
}

func itsEvents(L *lua.LState) int {
	d := deviceAt(L)
	events, more := d.device.(*its.ITS).Events()
	list := L.NewTable()
	for i := range events {
		e := L.NewTable()
		e.RawSetString("at", lua.LNumber(d.m.Since(events[i].At)))
		e.RawSetString("text", lua.LString(events[i].String()))
		e.RawSetString("number", lua.LNumber(events[i].Number()))
		list.Append(e)
	}
	L.Push(list)
	api.PushInt(L, int64(more))
	return 2
}

func itsLookups(L *lua.LState) int {
	d := deviceAt(L)
	board := d.m.Board.(itsBoard)
	list := L.NewTable()
	d.m.WatchLookups(func(l machine.Lookup) {
		row := L.NewTable()
		row.RawSetString("at", lua.LNumber(d.m.Since(l.At)))
		row.RawSetString("took", lua.LNumber(l.Took))
		row.RawSetString("master", lua.LString(l.Master))
		row.RawSetString("table", lua.LString(board.Table(l.Addr)))
		row.RawSetString("write", lua.LBool(l.Op == bus.Write))
		row.RawSetString("addr", api.U64Value(l.Addr))
		row.RawSetString("served", lua.LString(l.Served.String()))
		row.RawSetString("by", lua.LString(l.By))
		list.Append(row)
	})
	defer d.m.WatchLookups(nil)
	L.Push(L.Get(2))
	L.Call(0, 0)
	L.Push(list)
	return 1
}

// ITSCommand is what hw.decode calls a command.
const ITSCommand = "ITS_CMD"

// decodeCommand takes the command whose four doublewords are from position 2 on apart.
func decodeCommand(L *lua.LState) *DecodedRegister {
	var c gic.ITSCommand
	for i := range c {
		if L.Get(2+i) != lua.LNil {
			c[i] = api.U64At(L, 2+i)
		}
	}
	d, ok := commandDecoded(c)
	if !ok {
		api.ArgErrorf(L, 2, "a command in bits 7 to 0")
	}
	return d
}

// DecodeCommand takes a command of an ITS apart, of which the doublewords that are not given are 0.
func DecodeCommand(words ...uint64) (*DecodedRegister, error) {
	var c gic.ITSCommand
	if len(words) == 0 || len(words) > len(c) {
		return nil, fmt.Errorf("%s has 1 to %d doublewords, not %d", ITSCommand, len(c), len(words))
	}
	copy(c[:], words)
	d, ok := commandDecoded(c)
	if !ok {
		return nil, fmt.Errorf("%s has no command 0x%02x, which bits 7 to 0 of the first doubleword name", ITSCommand,
			gic.ITS_CMD_0_Opcode.Get(c[0]))
	}
	return d, nil
}

// commandDecoded is a command with its fields; false if there is no such command.
func commandDecoded(c gic.ITSCommand) (*DecodedRegister, bool) {
	fields, ok := its.CommandFields(gic.ITSOpcode(gic.ITS_CMD_0_Opcode.Get(c[0])))
	if !ok {
		return nil, false
	}
	d := &DecodedRegister{Name: ITSCommand, Value: c[0], Doc: its.DescribeCommand(c)}
	for _, f := range fields {
		lo := f.Field.Shift()
		d.Fields = append(d.Fields, DecodedField{
			Name: f.Name, Lo: lo, Hi: lo + f.Field.Width() - 1, Value: f.Field.Get(c[f.Word]),
			Doc: fmt.Sprintf("of doubleword %d", f.Word),
		})
	}
	return d, true
}

// itsField is the ITS as a machine shows it.
var itsField = api.Field{
	Name: "its", Type: api.ObjectOf(itsClass), Doc: "The GIC's interrupt translation service, if it has one.",
	Example: itsExample,
	Get: func(L *lua.LState) int {
		m := api.Object[*machineObject](L, 1)
		device, board := m.itsOf(L, "Machine.its")
		L.Push(itsClass.New(L, &deviceObject{m: m, name: "ITS", prefix: "GITS_", base: board.ITSBase(), device: device}))
		return 1
	},
}

// evictFunc is what makes room in the caches.
var evictFunc = api.Func{
	Name: "evict", Doc: "Takes lines out of all caches, as other data that needs the room would, in no program's time.",
	Params: []api.Param{
		api.P("addr", api.U64(), "first address"), api.Opt("bytes", api.Int(1, 1<<30), "64", "size of the area"),
	},
	Example: `local m = hw.machine("virt"); m:evict(m:lines(1):addr(0))`,
	Fn: func(L *lua.LState) int {
		m := machineAt(L)
		m.mustSeeNone(L, "Machine:evict")
		api.Boundary(L)
		addr, size := api.U64At(L, 2), uint64(64)
		if L.Get(3) != lua.LNil {
			size = uint64(api.IntAt(L, 3))
		}
		if !m.Memory.Contains(addr, size) {
			api.ArgErrorf(L, 2, "an area in RAM")
		}
		m.Evict(addr, size, m.Epoch()+m.present(L))
		return 0
	},
}

// itsDeviceAt is the device of a DeviceID at position 2, with an event at position 3 if the function has one.
func itsDeviceAt(L *lua.LState, c *cpuObject, what string, event bool) *irqchip.ITSDevice {
	c.m.itsOf(L, "CPU:"+what)
	d := c.m.Kernel.IRQChip().(*irqchip.GICv3).FindITSDevice(uint32(api.U64At(L, 2)))
	if d == nil {
		api.ArgErrorf(L, 2, "the DeviceID of a device that its_create_device has made")
	}
	if n := 0; event {
		if n = api.IntAt(L, 3); n >= d.Events() {
			api.ArgErrorf(L, 3, "an event from 0 to %d", d.Events()-1)
		}
	}
	return d
}

// itsFuncs are the paths of the ITS's driver, as a CPU runs them.
func itsFuncs() []api.Func {
	device := api.P("device", api.Int(0, 1<<32-1), "its DeviceID")
	event := api.P("event", api.Count(0), "its EventID, from 0")
	const setUp = `cpu:its_create_device(8, 4); cpu:its_map(8, 0, 1); `
	onEvent := func(name, doc string, bound bool, do func(d *irqchip.ITSDevice, c *cpu.CPU, event int) error) api.Func {
		return kernelFunc(name, doc, []api.Param{device, event}, itsRun(setUp+`cpu:`+name+`(8, 0)`),
			func(L *lua.LState, c *cpuObject) error {
				d := itsDeviceAt(L, c, name, true)
				if bound && d.CPU(api.IntAt(L, 3)) < 0 {
					return fmt.Errorf("event %d is not mapped: its_map does that", api.IntAt(L, 3))
				}
				return do(d, c.cpu, api.IntAt(L, 3))
			})
	}
	target := api.P("cpu", api.Count(0), "number of the CPU")
	return []api.Func{
		kernelFunc("its_create_device", "The kernel's: a device of the ITS, with its interrupt translation table (MAPD).",
			[]api.Param{device, api.P("events", api.Int(1, 1<<16), "how many")}, itsRun(`cpu:its_create_device(8, 4)`),
			func(L *lua.LState, c *cpuObject) error {
				c.m.itsOf(L, "CPU:its_create_device")
				_, err := c.m.Kernel.IRQChip().(*irqchip.GICv3).ITSCreateDevice(c.cpu, uint32(api.U64At(L, 2)), api.IntAt(L, 3))
				return err
			}),
		kernelFunc("its_map", "The kernel's: maps an event to an LPI and binds it to a CPU (MAPTI).",
			[]api.Param{device, event, target}, itsRun(setUp),
			func(L *lua.LState, c *cpuObject) error {
				return itsDeviceAt(L, c, "its_map", true).Activate(c.cpu, api.IntAt(L, 3), itsTargetAt(L, c, 4))
			}),
		kernelFunc("its_set_affinity", "The kernel's: moves an event's LPI to another CPU (MOVI).",
			[]api.Param{device, event, target}, itsRun(setUp+`cpu:its_set_affinity(8, 0, 0)`),
			func(L *lua.LState, c *cpuObject) error {
				d := itsDeviceAt(L, c, "its_set_affinity", true)
				if d.CPU(api.IntAt(L, 3)) < 0 {
					return fmt.Errorf("event %d is not mapped: its_map does that", api.IntAt(L, 3))
				}
				return d.SetAffinity(c.cpu, api.IntAt(L, 3), itsTargetAt(L, c, 4))
			}),
		onEvent("its_unmask", "The kernel's: enables an event's LPI in its configuration byte, and sends INV.", true,
			func(d *irqchip.ITSDevice, c *cpu.CPU, event int) error { return d.SetEnabled(c, event, true) }),
		onEvent("its_mask", "The kernel's: disables an event's LPI in its configuration byte, and sends INV.", true,
			func(d *irqchip.ITSDevice, c *cpu.CPU, event int) error { return d.SetEnabled(c, event, false) }),
		onEvent("its_int", "Sends INT and SYNC: the LPI of an event becomes pending.", true, (*irqchip.ITSDevice).SendINT),
		onEvent("its_clear", "Sends CLEAR and SYNC: it is no longer pending.", true, (*irqchip.ITSDevice).SendCLEAR),
		onEvent("its_inv", "Sends INV and SYNC: its configuration may have changed.", true, (*irqchip.ITSDevice).SendINV),
		onEvent("its_discard", "The kernel's: unmaps an event (DISCARD).", true,
			func(d *irqchip.ITSDevice, c *cpu.CPU, event int) error { return d.Deactivate(c, event) }),
		onEvent("its_remap", "Sends MAPD and MAPTI anew: the ITS writes what it has of the device and the event once more.",
			true, func(d *irqchip.ITSDevice, c *cpu.CPU, event int) error { return d.Remap(c, event) }),
		kernelFunc("its_free_device", "The kernel's: takes a device from the ITS (MAPD).", []api.Param{device},
			itsRun(setUp+`cpu:its_free_device(8)`), func(L *lua.LState, c *cpuObject) error {
				return itsDeviceAt(L, c, "its_free_device", false).Free(c.cpu)
			}),
	}
}

// itsTargetAt is the CPU at position n.
func itsTargetAt(L *lua.LState, c *cpuObject, n int) int {
	target := api.IntAt(L, n)
	if target >= len(c.m.CPUs) {
		api.ArgErrorf(L, n, "a CPU from 0 to %d", len(c.m.CPUs)-1)
	}
	return target
}

// itsRun is an example that runs on a machine with an ITS.
func itsRun(body string) string {
	return `local m = hw.machine("qdf2400", { cpus = 2 })
m:run(0, function(cpu) ` + strings.TrimSuffix(strings.TrimSpace(body), ";") + ` end)`
}

// itsLPIFunc is m.linux:its_lpi.
var itsLPIFunc = api.Func{
	Name: "its_lpi", Doc: "INTID of the LPI of a device's event.",
	Params: []api.Param{
		api.P("device", api.Int(0, 1<<32-1), "DeviceID of a device that its_create_device has made"),
		api.P("event", api.Count(0), "its EventID, from 0"),
	},
	Returns: []api.Param{api.P("intid", api.Count(0), "the LPI")},
	Example: itsRun(`cpu:its_create_device(8, 4)`) + `; return m.linux:its_lpi(8, 0)`,
	Fn: func(L *lua.LState) int {
		k := api.Object[*linuxObject](L, 1)
		k.m.itsOf(L, "Linux:its_lpi")
		d := k.gicv3(L, "its_lpi").FindITSDevice(uint32(api.U64At(L, 2)))
		if d == nil {
			api.ArgErrorf(L, 2, "the DeviceID of a device that its_create_device has made")
		}
		if api.IntAt(L, 3) >= d.Events() {
			api.ArgErrorf(L, 3, "an event from 0 to %d", d.Events()-1)
		}
		api.PushInt(L, int64(d.LPI(api.IntAt(L, 3))))
		return 1
	},
}

// requestIRQFunc is m.linux:request_irq.
var requestIRQFunc = api.Func{
	Name: "request_irq", Doc: "Installs a function as the kernel's handler of an interrupt. The kernel acknowledges and " +
		"ends the interrupt.",
	Params: []api.Param{
		api.P("intid", api.Count(0), "the interrupt"),
		api.Opt("handler", api.Function(), "none", "function(cpu, intid); nil removes it"),
	},
	Example: `hw.machine("virt").linux:request_irq(40, function(cpu) cpu:exec(10) end)`,
	Fn: func(L *lua.LState) int {
		k := api.Object[*linuxObject](L, 1)
		api.Boundary(L)
		k.m.mustSeeNone(L, "Linux:request_irq")
		fn := api.FunctionAt(L, 3)
		if fn == nil {
			k.m.Kernel.RequestIRQ(api.IntAt(L, 2), nil)
			return 0
		}
		k.m.Kernel.RequestIRQ(api.IntAt(L, 2), func(c *cpu.CPU, irq uint64) {
			o := k.m.cpuObject(c.ID)
			o.admitOnce(fn)
			o.call(fn, lua.LNumber(irq))
		})
		return 0
	},
}
