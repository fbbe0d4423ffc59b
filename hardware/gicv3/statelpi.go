package gicv3

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
)

// exploredLPIs is how many LPIs can be pending at one redistributor in an execution graph.
const exploredLPIs = 4

// pendingLPIs are the LPIs that are pending at a redistributor, as a part of its state.
type pendingLPIs [exploredLPIs]lpi

// pendingLPIs is what is pending.
func (r *Redistributor) pendingLPIs() (p pendingLPIs) {
	if r.lpis != nil && copy(p[:], r.lpis.pending) < len(r.lpis.pending) {
		r.lpis.explored()
	}
	return p
}

// setPendingLPIs makes pending what was.
func (r *Redistributor) setPendingLPIs(p *pendingLPIs) {
	if r.lpis == nil {
		return
	}
	r.lpis.pending = r.lpis.pending[:0]
	for _, one := range p {
		if one != 0 {
			r.lpis.pending = append(r.lpis.pending, one)
		}
	}
}

// An LPIOrder is what an ITS asks of a redistributor in an execution graph. It does so at once; the configuration that
// it needs comes along, read by who asks.
type LPIOrder struct {
	Kind   LPIOrderKind
	INTID  uint32
	Config uint8
	To     int // of a move: the other redistributor
}

// LPIOrderKind is the kind of an LPIOrder.
type LPIOrderKind uint8

// The kinds.
const (
	LPISet LPIOrderKind = iota
	LPIClear
	LPIConfigure // its configuration is this now
	LPIMove
)

// An LPIOrder as a message, apart from those of SGIs.
const (
	orderINTID  bits.Field = 0xffff_ffff << 0 // [31:0]
	orderTo     bits.Field = 0xffff << 32     // [47:32]
	orderConfig bits.Field = 0xff << 48       // [55:48]
	orderKind   bits.Field = 0x3 << 56        // [57:56]
	orderLPI    bits.Field = 1 << 63          // [63] it is one
)

// Message is the order as a message to the part of a PE, for [States.Receive].
func (o LPIOrder) Message() uint64 {
	v := orderLPI.Put(orderINTID.Put(0, uint64(o.INTID)), 1)
	v = orderConfig.Put(orderTo.Put(v, uint64(o.To)), uint64(o.Config))
	return orderKind.Put(v, uint64(o.Kind))
}

// Received are the parts that a message to the part of a PE may read or change.
func (s *States) Received(cpu int, message uint64) []int {
	if orderLPI.Is(message) && LPIOrderKind(orderKind.Get(message)) == LPIMove {
		if to := int(orderTo.Get(message)); to != cpu {
			return []int{cpu, to, s.Distributor()}
		}
	}
	return []int{cpu, s.Distributor()}
}

// obey does what a message orders.
func (s *States) obey(r *Redistributor, message uint64) {
	id, config := gic.INTID(orderINTID.Get(message)), uint8(orderConfig.Get(message))
	if !r.hasLPI(id) {
		return
	}
	switch LPIOrderKind(orderKind.Get(message)) {
	case LPISet:
		r.lpis.add(id, config)
	case LPIClear:
		r.lpis.remove(id)
	case LPIConfigure:
		if r.lpis.remove(id) {
			r.lpis.insert(id, config)
		}
	case LPIMove:
		if to := &s.g.redists[orderTo.Get(message)]; to != r && r.lpis.remove(id) && to.hasLPI(id) {
			to.lpis.add(id, config)
		}
	}
}

// hasLPI reports whether an LPI can be pending at the redistributor.
func (r *Redistributor) hasLPI(id gic.INTID) bool {
	return r.lpis != nil && r.powered && r.enableLPIs && id >= gic.FirstLPI && uint64(id) < r.lpiLimit()
}

// add makes an LPI pending that may be so already.
func (u *lpiUnit) add(id gic.INTID, config uint8) {
	if u.find(id) < 0 {
		u.insert(id, config)
	}
}

// LPIConfigAt is where the configuration byte of an LPI is, by the register of a redistributor as it is when executions
// begin; false if LPIs are not enabled there, or this is none of them.
func (s *States) LPIConfigAt(rd int, intid uint32) (addr uint64, ok bool) {
	r := Redistributor{
		g: s.g, lpis: s.g.redists[rd].lpis, redistributorState: s.parts[rd].list[0].redistributorState,
	}
	return uint64(r.configAt(gic.INTID(intid))), r.hasLPI(gic.INTID(intid))
}
