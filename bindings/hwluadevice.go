package bindings

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// luaDevice is a device whose registers are Lua functions. What it holds is the script's, so that the explorer cannot
// restore it: under exploration it is made anew for each execution.
type luaDevice struct {
	m           *machineObject
	name        string
	base, size  uint64
	read, write *lua.LFunction // nil: reads as zero, ignores writes
	copies      *host.Copies   // explored: of what they can change
	member      *host.Member   // the same: devices must not share it
}

// functions are those of the device.
func (d *luaDevice) functions() (list []*lua.LFunction) {
	for _, fn := range []*lua.LFunction{d.read, d.write} {
		if fn != nil {
			list = append(list, fn)
		}
	}
	return list
}

// Rewind is machine.Recorded.
func (d *luaDevice) Rewind() { d.copies.Begin() }

// Fingerprint is machine.Recorded.
func (d *luaDevice) Fingerprint() (string, bool) { return d.copies.Name() }

// Save and Restore are machine.Part.
func (d *luaDevice) Save()    {}
func (d *luaDevice) Restore() {}

// Problem is machine.Part.
func (d *luaDevice) Problem() string { return "" }

// Describe is machine.Part.
func (d *luaDevice) Describe() string {
	return fmt.Sprintf("%s at 0x%x, 0x%x bytes, in Lua", d.name, d.base, d.size)
}

// ReadReg is bus.Device.
func (d *luaDevice) ReadReg(off uint64, w bus.Width) (uint64, bool) {
	if d.read == nil {
		return 0, false
	}
	results, err := d.call(d.read, lua.LNumber(off), lua.LNumber(w))
	if err != nil {
		d.failRead(off, err)
		return 0, true
	}
	result := lua.LValue(lua.LNil)
	if len(results) > 0 {
		result = results[0]
	}
	v, exact := api.ToU64(result)
	if !exact || v&^w.Mask() != 0 {
		wrong := &api.ScriptError{
			Msg: fmt.Sprintf("read(0x%x, %d) of device %s: expected an integer of %d bits, got %s", off, w, d.name, 8*w,
				api.Inspect(result)),
		}
		if p := d.read.Proto; p != nil { // else it is a function of a library
			wrong.File, wrong.Line = p.SourceName, p.LineDefined
		}
		d.failRead(off, wrong)
		return 0, true
	}
	return v, true
}

// WriteReg is bus.Device.
func (d *luaDevice) WriteReg(off uint64, w bus.Width, v uint64) bool {
	if d.write == nil {
		return false
	}
	if _, err := d.call(d.write, lua.LNumber(off), api.U64Value(v&w.Mask()), lua.LNumber(w)); err != nil {
		err = d.failed("write of", off, err)
		if d.m.exploration != nil {
			d.m.CPUs[0].Refuse(err)
		}
		d.m.Engine.Fail(err) // its program has gone on
	}
	return true
}

// call runs one of the device's functions, on a Lua thread of its own: that of the CPU may be inside an access, and a
// write arrives when its program has gone on.
func (d *luaDevice) call(fn *lua.LFunction, args ...lua.LValue) ([]lua.LValue, error) {
	thread := d.m.host.NewThread()
	defer thread.Release()
	outer := d.m.device
	d.m.device = d
	defer func() { d.m.device = outer }()
	results, err := thread.Call(fn, args...)
	if err == nil {
		err = advised(d.m.sharing.Check())
	}
	return results, err
}

// failed is an error of one of the device's functions, called at the engine's present.
func (d *luaDevice) failed(access string, off uint64, err error) error {
	return &deviceError{access: fmt.Sprintf("%s %s+0x%04x", access, d.name, off), at: d.m.Now(), err: err}
}

// failRead ends the program that reads, and with it the drive: what it would go on with is no value of the device's.
func (d *luaDevice) failRead(off uint64, err error) {
	err = d.failed("read of", off, err)
	if d.m.exploration != nil {
		d.m.CPUs[0].Refuse(err)
	}
	for _, c := range d.m.cpus {
		if c != nil && c.thread != nil && c.cpu.Proc() == d.m.Engine.Current() {
			c.thread.Kill(err)
			return
		}
	}
	d.m.Engine.Fail(err)
}

