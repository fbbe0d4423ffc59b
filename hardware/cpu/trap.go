package cpu

// Privilege is the privilege of what runs.
func (c *CPU) Privilege() Privilege { return c.interrupts.at }

// Trap runs a function at a higher privilege for the program, with the input of that privilege masked, as an
// environment call does, and comes back. Precondition: the privilege is higher than that of what runs.
func (c *CPU) Trap(p Privilege, run func()) {
	in := &c.interrupts
	from := in.at
	if p <= from {
		panic("BUG: " + c.String() + " traps to a privilege that is not higher")
	}
	c.Boundary()
	c.work(Exception, c.spec.ExceptionEntry)
	in.at = p
	c.mask(p, true)
	run()
	c.work(Exception, c.spec.ExceptionReturn)
	c.proc.Sync() // what was masked stays masked up to here
	in.at = from
	c.mask(p, false)
	c.caused()
}

// Masked reports whether a privilege masks its own interrupt input, whatever runs.
func (c *CPU) Masked(p Privilege) bool { return c.interrupts.masked&(1<<p) != 0 }

// SetMaskOf is SetMask for the input of a privilege.
func (c *CPU) SetMaskOf(p Privilege, masked bool) { c.mask(p, masked) }
