package gicv3

import (
	"fmt"
	"io"
	"strings"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/sim"
)

// traceArrival says what becomes of an SGI, and why it will not be presented if it will not.
func (r *Redistributor) traceArrival(now sim.Time, message uint64, outcome string) {
	mask := uint32(1) << messageINTID.Get(message)
	switch {
	case !r.powered:
	case !r.awake():
		outcome += ", asleep"
	case r.bank.active&mask != 0:
		outcome += ", active"
	case r.bank.enabled&mask == 0:
		outcome += ", disabled"
	}
	r.g.eng.Trace(now, fmt.Sprintf("GICR%d", r.index), "SGI %d from CPU%d arrives: %s",
		messageINTID.Get(message), messageFrom.Get(message), outcome)
}

// The dumps print one line for each register and one for each run of interrupts with equal settings that are not
// those of the reset state:
//
//	INTID      group    prio  trigger  state                         route
//	       40  group 1  0xa0  level    enabled pending line          0.0.0.1 (CPU1)
//	  41-1019  group 1  0xa0  edge     enabled                       0.0.0.0

// Dump prints the distributor's registers and SPIs.
func (d *Distributor) Dump(w io.Writer) {
	name := "GICD_CTLR"
	if !d.g.spec.DS {
		name = "GICD_CTLR_NS"
	}
	dumpRegister(w, name, d.readCtlr())
	dumpRegister(w, "GICD_TYPER", d.readTyper())
	dumpInterrupts(w, int(gic.FirstSPI), len(d.priority), func(id int) string {
		b := &d.banks[id/32]
		if d.priority[id] == 0 && d.router[id] == 0 && !b.touched(id%32) {
			return ""
		}
		return b.describe(id%32, d.priority[id]) + d.describeRoute(id)
	})
}

// dumpInterrupts prints the descriptions of a range of INTIDs, one line for a run of equal ones.
func dumpInterrupts(w io.Writer, first, end int, describe func(id int) string) {
	for id := first; id < end; {
		what, start := describe(id), id
		for id++; id < end && describe(id) == what; id++ {
		}
		run := fmt.Sprintf("%d", start)
		if id-1 > start {
			run = fmt.Sprintf("%d-%d", start, id-1)
		}
		if what != "" {
			fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%9s  %s", run, what), " "))
		}
	}
}

// describeRoute names where an SPI goes.
func (d *Distributor) describeRoute(id int) string {
	where := routedAffinity(d.router[id]).String()
	if gic.GICD_IROUTER_Interrupt_Routing_Mode.Is(d.router[id]) {
		where = "1 of N"
	}
	if offered := d.candidates[id/32]>>(id%32)&1 != 0; offered && d.target[id] == none {
		return where + " (nobody)"
	} else if offered {
		return fmt.Sprintf("%s (CPU%d)", where, d.target[id])
	}
	return where
}

// Dump prints the redistributor's registers, SGIs and PPIs.
func (r *Redistributor) Dump(w io.Writer) {
	if !r.powered {
		fmt.Fprintln(w, "no power")
		return
	}
	dumpRegister(w, "GICR_CTLR", r.readCtlr())
	dumpRegister(w, "GICR_TYPER", r.readTyper())
	dumpRegister(w, "GICR_WAKER", r.readWaker())
	dumpRegister(w, "GICR_PROPBASER", r.propbaser)
	dumpRegister(w, "GICR_PENDBASER", r.pendbaser)
	dumpInterrupts(w, 0, len(r.priority), func(id int) string {
		if r.priority[id] == 0 && !r.bank.touched(id) {
			return ""
		}
		return r.bank.describe(id, r.priority[id])
	})
	r.dumpLPIs(w)
}

// dumpLPIs prints the LPIs that are pending, the most urgent first. Their configuration stands in memory.
func (r *Redistributor) dumpLPIs(w io.Writer) {
	if r.lpis == nil {
		return
	}
	for _, p := range r.lpis.pending {
		state := "enabled pending"
		if lpiDisabled.Is(uint64(p)) {
			state = "pending"
		}
		fmt.Fprintf(w, "%9d  group 1  0x%02x  LPI      %s\n", p.id(), p.priority(), state)
	}
}

// Dump prints the CPU interface.
func (c *CPUInterface) Dump(w io.Writer) {
	dumpRegister(w, "ICC_CTLR_EL1", c.readCtlr())
	dumpRegister(w, "ICC_PMR_EL1", c.readMask())
	dumpRegister(w, "ICC_BPR1_EL1", c.readBPR1())
	dumpRegister(w, "ICC_IGRPEN1_EL1", c.readEnable1())
	dumpRegister(w, "ICC_RPR_EL1", c.readRunning())
	dumpRegister(w, "ICC_HPPIR1_EL1", c.readHighest1())
	for n := range c.r.g.spec.activeWords() {
		dumpRegister(w, fmt.Sprintf("ICC_AP1R%d_EL1", n), uint64(c.active1[n]))
	}
	if hasGroup0(c) {
		dumpRegister(w, "ICC_BPR0_EL1", c.readBPR0())
		dumpRegister(w, "ICC_IGRPEN0_EL1", c.readEnable0())
		dumpRegister(w, "ICC_HPPIR0_EL1", c.readHighest0())
		for n := range c.r.g.spec.activeWords() {
			dumpRegister(w, fmt.Sprintf("ICC_AP0R%d_EL1", n), uint64(c.active0[n]))
		}
	}
	fmt.Fprintf(w, "%-16s irq=%d fiq=%d\n", "outputs", bits.Flag(c.irq), bits.Flag(c.fiq))
}

// dumpRegister prints a register's value and its fields.
func dumpRegister(w io.Writer, name string, v uint64) {
	fields, _ := gic.Registers.Decode(name, v)
	fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-16s %s  %s", name, bits.Hex(v), fields), " "))
}

// touched reports whether an interrupt is in another state than after a reset.
func (b *bank) touched(i int) bool { return (b.enabled|b.pending()|b.active|b.line)>>i&1 != 0 }

// describe is the part of a dump's line that all interrupts have.
func (b *bank) describe(i int, priority uint8) string {
	trigger := "level"
	if b.edge>>i&1 != 0 {
		trigger = "edge"
	}
	var state []string
	for _, s := range []struct {
		word uint32
		name string
	}{
		{b.enabled, "enabled"}, {b.pending(), "pending"}, {b.active, "active"}, {b.line, "line"},
	} {
		if s.word>>i&1 != 0 {
			state = append(state, s.name)
		}
	}
	return fmt.Sprintf("group %d  0x%02x  %-7s  %-30s", b.group>>i&1, priority, trigger, strings.Join(state, " "))
}
