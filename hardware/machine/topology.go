package machine

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/mem"
)

// Place is where a CPU sits.
func (m *Machine) Place(cpu int) mem.Place { return m.places[cpu] }

// Distance says how far a line travels from one CPU to another.
func (m *Machine) Distance(a, b int) mem.Distance {
	if a == b {
		return mem.Own
	}
	return m.places[a].DistanceTo(m.places[b])
}

// namedLines are cache lines with a name.
type namedLines struct {
	base, count uint64
	name        string
}

// Lines reserves cache lines on a node, which traces and findings call by a name, "" for none. The error says which
// nodes there are, or that RAM is full.
func (m *Machine) Lines(count int, name string, node int) (uint64, error) {
	if nodes := m.Spec.Nodes(); node < 0 || node >= nodes {
		return 0, fmt.Errorf("node %d does not exist: %s has %d, from 0, one for each die", node, m.Spec.Name, nodes)
	}
	base, err := m.Memory.AllocOn(uint64(count)*mem.LineSize, node)
	if err == nil && name != "" {
		m.names = append(m.names, namedLines{base, uint64(count), name})
	}
	return base, err
}

// Symbol names an address: "flag", or "data[2]+0x8" for one in the third of several lines; in the kernel's data as its
// source does; "" for any other.
func (m *Machine) Symbol(addr uint64) string {
	for i := range m.names {
		n := &m.names[i]
		line := (addr - n.base) / mem.LineSize
		if addr < n.base || line >= n.count {
			continue
		}
		text := n.name
		if n.count > 1 {
			text += fmt.Sprintf("[%d]", line)
		}
		if offset := addr % mem.LineSize; offset != 0 {
			text += fmt.Sprintf("+0x%x", offset)
		}
		return text
	}
	return m.Kernel.Symbol(addr)
}
