package riscv

import (
	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mmu"
)

// csrs are the registers that hold what was written to them.
type csrs struct {
	mstatus, mie, mxstatus               uint64 // mstatus without SIE and MIE, which are the CPU's masks
	stvec, sscratch, sepc, scause, stval uint64
}

// What of mstatus the supervisor sees, and what of it is kept here.
const (
	statusKept = uint64(rv.MSTATUS_SUM | rv.MSTATUS_MXR | rv.MSTATUS_TVM)
	statusSeen = uint64(rv.SSTATUS_SUM | rv.SSTATUS_MXR)
	mxKept     = uint64(rv.MXSTATUS_CLINTEE | rv.MXSTATUS_MAEE)
)

// permitted reports whether what runs may access a CSR: bits 9 and 8 of its number are the lowest privilege, and a
// number whose bits 11 and 10 are set is read-only. Volume II, 2.1.
func (h *Hart) permitted(r bits.SysReg, write bool) bool {
	p := h.Privilege()
	if p < rv.Privilege(r>>8&3) || write && r>>10&3 == 3 {
		return false
	}
	return r != rv.SATP || p != rv.Supervisor || h.csrs.mstatus&uint64(rv.MSTATUS_TVM) == 0
}

// ReadSys is bus.SysRegs: false is an illegal instruction.
func (h *Hart) ReadSys(r bits.SysReg) (uint64, bool) {
	if !h.permitted(r, false) {
		return 0, false
	}
	return h.readCSR(r)
}

// readCSR reads as a debugger does.
func (h *Hart) readCSR(r bits.SysReg) (uint64, bool) {
	switch r {
	case rv.SATP:
		return h.satp, true
	case rv.SSTATUS:
		return rv.SSTATUS_SIE.Put(h.csrs.mstatus&statusSeen, bits.Flag(!h.Masked(cpu.Supervisor))), true
	case rv.MSTATUS:
		v := rv.MSTATUS_SIE.Put(h.csrs.mstatus, bits.Flag(!h.Masked(cpu.Supervisor)))
		return rv.MSTATUS_MIE.Put(v, bits.Flag(!h.Masked(cpu.Firmware))), true
	case rv.SIE:
		return h.csrs.mie & supervisorBits, true
	case rv.MIE:
		return h.csrs.mie, true
	case rv.SIP:
		return h.pendingBits() & supervisorBits, true
	case rv.MIP:
		return h.pendingBits(), true
	case rv.MHARTID:
		return h.spec.HartID, true
	case rv.TIME:
		return h.spec.TimeFreq.At(max(h.Now(), h.Engine().Now())), true
	case rv.MXSTATUS:
		return h.csrs.mxstatus, h.spec.Format.THead
	}
	if kept := h.kept(r); kept != nil {
		return *kept, true
	}
	return 0, false
}

// kept is the register that holds what is written to it, nil if a CSR is none of those.
func (h *Hart) kept(r bits.SysReg) *uint64 {
	switch r {
	case rv.STVEC:
		return &h.csrs.stvec
	case rv.SSCRATCH:
		return &h.csrs.sscratch
	case rv.SEPC:
		return &h.csrs.sepc
	case rv.SCAUSE:
		return &h.csrs.scause
	case rv.STVAL:
		return &h.csrs.stval
	}
	return nil
}

// WriteSys is bus.SysRegs: false is an illegal instruction.
func (h *Hart) WriteSys(r bits.SysReg, v uint64) bool {
	if !h.permitted(r, true) {
		return false
	}
	c := &h.csrs
	switch r {
	case rv.SATP:
		h.writeSatp(v)
	case rv.SSTATUS:
		c.mstatus = c.mstatus&^statusSeen | v&statusSeen
		h.SetMaskOf(cpu.Supervisor, !rv.SSTATUS_SIE.Is(v))
	case rv.MSTATUS:
		c.mstatus = v & statusKept
		h.SetMaskOf(cpu.Supervisor, !rv.MSTATUS_SIE.Is(v))
		h.SetMaskOf(cpu.Firmware, !rv.MSTATUS_MIE.Is(v))
	case rv.SIE:
		c.mie = c.mie&^supervisorBits | v&supervisorBits
		h.updateInputs()
	case rv.MIE:
		c.mie = v & (supervisorBits | machineBits)
		h.updateInputs()
	case rv.SIP:
		h.interrupts.write(v, uint64(rv.SIP_SSIP))
		h.updateInputs()
	case rv.MIP:
		h.interrupts.write(v, supervisorBits)
		h.updateInputs()
	case rv.MXSTATUS:
		if !h.spec.Format.THead {
			return false
		}
		c.mxstatus = v & mxKept
		h.updateInputs()
	default:
		kept := h.kept(r)
		if kept == nil {
			return false
		}
		*kept = v
	}
	return true
}

// writeSatp is a write of satp. A scheme that there is not leaves all of it as it was; ASID bits that there are not
// read as zero. Nothing is invalidated but what has no tag. Volume II, 12.1.11.
func (h *Hart) writeSatp(v uint64) {
	mode := rv.SatpMode(rv.SATP_MODE.Get(v))
	if mode != rv.Bare && (mmu.SvLevels(mode) == 0 || mode > h.spec.Widest) {
		return
	}
	ppn := rv.SATP_PPN.Get(v) & (1<<(h.spec.PhysicalBits-uint8(rv.PageShift)) - 1)
	asid := rv.SATP_ASID.Get(v) & (1<<h.spec.ASIDBits - 1)
	if mode == rv.Bare {
		ppn, asid = 0, 0
	}
	h.satp = rv.SATP_PPN.Put(rv.SATP_ASID.Put(rv.SATP_MODE.Put(0, uint64(mode)), asid), ppn)
	h.mode, h.asid = mode, uint16(asid)
	h.stage = mmu.SvStage(&h.spec.Format, mode, ppn<<rv.PageShift, h.spec.PhysicalBits)
	h.generation++
	h.hot = hot{}
	if h.spec.UntaggedMicro {
		h.itlb.clear()
		h.dtlb.clear()
	}
	if h.oracle != nil {
		h.oracle.satp(h)
	}
}
