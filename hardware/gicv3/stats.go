package gicv3

// Stats counts what one PE's part of the GIC has done.
type Stats struct {
	SGIsSent      uint64 // messages put on wires by this PE: one for each target
	SGIsDelivered uint64 // messages that made an SGI of this PE pending
	SGIsCoalesced uint64 // messages that found the SGI pending already
	SGIsDropped   uint64 // messages lost for want of power, or sent for the other group
	LPIsDelivered uint64 // LPIs that became pending
	LPIsCoalesced uint64 // ... that were pending already
	LPIsDropped   uint64 // ... that came while LPIs were disabled, or beyond the tables
	Acknowledged  uint64 // interrupts taken: reads of IAR that gave an INTID
	Spurious      uint64 // reads of IAR that gave 1023
}

// Stats returns the counters of one PE. They are not reset with the GIC.
func (g *GIC) Stats(cpu int) Stats { return g.redists[cpu].stats }

// Total adds the counters of all PEs.
func (g *GIC) Total() Stats {
	var t Stats
	for i := range g.redists {
		s := &g.redists[i].stats
		t.SGIsSent += s.SGIsSent
		t.SGIsDelivered += s.SGIsDelivered
		t.SGIsCoalesced += s.SGIsCoalesced
		t.SGIsDropped += s.SGIsDropped
		t.LPIsDelivered += s.LPIsDelivered
		t.LPIsCoalesced += s.LPIsCoalesced
		t.LPIsDropped += s.LPIsDropped
		t.Acknowledged += s.Acknowledged
		t.Spurious += s.Spurious
	}
	return t
}
