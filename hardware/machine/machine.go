package machine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

func busAddr(a uint64) bus.Addr { return bus.Addr(a) }

// Machine is a wired machine. It is used from one goroutine at a time, and closed when it is no longer needed.
type Machine struct {
	Spec    Spec
	Engine  *sim.Engine
	Memory  *mem.Memory
	Devices bus.Map
	GIC     *gicv3.GIC
	PEs     []*arm.PE
	Kernel  *linux.Kernel

	epoch sim.Time // the end of the boot
	wire  sim.Jitter
}

// New builds a machine at its reset values.
func New(spec Spec) (*Machine, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	m := &Machine{Spec: spec, Engine: sim.NewEngine(), PEs: make([]*arm.PE, spec.CPUs)}
	m.wire = sim.NewJitter(spec.spread(SGITransport))
	var err error
	if m.Memory, err = mem.New(spec.memory(), func(cpu int, at sim.Time) { m.PEs[cpu].Wake(at) }); err != nil {
		return nil, err
	}
	ports := make([]gicv3.CPUPort, spec.CPUs)
	cpus := make([]*cpu.CPU, spec.CPUs)
	pe := arm.Spec{CPU: spec.cpu(), MIDR: spec.MIDR, CounterFreq: spec.CounterFreq}
	if err := pe.Validate(); err != nil {
		return nil, err
	}
	for i := range m.PEs {
		pe.Affinity = spec.mpidr(i)
		m.PEs[i] = arm.New(i, pe, m.Engine)
		ports[i], cpus[i] = m.PEs[i], m.PEs[i].CPU
	}
	g := spec.gic()
	if m.GIC, err = gicv3.New(g, m.Engine, m, ports); err != nil {
		return nil, err
	}
	if err := m.mapDevices(&g); err != nil {
		return nil, err
	}
	for i, p := range m.PEs {
		p.Connect(m.Memory, &m.Devices, m.GIC.CPUInterface(i))
	}
	m.Kernel, err = linux.New(spec.Linux, spec.Costs, m.platform(&g, cpus))
	return m, err
}

// SGI is gicv3.Wires: how long the n-th SGI on a wire travels.
func (m *Machine) SGI(from, to int, n uint64) sim.Time {
	return m.wire.At(m.Spec.Seed, uint64(from)<<32|uint64(to)|sgiWires, n)
}

// sgiWires keeps the jitter of wires apart from that of lines, whose keys are line numbers.
const sgiWires = 1 << 63

// mapDevices places the GIC's frames. All are one object to the seam, the one that the system registers reach.
func (m *Machine) mapDevices(g *gicv3.Spec) error {
	err := m.Devices.Add(bus.Region{
		Name: "GICD", Base: bus.Addr(m.Spec.GICDBase), Size: uint64(gic.FrameSize), Device: m.GIC.Distributor(),
		Object: cpu.SysRegObject,
	})
	for i := 0; err == nil && i < m.Spec.CPUs; i++ {
		err = m.Devices.Add(bus.Region{
			Name: fmt.Sprintf("GICR%d", i), Base: g.RedistributorBase(i), Size: g.Stride(), Device: m.GIC.Redistributor(i),
			Object: cpu.SysRegObject,
		})
	}
	return err
}

// platform is what firmware tells the kernel.
func (m *Machine) platform(g *gicv3.Spec, cpus []*cpu.CPU) linux.Platform {
	p := linux.Platform{MPIDRs: g.MPIDRs, GICD: m.Spec.GICDBase, AllocateMemory: m.Memory.Alloc, CPUs: cpus}
	for _, r := range g.Regions {
		p.GICRs = append(p.GICRs, linux.GICRRegion{Base: uint64(r.Base), Size: uint64(r.Count) * g.Stride()})
	}
	return p
}

// Now is the time since the end of the boot.
func (m *Machine) Now() sim.Time { return m.Engine.Now() - m.epoch }

// Epoch is the end of the boot in the engine's time.
func (m *Machine) Epoch() sim.Time { return m.epoch }

// Since turns an engine's or a CPU's time into time since the end of the boot.
func (m *Machine) Since(t sim.Time) sim.Time { return t - m.epoch }

// Spawn starts a program on a CPU. It runs when the machine is driven.
func (m *Machine) Spawn(cpu int, p sim.Program) error { return m.PEs[cpu].Start(p) }

// Run starts a program on a CPU and drives the machine until it ends. What other CPUs still do stays pending.
func (m *Machine) Run(cpu int, p sim.Program) error {
	if err := m.Spawn(cpu, p); err != nil {
		return err
	}
	return m.Drive(m.PEs[cpu].Proc())
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
	for _, p := range m.PEs {
		why, parked := p.Proc().Waiting()
		if !parked {
			continue
		}
		w := Waiter{CPU: p.String(), Since: m.Since(p.Now()), For: why.String()}
		if name := m.Kernel.Symbol(why.Addr); why.Addr != 0 && name != "" {
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
