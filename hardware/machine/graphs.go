package machine

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/graph"
	"github.com/hwscript/hwscript/hardware/linux"
)

// Graphs is a booted machine whose programs are explored as execution graphs, each CPU a thread.
type Graphs struct {
	*Machine
	objects cpu.Objects
	kernel  *linux.Checkpoint
}

// GraphBoard is a board whose interrupt controller can be explored as objects of a graph.
type GraphBoard interface {
	Objects() cpu.Objects
}

// Graphs makes the machine's present state the one that executions begin from. The machine is idle, and is used up.
func (m *Machine) Graphs() (*Graphs, error) {
	if err := m.Explorable(); err != nil {
		return nil, err
	}
	board, ok := m.Board.(GraphBoard)
	if !ok {
		return nil, fmt.Errorf("the interrupt controller of %s cannot be explored as an execution graph", m.Spec.Name)
	}
	for _, p := range m.parts {
		p.Save()
	}
	return &Graphs{Machine: m, objects: board.Objects(), kernel: m.Kernel.Save()}, nil
}

// Program is the machine with a program on each CPU, nil for the idle loop. Each time that a CPU's part of an execution
// is run again, program is asked anew.
func (x *Graphs) Program(program func(c *cpu.CPU) func()) *graph.Program {
	p := &graph.Program{Initial: x.initial, Ordered: true}
	for i, c := range x.CPUs {
		p.Threads = append(p.Threads, graph.Thread{
			Run: func(h *graph.Handle) {
				x.parts[i].Restore()
				x.Kernel.RestoreCPU(x.kernel, i)
				c.ExploreThread(h, x.objects)
				if run := program(c); run != nil {
					run()
				}
				c.EndThread()
			},
			Lines: c.Lines(x.objects),
		})
	}
	return p
}

// initial is what memory holds when executions begin; all objects are in their state 0.
func (x *Graphs) initial(at uint64, size uint8) uint64 {
	if !x.Memory.Contains(at, uint64(size)) {
		return 0
	}
	v := uint64(0)
	for i := range uint64(size) {
		v |= x.Memory.Peek(at+i, 1) << (8 * i)
	}
	return v
}
