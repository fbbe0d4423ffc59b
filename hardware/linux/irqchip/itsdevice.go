package irqchip

import (
	"fmt"
	mathbits "math/bits"
	"slices"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
)

// ITSCreateDevice is its_create_device: a device with room for a number of events. The error is why there is none.
func (g *GICv3) ITSCreateDevice(c *cpu.CPU, id uint32, vectors int) (*ITSDevice, error) {
	s := g.its
	if s == nil {
		return nil, fmt.Errorf("no ITS")
	}
	if s.find(id) != nil {
		return nil, fmt.Errorf("device 0x%x is there already", id)
	}
	entries := uint64(max(2, vectors))
	if n := mathbits.Len64(entries - 1); n > s.eventBits {
		return nil, fmt.Errorf("device 0x%x: %d events: expected at most %d", id, vectors, 1<<s.eventBits)
	}
	entries = 1 << mathbits.Len64(entries-1)
	if err := s.allocDeviceTable(c, id); err != nil {
		return nil, err
	}
	lpis := (vectors + lpiChunk - 1) / lpiChunk * lpiChunk // its_lpi_alloc_chunks
	if s.nextLPI+lpis > 1<<lpiBits {
		return nil, fmt.Errorf("device 0x%x: no room for %d LPIs", id, vectors)
	}
	d := &ITSDevice{its: s, id: id, bits: mathbits.TrailingZeros64(entries), lpiBase: s.nextLPI,
		colMap: slices.Repeat([]int{noCPU}, vectors)}
	s.nextLPI += lpis
	var err error
	if d.itt, err = g.platform.Reserve(max(entries*s.iteSize, ittAlign), ittAlign); err != nil {
		return nil, err
	}
	s.devices = append(s.devices, d)
	s.sendMAPD(c, d, true) // its table has been flushed to memory
	return d, s.outcome()
}

// find is the device of an id, nil if there is none.
func (s *itsNode) find(id uint32) *ITSDevice {
	for _, d := range s.devices {
		if d.id == id {
			return d
		}
	}
	return nil
}

// FindITSDevice is the device of an id, nil if there is none.
func (g *GICv3) FindITSDevice(id uint32) *ITSDevice {
	if g.its == nil {
		return nil
	}
	return g.its.find(id)
}

// allocDeviceTable is its_alloc_device_table: the page of a device in a table with two levels.
func (s *itsNode) allocDeviceTable(c *cpu.CPU, id uint32) error {
	i := slices.IndexFunc(s.tables, func(t itsBaser) bool { return t.kind() == gic.DeviceTable })
	switch {
	case i < 0 && uint64(id)>>s.deviceBits == 0:
		return nil
	case i < 0:
		return fmt.Errorf("device 0x%x: expected at most %d bits", id, s.deviceBits)
	}
	t := &s.tables[i]
	if !gic.GITS_BASER_Indirect.Is(t.val) {
		if uint64(id) >= t.size/t.entrySize() {
			return fmt.Errorf("device 0x%x: the table has room for 0x%x", id, t.size/t.entrySize())
		}
		return nil
	}
	index := uint64(id) / (t.pages / t.entrySize())
	if index >= t.size/8 {
		return fmt.Errorf("device 0x%x: the table has room for 0x%x", id, t.size/8*(t.pages/t.entrySize()))
	}
	at := t.base + 8*index
	if c.Load(at, 8, bus.Plain) != 0 {
		return nil
	}
	page, err := s.g.platform.Reserve(t.pages, t.pages)
	if err != nil {
		return err
	}
	shared := gic.GITS_BASER_Shareability.Is(t.val)
	c.Store(at, 8, gic.ITS_L1_Valid.Put(gic.ITS_L1_Address.Put(0, page>>12), 1), bus.Plain)
	if !shared {
		s.g.flushToPoC(c, at, 8)
	}
	c.Fence(s.g.dsbSY) // Ensure updated table contents are visible to ITS hardware
	return nil
}

// ID is the device's DeviceID, and Events the number of its events.
func (d *ITSDevice) ID() uint32  { return d.id }
func (d *ITSDevice) Events() int { return len(d.colMap) }

// LPI is the INTID of an event.
func (d *ITSDevice) LPI(event int) int { return d.lpiBase + event }

// CPU is the one that an event is bound to, -1 if it is not mapped.
func (d *ITSDevice) CPU(event int) int { return d.colMap[event] }

func (d *ITSDevice) collection(event int) *itsCollection { return &d.its.collections[d.colMap[event]] }

// ittSize is the size of its table as the driver has allocated it.
func (d *ITSDevice) ittSize() uint64 { return max(d.its.iteSize<<d.bits, ittAlign) }

