package litmus

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// machineSubject runs a test with an interrupt on a booted machine. The thread that is the handler has an idle CPU.
type machineSubject struct {
	*machine.Explored
	wires machine.SoftwareInterrupts
	test  *Test
	base  uint64
	runs  []machineThread
	regs  [maxSlots]uint64
	took  bool
}

type machineThread struct {
	s    *machineSubject
	cpu  *cpu.CPU
	code []Instruction
}

// doorbellBase is where the device stands that a store makes send the interrupt, as GICD_SGIR of older Arm machines
// does. Today's have that register only without affinity routing.
const doorbellBase = 0x0a00_0000

func newMachineSubject(t *Test, spec mem.ExploredSpec) (*machineSubject, error) {
	preset, _ := machine.Preset("virt")
	preset.CPUs, preset.Jitter = len(t.Threads), false
	m, err := machine.New(preset)
	if err != nil {
		return nil, err
	}
	s := &machineSubject{test: t, wires: m.Board.(machine.SoftwareInterrupts)}
	err = m.Devices.Add(bus.Region{Name: "doorbell", Base: doorbellBase, Size: 0x1000, Device: doorbell{s}})
	if err != nil {
		return nil, err
	}
	if err := m.Boot(); err != nil {
		return nil, err
	}
	if s.base, err = m.Memory.Alloc(uint64(len(t.Locations)) * mem.LineSize); err != nil {
		return nil, err
	}
	for i, c := range m.CPUs {
		s.runs = append(s.runs, machineThread{s, c, t.Threads[i]})
		if i == t.Handler {
			c.SetVector(&s.runs[i])
		} else {
			c.SetVector(nil) // nothing interrupts it
		}
	}
	s.Explored = m.Explore(spec)
	return s, nil
}

// Engine is explore.Subject.
func (s *machineSubject) Engine() *sim.Engine { return s.Machine.Engine }

// Begin is explore.Subject.
func (s *machineSubject) Begin() {
	s.Restore()
	s.regs, s.took = [maxSlots]uint64{}, false
	for i := range s.runs {
		if i != s.test.Handler {
			s.runs[i].cpu.Proc().Start(&s.runs[i], s.Machine.Engine.Now())
		}
	}
}

// End is explore.Subject.
func (s *machineSubject) End(e explore.Ending) explore.Verdict {
	v := ending(s.test, &s.regs, s.View, s.base, e)
	if v.Finding = s.Problem(e.Err, e.Deadlines); v.Finding == "" && !s.took {
		v.Finding = "lost interrupt: the handler did not run"
	}
	return v
}

// Run is sim.Program.
func (t *machineThread) Run(*sim.Proc) { perform(t.cpu, t.code, &t.s.regs, t.s.base, t.s) }

// IRQ is cpu.Vector: the handler acknowledges, runs its code, and ends the interrupt.
func (t *machineThread) IRQ(c *cpu.CPU) {
	number, sent := t.s.wires.Take(c)
	t.s.took = t.s.took || sent
	perform(c, t.code, &t.s.regs, t.s.base, t.s)
	t.s.wires.End(c, number)
}

func (s *machineSubject) sendSGI(c *cpu.CPU) { s.wires.Send(c, s.test.Handler) }

func (s *machineSubject) storeSGIR(c *cpu.CPU) { c.Store(doorbellBase, 4, 1, bus.Plain) }

// doorbell sends the interrupt at any write.
type doorbell struct{ s *machineSubject }

func (d doorbell) ReadReg(uint64, bus.Width) (uint64, bool) { return 0, true }

func (d doorbell) WriteReg(uint64, bus.Width, uint64) bool {
	d.s.wires.Raise(d.s.test.Handler)
	return true
}
