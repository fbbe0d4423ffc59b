package arm64

import "github.com/hwscript/hwscript/hardware/cpu"

// IRQ is [cpu.Vector]: el1h_64_irq and what it calls, up to the interrupt controller's driver.
func (k *Kernel) IRQ(c *cpu.CPU) {
	k.common.PushRegisters(c)
	c.Delay(k.cost.irqEntry)
	count := k.common.IRQEnter(c)
	k.chip.HandleIRQ(c)
	c.Delay(k.cost.irqExit)
	k.common.IRQExit(c, count)
}