// deviceError is an error of a device's function, with where in simulated time it came.
type deviceError struct {
	access string
	at     sim.Time
	err    error
}

func (e *deviceError) Error() string {
	return fmt.Sprintf("%v (in the %s at %s ns)", e.err, e.access, e.at.Nanoseconds())
}

func (e *deviceError) Unwrap() error { return e.err }

// mustNotWait refuses what takes simulated time in one of a device's functions.
func (m *machineObject) mustNotWait(L *lua.LState, what string) {
	if m.device != nil {
		api.Errorf(L, "%s used in a function of device %s, which must not wait: a device answers at once, and drives "+
			"interrupt lines", what, m.device.name)
	}
}

var deviceSchema = &api.Schema{
	Name: "Machine:device", Doc: "A device.",
	Options: []api.Param{
		api.P("name", api.String(), "name in traces and messages"),
		api.P("base", api.U64(), "physical address, a multiple of 4096"),
		api.Opt("size", api.U64(), "4096", "bytes, a multiple of 4096"),
		api.Opt("read", api.Function(), "reads as zero", "function(offset, size): answers the value, of size bytes"),
		api.Opt("write", api.Function(), "ignores writes", "function(offset, value, size); the value is a u64"),
	},
}

var luaDeviceClass = &api.Class{
	Name: "Device", Doc: "A device whose registers are Lua functions, from m:device.",
	String: func(v any) string { return v.(*luaDevice).Describe() },
	Funcs: []api.Func{{
		Name: "addr", Doc: "Address of a register.",
		Params:  []api.Param{api.P("offset", api.Count(0), "bytes from the device's base")},
		Returns: []api.Param{api.P("addr", api.U64(), "physical address")},
		Example: `hw.machine("virt"):device { name = "uart", base = 0x9000000 }:addr(0x18)`,
		Fn: func(L *lua.LState) int {
			d, off := api.Object[*luaDevice](L, 1), uint64(api.IntAt(L, 2))
			if off >= d.size {
				api.ArgErrorf(L, 2, "an offset below 0x%x", d.size)
			}
			api.PushU64(L, d.base+off)
			return 1
		},
	}},
}

var deviceFunc = api.Func{
	Name: "device",
	Doc: "Adds a device whose registers are Lua functions, called when a load or a store reaches it. They take no " +
		"simulated time and must not wait. Under explore.run a device is made in the program function; what it does must " +
		"follow from the accesses to it, which are repeated to bring it back into a state, and devices must not share " +
		"Lua variables or tables.",
	Params:  []api.Param{api.P("device", api.OptionsOf(deviceSchema), "the device")},
	Returns: []api.Param{api.P("device", api.ObjectOf(luaDeviceClass), "the device")},
	Example: `local m, count = hw.machine("virt"), 0
local counter = m:device {
  name = "counter", base = 0x9000000,
  read = function(offset, size) count = count + 1; return count end,
}
m:run(0, function(cpu) return cpu:load(counter:addr(0), nil, 4) end)
return counter`,
	Fn: machineDevice,
}

func machineDevice(L *lua.LState) int {
	m, o := machineAt(L), deviceSchema.At(L, 2)
	m.mustSeeNone(L, "Machine:device")
	api.Boundary(L)
	d := &luaDevice{
		m: m, name: o.String("name", ""), base: o.U64("base", 0), size: o.U64("size", 4096), read: o.Function("read"),
		write: o.Function("write"),
	}
	if !isName(d.name) {
		api.Errorf(L, "Machine:device: name: expected %s, got %q", nameRule, d.name)
	}
	if err := m.AddDevice(d.name, d.base, d.size, d); err != nil {
		api.Errorf(L, "Machine:device: %v", err)
	}
	for _, fn := range d.functions() {
		m.admitDevice(L, d, fn)
	}
	m.devices = append(m.devices, d)
	L.Push(luaDeviceClass.New(L, d))
	return 1
}
