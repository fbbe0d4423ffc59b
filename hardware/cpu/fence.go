package cpu

import "github.com/hwscript/hwscript/hardware/bus"

// Fence orders accesses, or waits for them to complete.
func (c *CPU) Fence(f bus.Fence) {
	if c.explored != nil {
		c.exploredFence(f)
		return
	}
	c.step(0, false) // an interrupt that came before has made its stores before
	c.stats.Fences++
	if f.Completion {
		c.complete(f)
		return
	}
	if f.Before&bus.Store != 0 {
		if f.After&(bus.Store|bus.DeviceOutput) != 0 {
			c.storeFloor = max(c.storeFloor, c.drained)
		}
		if f.After&(bus.Load|bus.DeviceInput) != 0 {
			c.loadFloor = max(c.loadFloor, c.drained)
		}
	}
	if f.Before&bus.DeviceOutput != 0 && f.After&bus.Store != 0 {
		c.storeFloor = max(c.storeFloor, c.deviceDone)
	}
	if c.tracing() {
		c.trace("%s", f)
	}
	c.work(Barrier, c.spec.DMB)
}

// complete waits until the accesses before the fence are complete for its domain. Loads are, since they block; for
// the non-shareable domain the own buffer counts.
func (c *CPU) complete(f bus.Fence) {
	begin := c.proc.Now()
	point := begin
	if f.Before&bus.Store != 0 {
		switch f.Domain {
		case bus.NonShareable:
		case bus.InnerShareable:
			point = max(point, c.drained)
		default:
			point = max(point, c.drained, c.acked)
		}
	}
	if f.Before&bus.DeviceOutput != 0 {
		point = max(point, c.deviceDone)
	}
	if c.tracing() {
		c.trace("%s, waits %s ns", f, (point - begin).Nanoseconds())
	}
	c.stallUntil(Barrier, point)
	c.stall(Barrier, c.spec.DSB)
}

// Synchronize is ISB: the effects of earlier system register writes are seen by what follows.
func (c *CPU) Synchronize() {
	if c.explored != nil {
		c.local()
		c.explored.Synchronize(c.ID)
	} else {
		c.step(0, false)
	}
	if c.tracing() {
		c.trace("isb")
	}
	c.work(Barrier, c.spec.ISB)
}
