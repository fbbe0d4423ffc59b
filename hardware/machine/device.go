package machine

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bus"
)

// A Device is a part with a register frame of its own.
type Device interface {
	Part
	bus.Device
}

// pageSize is what a frame is a multiple of: a kernel maps devices by pages.
const pageSize = 4096

// AddDevice places a device that the board does not have. The error says what is in the way.
func (m *Machine) AddDevice(name string, base, size uint64, d Device) error {
	end := base + size // of the last byte, and one
	switch {
	case base%pageSize != 0 || size%pageSize != 0 || size == 0:
		return fmt.Errorf("%s of 0x%x bytes at 0x%x: expected multiples of 0x%x", name, size, base, pageSize)
	case end < base:
		return fmt.Errorf("%s of 0x%x bytes at 0x%x leaves the address space", name, size, base)
	case base < m.Spec.RAMBase+m.Spec.RAMSize && m.Spec.RAMBase < end:
		return fmt.Errorf("%s at 0x%x to 0x%x overlaps RAM at 0x%x to 0x%x", name, base, end-1, m.Spec.RAMBase,
			m.Spec.RAMBase+m.Spec.RAMSize-1)
	}
	for _, r := range m.Devices.Regions() {
		if r.Name == name {
			return fmt.Errorf("there is a %s already, at 0x%x", name, uint64(r.Base))
		}
	}
	if err := m.Devices.Add(bus.Region{Name: name, Base: bus.Addr(base), Size: size, Device: d}); err != nil {
		return err
	}
	m.parts = append(m.parts, d)
	return nil
}
