package mem

import "sort"

// nodeRun says that what was allocated from an address on is on a node.
type nodeRun struct {
	from uint64
	node int
}

// AllocOn is [Memory.Alloc] on a node of the machine.
func (m *Memory) AllocOn(size uint64, node int) (uint64, error) {
	addr, err := m.Alloc(size)
	if err == nil && node != 0 {
		m.nodes = append(m.nodes, nodeRun{addr, node}, nodeRun{m.next, 0})
	}
	return addr, err
}

// Node is the node that the memory at an address was allocated on, 0 unless another was asked for.
func (m *Memory) Node(addr uint64) int {
	i := sort.Search(len(m.nodes), func(i int) bool { return m.nodes[i].from > addr })
	if i == 0 {
		return 0
	}
	return m.nodes[i-1].node
}

// forgetNodes forgets what was allocated from an address on.
func (m *Memory) forgetNodes(mark uint64) {
	n := len(m.nodes)
	for n > 0 && m.nodes[n-1].from >= mark {
		n--
	}
	if m.nodes = m.nodes[:n]; n > 0 && m.nodes[n-1].node != 0 {
		m.nodes = append(m.nodes, nodeRun{mark, 0})
	}
}