// ITT is where its table is, and how large the driver has made it.
func (d *ITSDevice) ITT() (base, size uint64) { return d.itt, d.ittSize() }

// Activate is its_irq_domain_activate: it maps an event and binds it to a CPU, the first that is online if it is -1.
func (d *ITSDevice) Activate(c *cpu.CPU, event, target int) error {
	s := d.its
	online := s.g.kernel.Online()
	switch {
	case target < 0 && s.options.AnyCPU:
		target = 0 // cpumask_first(cpumask_of_node(...)), which asks nobody whether it is online
	case target < 0:
		target = online.Next(0)
	case !s.options.AnyCPU && !online.Has(target):
		return fmt.Errorf("CPU %d is not online", target)
	}
	d.colMap[event] = target
	s.sendMAPTI(c, d, event)
	return s.outcome()
}

// Deactivate is its_irq_domain_deactivate.
func (d *ITSDevice) Deactivate(c *cpu.CPU, event int) error {
	d.its.sendEvent(c, gic.DISCARD, d, event)
	d.colMap[event] = noCPU
	return d.its.outcome()
}

// Free is its_free_device.
func (d *ITSDevice) Free(c *cpu.CPU) error {
	s := d.its
	s.sendMAPD(c, d, false)
	s.devices = slices.DeleteFunc(s.devices, func(o *ITSDevice) bool { return o == d })
	return s.outcome()
}

// SetEnabled is its_unmask_irq, and without enabled its_mask_irq: lpi_set_config, which changes the configuration byte
// and sends an INV.
func (d *ITSDevice) SetEnabled(c *cpu.CPU, event int, enabled bool) error {
	s := d.its
	s.writeConfig(c, d.LPI(event), uint64(gic.LPI_CONFIG_Enable), bits.Flag(enabled))
	s.sendEvent(c, gic.INV, d, event)
	return s.outcome()
}

// writeConfig is lpi_write_config.
func (s *itsNode) writeConfig(c *cpu.CPU, lpi int, clear, set uint64) {
	at := s.prop + uint64(lpi) - uint64(gic.FirstLPI)
	c.Store(at, 1, c.Load(at, 1, bus.Plain)&^clear|set, bus.Plain)
	if s.flushProp {
		s.g.flushToPoC(c, at, 1)
	} else {
		c.Fence(s.g.dsbISHST)
	}
}

// SetAffinity is its_set_affinity: cpumask_any_and of the mask and the CPUs that are online.
func (d *ITSDevice) SetAffinity(c *cpu.CPU, event, target int) error {
	s := d.its
	switch {
	case target == d.colMap[event]:
		return nil
	case !s.options.AnyCPU && !s.g.kernel.Online().Has(target):
		return fmt.Errorf("CPU %d is not online", target)
	}
	s.sendMOVI(c, d, event, &s.collections[target])
	d.colMap[event] = target
	return s.outcome()
}

// SendINT, SendCLEAR and SendINV send one command and its SYNC.
func (d *ITSDevice) SendINT(c *cpu.CPU, event int) error   { return d.sendEvent(c, gic.INT, event) }
func (d *ITSDevice) SendCLEAR(c *cpu.CPU, event int) error { return d.sendEvent(c, gic.CLEAR, event) }
func (d *ITSDevice) SendINV(c *cpu.CPU, event int) error   { return d.sendEvent(c, gic.INV, event) }

func (d *ITSDevice) sendEvent(c *cpu.CPU, op gic.ITSOpcode, event int) error {
	d.its.sendEvent(c, op, d, event)
	return d.its.outcome()
}

// Remap sends MAPD and MAPTI anew: what the ITS has of the device and the event it writes again.
func (d *ITSDevice) Remap(c *cpu.CPU, event int) error {
	d.its.sendMAPD(c, d, true)
	d.its.sendMAPTI(c, d, event)
	return d.its.outcome()
}

// Request is request_irq of an event: its handler.
func (d *ITSDevice) Request(event int, handler linux.Func) {
	d.its.g.kernel.RequestIRQ(d.LPI(event), handler)
}

// ConfigAddress is where the configuration byte of an event is.
func (d *ITSDevice) ConfigAddress(event int) uint64 {
	return d.its.prop + uint64(d.LPI(event)) - uint64(gic.FirstLPI)
}

// InITT reports whether an address is in the interrupt translation table of a device.
func (g *GICv3) InITT(addr uint64) bool {
	return g.its != nil && slices.ContainsFunc(g.its.devices, func(d *ITSDevice) bool {
		return addr >= d.itt && addr < d.itt+d.ittSize()
	})
}
