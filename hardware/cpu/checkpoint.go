package cpu

// A Checkpoint is all state of a CPU that is idle and whose stores have all arrived, beyond every point.
type Checkpoint struct {
	state
	timed timedState
}

// Idle reports whether the CPU runs nothing and its writes to devices have arrived.
func (c *CPU) Idle() bool { return !c.proc.Busy() && c.timed.arriving == len(c.timed.writes) }

// Save takes a checkpoint.
func (c *CPU) Save() Checkpoint {
	if !c.Idle() {
		panic("BUG: checkpoint of " + c.String() + ", which is not idle")
	}
	return Checkpoint{c.state, c.timed.timedState}
}

// Restore puts the CPU back to where it was saved. The engine was rewound.
func (c *CPU) Restore(s *Checkpoint) {
	c.state, c.timed.timedState = s.state, s.timed
	c.attend()
	c.timed.writes = c.timed.writes[:0]
	if c.timed.outer != nil {
		c.timed.outer.reset()
	}
}
