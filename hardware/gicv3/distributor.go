package gicv3

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
)

// Distributor holds the shared interrupts and offers them to the redistributors.
//
// A register write has three parts: withdraw the interrupts that it touches from the redistributors, change their
// state, offer again what is still a candidate. So no write needs to know what others do to routing or priority.
type Distributor struct {
	g *GIC
	distributorState
	changed bool // since the last Restore, if there was one
}

func (d *Distributor) init(g *GIC) {
	d.g = g
	words := (int(gic.FirstSPI) + g.spec.NumSPIs + 31) / 32
	d.banks = make([]bank, words)
	d.candidates = make([]uint32, words)
	d.priority = make([]uint8, words*32)
	d.router = make([]uint64, words*32)
	d.target = make([]int16, words*32)
	d.reset()
}

// reset sets the power-on state.
func (d *Distributor) reset() {
	d.enabled, d.offered, d.rwp, d.sleep, d.quiescent = groups{}, 0, 0, false, false
	for w := range d.banks {
		d.banks[w] = bank{}
		d.candidates[w] = 0
		if w == 0 {
			continue
		}
		d.banks[w].valid = ^uint32(0)
		if w*32+32 > int(gic.FirstSpecial) {
			d.banks[w].valid >>= w*32 + 32 - int(gic.FirstSpecial)
		}
		if d.g.spec.givenAway() {
			d.banks[w].group = d.banks[w].valid
		}
	}
	clear(d.priority)
	clear(d.router)
}

// ReadReg implements [bus.Device].
func (d *Distributor) ReadReg(off uint64, w bus.Width) (uint64, bool) {
	d.changed = true
	return distributorFrame.Read(d, off, w)
}

// WriteReg implements [bus.Device].
func (d *Distributor) WriteReg(off uint64, w bus.Width, v uint64) bool {
	d.changed = true
	return distributorFrame.Write(d, off, w, v)
}

// withdraw takes those interrupts of a word back from the redistributors that were offered.
func (d *Distributor) withdraw(word int, mask uint32) {
	set := d.candidates[word] & mask
	d.candidates[word] &^= mask
	for set != 0 {
		id := word*32 + popLowest(&set)
		d.offered--
		if t := d.target[id]; t != none {
			r := &d.g.redists[t]
			r.spis--
			if int(r.bestSPI) == id {
				r.spiStale = true
			}
			d.g.touch(r)
		}
	}
}

// offer gives those interrupts of a word to their redistributors that are candidates of an enabled group.
//
// Preconditions: none of mask is offered.
func (d *Distributor) offer(word int, mask uint32) {
	b := &d.banks[word]
	set := b.candidates() & d.enabled.mask(b.group) & mask
	d.candidates[word] |= set
	for set != 0 {
		id := word*32 + popLowest(&set)
		d.offered++
		d.target[id] = d.g.route(d.router[id], d.group1(id))
		if t := d.target[id]; t != none {
			r := &d.g.redists[t]
			r.spis++
			r.consider(id)
			d.g.touch(r)
		}
	}
}

// offerAgain repeats withdraw and offer for one interrupt, whose target has changed.
func (d *Distributor) offerAgain(id int) {
	word, mask := id/32, uint32(1)<<(id%32)
	d.withdraw(word, mask)
	d.offer(word, mask)
}

// recount repairs a redistributor's account of offered SPIs, which was lost with its power.
func (d *Distributor) recount(r *Redistributor) {
	for w, set := range d.candidates {
		for set != 0 {
			if d.target[w*32+popLowest(&set)] == r.index {
				r.spis++
			}
		}
	}
	r.spiStale = true
	d.g.touch(r)
}

func (d *Distributor) group1(id int) bool { return d.banks[id/32].group>>(id%32)&1 != 0 }

func (d *Distributor) readCtlr() uint64 {
	if !d.g.spec.DS {
		v := gic.GICD_CTLR_NS_ARE_NS.Put(0, 1)
		v = gic.GICD_CTLR_NS_EnableGrp1A.Put(v, bits.Flag(d.enabled.group1))
		return gic.GICD_CTLR_NS_RWP.Put(v, bits.Flag(d.rwp > 0))
	}
	v := gic.GICD_CTLR_DS.Put(0, 1)
	v = gic.GICD_CTLR_ARE.Put(v, 1)
	v = gic.GICD_CTLR_EnableGrp0.Put(v, bits.Flag(d.enabled.group0))
	v = gic.GICD_CTLR_EnableGrp1.Put(v, bits.Flag(d.enabled.group1))
	return gic.GICD_CTLR_RWP.Put(v, bits.Flag(d.rwp > 0))
}

func (d *Distributor) writeCtlr(v uint64) {
	enabled := groups{gic.GICD_CTLR_EnableGrp0.Is(v), gic.GICD_CTLR_EnableGrp1.Is(v)}
	if !d.g.spec.DS {
		enabled = groups{group1: gic.GICD_CTLR_NS_EnableGrp1A.Is(v)}
	}
	if enabled == d.enabled {
		return
	}
	if d.enabled.group0 && !enabled.group0 || d.enabled.group1 && !enabled.group1 {
		d.hold()
	}
	for w := range d.banks {
		d.withdraw(w, ^uint32(0))
	}
	d.enabled = enabled
	for w := range d.banks {
		d.offer(w, ^uint32(0))
	}
	for i := range d.g.redists { // their own interrupts depend on it too
		d.g.touch(&d.g.redists[i])
	}
	d.g.settle()
}

func (d *Distributor) readTyper() uint64 { return d.g.spec.typer() }

func (d *Distributor) readIidr() uint64 { return uint64(d.g.spec.IIDR) }

func (d *Distributor) readIdentification(i int) uint64 {
	return identification(&d.g.spec.DistributorPIDR, i)
}

func (d *Distributor) gic() *GIC { return d.g }

func (d *Distributor) bankAt(irq int) *bank {
	if irq < int(gic.FirstSPI) || irq >= len(d.priority) {
		return nil
	}
	return &d.banks[irq/32]
}

func (d *Distributor) priorityOf(irq int) *uint8 { return &d.priority[irq] }

func (d *Distributor) hold() { d.g.holdRWP(&d.rwp, rwpDistributor) }

// writeSetSPI makes the SPI that is named pending, writeClearSPI takes that back; both are WI without MBIS.
func (d *Distributor) writeSetSPI(v uint64) {
	if d.g.spec.MBIS {
		id := int(gic.GICD_SETSPI_NSR_INTID.Get(v))
		setPending(d, id, 1<<(id%32), 0)
	}
}

func (d *Distributor) writeClearSPI(v uint64) {
	if d.g.spec.MBIS {
		id := int(gic.GICD_CLRSPI_NSR_INTID.Get(v))
		clearPending(d, id, 1<<(id%32), 0)
	}
}

func (d *Distributor) readRouter(irq int) uint64 {
	if !sees(d, irq) {
		return 0
	}
	return d.router[irq]
}

// writeRouter routes an interrupt anew. While it is active it stays active where it is: the state is the distributor's.
func (d *Distributor) writeRouter(irq int, v, mask uint64) {
	if !sees(d, irq) {
		return
	}
	d.router[irq] = d.router[irq]&^mask | v&d.g.spec.routerBits()
	d.offerAgain(irq)
	d.g.settle()
	d.hold()
}
