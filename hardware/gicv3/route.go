package gicv3

import (
	"fmt"
	mathbits "math/bits"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
)

// Affinity is Aff3.Aff2.Aff1.Aff0 in 32 bits, as GICR_TYPER has it.
type Affinity uint32

// String is the dotted form.
func (a Affinity) String() string {
	return fmt.Sprintf("%d.%d.%d.%d", uint8(a>>24), uint8(a>>16), uint8(a>>8), uint8(a))
}

// affinityFields are the places of the four levels in the 32 bits, in MPIDR_EL1 and in GICD_IROUTER, from Aff0.
var affinityFields = [4]struct{ packed, mpidr, router bits.Field }{
	{0xff << 0, a64.MPIDR_EL1_Aff0, gic.GICD_IROUTER_Aff0},
	{0xff << 8, a64.MPIDR_EL1_Aff1, gic.GICD_IROUTER_Aff1},
	{0xff << 16, a64.MPIDR_EL1_Aff2, gic.GICD_IROUTER_Aff2},
	{0xff << 24, a64.MPIDR_EL1_Aff3, gic.GICD_IROUTER_Aff3},
}

// affinityOf extracts the affinity from an MPIDR.
func affinityOf(mpidr uint64) Affinity {
	a := uint64(0)
	for _, f := range affinityFields {
		a = f.packed.Put(a, f.mpidr.Get(mpidr))
	}
	return Affinity(a)
}

// routedAffinity extracts the affinity from a GICD_IROUTER.
func routedAffinity(router uint64) Affinity {
	a := uint64(0)
	for _, f := range affinityFields {
		a = f.packed.Put(a, f.router.Get(router))
	}
	return Affinity(a)
}

// targetListSize is the number of PEs that one write of ICC_SGI1R_EL1 can name: Aff0 of 16 RS to 16 RS + 15.
const targetListSize = 16

// A cluster is what a write of ICC_SGI1R_EL1 names with Aff3, Aff2, Aff1 and RS: an affinity but for its lowest 4 bits.
type cluster uint32

func (a Affinity) cluster() cluster { return cluster(a / targetListSize) }

// clusterTable finds the PEs of a cluster by hashing, with linear probing in a table that is at most half full.
type clusterTable struct {
	slots []clusterSlot
	shift int
}

type clusterSlot struct {
	cluster cluster
	used    bool
	members [targetListSize]int16 // redistributor + 1; 0: there is no such PE
}

func newClusterTable(mpidrs []uint64) (clusterTable, error) {
	size := mathbits.Len(uint(2*len(mpidrs) - 1))
	t := clusterTable{slots: make([]clusterSlot, 1<<size), shift: 32 - size}
	for i, m := range mpidrs {
		a := affinityOf(m)
		s := t.slot(a.cluster())
		s.cluster, s.used = a.cluster(), true
		member := &s.members[a%targetListSize]
		if *member != 0 {
			return t, fmt.Errorf("gicv3: MPIDRs[%d] and MPIDRs[%d] have the same affinity %v", *member-1, i, a)
		}
		*member = int16(i) + 1
	}
	return t, nil
}

// slot is the cluster's slot, or the free one where it would be.
func (t *clusterTable) slot(c cluster) *clusterSlot {
	const golden = 0x9e3779b1 // 2^32 divided by the golden ratio, which spreads consecutive numbers
	for i := uint32(c) * golden >> t.shift; ; i = (i + 1) & uint32(len(t.slots)-1) {
		if s := &t.slots[i]; !s.used || s.cluster == c {
			return s
		}
	}
}

// find is the redistributor of the PE with an affinity, none if there is no such PE.
func (t *clusterTable) find(a Affinity) int16 {
	return t.slot(a.cluster()).members[a%targetListSize] - 1
}

// routerBits are the bits of GICD_IROUTER that exist.
func (s *Spec) routerBits() uint64 {
	mask := uint64(gic.GICD_IROUTER_Aff0 | gic.GICD_IROUTER_Aff1 | gic.GICD_IROUTER_Aff2)
	if s.A3V {
		mask |= uint64(gic.GICD_IROUTER_Aff3)
	}
	if !s.No1N {
		mask |= uint64(gic.GICD_IROUTER_Interrupt_Routing_Mode)
	}
	return mask
}

// routed is the redistributor that a GICD_IROUTER names, none if it names an absent PE: the SPI then stays pending.
func (g *GIC) routed(router uint64) int16 { return g.lookup.find(routedAffinity(router)) }

// route decides where an SPI goes. A 1-of-N interrupt goes to the first of the PEs that participate, as in gem5; where
// others may be chosen, chosen hears of it. If none does, the SPI stays pending in the distributor until one does.
func (g *GIC) route(router uint64, group1 bool) int16 {
	if !gic.GICD_IROUTER_Interrupt_Routing_Mode.Is(router) {
		return g.routed(router)
	}
	first := int16(none)
	for i := range g.redists {
		switch {
		case !g.redists[i].participates(group1):
		case first == none:
			first = int16(i)
		case g.chosen != nil:
			g.chosen()
		}
	}
	return first
}

// participates reports whether the PE takes 1-of-N interrupts of a group: awake, group enabled, DPG clear. IHI 0069, 3.
func (r *Redistributor) participates(group1 bool) bool {
	if !r.awake() {
		return false
	}
	if group1 {
		return r.cpu.enabled.group1 && !gic.GICR_CTLR_DPG1NS.Is(r.dpg)
	}
	return r.cpu.enabled.group0 && !gic.GICR_CTLR_DPG0.Is(r.dpg)
}

// participationChanged routes those 1-of-N interrupts anew that wait for a participant, or whose target is none now.
func (r *Redistributor) participationChanged() {
	d := &r.g.dist
	if r.g.spec.No1N || d.offered == 0 {
		return
	}
	for w, set := range d.candidates {
		for set != 0 {
			id := w*32 + popLowest(&set)
			if !gic.GICD_IROUTER_Interrupt_Routing_Mode.Is(d.router[id]) {
				continue
			}
			if t := d.target[id]; t == none || t == r.index && !r.participates(d.group1(id)) {
				d.offerAgain(id)
			}
		}
	}
}
