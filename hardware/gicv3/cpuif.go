package gicv3

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/sim"
)

// CPUInterface is the system register interface of one PE: what it masks, what it is handling, what it signals.
type CPUInterface struct {
	r *Redistributor
	interfaceState
}

// clear sets the reset state but for the outputs, which follow.
func (c *CPUInterface) clear() {
	spec := &c.r.g.spec
	c.interfaceState = interfaceState{
		bpr0: spec.minBPR0(), bpr1: spec.minBPR0() + 1, running: uint8(gic.IdlePriority), highest: nothingPending,
		irq: c.irq, fiq: c.fiq,
	}
	if spec.givenAway() {
		c.mask = priorityMask(spec.CPUPriorityBits)
	}
}

// ReadSys implements [bus.SysRegs].
func (c *CPUInterface) ReadSys(reg bits.SysReg) (uint64, bool) {
	return interfaceRegs.Read(c, reg)
}

// WriteSys implements [bus.SysRegs].
func (c *CPUInterface) WriteSys(reg bits.SysReg, v uint64) bool {
	return interfaceRegs.Write(c, reg, v)
}

// present takes what the redistributor presents.
func (c *CPUInterface) present(p pendingInterrupt) {
	c.highest = p
	c.signal()
}

// signal drives the outputs: the highest pending interrupt, if it may interrupt what is running. Group 1 comes as IRQ,
// Group 0 as FIQ.
func (c *CPUInterface) signal() {
	may := c.canSignal()
	irq, fiq := may && c.highest.group1, may && !c.highest.group1
	if irq != c.irq {
		c.irq = irq
		c.r.port.SetIRQ(irq)
	}
	if fiq != c.fiq {
		c.fiq = fiq
		c.r.port.SetFIQ(fiq)
	}
}

// canSignal: higher in priority than the mask, and in group priority than what is running. IHI 0069, 4.8.
func (c *CPUInterface) canSignal() bool {
	p := &c.highest
	if p.id == gic.Spurious || p.priority&priorityMask(c.r.g.spec.CPUPriorityBits) >= c.mask {
		return false
	}
	if c.running == uint8(gic.IdlePriority) {
		return true
	}
	m := c.groupMask(p.group1)
	return p.priority&m < c.running&m
}

func (c *CPUInterface) acknowledge0() uint64 { return uint64(c.acknowledge(false)) }
func (c *CPUInterface) acknowledge1() uint64 { return uint64(c.acknowledge(true)) }

// acknowledge makes the interrupt that is signalled active and returns its INTID.
func (c *CPUInterface) acknowledge(group1 bool) gic.INTID {
	p := c.highest
	if p.group1 != group1 || !c.canSignal() {
		c.r.stats.Spurious++
		return gic.Spurious
	}
	c.r.stats.Acknowledged++
	priority := p.priority & c.groupMask(group1) & priorityMask(c.r.g.spec.preemptionBits())
	c.active(group1).add(int(priority) >> c.r.g.spec.levelShift())
	c.running = priority
	if p.id < gic.FirstSPI {
		c.r.bank.acknowledge(1 << p.id)
		c.r.update()
		return p.id
	}
	if p.id >= gic.FirstLPI {
		c.r.lpis.acknowledge(p.id)
		return p.id
	}
	d, word, mask := &c.r.g.dist, int(p.id)/32, uint32(1)<<(p.id%32)
	d.changed = true
	d.withdraw(word, mask)
	d.banks[word].acknowledge(mask)
	c.r.g.settle()
	return p.id
}

func (c *CPUInterface) end0(v uint64) { c.end(false, gic.INTID(gic.ICC_EOIR0_EL1_INTID.Get(v))) }
func (c *CPUInterface) end1(v uint64) { c.end(true, gic.INTID(gic.ICC_EOIR1_EL1_INTID.Get(v))) }

// end drops the running priority, whatever the INTID, and with EOImode 0 deactivates the interrupt. If the most urgent
// active priority is not one of the group, what happens is UNPREDICTABLE: here, nothing.
func (c *CPUInterface) end(group1 bool, id gic.INTID) {
	if !c.r.g.ends(id) {
		return
	}
	if running1, any := c.runningGroup1(); !any || running1 != group1 {
		c.r.remark(fmt.Sprintf("ICC_EOIR%d_EL1", bits.Flag(group1)),
			"wrote EOIR while no interrupt of that group has the running priority, INTID %d", id)
		return
	}
	active := c.active(group1)
	active.remove(active.first())
	c.rerun()
	if !c.eoiMode {
		c.r.deactivate(id)
	}
	c.signal()
}

// ends reports whether a write of this INTID to EOIR or DIR means anything: one of the special ones is ignored, and
// so is one that does not exist.
func (g *GIC) ends(id gic.INTID) bool {
	return int(id) < int(gic.FirstSPI)+g.spec.NumSPIs || id >= gic.FirstLPI
}

// writeDIR deactivates an interrupt. With EOImode 0 that is UNPREDICTABLE: here, nothing.
func (c *CPUInterface) writeDIR(v uint64) {
	id := gic.INTID(gic.ICC_DIR_EL1_INTID.Get(v))
	switch {
	case !c.r.g.ends(id):
	case !c.eoiMode:
		c.r.remark("ICC_DIR_EL1", "wrote ICC_DIR_EL1 with EOImode 0, INTID %d", id)
	default:
		c.r.deactivate(id)
	}
}

