package irqchip

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// The priorities of a kernel with pseudo-NMIs (include/linux/irqchip/arm-gic-v3-prio.h): what ICC_PMR_EL1 is while
// interrupts are on, off, and on with PSTATE.I set, and the priorities of interrupts and of NMIs.
const (
	PrioIRQOn    = 0xe0
	PrioIRQOff   = 0xc0
	PrioPSRISet  = 0x10
	prioIRQ      = 0xc0
	prioNMI      = 0x80
	prioIRQBytes = prioIRQ * 0x01010101
)

// SetupNMIs implements [linux.IRQChip]: gic_irq_nmi_setup of SGIs.
func (g *GICv3) SetupNMIs(c *cpu.CPU, set uint32) {
	for intid := range gic.FirstPPI {
		if set>>intid&1 != 0 {
			c.Store(g.percpu[c.ID].gicr+gic.GICR_IPRIORITYR+uint64(intid), 1, prioNMI, bus.Plain)
		}
	}
}

// HandleIRQ implements [linux.IRQChip]: gic_handle_irq.
func (g *GICv3) HandleIRQ(c *cpu.CPU, irqsOff bool) {
	c.Enter("gic_handle_irq")
	switch {
	case !g.Options.PseudoNMI:
		g.handle(c, g.readIAR(c))
	case irqsOff:
		g.handleFromIRQsOff(c)
	default:
		g.handleFromIRQsOn(c)
	}
	c.Leave()
}

// readIAR is gic_read_iar, whose DSB SY stands in arch/arm64/include/asm/arch_gicv3.h.
func (g *GICv3) readIAR(c *cpu.CPU) int {
	intid := int(g.kernel.Arch.ReadSysreg(c, gic.ICC_IAR1_EL1))
	c.Branch(c.Loaded())
	c.Fence(g.dsbSY)
	return intid
}

// handleFromIRQsOn is __gic_handle_irq_from_irqson. Behind an interrupt that is no NMI, NMIs are let through again:
// they nest in the handlers of interrupts, and never in themselves.
func (g *GICv3) handleFromIRQsOn(c *cpu.CPU) {
	arch := g.kernel.Arch
	intid := g.readIAR(c)
	nmi := arch.ReadSysreg(c, gic.ICC_RPR_EL1) == prioNMI // gic_rpr_is_nmi_prio
	c.Branch(c.Loaded())
	if nmi {
		g.handle(c, intid)
	}
	arch.WriteSysreg(c, gic.ICC_PMR_EL1, PrioIRQOff) // gic_pmr_mask_irqs
	c.MaskIRQ(false)                                 // gic_arch_enable_irqs
	if !nmi {
		g.handle(c, intid)
	}
	c.MaskIRQ(true)
}

// handleFromIRQsOff is __gic_handle_irq_from_irqsoff: it acknowledges nothing but an NMI, since the one that has come
// may be gone (do_read_iar).
func (g *GICv3) handleFromIRQsOff(c *cpu.CPU) {
	arch := g.kernel.Arch
	pmr := arch.ReadSysreg(c, gic.ICC_PMR_EL1)
	arch.WriteSysreg(c, gic.ICC_PMR_EL1, PrioIRQOff)
	arch.ISB(c)
	intid := g.readIAR(c)
	arch.WriteSysreg(c, gic.ICC_PMR_EL1, pmr)
	g.handle(c, intid)
}

// handle is __gic_handle_irq, or __gic_handle_nmi: complete the acknowledgement, handle, deactivate.
func (g *GICv3) handle(c *cpu.CPU, intid int) {
	arch := g.kernel.Arch
	if gic.INTID(intid).Special() {
		g.kernel.SpuriousIRQ(c)
		return
	}
	if g.Options.EOImode1 {
		arch.WriteSysreg(c, gic.ICC_EOIR1_EL1, uint64(intid))
	}
	arch.ISB(c)
	c.Delay(g.cost.handleIRQ)
	g.kernel.GenericHandleDomainIRQ(c, intid)
	if g.Options.EOImode1 {
		if intid < int(gic.FirstLPI) { // gic_eoimode1_eoi_irq: an LPI has nothing to deactivate
			arch.WriteSysreg(c, gic.ICC_DIR_EL1, uint64(intid))
			arch.ISB(c)
		}
	} else {
		arch.WriteSysreg(c, gic.ICC_EOIR1_EL1, uint64(intid)) // gic_eoi_irq
		arch.ISB(c)
	}
}
