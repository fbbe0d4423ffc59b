package mem

import "fmt"

// Reserve takes memory from the end of RAM, aligned to a power of two of at least a line. Unlike what Alloc gives out,
// its lines exist only once they are touched: large tables that are hardly used cost nothing. It is zero, in no cache,
// and its home is the first node.
func (m *Memory) Reserve(size, align uint64) (uint64, error) {
	size = (size + LineSize - 1) &^ (LineSize - 1)
	end := m.base + m.size - m.reserved
	if size > end-m.next || (end-size)&^(align-1) < m.next {
		return 0, fmt.Errorf("out of RAM: %d bytes wanted, %d left of %d", size, end-m.next, m.size)
	}
	at := (end - size) &^ (align - 1)
	m.reserved = m.base + m.size - at
	return at, nil
}

// Holders are the CPUs with a copy of the line of an address, in order.
func (m *Memory) Holders(addr uint64) (cpus []int) {
	l := m.line(addr)
	for c := range len(m.watchers) {
		if l.willHave(int16(c)) {
			cpus = append(cpus, c)
		}
	}
	return cpus
}