// remark notes that the PE wrote what the architecture leaves UNPREDICTABLE, and which the model ignores. IHI 0069,
// 12.2, 12.11.
func (r *Redistributor) remark(register, format string, args ...any) {
	r.g.eng.Remark(sim.Remark{
		At: r.port.Now(), Source: fmt.Sprint("CPU", r.index), Register: register, What: fmt.Sprintf(format, args...),
		Unpredictable: true,
	})
}

// deactivate ends the active state of an interrupt of this PE, or of a shared one. LPIs have no such state.
func (r *Redistributor) deactivate(id gic.INTID) {
	switch {
	case id < gic.FirstSPI:
		r.bank.active &^= 1 << id
		r.update()
	case id < gic.FirstLPI:
		r.g.dist.changed = true
		clearActive(&r.g.dist, int(id), 1<<(id%32), 0)
	}
}

func (c *CPUInterface) readHighest0() uint64 { return uint64(c.highestOf(false)) }
func (c *CPUInterface) readHighest1() uint64 { return uint64(c.highestOf(true)) }

// highestOf is the highest pending interrupt if it is of the group; the mask and the running priority do not matter.
func (c *CPUInterface) highestOf(group1 bool) gic.INTID {
	if c.highest.group1 != group1 {
		return gic.Spurious
	}
	return c.highest.id
}

func (c *CPUInterface) readRunning() uint64 {
	if c.running == uint8(gic.IdlePriority) {
		return uint64(gic.IdlePriority)
	}
	return uint64(c.r.g.spec.seenPriority(c.running))
}

func (c *CPUInterface) readMask() uint64 { return uint64(c.r.g.spec.seenPriority(c.mask)) }

// writeMask sets the priority mask. Non-secure software cannot touch a mask in firmware's half.
func (c *CPUInterface) writeMask(v uint64) {
	spec := &c.r.g.spec
	m := uint8(gic.ICC_PMR_EL1_Priority.Get(v))
	if !spec.DS {
		if c.mask&secureHalf == 0 {
			return
		}
		m = secureHalf | m>>1
	}
	c.mask = m & priorityMask(spec.CPUPriorityBits)
	c.signal()
}

func (c *CPUInterface) readBPR0() uint64 { return uint64(c.bpr0) }

func (c *CPUInterface) writeBPR0(v uint64) {
	c.bpr0 = max(uint8(gic.ICC_BPR0_EL1_BinaryPoint.Get(v)), c.r.g.spec.minBPR0())
	c.signal()
}

// readBPR1: with CBPR the register shows what Group 0's means for Group 1, and ignores writes.
func (c *CPUInterface) readBPR1() uint64 {
	if c.cbpr {
		return uint64(min(c.bpr0+1, 7))
	}
	return uint64(c.bpr1)
}

func (c *CPUInterface) writeBPR1(v uint64) {
	if !c.cbpr {
		c.bpr1 = max(uint8(gic.ICC_BPR1_EL1_BinaryPoint.Get(v)), c.r.g.spec.minBPR0()+1)
		c.signal()
	}
}

func (c *CPUInterface) readCtlr() uint64 {
	spec := &c.r.g.spec
	v := gic.ICC_CTLR_EL1_CBPR.Put(0, bits.Flag(c.cbpr))
	v = gic.ICC_CTLR_EL1_EOImode.Put(v, bits.Flag(c.eoiMode))
	v = gic.ICC_CTLR_EL1_PRIbits.Put(v, uint64(spec.CPUPriorityBits-1))
	v = gic.ICC_CTLR_EL1_IDbits.Put(v, uint64(spec.INTIDs))
	v = gic.ICC_CTLR_EL1_A3V.Put(v, bits.Flag(spec.A3V))
	return gic.ICC_CTLR_EL1_RSS.Put(v, bits.Flag(spec.RSS))
}

func (c *CPUInterface) writeCtlr(v uint64) {
	if c.r.g.spec.DS { // with two security states it is an alias of ICC_CTLR_EL3.CBPR_EL1NS, and read-only
		c.cbpr = gic.ICC_CTLR_EL1_CBPR.Is(v)
	}
	c.eoiMode = gic.ICC_CTLR_EL1_EOImode.Is(v)
	c.signal()
}

// readSRE: there is no other interface than the system registers.
func (c *CPUInterface) readSRE() uint64 {
	return uint64(gic.ICC_SRE_EL1_SRE | gic.ICC_SRE_EL1_DFB | gic.ICC_SRE_EL1_DIB)
}

func (c *CPUInterface) readEnable0() uint64 { return bits.Flag(c.enabled.group0) }
func (c *CPUInterface) readEnable1() uint64 { return bits.Flag(c.enabled.group1) }

func (c *CPUInterface) writeEnable0(v uint64) {
	c.enable(groups{gic.ICC_IGRPEN0_EL1_Enable.Is(v), c.enabled.group1})
}

func (c *CPUInterface) writeEnable1(v uint64) {
	c.enable(groups{c.enabled.group0, gic.ICC_IGRPEN1_EL1_Enable.Is(v)})
}

func (c *CPUInterface) enable(enabled groups) {
	if enabled == c.enabled {
		return
	}
	c.enabled = enabled
	c.r.g.dist.changed = true
	c.r.spiStale = true
	c.r.participationChanged()
	c.r.g.touch(c.r)
	c.r.g.settle()
}
