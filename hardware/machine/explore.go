package machine

import (
	"fmt"
	"strings"

	"github.com/hwscript/hwscript/hardware/mem"
)

// Explored is a booted machine with explored memory, which can be executed again and again from the same state.
type Explored struct {
	*Machine
	View *mem.Explored

	// What there was at the checkpoint.
	allocated             uint64
	names, parts, devices int
}

// Explorable is why a machine cannot be explored, nil if it can: what reaches memory without a CPU is not covered.
func (m *Machine) Explorable() error {
	if masters := m.Memory.Masters(); len(masters) > 0 {
		return fmt.Errorf("%s reaches memory by itself: expected a machine in which only CPUs do", masters[0].Name)
	}
	return nil
}

// Explore gives an idle machine that is explorable explored memory. The caller installs a policy on the engine before
// anything runs.
func (m *Machine) Explore(spec mem.ExploredSpec) *Explored {
	if err := m.Explorable(); err != nil {
		panic("BUG: " + err.Error())
	}
	x := &Explored{Machine: m, View: m.Memory.NewExplored(spec, m.Engine)}
	x.View.SetSymbols(m.Symbol)
	for _, c := range m.CPUs {
		c.Explore(x.View)
	}
	x.Checkpoint()
	return x
}

// Checkpoint makes the machine's present state the one that executions begin from. All CPUs are idle.
func (x *Explored) Checkpoint() {
	x.allocated, x.names = x.Memory.Allocated(), len(x.Machine.names)
	x.parts, x.devices = len(x.Machine.parts), len(x.Devices.Regions())
	for _, p := range x.Machine.parts {
		p.Save()
	}
}

// Restore undoes an execution. The engine was rewound.
func (x *Explored) Restore() {
	x.View.Reset()
	x.Memory.Free(x.allocated)
	x.Machine.names, x.Machine.parts = x.Machine.names[:x.names], x.Machine.parts[:x.parts]
	x.Devices.Truncate(x.devices)
	for _, p := range x.Machine.parts {
		p.Restore()
	}
}

// Stuck says which programs wait although nothing is pending, "" if none does.
func (x *Explored) Stuck() string {
	var parts []string
	for _, p := range x.Machine.Engine.Deadlock() {
		why, _ := p.Waiting()
		what := why.What
		if name := x.Symbol(why.Addr); name != "" {
			what += " " + name
		} else if why.Addr != 0 {
			what = why.String()
		}
		parts = append(parts, fmt.Sprintf("%s waits for %s", p.Name(), what))
	}
	return strings.Join(parts, ", ")
}

// Problem is what is wrong with any machine in which nothing is pending any more, "" if nothing: a program that
// waits for ever, one that could only go on by its timeout, a write that leaves a device UNPREDICTABLE, or what one of
// the parts says.
func (x *Explored) Problem(err error, deadlines int) string {
	if err != nil {
		return err.Error()
	}
	if stuck := x.Stuck(); stuck != "" {
		return "deadlock: " + stuck
	}
	if deadlines > 0 {
		return "only a timeout was left to wait for"
	}
	if r := x.Machine.Engine.Remarks().Unpredictable(); r != nil {
		return fmt.Sprintf("illegal device state: %s %s", r.Source, r.What)
	}
	for _, p := range x.Machine.parts {
		if problem := p.Problem(); problem != "" {
			return problem
		}
	}
	return ""
}
