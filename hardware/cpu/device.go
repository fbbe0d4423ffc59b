package cpu

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// deviceStore sends a write to a device.
func (c *CPU) deviceStore(region *bus.Region, addr uint64, size uint8, v uint64, order bus.Order) {
	arrival := c.memory.StoreDevice(region, addr, size, v, order)
	c.stats.DeviceWrites++
	if c.tracing() {
		arrives := ""
		if c.graph == nil {
			arrives = fmt.Sprintf(", arrives in %s ns", (arrival - c.proc.Now()).Nanoseconds())
		}
		c.trace("write%s %s+0x%x <- 0x%x%s", ordered(order), region.Name, addr-uint64(region.Base), v, arrives)
	}
	c.stall(DeviceTime, c.spec.StoreIssue)
}

// arrive makes a write to a device happen.
func (c *CPU) arrive(region *bus.Region, addr uint64, size uint8, v uint64, at sim.Time) {
	c.transact(region, bus.Write, addr, size, v, at)
}

// deviceLoad reads a register. It waits for the CPU's own earlier writes to the device.
func (c *CPU) deviceLoad(region *bus.Region, addr uint64, size uint8, order bus.Order) uint64 {
	v := c.memory.LoadDevice(region, addr, size, order)
	c.stats.DeviceReads++
	if c.tracing() {
		c.trace("read%s %s+0x%x -> 0x%x", ordered(order), region.Name, addr-uint64(region.Base), v)
	}
	c.stall(DeviceTime, c.spec.DeviceRead-c.spec.DeviceRead/2)
	c.caused()
	return v
}

// reach makes a read of a register happen.
func (c *CPU) reach(region *bus.Region, addr uint64, size uint8) uint64 {
	return c.transact(region, bus.Read, addr, size, 0, c.proc.Now())
}

// transact performs an access to a device, and answers what was read. What the device cannot do is remarked.
func (c *CPU) transact(region *bus.Region, op bus.Op, addr uint64, size uint8, v uint64, at sim.Time) uint64 {
	t := &c.transaction
	t.At, t.Addr, t.Len, t.Op, t.Data[0] = at, bus.Addr(addr), size, op, v
	if a := region.Transact(t); a.Fault != bus.NoFault {
		c.engine.Remark(sim.Remark{
			At: at, Source: c.String(), Register: region.Register(t.Addr),
			What: fmt.Sprintf("%s of %d bytes: %s", op, size, a.Fault),
		})
	}
	return t.Data[0]
}

// DeviceLoads charges n loads of device registers, one after another, whose values the caller knows: read-only ones
// that were read before. An interrupt that arrives meanwhile is taken behind them.
func (c *CPU) DeviceLoads(n int) {
	if n == 0 {
		return
	}
	c.Boundary()
	c.stats.DeviceReads += uint64(n)
	c.stallUntil(DeviceTime, max(c.timed.delivered, c.timed.loadFloor))
	c.stall(DeviceTime, sim.Time(n)*c.spec.DeviceRead)
}
