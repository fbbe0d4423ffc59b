package cpu

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// A deviceWrite is on its way to a register.
type deviceWrite struct {
	region *bus.Region
	addr   uint64
	value  uint64
	size   uint8
}

// deviceStore sends a write to a device. Writes of one CPU arrive in order.
func (c *CPU) deviceStore(addr uint64, size uint8, v uint64) {
	c.mustCheck(addr, size)
	region := c.ports.Devices.Find(bus.Addr(addr))
	if c.explored != nil {
		c.exploredDeviceStore(region, addr, size, v)
		return
	}
	c.step(region.Object, true)
	c.stats.DeviceWrites++
	arrival := max(c.proc.Now(), c.storeFloor, c.deviceDone) + c.spec.DeviceWrite
	c.deviceDone = arrival
	c.deviceWrites = append(c.deviceWrites, deviceWrite{region, addr, v, size})
	c.engine.Post(&c.deviceWire, arrival, c, arriveDeviceWrite)
	if c.tracing() {
		c.trace("write %s+0x%x <- 0x%x, arrives in %s ns", region.Name, addr-uint64(region.Base), v,
			(arrival - c.proc.Now()).Nanoseconds())
	}
	c.stall(DeviceTime, c.spec.StoreIssue)
}

// deviceLoad reads a register. It waits for the CPU's own earlier writes to devices.
func (c *CPU) deviceLoad(addr uint64, size uint8) uint64 {
	c.mustCheck(addr, size)
	region := c.ports.Devices.Find(bus.Addr(addr))
	if c.explored != nil {
		return c.exploredDeviceLoad(region, addr, size)
	}
	c.step(region.Object, true)
	c.stallUntil(DeviceTime, max(c.deviceDone, c.loadFloor))
	c.stall(DeviceTime, c.spec.DeviceRead/2)
	c.step(region.Object, true)
	c.stats.DeviceReads++
	v, _ := region.Device.ReadReg(addr-uint64(region.Base), bus.Width(size)) // a hole reads as zero
	if c.tracing() {
		c.trace("read %s+0x%x -> 0x%x", region.Name, addr-uint64(region.Base), v)
	}
	c.stall(DeviceTime, c.spec.DeviceRead-c.spec.DeviceRead/2)
	return v
}

// DeviceLoads charges n loads of device registers, one after another, whose values the caller knows: read-only ones
// that were read before. An interrupt that arrives meanwhile is taken behind them.
func (c *CPU) DeviceLoads(n int) {
	if n == 0 {
		return
	}
	c.step(0, false)
	c.stats.DeviceReads += uint64(n)
	c.stallUntil(DeviceTime, max(c.deviceDone, c.loadFloor))
	c.stall(DeviceTime, sim.Time(n)*c.spec.DeviceRead)
}

// The events of a CPU's own channels.
const (
	arriveDeviceWrite uint64 = iota
	arriveTimeout
)

// Fire receives the CPU's own messages: device writes that arrive, and timeouts.
func (c *CPU) Fire(now sim.Time, arg uint64) {
	if arg == arriveTimeout {
		c.expired = true
		c.proc.Wake(now)
		return
	}
	w := c.deviceWrites[c.deviceFirst]
	c.deviceFirst++
	if c.deviceFirst == len(c.deviceWrites) {
		c.deviceWrites, c.deviceFirst = c.deviceWrites[:0], 0
	}
	w.region.Device.WriteReg(w.addr-uint64(w.region.Base), bus.Width(w.size), w.value) // a hole ignores the write
}
