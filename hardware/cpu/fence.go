package cpu

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Fence orders accesses, or waits for them to complete.
func (c *CPU) Fence(f bus.Fence) {
	var complete sim.Time
	if c.quick() || c.timed.complied() && c.apart() {
		complete = c.timed.fence(f)
	} else {
		complete = c.memory.Fence(f)
	}
	c.stats.Fences++
	if c.tracing() {
		c.traceFence(f, complete)
	}
	if f.Completion {
		c.stallUntil(Barrier, complete)
		c.stall(Barrier, c.spec.CompletingFence)
		return
	}
	c.work(Barrier, c.spec.OrderingFence)
}

// Synchronize is a context synchronization: the effects of earlier system register writes are seen by what follows.
func (c *CPU) Synchronize() {
	if !c.quick() && !c.apart() {
		c.memory.Synchronize()
	}
	if c.tracing() {
		c.trace("%s", c.ports.Words.Synchronize)
	}
	c.work(Barrier, c.spec.Synchronize)
}

// Clean writes the line of an address back to memory, and with discard takes it out of all caches, as a store does: a
// completing fence waits for it.
func (c *CPU) Clean(addr uint64, discard bool) {
	addr, _ = c.mustLocate(addr, 1, bus.ReadModify)
	out := c.memory.Clean(addr, discard)
	if c.tracing() {
		c.trace("clean%s %s%s", choose(discard, " and discard", ""), c.symbol(addr),
			c.travelled(out))
	}
	if out.Distance != mem.Own {
		c.stats.Transfers[out.Distance]++
	}
	c.stall(CacheHit, c.spec.StoreIssue)
}

// Depend declares that what follows depends on the last load.
func (c *CPU) Depend(d mem.Dependency) { c.memory.Depend(d) }

// InvalidateTLB is one broadcast invalidation of a TLB entry. Several of them are under way at once; a completing fence
// of loads and stores waits for all.
func (c *CPU) InvalidateTLB() {
	c.Boundary()
	if c.tracing() {
		c.trace("%s", c.ports.Words.InvalidateTLB)
	}
	t := &c.timed.timedState
	t.invalidated = max(t.invalidated, c.proc.Now()+c.spec.TLBI)
	c.stall(SysReg, c.spec.TLBIIssue)
}
