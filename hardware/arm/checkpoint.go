package arm

import "github.com/hwscript/hwscript/hardware/cpu"

// A Checkpoint is all state of an idle PE.
type Checkpoint struct {
	cpu         cpu.Checkpoint
	fiq         bool
	wakeRequest bool
	pmu         pmu
	vec         uint64
	masks       uint64
	tp          [3]uint64
	events      events
	faults      syndrome
	timers      [2]timerState
}

// Save takes a checkpoint.
func (p *PE) Save() Checkpoint {
	timers := [2]timerState{p.physical.save(), p.virtual.save()}
	return Checkpoint{p.CPU.Save(), p.fiq, p.wakeRequest, p.pmu, p.vbar, p.masks, p.tp, p.events, p.syndrome, timers}
}

// Restore puts the PE back to where it was saved.
func (p *PE) Restore(c *Checkpoint) {
	p.CPU.Restore(&c.cpu)
	p.fiq, p.wakeRequest = c.fiq, c.wakeRequest
	p.pmu, p.vbar, p.masks, p.tp = c.pmu, c.vec, c.masks, c.tp
	p.events, p.syndrome = c.events, c.faults
	p.physical.restore(c.timers[0])
	p.virtual.restore(c.timers[1])
}
