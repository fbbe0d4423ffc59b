package mem

import "github.com/hwscript/hwscript/hardware/sim"

// ReadDrained is Read of 8 bytes by what shares the cache of CPU c but not its store buffer, such as its page-table
// walker: it sees what has drained.
func (m *Memory) ReadDrained(c int, addr uint64, now sim.Time) (uint64, Outcome) {
	l, k := m.line(addr), int16(c)
	if l.unsettled(now) {
		m.settleRead(l, addr, k, now)
	}
	word, _, _ := field(addr, 8)
	if _, covered, _ := l.forward(word, k); covered == 0 {
		return m.Read(c, addr, 8, now)
	}
	return l.data[word], Outcome{Done: now + m.hit}
}
