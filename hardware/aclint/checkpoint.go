package aclint

// A Checkpoint is all state of a frame of which nothing is on its way.
type Checkpoint struct {
	offset uint64
	ports  []portState
}

type portState struct {
	levels         levels
	machine, super timerState
}

// Save takes a checkpoint; what timers have posted is withdrawn, and Restore posts it again.
func (d *Device) Save() *Checkpoint {
	c := &Checkpoint{d.offset, make([]portState, len(d.ports))}
	for i := range d.ports {
		p := &d.ports[i]
		if p.hart != nil {
			d.engine.Cancel(p.machine.expiry)
			d.engine.Cancel(p.super.expiry)
		}
		c.ports[i] = portState{p.levels, p.machine.timerState, p.super.timerState}
	}
	return c
}

// Restore puts the frame back to where it was saved. The harts' checkpoints have the wires.
func (d *Device) Restore(c *Checkpoint) {
	d.offset = c.offset
	for i := range d.ports {
		p, s := &d.ports[i], &c.ports[i]
		p.levels, p.machine.timerState, p.super.timerState = s.levels, s.machine, s.super
		if p.hart != nil {
			p.machine.arm()
			p.super.arm()
		}
	}
}
