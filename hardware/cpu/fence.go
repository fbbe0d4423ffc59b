package cpu

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
)

// Fence orders accesses, or waits for them to complete.
func (c *CPU) Fence(f bus.Fence) {
	complete := c.memory.Fence(f)
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
	c.memory.Synchronize()
	if c.tracing() {
		c.trace("%s", c.ports.Words.Synchronize)
	}
	c.work(Barrier, c.spec.Synchronize)
}

// Depend declares that what follows depends on the last load.
func (c *CPU) Depend(d mem.Dependency) { c.memory.Depend(d) }
