package arm

import (
	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/bits"
)

// pmu is the cycle counter of the performance monitors. There are no event counters: PMCR_EL0.N reads 0.
type pmu struct {
	control uint64 // PMCR_EL0.{E,D,LC}
	enabled uint64 // PMCNTENSET_EL0.C
	user    uint64 // PMUSERENR_EL0
	filter  uint64 // PMCCFILTR_EL0
	base    uint64 // PMCCNTR_EL0 while it stands still; while it counts, what to add to the clock's cycles
}

const pmcrWritable = a64.PMCR_EL0_E | a64.PMCR_EL0_D | a64.PMCR_EL0_LC

// counting reports whether the cycle counter runs (DDI 0487, D7.2): enabled as a whole and by its own bit, and not told
// to leave EL1 out, where the PE always is.
func (u *pmu) counting() bool {
	return a64.PMCR_EL0_E.Is(u.control) && a64.PMCNTENSET_EL0_C.Is(u.enabled) && !a64.PMCCFILTR_EL0_P.Is(u.filter)
}

// clock is the cycles of the PE's clock so far, divided by 64 if PMCR_EL0.D says so.
func (p *PE) clock() uint64 {
	if p.Graphed() { // as Counter
		return p.CountGraph()
	}
	n := p.spec.CPU.Clock.At(p.present())
	if a64.PMCR_EL0_D.Is(p.pmu.control) && !a64.PMCR_EL0_LC.Is(p.pmu.control) {
		n /= 64
	}
	return n
}

// cycles is PMCCNTR_EL0.
func (p *PE) cycles() uint64 {
	if p.pmu.counting() {
		return p.pmu.base + p.clock()
	}
	return p.pmu.base
}

// change alters the counter's controls and keeps its value.
func (p *PE) change(alter func(u *pmu)) {
	value := p.cycles()
	alter(&p.pmu)
	p.setCycles(value)
}

func (p *PE) setCycles(v uint64) {
	p.pmu.base = v
	if p.pmu.counting() {
		p.pmu.base -= p.clock()
	}
}

func (p *PE) readPMU(r bits.SysReg) (uint64, bool) {
	switch r {
	case a64.PMCR_EL0:
		return p.pmu.control | a64.PMCR_EL0_IMP.Put(0, a64.MIDR_EL1_Implementer.Get(p.spec.MIDR)), true
	case a64.PMCNTENSET_EL0, a64.PMCNTENCLR_EL0:
		return p.pmu.enabled, true
	case a64.PMUSERENR_EL0:
		return p.pmu.user, true
	case a64.PMCCFILTR_EL0:
		return p.pmu.filter, true
	case a64.PMCCNTR_EL0:
		return p.cycles(), true
	}
	return 0, false
}

func (p *PE) writePMU(r bits.SysReg, v uint64) bool {
	switch r {
	case a64.PMCR_EL0:
		p.change(func(u *pmu) { u.control = v & uint64(pmcrWritable) })
		if a64.PMCR_EL0_C.Is(v) {
			p.setCycles(0)
		}
	case a64.PMCNTENSET_EL0:
		p.change(func(u *pmu) { u.enabled |= v & uint64(a64.PMCNTENSET_EL0_C) })
	case a64.PMCNTENCLR_EL0:
		p.change(func(u *pmu) { u.enabled &^= v & uint64(a64.PMCNTENCLR_EL0_C) })
	case a64.PMUSERENR_EL0:
		p.pmu.user = v & uint64(a64.PMUSERENR_EL0_EN|a64.PMUSERENR_EL0_CR)
	case a64.PMCCFILTR_EL0:
		p.change(func(u *pmu) { u.filter = v & uint64(a64.PMCCFILTR_EL0_U|a64.PMCCFILTR_EL0_P) })
	case a64.PMCCNTR_EL0:
		p.setCycles(v)
	default:
		return false
	}
	return true
}
