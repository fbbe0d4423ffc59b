package cpu

// A Checkpoint is all state of a CPU that is idle and whose stores have all arrived.
type Checkpoint struct{ state }

// Save takes a checkpoint.
func (c *CPU) Save() Checkpoint {
	if c.proc.Busy() || c.deviceFirst != len(c.deviceWrites) {
		panic("BUG: checkpoint of " + c.String() + ", which is not idle")
	}
	return Checkpoint{c.state}
}

// Restore puts the CPU back to where it was saved. The engine was rewound.
func (c *CPU) Restore(s *Checkpoint) {
	c.state = s.state
	c.deviceWrites = c.deviceWrites[:0]
}
