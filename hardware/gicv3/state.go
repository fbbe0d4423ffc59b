package gicv3

import "github.com/hwscript/hwscript/hardware/arch/gic"

// bank is the state of 32 interrupts, one bit each in every word.
//
// Invariant: no word has a bit outside valid.
type bank struct {
	valid   uint32 // the interrupts that exist
	group   uint32 // Group 1, else Group 0
	enabled uint32
	latch   uint32 // made pending by an edge, a message or a write, and not acknowledged since
	line    uint32 // level of the wire
	edge    uint32 // edge-triggered, else level-sensitive
	active  uint32
}

// pending: latched, or level-sensitive with its wire high. IHI 0069, 4.2.2; clearing the latch of the latter does not
// make it less pending.
func (b *bank) pending() uint32 { return b.latch | b.line&^b.edge }

// candidates are the interrupts that could be acknowledged if their group and priority allow.
func (b *bank) candidates() uint32 { return b.pending() & b.enabled &^ b.active }

// visible are the interrupts that the software that this view is for may see: without DS, not those of Group 0.
func (b *bank) visible(s *Spec) uint32 {
	if s.DS {
		return b.valid
	}
	return b.valid & b.group
}

// setLine drives the wires in mask to one level; the rise of an edge-triggered one is latched.
func (b *bank) setLine(mask uint32, level bool) {
	if !level {
		b.line &^= mask
		return
	}
	b.latch |= mask & b.edge &^ b.line
	b.line |= mask
}

// acknowledge makes an interrupt active. Its latch is consumed; a level-sensitive one stays pending while its wire is
// high.
func (b *bank) acknowledge(mask uint32) {
	b.latch &^= mask
	b.active |= mask
}

// groups says which interrupt groups are let through at some place.
type groups struct{ group0, group1 bool }

// mask turns the set into those interrupts of a word of group bits that are let through.
func (g groups) mask(group uint32) uint32 {
	m := uint32(0)
	if g.group0 {
		m = ^group
	}
	if g.group1 {
		m |= group
	}
	return m
}

func (g groups) and(o groups) groups { return groups{g.group0 && o.group0, g.group1 && o.group1} }

// none stands for "no redistributor" and "no interrupt".
const none = -1

// distributorState is all state of the distributor.
type distributorState struct {
	enabled    groups
	banks      []bank // SPIs by INTID/32; bank 0 belongs to the redistributors and is empty here
	priority   []uint8
	router     []uint64
	target     []int16  // redistributor of each SPI that is offered, none if there is none
	candidates []uint32 // SPIs that are candidates and of an enabled group: what redistributors have been offered
	offered    int      // number of ones in candidates
	rwp        int      // writes whose effects are still spreading
	sleep      bool     // GICR_WAKER.Sleep
	quiescent  bool     // GICR_WAKER.Quiescent, which follows
}

// redistributorState is all state of a redistributor, but for its CPU interface.
type redistributorState struct {
	bank     bank
	priority [32]uint8

	powered    bool
	sleep      bool // GICR_WAKER.ProcessorSleep
	quiet      bool // GICR_WAKER.ChildrenAsleep, which follows
	wanted     bool // a wake-up is asked for
	enableLPIs bool
	draining   bool   // since EnableLPIs was cleared; RWP says so
	dpg        uint64 // GICR_CTLR.DPG* in place
	propbaser  uint64
	pendbaser  uint64
	rwp        int

	spis     int   // SPIs offered to this redistributor
	bestSPI  int16 // the most urgent of those that the CPU interface lets through, none if there is none
	spiStale bool  // bestSPI must be looked for again
	bestLPI  lpi   // the most urgent LPI that is pending and enabled, 0 if there is none
	dirty    bool  // in GIC.dirty
}

// interfaceState is all state of a CPU interface.
type interfaceState struct {
	mask    uint8 // PMR
	bpr0    uint8
	bpr1    uint8
	cbpr    bool
	eoiMode bool
	enabled groups // IGRPEN0, IGRPEN1

	// Active priorities by group, one bit for each group priority: AP0Rn and AP1Rn.
	active0, active1 activePriorities
	running          uint8 // the most urgent of them, gic.IdlePriority if none

	highest  pendingInterrupt // HPPI
	irq, fiq bool             // outputs
}

// pendingInterrupt is the most urgent interrupt that a redistributor presents.
type pendingInterrupt struct {
	id       gic.INTID // gic.Spurious: none
	priority uint8
	group1   bool
}

var nothingPending = pendingInterrupt{id: gic.Spurious, priority: uint8(gic.IdlePriority)}
