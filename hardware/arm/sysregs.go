package arm

import (
	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
)

// ReadSys is MRS. It is bus.SysRegs for the PE's own registers, then for those of the GIC.
func (p *PE) ReadSys(r bits.SysReg) (uint64, bool) {
	if isGIC(r) && p.gic != nil {
		return p.gic.ReadSys(r)
	}
	switch r {
	case a64.MIDR_EL1:
		return p.spec.MIDR, true
	case a64.MPIDR_EL1:
		return p.MPIDR(), true
	case a64.REVIDR_EL1, a64.AIDR_EL1:
		return 0, true
	case a64.CurrentEL:
		return a64.CurrentEL_EL.Put(0, 1), true
	case a64.DAIF:
		return a64.DAIF_I.Put(p.masks, bits.Flag(p.IRQMasked())), true
	case a64.ISR_EL1:
		return p.isr(), true
	case a64.CNTFRQ_EL0:
		return uint64(p.spec.CounterFreq), true
	case a64.CNTPCT_EL0, a64.CNTVCT_EL0:
		return p.Counter(), true
	case a64.VBAR_EL1:
		return p.vbar, true
	case a64.ESR_EL1:
		return p.syndrome.esr, true
	case a64.FAR_EL1:
		return p.syndrome.far, true
	case a64.TPIDR_EL0:
		return p.tp[0], true
	case a64.TPIDRRO_EL0:
		return p.tp[1], true
	case a64.TPIDR_EL1:
		return p.tp[2], true
	}
	if v, ok := p.readTimers(r); ok {
		return v, true
	}
	return p.readPMU(r)
}

// otherMasks are the bits of DAIF but for that of IRQ.
const otherMasks = uint64(a64.DAIF_D | a64.DAIF_A | a64.DAIF_F)

// isGIC reports whether a register is the GIC's: ICC_PMR_EL1, or op0 3, CRn 12, CRm 8 and up.
func isGIC(r bits.SysReg) bool {
	w := uint64(r)
	if w&uint64(bits.SysRegOp0|bits.SysRegCRn) == bits.SysRegCRn.Put(bits.SysRegOp0.Put(0, 3), 12) {
		return bits.SysRegCRm.Get(w) >= 8
	}
	return r == gic.ICC_PMR_EL1
}

// isr is ISR_EL1: what is pending, masked or not.
func (p *PE) isr() uint64 {
	var v uint64
	if p.IRQ() {
		v |= uint64(a64.ISR_EL1_I)
	}
	if p.fiq {
		v |= uint64(a64.ISR_EL1_F)
	}
	return v
}

// WriteSys is MSR.
func (p *PE) WriteSys(r bits.SysReg, v uint64) bool {
	if isGIC(r) && p.gic != nil {
		return p.gic.WriteSys(r, v)
	}
	switch r {
	case a64.DAIF:
		p.masks = v & otherMasks
		p.SetMask(a64.DAIF_I.Is(v))
		return true
	case a64.VBAR_EL1:
		p.vbar = v & uint64(a64.VBAR_EL1_Base)
		return true
	case a64.ESR_EL1:
		p.syndrome.esr = v & uint64(a64.ESR_EL1_ISS|a64.ESR_EL1_IL|a64.ESR_EL1_EC)
		return true
	case a64.FAR_EL1:
		p.syndrome.far = v
		return true
	case a64.TPIDR_EL0:
		p.tp[0] = v
		return true
	case a64.TPIDRRO_EL0:
		p.tp[1] = v
		return true
	case a64.TPIDR_EL1:
		p.tp[2] = v
		return true
	}
	return p.writeTimers(r, v) || p.writePMU(r, v)
}
