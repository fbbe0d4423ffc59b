package cpu

import "github.com/hwscript/hwscript/hardware/sim"

// Implicit reads 8 bytes of RAM for the CPU itself, as a page-table walker or an instruction cache does, in a step. It
// does not see what is in the store buffer, and no fence but Drain orders it. It answers false where no RAM is.
func (c *CPU) Implicit(addr uint64) (uint64, bool) {
	c.step()
	if c.graph != nil {
		c.graph.refuse("a walk of page tables", errNotModelled)
	}
	if !c.ports.Memory.Contains(addr, 8) {
		return 0, false
	}
	now := c.proc.Now()
	v, out := c.timed.memory.ReadDrained(c.ID, addr, now)
	c.charge(out, now)
	return v, true
}

// Drain waits until the CPU's own stores have drained, so that implicit reads after it see them. It orders nothing
// among the accesses of the program.
func (c *CPU) Drain() {
	c.step()
	if c.graph != nil {
		c.graph.refuse("a fence for walks of page tables", errNotModelled)
	}
	c.stallUntil(Barrier, c.timed.drained)
}

// Drained is when all stores of the program so far have drained.
func (c *CPU) Drained() sim.Time { return max(c.timed.drained, c.proc.Now()) }
