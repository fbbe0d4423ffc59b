package gicv3

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/sim"
)

// A message is an SGI on its way: what is needed where it arrives, in the 64 bits that an event carries.
const (
	messageINTID  bits.Field = 0xf << 0         // [3:0]
	messageGroup1 bits.Field = 1 << 4           // [4] sent with ICC_SGI1R_EL1
	messageFrom   bits.Field = 0xffff << 16     // [31:16] sender
	messageEpoch  bits.Field = 0xffffffff << 32 // [63:32] of the GIC when it was sent
)

func (c *CPUInterface) sendGroup1(v uint64) { c.send(v, true) }

// sendGroup0 sends nothing in the Non-secure view: no interrupt is of Group 0 there.
func (c *CPUInterface) sendGroup0(v uint64) {
	if c.r.g.spec.DS {
		c.send(v, false)
	}
}

// sendOther is for Group 1 of the other security state: with one there is none, and what Secure software would get from
// the Non-secure view nobody sees.
func (c *CPUInterface) sendOther(uint64) {}

// send puts one message on the wire of each target. The layout is the same for all three registers. IHI 0069, 12.2.
func (c *CPUInterface) send(v uint64, group1 bool) {
	g := c.r.g
	message := messageINTID.Put(0, gic.ICC_SGI1R_EL1_INTID.Get(v))
	message = messageGroup1.Put(message, bits.Flag(group1))
	message = messageFrom.Put(message, uint64(c.r.index))
	message = messageEpoch.Put(message, uint64(g.epoch))
	now := c.r.port.Now()
	if gic.ICC_SGI1R_EL1_IRM.Is(v) { // all but the sender; the rest of the register is ignored
		for i := range g.redists {
			if to := &g.redists[i]; to != c.r {
				c.r.transmit(to, now, message)
			}
		}
		return
	}
	s := g.lookup.slot(g.spec.namedCluster(v))
	if !s.used {
		return // an absent cluster: no error
	}
	list := uint32(gic.ICC_SGI1R_EL1_TargetList.Get(v))
	for list != 0 {
		if member := s.members[popLowest(&list)]; member != 0 {
			c.r.transmit(&g.redists[member-1], now, message)
		}
	}
}

// namedCluster is the cluster that a write of ICC_SGI1R_EL1 names. Without RSS the range selector is RES0, and without
// A3V so is Aff3.
func (s *Spec) namedCluster(v uint64) cluster {
	a := gic.ICC_SGI1R_EL1_Aff2.Get(v)<<16 | gic.ICC_SGI1R_EL1_Aff1.Get(v)<<8
	if s.A3V {
		a |= gic.ICC_SGI1R_EL1_Aff3.Get(v) << 24
	}
	if s.RSS {
		a |= gic.ICC_SGI1R_EL1_RS.Get(v) * targetListSize
	}
	return Affinity(a).cluster()
}

// transmit sends a message from r to another redistributor, or to itself.
func (r *Redistributor) transmit(to *Redistributor, now sim.Time, message uint64) {
	r.stats.SGIsSent++
	if r.g.caught != nil {
		r.g.caught(int(to.index), message)
		return
	}
	w := r.wireTo(to)
	if r.g.eng.Wants(sim.Send) {
		r.record(sim.Send, now, r.index, to.index, message)
	}
	latency := r.g.latency.SGI(int(r.index), int(to.index), w.sent)
	w.sent++
	r.g.eng.Post(&w.channel, now+latency, to, message)
}

// Fire receives an SGI. It becomes pending whether the PE is awake or not; one that is pending already stays so,
// which is all there is of a second. It is dropped if there is no power, or if the INTID is not of the group it was
// sent for.
func (r *Redistributor) Fire(now sim.Time, message uint64) {
	if messageEpoch.Get(message) != uint64(r.g.epoch) {
		return
	}
	mask := uint32(1) << messageINTID.Get(message)
	outcome := "pending"
	switch {
	case !r.powered:
		outcome = "dropped, no power"
		r.stats.SGIsDropped++
		mask = 0
	case (r.bank.group&mask != 0) != messageGroup1.Is(message):
		outcome = "dropped, other group"
		r.stats.SGIsDropped++
		mask = 0
	case r.bank.latch&mask != 0:
		outcome = "pending already"
		r.stats.SGIsCoalesced++
	default:
		r.stats.SGIsDelivered++
	}
	if r.g.eng.Wants(sim.Arrive) {
		r.record(sim.Arrive, now, int16(messageFrom.Get(message)), r.index, message)
	}
	if r.g.eng.Tracing {
		r.traceArrival(now, message, outcome)
	}
	if r.bank.latch|mask != r.bank.latch {
		r.bank.latch |= mask
		r.update()
	}
}

// record notes that a message leaves its sender, or arrives.
func (r *Redistributor) record(kind sim.Kind, at sim.Time, from, to int16, message uint64) {
	r.g.eng.Record(sim.Record{
		At: at, Source: fmt.Sprint("CPU", r.index), Kind: kind, Symbol: fmt.Sprint("SGI ", messageINTID.Get(message)),
		Value: uint64(from)<<16 | uint64(to),
	})
}
