package arm

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// PE is one processing element at EL1.
type PE struct {
	*cpu.CPU
	spec Spec
	gic  bus.SysRegs // the GIC's CPU interface
	fiq  bool

	firmware    Firmware // nil: none
	wakeRequest bool     // of the power controller

	// PSTATE.{D,A,F} in their places in DAIF, which mask nothing here; PSTATE.I is the CPU's mask.
	masks uint64
	pmu   pmu
	vbar  uint64
	tp    [3]uint64 // TPIDR_EL0, TPIDRRO_EL0, TPIDR_EL1

	physical timer
	virtual  timer

	syndrome syndrome

	events events
	peers  []*PE // all PEs that an event reaches, this one included
}

// New makes a PE at its reset values, with no connections.
func New(id int, spec Spec, engine *sim.Engine) *PE {
	return &PE{CPU: cpu.New(id, spec.CPU, engine), spec: spec}
}

// Connect gives the PE its memory, devices, GIC CPU interface, and the PEs that SEV reaches, itself among them.
func (p *PE) Connect(memory *mem.Memory, devices *bus.Map, gic bus.SysRegs, peers []*PE) {
	p.gic, p.peers = gic, peers
	p.CPU.Connect(cpu.Ports{Memory: memory, Devices: devices, SysRegs: p, Arch: p, Words: &words})
}

// words are how DDI 0487 calls things.
var words = cpu.Words{
	Fence: FenceName, SysReg: DecodeSysReg, Synchronize: "isb", InvalidateTLB: "tlbi vaale1is",
	ReadSys: "mrs", WriteSys: "msr",
	Masked: "masked (PSTATE.I=1)", Unmasked: "unmasked (PSTATE.I=0)",
}

// DecodeSysReg is the name of a system register, and its value in words where it has fields.
func DecodeSysReg(r bits.SysReg, v uint64) (name, value string) {
	for _, table := range [...]bits.Table{gic.Registers, a64.Registers} {
		if name, ok := table.Sys(r); ok {
			value, _ = table.Decode(name, v)
			return name, value
		}
	}
	return fmt.Sprintf("0x%x", uint16(r)), ""
}

// MPIDR is MPIDR_EL1.
func (p *PE) MPIDR() uint64 { return a64.MPIDR_EL1_RES1.Put(p.spec.Affinity, 1) }

// SetFIQ drives the FIQ input. Nothing at EL1 takes it: with one security state Group 0 interrupts are not enabled.
// ISR_EL1 shows the level, and it ends a WFI.
func (p *PE) SetFIQ(level bool) {
	p.fiq = level
	p.SetWakeUp(p.fiq || p.wakeRequest)
}

// SetWakeRequest drives the power controller's request to wake up: it ends a WFI.
func (p *PE) SetWakeRequest(level bool) {
	p.wakeRequest = level
	p.SetWakeUp(p.fiq || p.wakeRequest)
}

// Powered is cpu.Architecture.
func (p *PE) Powered(power cpu.Power) {
	if p.firmware != nil {
		p.firmware.Powered(p.ID, power != cpu.Off)
	}
}

// Firmware does what belongs to a change of a PE's power outside of it.
type Firmware interface {
	// Powered says that a PE is switched on, or off.
	Powered(pe int, on bool)
}

// SetFirmware connects the firmware.
func (p *PE) SetFirmware(f Firmware) { p.firmware = f }

// present is the time of the PE's program, or that of the engine while the program waits or there is none.
func (p *PE) present() sim.Time { return max(p.Now(), p.Engine().Now()) }

// Counter is CNTVCT_EL0 at the PE's present.
func (p *PE) Counter() uint64 {
	if p.Graphed() { // where time means nothing a counter has to move
		return p.CountGraph()
	}
	return p.spec.CounterFreq.At(p.present())
}

// CounterFreq is CNTFRQ_EL0.
func (p *PE) CounterFreq() sim.Freq { return p.spec.CounterFreq }
