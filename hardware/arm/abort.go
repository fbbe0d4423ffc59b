package arm

import (
	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// syndrome is what ESR_EL1 and FAR_EL1 say of the last exception that was no interrupt.
type syndrome struct {
	esr, far uint64
}

// Abort is cpu.Architecture: a Data Abort taken from EL1 to EL1. There is no code at VBAR_EL1 that would handle it.
func (p *PE) Abort(a *cpu.Abort) {
	status := a64.ExternalAbort
	if a.Fault == bus.Misaligned {
		status = a64.AlignmentFault
	}
	iss := a64.ISS_DFSC.Put(0, uint64(status))
	if a.Write {
		iss = a64.ISS_WnR.Put(iss, 1)
	}
	esr := a64.ESR_EL1_EC.Put(uint64(a64.ESR_EL1_IL), uint64(a64.DataAbortSame))
	p.syndrome = syndrome{a64.ESR_EL1_ISS.Put(esr, iss), a.Addr}
}
