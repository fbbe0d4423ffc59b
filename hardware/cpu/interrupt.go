package cpu

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/sim"
)

// SetIRQ drives the CPU's interrupt input, at the engine's present. The interrupt controller calls it.
func (c *CPU) SetIRQ(level bool) {
	c.touchProgram(true)
	c.irqLevel = level
	if !level {
		return
	}
	switch {
	case !c.proc.Busy():
		c.proc.Start(c, c.engine.Now())
	case c.irqMasked:
		if c.inWFI {
			c.proc.Wake(c.engine.Now())
		}
	default:
		c.proc.Interrupt()
	}
}

// IRQ is the level of the interrupt input.
func (c *CPU) IRQ() bool { return c.irqLevel }

// TakeInterrupt takes interrupts at the program's time, one after another while one is pending: none if the input
// was lowered in the meantime.
func (c *CPU) TakeInterrupt() {
	for c.irqLevel && !c.irqMasked {
		c.takeOne()
	}
}

// takeOne runs the handler with interrupts masked. The wait that the interrupt cut short, if any, begins anew
// afterwards.
func (c *CPU) takeOne() {
	c.ports.Memory.Unwatch(c.ID)
	c.engine.Cancel(c.timeout)
	c.inWFE = false
	c.irqMasked = true
	if c.explored != nil {
		c.explored.EndAwait(c.ID)
		c.explored.Enter(c.ID)
	}
	c.lastTaken, c.spentBefore = c.proc.Now(), c.spent
	if c.tracing() {
		c.trace("takes an interrupt")
	}
	if c.inWFI {
		c.inWFI = false
		c.work(Exception, c.spec.WFIExit)
	}
	c.stats.Interrupts++
	c.work(Exception, c.spec.ExceptionEntry)
	if c.vector == nil {
		panic(fmt.Sprintf("BUG: CPU%d takes an interrupt without a handler", c.ID))
	}
	c.vector.IRQ(c)
	c.work(Exception, c.spec.ExceptionReturn)
	c.proc.Sync() // what was masked stays masked up to here
	c.irqMasked = false
	c.touchProgram(false)
	// An exception return does both (DDI 0487, AArch64.ExceptionReturn).
	c.monitor.set, c.eventFlag = false, true
	if c.tracing() {
		c.trace("returns from the interrupt")
	}
}

// LastInterrupt is the time at which the CPU took its last interrupt, and what it had spent by then: before WFI
// exit and exception entry.
func (c *CPU) LastInterrupt() (sim.Time, Spent) { return c.lastTaken, c.spentBefore }

// MaskIRQ sets PSTATE.I, or clears it and takes what is pending.
func (c *CPU) MaskIRQ(masked bool) {
	if masked {
		c.step(0, false) // an interrupt that came before is taken before
		c.irqMasked = true
		return
	}
	c.proc.Sync()
	c.irqMasked = false
	c.step(0, false)
}

// IRQMasked is PSTATE.I.
func (c *CPU) IRQMasked() bool { return c.irqMasked }

// Start runs a program on the CPU, after the interrupt handler that it may be in. It fails if the CPU runs a
// program already.
func (c *CPU) Start(p sim.Program) error {
	if c.running || c.queued != nil {
		return fmt.Errorf("CPU%d runs a program already", c.ID)
	}
	c.queued = p
	if !c.proc.Busy() {
		c.proc.Start(c, c.engine.Now())
	}
	return nil
}

// Run is the CPU out of its idle loop: interrupts, then the program that was started, then interrupts again.
func (c *CPU) Run(p *sim.Proc) {
	if c.queued == nil {
		c.inWFI = true // the idle loop's WFI
	}
	for {
		switch {
		case c.irqLevel && !c.irqMasked:
			c.TakeInterrupt()
		case c.queued != nil:
			program := c.queued
			c.queued, c.running, c.inWFI = nil, true, false
			program.Run(p)
			p.Settle() // what was masked stays masked up to here
			c.running, c.irqMasked = false, false
			c.touchProgram(false)
		default:
			c.inWFI = false
			return
		}
		if c.irqLevel && !c.irqMasked || c.queued != nil {
			p.Sync()
		} else {
			p.Settle()
		}
	}
}
