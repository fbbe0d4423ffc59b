package gicv3

import (
	"encoding/binary"
	mathbits "math/bits"
	"slices"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
)

// States numbers the states of a GIC's parts, so that an execution graph can order the accesses to each by itself. What
// belongs to one PE, its redistributor and CPU interface, is the part of the PE's number; the distributor is the part
// behind those. An access reads and changes no other parts than it is said to: the functions below name them, first the
// one whose register it is. Time means nothing: RWP is never seen set.
type States struct {
	g       *GIC
	parts   []partStates
	dist    []distributorState
	index   map[string]uint64 // of dist
	present uint64            // the distributor's state
	key     []byte
	all     []int // the parts of all PEs

	caught   func(to int, message uint64) // SGIs that a device sends
	messages []uint64                     // of the present SGI
	to       []int
}

type partStates struct {
	list  []partState
	index map[partState]uint64
}

// partState is what belongs to one PE.
type partState struct {
	redistributorState
	cpu  interfaceState
	lpis pendingLPIs
}

// NewStates makes the present state of each part its state 0. Nothing is in flight.
func NewStates(g *GIC) *States {
	s := &States{g: g, parts: make([]partStates, len(g.redists)), index: map[string]uint64{}}
	g.spec.RWPDelay = 0
	for i := range s.parts {
		s.all = append(s.all, i)
		s.parts[i].index = map[partState]uint64{}
		s.State(i)
	}
	g.dist.changed = true
	s.State(s.Distributor())
	return s
}

// Distributor is the number of the distributor, the last part.
func (s *States) Distributor() int { return len(s.parts) }

// Put brings a part into a state.
func (s *States) Put(part int, state uint64) {
	if part == s.Distributor() {
		if state != s.present {
			s.g.dist.assign(&s.dist[state])
			s.present = state
		}
		return
	}
	r, p := &s.g.redists[part], &s.parts[part].list[state]
	r.redistributorState, r.cpu.interfaceState = p.redistributorState, p.cpu
	r.setPendingLPIs(&p.lpis)
}

// State is the number of the present state of a part.
func (s *States) State(part int) uint64 {
	if part == s.Distributor() {
		return s.distributor()
	}
	r, p := &s.g.redists[part], &s.parts[part]
	now := partState{r.redistributorState, r.cpu.interfaceState, r.pendingLPIs()}
	n, known := p.index[now]
	if !known {
		n = uint64(len(p.list))
		p.list, p.index[now] = append(p.list, now), n
	}
	return n
}

// distributor is the number of the distributor's present state. Most accesses leave it as it is.
func (s *States) distributor() uint64 {
	d := &s.g.dist
	if !d.changed {
		return s.present
	}
	d.changed = false
	s.key = d.appendKey(s.key[:0])
	n, known := s.index[string(s.key)]
	if !known {
		n = uint64(len(s.dist))
		s.dist = append(s.dist, distributorState{})
		s.dist[n].assign(&d.distributorState)
		s.index[string(s.key)] = n
	}
	s.present = n
	return n
}

// appendKey appends all that tells one state from another.
func (d *distributorState) appendKey(key []byte) []byte {
	key = append(key, byte(bits.Flag(d.enabled.group0)), byte(bits.Flag(d.enabled.group1)), byte(bits.Flag(d.sleep)),
		byte(bits.Flag(d.quiescent)))
	for i := range d.banks {
		b := &d.banks[i]
		for _, w := range [...]uint32{b.valid, b.group, b.enabled, b.latch, b.line, b.edge, b.active, d.candidates[i]} {
			key = binary.LittleEndian.AppendUint32(key, w)
		}
	}
	for i, w := range d.candidates {
		for w != 0 {
			key = binary.LittleEndian.AppendUint16(key, uint16(d.target[i*32+popLowest(&w)]))
		}
	}
	key = append(key, d.priority...)
	for _, r := range d.router {
		key = binary.LittleEndian.AppendUint64(key, r)
	}
	return key
}

// Raised reports whether the PE's interrupt input is high in a state of its part.
func (s *States) Raised(cpu int, state uint64) bool { return s.parts[cpu].list[state].cpu.irq }

