package arm

import "github.com/hwscript/hwscript/hardware/sim"

// events is the PE's side of WFE and SEV (DDI 0487, D1.6).
type events struct {
	register bool // the event register
	waiting  bool // in WFE
}

// WaitForEvent is WFE: it returns at once and clears the event register if that is set, otherwise when an event
// comes or an interrupt was taken. That another's write clears the exclusive monitor is an event. Unlike WFI it sleeps
// through a masked interrupt.
func (p *PE) WaitForEvent() {
	if p.Graphed() {
		p.WaitForEventGraph()
		return
	}
	p.Boundary()
	for !p.MonitorCleared() && !p.events.register {
		p.events.waiting = true
		woken := p.Sleep("an event")
		p.events.waiting = false
		if !woken {
			return // the exception return has set the event register, and it stays set
		}
	}
	p.events.register = false
}

// SendEvent is SEV: an event for every PE.
func (p *PE) SendEvent() {
	if p.Graphed() {
		for _, q := range p.peers {
			p.SendEventGraph(q.ID)
		}
		return
	}
	p.Proc().Sync()
	for _, q := range p.peers {
		q.SetEvent(p.Now())
	}
}

// SendLocalEvent is SEVL: an event for this PE alone.
func (p *PE) SendLocalEvent() {
	if p.Graphed() {
		p.SendEventGraph(p.ID)
		return
	}
	p.Proc().Sync()
	p.SetEvent(p.Now())
}

// EventRegister is the event register.
func (p *PE) EventRegister() bool { return p.events.register }

// SetEvent sets the event register and wakes a WFE, as SEV on any PE does.
func (p *PE) SetEvent(at sim.Time) {
	p.events.register = true
	if p.events.waiting {
		p.Wake(at)
	}
}

// Taken is cpu.Architecture: exception entry masks everything, and keeps what was masked in SPSR_EL1 (DDI 0487,
// AArch64.TakeException).
func (p *PE) Taken() (masks uint64) {
	p.events.waiting = false
	masks, p.masks = p.masks, otherMasks
	return masks
}

// Returned is cpu.Architecture: an exception return clears the exclusive monitor and sets the event register (DDI 0487,
// AArch64.ExceptionReturn).
func (p *PE) Returned(masks uint64) {
	p.masks = masks
	p.ClearExclusive()
	if p.Graphed() {
		p.SendEventGraph(p.ID)
		return
	}
	p.events.register = true
}
