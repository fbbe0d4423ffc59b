package bus

import (
	"fmt"
	"slices"
	"sort"
)

// A Region is a device's place in the physical address space.
type Region struct {
	Name   string
	Base   Addr
	Size   uint64
	Device Device // its registers
	Target Target // what answers instead of registers, nil for a device that only has those
}

// Map decodes physical addresses of devices. A region stays where it is in the host's memory, whatever is added.
type Map struct {
	regions []*Region // in address order
}

// Add places a frame. It refuses an overlap, naming both.
func (m *Map) Add(r Region) error {
	i := sort.Search(len(m.regions), func(i int) bool { return m.regions[i].Base >= r.Base })
	for _, n := range m.regions[max(i-1, 0):min(i+1, len(m.regions))] {
		if r.Base < n.Base+Addr(n.Size) && n.Base < r.Base+Addr(r.Size) {
			return fmt.Errorf("%s at 0x%x to 0x%x overlaps %s at 0x%x to 0x%x", r.Name, uint64(r.Base), uint64(r.Base)+r.Size-1,
				n.Name, uint64(n.Base), uint64(n.Base)+n.Size-1)
		}
	}
	m.regions = slices.Insert(m.regions, i, &r)
	return nil
}

// Find is the region that holds an address, nil if none does.
func (m *Map) Find(a Addr) *Region {
	lo, hi := 0, len(m.regions)
	for lo < hi {
		mid := (lo + hi) / 2
		if m.regions[mid].Base <= a {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return nil
	}
	if r := m.regions[lo-1]; uint64(a-r.Base) < r.Size {
		return r
	}
	return nil
}

// Regions are all regions in address order.
func (m *Map) Regions() []*Region { return m.regions }
