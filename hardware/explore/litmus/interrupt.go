package litmus

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/explore"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// machineSubject runs a test with an interrupt on a booted machine with a GICv3. The thread that is the handler has an
// idle CPU.
type machineSubject struct {
	*machine.Explored
	test *Test
	base uint64
	runs []machineThread
	regs [maxSlots]uint64
	took bool
}

type machineThread struct {
	s    *machineSubject
	cpu  *cpu.CPU
	code []Instruction
}

const sgiINTID = 3

// doorbellBase is where the device stands that a store makes send the SGI, as GICD_SGIR of a GICv2 does. GICv3 has that
// register only without affinity routing, which this machine does not have.
const doorbellBase = 0x0a00_0000

func newMachineSubject(t *Test, spec mem.ExploredSpec) (*machineSubject, error) {
	preset, _ := machine.Preset("virt")
	preset.CPUs, preset.Jitter = len(t.Threads), false
	m, err := machine.New(preset)
	if err != nil {
		return nil, err
	}
	s := &machineSubject{test: t}
	err = m.Devices.Add(bus.Region{
		Name: "doorbell", Base: doorbellBase, Size: 0x1000, Device: doorbell{s}, Object: 2,
	})
	if err != nil {
		return nil, err
	}
	if err := m.Boot(); err != nil {
		return nil, err
	}
	if s.base, err = m.Memory.Alloc(uint64(len(t.Locations)) * mem.LineSize); err != nil {
		return nil, err
	}
	for i, p := range m.PEs {
		s.runs = append(s.runs, machineThread{s, p.CPU, t.Threads[i]})
		if i == t.Handler {
			p.SetVector(&s.runs[i])
		} else {
			p.SetVector(nil) // nothing interrupts it
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
func (t *machineThread) Run(*sim.Proc) { run(t.cpu, t.code, &t.s.regs, t.s.base, t.s) }

// IRQ is cpu.Vector: the handler acknowledges, runs its code, and ends the interrupt.
func (t *machineThread) IRQ(c *cpu.CPU) {
	intid, _ := c.ReadSys(gic.ICC_IAR1_EL1)
	t.s.took = t.s.took || intid == sgiINTID
	run(c, t.code, &t.s.regs, t.s.base, t.s)
	c.WriteSys(gic.ICC_EOIR1_EL1, intid)
	c.WriteSys(gic.ICC_DIR_EL1, intid)
}

// request is the value of ICC_SGI1R_EL1 for the handler's CPU. The machine numbers its CPUs by Aff0.
func (s *machineSubject) request() uint64 {
	v := gic.ICC_SGI1R_EL1_INTID.Put(0, sgiINTID)
	return gic.ICC_SGI1R_EL1_TargetList.Put(v, 1<<s.test.Handler)
}

func (s *machineSubject) sendSGI(c *cpu.CPU) { c.WriteSys(gic.ICC_SGI1R_EL1, s.request()) }

func (s *machineSubject) storeSGIR(c *cpu.CPU) { c.Store(doorbellBase, 4, 1, bus.Plain) }

// doorbell sends the SGI at any write.
type doorbell struct{ s *machineSubject }

func (d doorbell) ReadReg(uint64, bus.Width) (uint64, bool) { return 0, true }

func (d doorbell) WriteReg(uint64, bus.Width, uint64) bool {
	return d.s.GIC.CPUInterface(0).WriteSys(gic.ICC_SGI1R_EL1, d.s.request())
}
