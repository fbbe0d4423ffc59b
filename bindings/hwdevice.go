package bindings

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// deviceObject is a register frame as a script holds it: what a debugger sees of a device. Its accesses go to the
// device itself, past CPUs and bus, and take no simulated time.
type deviceObject struct {
	m      *machineObject
	name   string
	prefix string // of its registers' names
	base   uint64
	device interface {
		bus.Device
		Dump(w io.Writer)
	}
}

// String is the summary that tostring and the REPL show.
func (d *deviceObject) String() string {
	return fmt.Sprintf("%s of %s at %s", d.name, d.m.Spec.Name, bits.Hex(d.base))
}

// deviceAt is the device at position 1, with everything done that precedes in simulated time.
func deviceAt(L *lua.LState) *deviceObject {
	d := api.Object[*deviceObject](L, 1)
	d.m.mustBeOpen(L)
	d.m.mustSeeNone(L, d.name)
	api.Boundary(L)
	return d
}

// register finds one of the device's registers by name: its offset in the frame and its size. Otherwise it says what
// was expected, or "" if the device's registers have no such name.
func (d *deviceObject) register(name string) (off uint64, w bus.Width, expected string) {
	r, ok := findRegister(name)
	array := r
	if !ok {
		array, _ = findRegister(strings.TrimRight(name, "0123456789"))
	}
	switch {
	case !strings.HasPrefix(name, d.prefix):
		return 0, 0, ""
	case array != nil && array.Count > 1 && (!ok || r.Name == name):
		return 0, 0, fmt.Sprintf("one of %s0 to %s%d", array.Name, array.Name, array.Count-1)
	case !ok:
		return 0, 0, ""
	}
	off, w = r.Addr, bus.Width(r.Stride)
	if r.Name != name {
		n, _ := strconv.ParseUint(name[len(r.Name):], 10, 64) // Lookup has checked it
		off += n * uint64(r.Stride)
	}
	if _, exists := d.device.ReadReg(off, w); !exists {
		return 0, 0, "a register that this device has"
	}
	return off, w, ""
}

// deviceRead is the method read: position 2 is the name.
func deviceRead(L *lua.LState) int {
	d := deviceAt(L)
	off, w := d.registerAt(L)
	v, _ := d.device.ReadReg(off, w)
	api.PushU64(L, v)
	return 1
}

// deviceWrite is the method write: position 2 is the name, 3 the value.
func deviceWrite(L *lua.LState) int {
	d := deviceAt(L)
	off, w := d.registerAt(L)
	v := api.U64At(L, 3)
	if v&^w.Mask() != 0 {
		api.ArgErrorf(L, 3, "a value of %d bits", 8*w)
	}
	d.device.WriteReg(off, w, v)
	return 0
}

// registerAt is the register whose name is at position 2 of a method.
func (d *deviceObject) registerAt(L *lua.LState) (off uint64, w bus.Width) {
	off, w, expected := d.register(api.StringAt(L, 2))
	switch {
	case expected != "":
		api.ArgErrorf(L, 2, "%s", expected)
	case w == 0:
		api.UnknownArg(L, 2, "register", registerNames(d.prefix))
	}
	return off, w
}

// deviceIndex is a register by its name after a dot, for reading and for writing.
func deviceIndex(name, register, example string, prefix string) *api.Index {
	find := func(L *lua.LState, d *deviceObject) (off uint64, w bus.Width) {
		off, w, expected := d.register(api.StringAt(L, 2))
		if expected != "" {
			api.Errorf(L, "%s: expected %s, got %q", name, expected, api.StringAt(L, 2))
		}
		return off, w
	}
	return &api.Index{
		Doc: "value of the register of this name; setting it writes the register",
		Key: api.String(), Value: api.U64(), Example: example + "." + register,
		Get: func(L *lua.LState) int {
			d := deviceAt(L)
			off, w := find(L, d)
			if w == 0 {
				return 0
			}
			v, _ := d.device.ReadReg(off, w)
			api.PushU64(L, v)
			return 1
		},
		Set: func(L *lua.LState) int {
			d, v := deviceAt(L), api.U64At(L, 3)
			off, w := find(L, d)
			switch {
			case w == 0:
				api.Errorf(L, "%s: %v", name, unknownRegister(api.StringAt(L, 2), prefix))
			case v&^w.Mask() != 0:
				api.Errorf(L, "%s.%s: expected a value of %d bits, got u64 %s", name, api.StringAt(L, 2), 8*w, api.U64Value(v))
			}
			d.device.WriteReg(off, w, v)
			return 0
		},
		Names: func(any) []string { return registerNames(prefix) },
	}
}

// deviceClass describes a kind of device whose registers' names begin with prefix. example is an expression for one.
func deviceClass(name, doc, prefix, register, example string) *api.Class {
	registerParam := api.P("register", api.String(), "name as in the manual; members of arrays with their number")
	return &api.Class{
		Name: name,
		Doc: doc + " Its registers are read and written by name, as a debugger does: on the device itself, without " +
			"simulated time.",
		String: func(v any) string { return v.(*deviceObject).String() },
		Index:  deviceIndex(name, register, example, prefix),
		Fields: []api.Field{{
			Name: "base", Type: api.U64(), Doc: "Physical address of the frame.", Example: example + ".base",
			Get: func(L *lua.LState) int {
				api.PushU64(L, api.Object[*deviceObject](L, 1).base)
				return 1
			},
		}},
		Funcs: []api.Func{
			{
				Name: "dump", Doc: "Prints the device's state, decoded.", Example: example + ":dump()",
				Fn: func(L *lua.LState) int {
					d := deviceAt(L)
					out := host.Of(L).Stdout()
					fmt.Fprintf(out, "%s, at %s ns\n", d, d.m.present(L).Nanoseconds())
					d.device.Dump(out)
					return 0
				},
			},
			{
				Name: "read", Doc: "Reads a register.", Params: []api.Param{registerParam},
				Returns: []api.Param{api.P("value", api.U64(), "the register's value")},
				Example: example + `:read("` + register + `")`,
				Fn:      deviceRead,
			},
			{
				Name: "write", Doc: "Writes a register. The device acts as on a CPU's write, at once.",
				Params:  []api.Param{registerParam, api.P("value", api.U64(), "the new value, as wide as the register")},
				Example: example + `:write("` + register + `", 0)`,
				Fn:      deviceWrite,
			},
		},
	}
}

// cpuInspectFuncs are what a debugger does with a CPU.
func cpuInspectFuncs() []api.Func {
	return []api.Func{
		{
			Name: "dump", Example: `hw.machine("virt"):cpu(2):dump()`,
			Doc: "Prints the CPU's state, decoded: what its program waits for, interrupts, store buffer, counters, system " +
				"registers and interrupt controller interface.",
			Fn: func(L *lua.LState) int {
				c := inspectedCPU(L)
				out := host.Of(L).Stdout()
				fmt.Fprintf(out, "CPU%d of %s, at %s ns\n", c.cpu.ID, c.m.Spec.Name, c.m.present(L).Nanoseconds())
				c.core().Dump(out, c.m.Epoch())
				return 0
			},
		},
		inspectSysFunc,
	}
}

// inspectedCPU is the CPU at position 1, with everything done that precedes in simulated time.
func inspectedCPU(L *lua.LState) *cpuObject {
	c := api.Object[*cpuObject](L, 1)
	c.m.mustBeOpen(L)
	c.m.mustSeeNone(L, "CPU:read")
	api.Boundary(L)
	return c
}
