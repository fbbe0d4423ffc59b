package smmuv3

import (
	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// invalidations are those that have been consumed and have no effect yet.
//
// Invariant: an event is pending for each, in their order.
type invalidations struct {
	s       *SMMU
	channel sim.Channel
	waiting fifo[command]
}

func (p *invalidations) init(s *SMMU) {
	p.s = s
	s.eng.Register(&p.channel, s.master.Name+" invalidations")
}

func (p *invalidations) reset() { p.waiting.clear() }

// add makes an invalidation come into effect after its time.
func (p *invalidations) add(c command) {
	p.waiting.push(c)
	latency := InvalidateTLB
	if cfgi(c.opcode()) {
		latency = InvalidateConfig
	}
	p.s.eng.Post(&p.channel, p.s.after(latency), p, p.s.tag(0))
}

// Fire brings the oldest invalidation into effect.
func (p *invalidations) Fire(_ sim.Time, arg uint64) {
	if p.s.void(arg) {
		return
	}
	c := *p.waiting.front()
	p.waiting.pop()
	p.s.invalidate(c)
	p.s.cmdq.progress()
}

// invalidate drops what a command names from the caches, and marks the transactions that use it: a CMD_SYNC waits for
// these, and what they find is not kept. IHI 0070, 3.21.1 and 4.7.3.
func (s *SMMU) invalidate(c command) {
	dropped := 0
	if op := c.opcode(); cfgi(op) {
		x := decodeCFGI(c)
		dropped = s.caches.invalidate(&x, s)
		s.flight.nameStreams(&x)
	} else {
		x := s.decodeTLBI(c)
		dropped = s.tlb.invalidate(&x)
		s.flight.nameTranslations(&x)
	}
	if s.eng.Tracing {
		s.trace("%s: %d entries dropped", DecodeCommand(c[0], c[1]), dropped)
	}
}

// Broadcast is a TLB invalidation by a PE, given as the command that does the same. An SMMU without BTM, or with PTM,
// does not hear it. An ASID of 8 bits matches no ASID with more. IHI 0070, 3.17.
func (s *SMMU) Broadcast(d0, d1 uint64) {
	c := command{d0, d1}
	if !s.spec.BTM || smmu.SMMU_CR2_PTM.Is(s.r.cr2) || !tlbi(c.opcode()) || !s.known(c.opcode()) {
		return
	}
	x := s.decodeTLBI(c)
	if x.broadcast = true; !s.spec.ASID16 && x.asid > 0xff {
		return
	}
	s.tlb.invalidate(&x)
	s.flight.nameTranslations(&x)
}

// A cfgInvalidation is a configuration invalidation command, taken apart.
type cfgInvalidation struct {
	op          smmu.Opcode
	first, last uint32 // of the StreamIDs
	substream   uint32
	leaf        bool
}

// decodeCFGI takes a command apart. IHI 0070, 4.3.
func decodeCFGI(c command) cfgInvalidation {
	stream := uint32(smmu.CMD0_StreamID.Get(c[0]))
	x := cfgInvalidation{
		op: c.opcode(), first: stream, last: stream, substream: uint32(smmu.CMD0_SubstreamID.Get(c[0])),
		leaf: smmu.CMD_CFGI1_Leaf.Is(c[1]),
	}
	if x.op == smmu.CMD_CFGI_STE_RANGE {
		low := uint32(1<<(smmu.CMD_CFGI_RANGE1_Range.Get(c[1])+1) - 1)
		x.first, x.last, x.leaf = stream&^low, stream|low, false
	}
	return x
}

// names reports whether an invalidation concerns a stream.
func (x *cfgInvalidation) names(stream uint32) bool { return stream >= x.first && stream <= x.last }
