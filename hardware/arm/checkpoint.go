package arm

import "github.com/hwscript/hwscript/hardware/cpu"

// A Checkpoint is all state of an idle PE.
type Checkpoint struct {
	cpu    cpu.Checkpoint
	fiq    bool
	pmu    pmu
	vec    uint64
	tp     [3]uint64
	events events
}

// Save takes a checkpoint.
func (p *PE) Save() Checkpoint { return Checkpoint{p.CPU.Save(), p.fiq, p.pmu, p.vbar, p.tp, p.events} }

// Restore puts the PE back to where it was saved.
func (p *PE) Restore(c *Checkpoint) {
	p.CPU.Restore(&c.cpu)
	p.fiq, p.pmu, p.vbar, p.tp, p.events = c.fiq, c.pmu, c.vec, c.tp, c.events
}
