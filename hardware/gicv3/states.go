package gicv3

import (
	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
)

// States numbers the states of what belongs to one PE each, its redistributor and CPU interface, so that an execution
// graph can order the accesses to each by itself. The distributor stays as it is.
type States struct {
	g     *GIC
	parts []partStates
}

type partStates struct {
	list  []partState
	index map[partState]uint64
}

// partState is what belongs to one PE.
type partState struct {
	redistributorState
	cpu interfaceState
}

// NewStates makes the present state of each part its state 0. Nothing is in flight.
func NewStates(g *GIC) *States {
	s := &States{g: g, parts: make([]partStates, len(g.redists))}
	for i := range s.parts {
		s.parts[i].index = map[partState]uint64{}
		s.State(i)
	}
	return s
}

// Put brings the part of a PE into a state.
func (s *States) Put(cpu int, state uint64) {
	r, p := &s.g.redists[cpu], &s.parts[cpu].list[state]
	r.redistributorState, r.cpu.interfaceState = p.redistributorState, p.cpu
}

// State is the number of the present state of a PE's part.
func (s *States) State(cpu int) uint64 {
	r, p := &s.g.redists[cpu], &s.parts[cpu]
	now := partState{r.redistributorState, r.cpu.interfaceState}
	n, known := p.index[now]
	if !known {
		n = uint64(len(p.list))
		p.list, p.index[now] = append(p.list, now), n
	}
	return n
}

// Raised reports whether the PE's interrupt input is high in a state.
func (s *States) Raised(cpu int, state uint64) bool { return s.parts[cpu].list[state].cpu.irq }

// Shared reports whether a system register shows, or changes, the part of the PE that accesses it.
func (s *States) Shared(r bits.SysReg) bool {
	w := uint64(r)
	return r == a64.ISR_EL1 || r == gic.ICC_PMR_EL1 ||
		bits.SysRegOp0.Get(w) == 3 && bits.SysRegCRn.Get(w) == 12 && bits.SysRegCRm.Get(w) >= 8
}

// Sends answers the PEs to whose parts a write of a system register sends an interrupt, and what; false if it is no
// such register.
func (s *States) Sends(cpu int, r bits.SysReg, v uint64) (to []int, messages []uint64, sends bool) {
	if r != gic.ICC_SGI1R_EL1 {
		return nil, nil, false
	}
	s.g.caught = func(target int, message uint64) {
		to, messages = append(to, target), append(messages, message)
	}
	s.g.redists[cpu].cpu.WriteSys(r, v)
	s.g.caught = nil
	return to, messages, true
}

// Receive is an interrupt that arrives at the part of a PE.
func (s *States) Receive(cpu int, message uint64) {
	s.g.redists[cpu].Fire(s.g.eng.Now(), message)
}
