package machine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Machine is a wired machine. It is used from one goroutine at a time, and closed when it is no longer needed.
type Machine struct {
	Spec    Spec
	Engine  *sim.Engine
	Memory  *mem.Memory
	Devices bus.Map
	Board   Board
	CPUs    []*cpu.CPU // of the board's cores
	Kernel  *linux.Kernel

	places []mem.Place
	parts  []Part // cores, devices, kernel
	names  []namedLines
	epoch  sim.Time // the end of the boot

	lookups func(l Lookup) // sees accesses of devices to memory

	explored bool // Graphs has used it up
}

// New builds a machine at its reset values.
func New(spec Spec) (*Machine, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	m := &Machine{Spec: spec, Engine: sim.NewEngine(), CPUs: make([]*cpu.CPU, spec.CPUs), places: spec.places()}
	var err error
	if m.Memory, err = mem.New(spec.memory(), func(cpu int, at sim.Time) { m.CPUs[cpu].Wake(at) }); err != nil {
		return nil, err
	}
	if m.Board, err = spec.Board.Build(m); err != nil {
		return nil, err
	}
	for i := range m.CPUs {
		core := m.Board.Core(i)
		m.CPUs[i] = core.CPU()
		m.parts = append(m.parts, core)
	}
	m.Kernel, err = linux.New(spec.Linux, spec.Costs, linux.Platform{
		Arch: m.Board.Arch(), CPUs: m.CPUs, AllocateMemory: m.Memory.AllocOn, Node: m.Memory.NodeOf,
		Peek: m.Memory.Peek, Poke: m.Memory.Poke,
	})
	if err != nil {
		return nil, err
	}
	m.Board.Plug(m.Kernel)
	for _, c := range m.CPUs {
		c.SetSymbols(m.Symbol)
	}
	m.parts = append(append(m.parts, m.Board.Parts()...), &kernelPart{Kernel: m.Kernel})
	return m, nil
}

// kernelPart is the kernel as a Part. What it keeps in simulated memory is restored with that.
type kernelPart struct {
	*linux.Kernel
	saved *linux.Checkpoint
}

func (k *kernelPart) Save() { k.saved = k.Kernel.Save() }

func (k *kernelPart) Restore() { k.Kernel.Restore(k.saved) }

func (k *kernelPart) Problem() string { return "" }

func (k *kernelPart) Describe() string {
	return "Linux 5.17, " + k.IRQChip().Describe()
}

// Describe lists every latency with its unit, origin and source, and then the parts.
func (m *Machine) Describe() string {
	var b strings.Builder
	b.WriteString(m.Spec.Describe())
	for i := 0; i < len(m.parts); {
		what, first := m.parts[i].Describe(), i
		for i++; i < len(m.parts) && m.parts[i].Describe() == what; i++ {
		}
		if n := i - first; n > 1 {
			what = fmt.Sprintf("%d x %s", n, what)
		}
		b.WriteString("part: " + what + "\n")
	}
	return b.String()
}

// Now is the time since the end of the boot.
func (m *Machine) Now() sim.Time { return m.Engine.Now() - m.epoch }

// Epoch is the end of the boot in the engine's time.
func (m *Machine) Epoch() sim.Time { return m.epoch }

// Since turns an engine's or a CPU's time into time since the end of the boot.
func (m *Machine) Since(t sim.Time) sim.Time { return t - m.epoch }

// Spawn starts a program on a CPU. It runs when the machine is driven.
func (m *Machine) Spawn(cpu int, p sim.Program) error { return m.CPUs[cpu].Start(p) }

// Run starts a program on a CPU and drives the machine until it ends. What other CPUs still do stays pending.
func (m *Machine) Run(cpu int, p sim.Program) error {
	if err := m.Spawn(cpu, p); err != nil {
		return err
	}
	return m.Drive(m.CPUs[cpu].Proc())
}

// Drive fires events until a CPU's program ends; with nil, until nothing is pending. It returns a [*DeadlockError]
// if the program waits and nothing is pending, and sim.ErrStopped if the engine's stop function said so.
func (m *Machine) Drive(p *sim.Proc) error {
	err := m.Engine.Drive(p)
	if errors.Is(err, sim.ErrDeadlock) {
		return m.deadlock()
	}
	if err == nil && p == nil && len(m.waitingPrograms()) > 0 {
		return m.deadlock()
	}
	return err
}

// Close ends all programs and gives their coroutines up.
func (m *Machine) Close() error {
	m.Engine.Close()
	return nil
}

// A DeadlockError is a machine in which nothing is pending while programs wait.
type DeadlockError struct {
	At      sim.Time // since the end of the boot
	Waiting []Waiter
}

// A Waiter is a CPU whose program waits.
type Waiter struct {
	CPU   string
	Since sim.Time
	For   string
}

func (e *DeadlockError) Error() string {
	parts := make([]string, len(e.Waiting))
	for i, w := range e.Waiting {
		parts[i] = fmt.Sprintf("%s waits for %s since %s ns", w.CPU, w.For, w.Since.Nanoseconds())
	}
	return fmt.Sprintf("deadlock at %s ns: nothing is pending, and %s", e.At.Nanoseconds(), strings.Join(parts, ", "))
}

// waitingPrograms are the CPUs whose programs are parked. An address is named as the kernel knows it.
func (m *Machine) waitingPrograms() []Waiter {
	var waiting []Waiter
	for _, p := range m.CPUs {
		why, waits := p.Proc().Waiting()
		if !waits || p.Power() == cpu.Parked || p.Power() == cpu.Off { // it waits for nothing
			continue
		}
		w := Waiter{CPU: p.String(), Since: m.Since(p.Now()), For: why.String()}
		if name := m.Symbol(why.Addr); why.Addr != 0 && name != "" {
			w.For += " (" + name + ")"
		}
		if p.IRQMasked() && p.IRQ() {
			w.For += ", with an interrupt pending and masked,"
		}
		waiting = append(waiting, w)
	}
	return waiting
}

// deadlock describes a machine that has stopped. Programs may have run ahead of the last event.
func (m *Machine) deadlock() error {
	e := &DeadlockError{At: m.Now(), Waiting: m.waitingPrograms()}
	for _, w := range e.Waiting {
		e.At = max(e.At, w.Since)
	}
	return e
}
