package machine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/hardware/linux"
)

// Graphs is a booted machine whose programs are explored as execution graphs. The threads are the CPUs, then for each
// device what carries its messages, and what it does as a master.
type Graphs struct {
	*Machine
	Timers  bool // timers expire, which makes explorations larger: without, a program that starts one is refused
	objects *graphObjects
	kernel  *linux.Checkpoint
	asked   bool // for the program
}

// ErrTimers is why a program that starts a timer is not explored without Graphs.Timers.
var ErrTimers = errors.New("a timer is started: expected an exploration with timers")

// Graphs makes the machine's present state, with all devices that it has by now, the one that executions begin from.
// The machine is idle, and is used up: what an exploration leaves is no state to begin another from.
func (m *Machine) Graphs() (*Graphs, error) {
	if err := m.Explorable(); err != nil {
		return nil, err
	}
	board, ok := m.Board.(graphBoard)
	if !ok {
		return nil, fmt.Errorf("the interrupt controller of %s cannot be explored as an execution graph", m.Spec.Name)
	}
	m.explored = true
	for _, p := range m.parts {
		p.Save()
	}
	return &Graphs{Machine: m, kernel: m.Kernel.Save(), objects: newGraphObjects(m, board)}, nil
}

// Program is the machine with a program on each CPU, nil for the idle loop. Each time that a CPU's part of an execution
// is run again, program is asked anew. There is one for each Graphs.
func (x *Graphs) Program(program func(c *cpu.CPU) func()) *graph.Program {
	if x.asked {
		panic("BUG: a second program for a machine that is explored: it would begin where the first has left it")
	}
	x.asked = true
	if x.Timers {
		x.objects.UseTimers()
	}
	p := &graph.Program{Initial: x.initial, Ordered: true}
	for i, c := range x.CPUs {
		c.JoinGraph(x.objects)
		p.Threads = append(p.Threads, graph.Thread{
			Run: func(h *graph.Handle) {
				if err := x.objects.Started(i); err != nil {
					h.Refuse(err)
				}
				x.parts[i].Restore()
				x.Kernel.RestoreCPU(x.kernel, i)
				c.ExploreThread(h)
				if run := program(c); run != nil {
					run()
				}
				c.EndThread()
			},
			Lines: c.Lines(x.objects),
		})
	}
	for i, d := range x.objects.devices {
		p.Threads = append(p.Threads, graph.Thread{Run: func(h *graph.Handle) { x.objects.deliver(h, i) }})
		if _, ok := d.device.(GraphMaster); ok {
			p.Threads = append(p.Threads, graph.Thread{Run: func(h *graph.Handle) { x.master(h, i) }})
		}
	}
	return p
}

// initial is what memory and event registers hold when executions begin; all objects are in their state 0.
func (x *Graphs) initial(at uint64, size uint8) uint64 {
	if i, ok := cpu.EventOf(at); ok {
		if e, has := x.Board.Core(i).(interface{ EventRegister() bool }); has && e.EventRegister() {
			return 1
		}
		return 0
	}
	if !x.Memory.Contains(at, uint64(size)) {
		return 0
	}
	v := uint64(0)
	for i := range uint64(size) {
		v |= x.Memory.Peek(at+i, 1) << (8 * i)
	}
	return v
}

// Finish brings all objects into the states in which an execution leaves them.
func (x *Graphs) Finish(e *graph.Execution) {
	last := x.objects.objectOf(len(x.objects.devices))
	for o := cpu.Object(0); o < last; o++ {
		x.objects.Put(o, e.Final(cpu.ObjectAt(o), 8))
	}
	for _, d := range x.objects.devices {
		d.reach(d.present)
	}
}

// Problem is what is wrong with any machine when an execution has ended, "" if nothing: a program that waits for ever,
// one that could only go on by its timeout, a write that leaves a device UNPREDICTABLE, the first of them, or what one
// of the parts says.
func (x *Graphs) Problem(e *graph.Execution) string {
	if stuck := x.Stuck(e); stuck != "" {
		return "deadlock: " + stuck
	}
	if e.Expired() > 0 {
		return "only a timeout was left to wait for"
	}
	if r := x.Engine.Remarks().Unpredictable(); r != nil {
		return fmt.Sprintf("illegal device state: %s %s", r.Source, r.What)
	}
	x.Finish(e)
	for _, p := range x.parts {
		if problem := p.Problem(); problem != "" {
			return problem
		}
	}
	return ""
}

// Stuck says which programs wait for what never comes, "" if none does.
func (x *Graphs) Stuck(e *graph.Execution) string {
	var parts []string
	for i, c := range x.CPUs {
		at, waits := e.Waiting(i)
		if !waits {
			continue
		}
		what := fmt.Sprintf("a write to 0x%x", at)
		if name := x.Symbol(at); name != "" {
			what = "a write to " + name
		}
		if _, ok := cpu.EventOf(at); ok {
			what = "an event"
		} else if _, ok := cpu.ObjectOf(at); ok {
			what = "an interrupt"
		}
		parts = append(parts, fmt.Sprintf("%s waits for %s", c, what))
	}
	return strings.Join(parts, ", ")
}