// Register are the parts that an access to a system register may read or change, none if the register is no part's.
func (s *States) Register(cpu int, r bits.SysReg, write bool, v uint64) []int {
	w := uint64(r)
	switch {
	case r == a64.ISR_EL1, r == gic.ICC_PMR_EL1:
		return s.all[cpu : cpu+1]
	case bits.SysRegOp0.Get(w) != 3 || bits.SysRegCRn.Get(w) != 12 || bits.SysRegCRm.Get(w) < 8:
		return nil
	}
	switch r {
	case gic.ICC_IGRPEN0_EL1, gic.ICC_IGRPEN1_EL1: // SPIs that any PE may take go elsewhere
		if write {
			return s.every(cpu)
		}
	case gic.ICC_EOIR0_EL1, gic.ICC_EOIR1_EL1, gic.ICC_DIR_EL1:
		if id := gic.INTID(gic.ICC_EOIR1_EL1_INTID.Get(v)); id >= gic.FirstSPI && id < gic.FirstLPI {
			return s.every(cpu)
		}
	}
	return []int{cpu, s.Distributor()}
}

// every is all parts, this one first.
func (s *States) every(first int) []int {
	list := append([]int{first}, s.all...)
	list = append(list, s.Distributor())
	return append(list[:1], slices.DeleteFunc(list[1:], func(part int) bool { return part == first })...)
}

// Frame are the parts that an access to a register frame may read or change; false if the frame is not of this GIC.
func (s *States) Frame(d bus.Device, offset uint64, write bool) ([]int, bool) {
	if d == bus.Device(&s.g.dist) {
		if write {
			return s.every(s.Distributor()), true
		}
		return []int{s.Distributor()}, true
	}
	r, ok := d.(*Redistributor)
	switch {
	case !ok || r.g != s.g:
		return nil, false
	case write && (offset == gic.GICR_CTLR || offset == gic.GICR_WAKER): // SPIs that any PE may take go elsewhere
		return s.every(int(r.index)), true
	}
	return []int{int(r.index), s.Distributor()}, true
}

// Sends answers the PEs to whose parts a write of a system register sends an interrupt, and what; false if it is no
// such register.
func (s *States) Sends(cpu int, r bits.SysReg, v uint64) (to []int, messages []uint64, sends bool) {
	if r != gic.ICC_SGI1R_EL1 && r != gic.ICC_SGI0R_EL1 && r != gic.ICC_ASGI1R_EL1 {
		return nil, nil, false
	}
	s.to, s.messages = s.to[:0], s.messages[:0]
	s.g.caught = func(target int, message uint64) {
		s.to, s.messages = append(s.to, target), append(s.messages, message)
	}
	s.g.redists[cpu].cpu.WriteSys(r, v)
	s.g.caught = s.caught
	return s.to, s.messages, true
}

// Receive is a message that arrives at the part of a PE: an SGI, or an [LPIOrder]. It looks at the distributor, too.
func (s *States) Receive(cpu int, message uint64) {
	if orderLPI.Is(message) {
		s.obey(&s.g.redists[cpu], message)
		return
	}
	s.g.redists[cpu].Fire(s.g.eng.Now(), message)
}

// A Wire is an interrupt wire by its number: that of a PPI has its PE in the upper half, counted from 1.
type Wire uint64

const (
	wireINTID bits.Field = 0xffff << 0       // [15:0]
	wirePE    bits.Field = 0xffff_ffff << 32 // [63:32] from 1, 0 for an SPI
)

// Catch makes wires tell what they are driven to, SGIs that a device sends where they go, the routing of an interrupt
// that it could be another, and redistributors that they have to look at the tables of LPIs, which are no part of any
// state here.
func (s *States) Catch(wired func(w Wire, level bool), sgi func(to int, message uint64), chosen, lpis func()) {
	s.g.wired, s.g.caught, s.caught, s.g.chosen, s.g.refuse = wired, sgi, sgi, chosen, lpis
}

// Wired are the parts that a wire reaches: a PPI's PE, or all.
func (s *States) Wired(w Wire) []int {
	if pe := int(wirePE.Get(uint64(w))); pe != 0 {
		return []int{pe - 1, s.Distributor()}
	}
	return s.every(s.Distributor())
}

// Drive brings a wire to a level.
func (s *States) Drive(w Wire, level bool) {
	caught := s.g.wired
	s.g.wired = nil
	id := int(wireINTID.Get(uint64(w)))
	if pe := int(wirePE.Get(uint64(w))); pe != 0 {
		ppiLine{&s.g.redists[pe-1], 1 << id}.SetLine(level)
	} else {
		spiLine{&s.g.dist, id / 32, 1 << (id % 32)}.SetLine(level)
	}
	s.g.wired = caught
}

// wire is the number of a PPI's.
func (l ppiLine) wire() Wire {
	w := wirePE.Put(0, uint64(l.r.index)+1)
	return Wire(wireINTID.Put(w, uint64(mathbits.TrailingZeros32(l.mask))))
}

// wire is the number of an SPI's.
func (l spiLine) wire() Wire { return Wire(l.word*32 + mathbits.TrailingZeros32(l.mask)) }
