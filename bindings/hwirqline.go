package bindings

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/host/api"
)

// irqLineObject is the wire of an interrupt, as a device holds it.
type irqLineObject struct {
	m     *machineObject
	name  string
	line  bus.Line
	level bool // as it was driven last
}

// set drives the wire at the present of the program that runs, or of the machine.
func (l *irqLineObject) set(level bool) {
	if e := l.m.Engine; e.Tracing && level != l.level {
		e.Trace(e.Now(), l.name, "%s", levelName(level))
	}
	l.level = level
	l.line.SetLine(level)
}

func levelName(level bool) string { return choose(level, "high", "low") }

var irqLineClass = &api.Class{
	Name: "IRQLine", Doc: "The wire of an interrupt into the interrupt controller, from m:irq_line. It is low at first.",
	String: func(v any) string {
		l := v.(*irqLineObject)
		if l.m.exploring() {
			return fmt.Sprintf("interrupt line %s", l.name) // see mustSeeNone
		}
		return fmt.Sprintf("interrupt line %s, %s", l.name, levelName(l.level))
	},
	Funcs: []api.Func{
		{
			Name: "raise", Doc: "Makes the wire high. A level-triggered interrupt is pending while it is.",
			Example: `hw.machine("virt"):irq_line(40):raise()`, Fn: driveLine(func(l *irqLineObject) { l.set(true) }),
		},
		{
			Name: "lower", Doc: "Makes the wire low.",
			Example: `hw.machine("virt"):irq_line(40):lower()`, Fn: driveLine(func(l *irqLineObject) { l.set(false) }),
		},
		{
			Name: "pulse", Doc: "Makes the wire high and then low, at once: an edge-triggered interrupt becomes pending.",
			Example: `hw.machine("virt"):irq_line(40):pulse()`,
			Fn: driveLine(func(l *irqLineObject) {
				l.set(true)
				l.set(false)
			}),
		},
	},
}

func driveLine(drive func(l *irqLineObject)) lua.LGFunction {
	return func(L *lua.LState) int {
		l := api.Object[*irqLineObject](L, 1)
		l.m.mustBeOpen(L)
		api.Boundary(L)
		if l.m.device == nil {
			l.m.mustSeeNone(L, "an interrupt line")
		}
		drive(l)
		return 0
	}
}

var irqLineFunc = api.Func{
	Name: "irq_line",
	Doc: "The wire of a shared interrupt, for a device that a script makes; of a private one with the CPU that it " +
		"belongs to.",
	Params: []api.Param{
		api.P("intid", api.Count(0), "number of the interrupt"),
		api.Opt("cpu", api.Count(0), "none", "number of the CPU, of a private interrupt"),
	},
	Returns: []api.Param{api.P("line", api.ObjectOf(irqLineClass), "the wire, low")},
	Example: `hw.machine("virt"):irq_line(40)`,
	Fn: func(L *lua.LState) int {
		m, number, cpu := machineAt(L), api.IntAt(L, 2), machine.NoCPU
		m.mustSeeNone(L, "Machine:irq_line")
		api.Boundary(L)
		name := fmt.Sprintf("IRQ%d", number)
		if L.Get(3) != lua.LNil {
			cpu = cpuAt(L, m, 3).cpu.ID
			name = fmt.Sprintf("IRQ%d of CPU%d", number, cpu)
		}
		lines, ok := m.Board.(machine.InterruptLines)
		if !ok {
			api.Errorf(L, "Machine:irq_line: %s has no interrupt controller with wires", m.Spec.Name)
		}
		line, err := lines.Line(number, cpu)
		if err != nil {
			api.Errorf(L, "Machine:irq_line: %v", err)
		}
		L.Push(irqLineClass.New(L, &irqLineObject{m: m, name: name, line: line}))
		return 1
	},
}
