package riscv

import (
	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/mmu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Hart is one hardware thread. Its programs run in supervisor mode, or in user mode where they say so; firmware runs in
// machine mode.
type Hart struct {
	*cpu.CPU
	spec     Spec
	firmware Firmware
	memory   *mem.Memory
	oracle   *Oracle // nil: nobody looks

	state
	itlb, dtlb, joint tlb
	walks             tlb // pointers to tables
	icache            icache
}

// state is what changes while programs run, but for the contents of the caches.
//
// Invariant: mode, asid and stage follow from satp.
type state struct {
	satp       uint64
	mode       rv.SatpMode
	asid       uint16
	stage      mmu.Stage
	generation uint64 // counts fences and writes of satp: a walk that saw two numbers begins anew
	walked     uint64 // counts walks, for the choice of those that are speculative
	user       bool   // the program is in user mode
	pending    sinvals
	hot        hot
	ordered    sim.Time // the last sfence.w.inval

	interrupts interrupts
	csrs       csrs
	exception  Exception
	stats      Stats
}

// Stats counts what the hart's translations did.
type Stats struct {
	Walks, Reads              uint64 // reads of page table entries
	Speculative               uint64 // walks that nobody asked for
	MicroHits, JointHits      uint64
	Fences, Dropped           uint64 // entries that fences dropped
	PageFaults                uint64
	Fetches, InstructionFills uint64
}

// Firmware is what runs in machine mode: it takes environment calls, and the interrupts of that mode.
type Firmware interface {
	cpu.Vector
	// ECall serves a call of a program of a hart. It runs in machine mode on that hart.
	ECall(hart int, call rv.Call) rv.Return
}

// New makes a hart at its reset values, with no connections.
func New(id int, spec Spec, engine *sim.Engine) *Hart {
	h := &Hart{
		spec: spec,
		itlb: newTLB(spec.ITLB), dtlb: newTLB(spec.DTLB), joint: newTLB(spec.Joint), walks: newTLB(spec.WalkCache),
		icache: newICache(spec.ICache),
	}
	h.CPU = cpu.New(id, &h.spec.CPU, engine)
	return h
}

// Connect gives the hart its memory and devices.
func (h *Hart) Connect(memory *mem.Memory, devices *bus.Map) {
	h.memory = memory
	h.CPU.Connect(cpu.Ports{Memory: memory, Devices: devices, SysRegs: h, Arch: h, Words: &words})
}

// SetFirmware installs the firmware.
func (h *Hart) SetFirmware(f Firmware) {
	h.firmware = f
	h.SetVectorOf(cpu.Firmware, f)
}

// words are how the manual calls things.
var words = cpu.Words{
	Fence: bus.Fence.String, SysReg: DecodeCSR, Synchronize: "fence.i", InvalidateTLB: "sfence.vma",
	ReadSys: "csrr", WriteSys: "csrw", Masked: "masked (SIE=0)", Unmasked: "unmasked (SIE=1)",
}

// DecodeCSR is the name of a CSR, and its value in words where it has fields.
func DecodeCSR(r bits.SysReg, v uint64) (name, value string) {
	if name, ok := rv.Registers.Sys(r); ok {
		value, _ = rv.Registers.Decode(name, v)
		return name, value
	}
	return bits.Hex(uint64(r)), ""
}

// HartSpec is what the hart was built from.
func (h *Hart) HartSpec() Spec { return h.spec }

// HartStats are the counters of the hart's translations.
func (h *Hart) HartStats() Stats { return h.stats }

// Privilege is the mode of what runs.
func (h *Hart) Privilege() rv.Privilege {
	switch {
	case h.CPU.Privilege() == cpu.Firmware:
		return rv.Machine
	case h.user:
		return rv.User
	}
	return rv.Supervisor
}

// SetUser makes the program run in user mode, or in supervisor mode again.
func (h *Hart) SetUser(user bool) { h.user, h.hot = user, hot{} }

// ECall is an environment call of the program. Without firmware, and from machine mode, it is an exception; so is a
// fault at an address that the call names.
func (h *Hart) ECall(call rv.Call) (ret rv.Return, e *Exception) {
	if h.firmware == nil || h.Privilege() == rv.Machine {
		return rv.Return{}, h.raise(rv.IllegalInstruction, 0)
	}
	h.Trap(cpu.Firmware, func() { ret = h.firmware.ECall(h.ID, call) })
	if ret.Fault {
		return ret, &h.exception
	}
	return ret, nil
}
