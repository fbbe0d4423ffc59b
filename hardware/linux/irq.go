package linux

import (
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/cpu"
)

// An IRQChip is the driver of an interrupt controller: struct irq_chip, set_handle_irq, and the callbacks of CPU
// hotplug. Interrupts go by the numbers that the controller gives them.
type IRQChip interface {
	// Init sets the controller up, on the boot CPU.
	Init(c *cpu.CPU) error
	// StartingCPU sets up what of the controller belongs to the CPU, on that CPU.
	StartingCPU(c *cpu.CPU) error
	// UnmaskPercpu enables a set of the CPU's private interrupts, enable_percpu_irq, and MaskPercpu disables it,
	// disable_percpu_irq. SetupNMIs makes a set of them non-maskable, prepare_percpu_nmi.
	UnmaskPercpu(c *cpu.CPU, set uint32)
	MaskPercpu(c *cpu.CPU, set uint32)
	SetupNMIs(c *cpu.CPU, set uint32)
	// IPISendMask interrupts every CPU of the mask.
	IPISendMask(c *cpu.CPU, irq int, mask CPUMask)
	// HandleIRQ is called with interrupts masked when one was taken; irqsOff says that the kernel had switched them off,
	// so that it can only be a pseudo-NMI.
	HandleIRQ(c *cpu.CPU, irqsOff bool)

	// SendsIPI reports whether a write of a system register is what sends IPIs.
	SendsIPI(r bits.SysReg) bool
	// Save keeps what programs change in the driver, and Restore goes back to it.
	Save()
	Restore()
	// Describe is what patches have made of the driver.
	Describe() string
}

// WriteSys is an MSR by a program in place of the kernel; false if it is UNDEFINED. One that sends an IPI is noted as
// the kernel's own is.
func (k *Kernel) WriteSys(c *cpu.CPU, r bits.SysReg, v uint64) bool {
	if k.chip.SendsIPI(r) {
		k.ProbeSend(c)
	}
	return c.WriteSys(r, v)
}

// RequestIRQ installs a handler for an interrupt on all CPUs, in place of the kernel's own if it has one; nil removes
// it. It does not enable the interrupt.
func (k *Kernel) RequestIRQ(irq int, handler Func) {
	if handler == nil {
		delete(k.irqs, irq)
		return
	}
	if k.irqs == nil {
		k.irqs = map[int]Func{}
	}
	k.irqs[irq] = handler
}

// GenericHandleDomainIRQ is generic_handle_domain_irq: it runs the handler of an interrupt, maybe that of an IPI.
func (k *Kernel) GenericHandleDomainIRQ(c *cpu.CPU, irq int) {
	if handler := k.irqs[irq]; handler != nil {
		handler(c, uint64(irq))
		return
	}
	k.port.HandleIPI(c, irq)
}

// SpuriousIRQ counts an interrupt that was gone when it was acknowledged.
func (k *Kernel) SpuriousIRQ(c *cpu.CPU) { k.percpu[c.ID].counts.Spurious++ }

const hardIRQOffset = 1 << 16 // preempt_count: HARDIRQ_OFFSET

// IRQEnter is irq_enter: preempt_count says that an interrupt is handled. It answers what [Kernel.IRQExit] takes.
func (k *Kernel) IRQEnter(c *cpu.CPU) uint64 {
	at := k.percpu[c.ID].threadInfo + tiPreemptCount
	count := readOnce(c, at)
	writeOnce(c, at, count+hardIRQOffset)
	return count
}

// IRQExit is irq_exit.
func (k *Kernel) IRQExit(c *cpu.CPU, count uint64) {
	writeOnce(c, k.percpu[c.ID].threadInfo+tiPreemptCount, count)
}
