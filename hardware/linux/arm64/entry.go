package arm64

import (
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
)

// IRQ is [cpu.Vector]: el1h_64_irq and what it calls, up to the interrupt controller's driver.
func (k *Kernel) IRQ(c *cpu.CPU) {
	c.Enter("el1h_64_irq")
	k.common.PushRegisters(c)
	if k.pseudoNMI {
		k.irqByPriority(c)
	} else {
		k.el1Interrupt(c, false)
	}
	c.Leave()
}

// el1Interrupt is el1_interrupt.
func (k *Kernel) el1Interrupt(c *cpu.CPU, irqsOff bool) {
	c.Delay(k.cost.irqEntry)
	count := k.common.IRQEnter(c)
	k.chip.HandleIRQ(c, irqsOff)
	c.Delay(k.cost.irqExit)
	k.common.IRQExit(c, count)
}

// irqByPriority is the same with pseudo-NMIs: kernel_entry saves ICC_PMR_EL1, which says whether interrupts were off,
// and opens it behind PSTATE.I; kernel_exit restores it.
func (k *Kernel) irqByPriority(c *cpu.CPU) {
	arch := k.common.Arch
	idle := c.FromIdle()
	if idle {
		k.leaveWFI(c)
	}
	pmr := arch.ReadSysreg(c, gic.ICC_PMR_EL1)
	c.Branch(c.Loaded())
	arch.WriteSysreg(c, gic.ICC_PMR_EL1, irqchip.PrioIRQOn|irqchip.PrioPSRISet)
	k.el1Interrupt(c, pmr != irqchip.PrioIRQOn)
	if idle {
		pmr = irqchip.PrioIRQOn // where it came out of WFI by an NMI, the idle loop goes on to local_irq_enable
	}
	arch.WriteSysreg(c, gic.ICC_PMR_EL1, pmr)
}

// leaveWFI is the idle loop behind WFI, which waits with PSTATE.I set and ICC_PMR_EL1 open. The latter is closed before
// the former is cleared (arm_cpuidle_restore_irq_context): an NMI is taken there, with interrupts off. Any other one is
// taken behind local_irq_enable.
func (k *Kernel) leaveWFI(c *cpu.CPU) {
	arch := k.common.Arch
	arch.WriteSysreg(c, gic.ICC_PMR_EL1, irqchip.PrioIRQOff)
	if !c.IRQ() {
		arch.WriteSysreg(c, gic.ICC_PMR_EL1, irqchip.PrioIRQOn)
	}
}
