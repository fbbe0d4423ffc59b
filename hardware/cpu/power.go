package cpu

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/sim"
)

// Power says whether a CPU runs, and for whom:
//
//	          SetPower
//	On  <----------------->  Off     nothing runs; inputs are remembered
//	 ^ <------------------>  Parked  the kernel has parked it for ever, everything masked: it has power, and sleeps in
//	 |                               WFE and WFI, which an input that is high keeps awake
//	 +-------------------->  Held    firmware has it: only firmware's interrupts are taken
type Power uint8

// The states.
const (
	On Power = iota
	Off
	Parked
	Held
)

// String is the state in reports.
func (p Power) String() string { return [...]string{"on", "off", "parked", "held by firmware"}[p] }

// Power is the CPU's power state.
func (c *CPU) Power() Power { return c.interrupts.power }

// SetPower changes the power state of a CPU at the engine's present: its own program as its last act, or whoever
// controls its power while it is idle. What it was interrupted by while it was away is taken when it is on again.
func (c *CPU) SetPower(p Power) {
	c.interrupts.power = p
	c.interrupts.update()
	c.attend()
	if c.ports.Arch != nil {
		c.ports.Arch.Powered(p)
	}
	if c.interrupts.pending() {
		c.signal()
	}
}

// PowerOn switches on a CPU that is off, with interrupts masked, and starts a program on it.
func (c *CPU) PowerOn(p sim.Program) error {
	if c.interrupts.power != Off || c.proc.Busy() {
		return fmt.Errorf("CPU%d is %s: expected one that is off", c.ID, c.interrupts.power)
	}
	c.mask(Supervisor, true)
	c.SetPower(On)
	return c.Start(p)
}

// Stay is the end of what runs on the CPU, be it in an interrupt handler: the CPU is off or parked, and goes on with
// nothing.
func (c *CPU) Stay(p Power) {
	c.Boundary()
	c.mask(c.interrupts.at, true)
	c.SetPower(p)
	for {
		c.park(sim.WaitReason{What: "nothing: it is " + p.String()}, Forever)
	}
}

// FromIdle reports whether the handler that runs has interrupted the idle loop.
func (c *CPU) FromIdle() bool { return !c.program.running && c.interrupts.nested == 1 }

// program is what the CPU runs.
type program struct {
	queued  sim.Program // starts when the interrupt handler that runs now is done
	running bool        // a program, not only an interrupt handler
}

// Start runs a program on the CPU, after the interrupt handler that it may be in. It fails if the CPU runs a
// program already, or is not on.
func (c *CPU) Start(p sim.Program) error {
	if c.program.running || c.program.queued != nil {
		return fmt.Errorf("CPU%d runs a program already", c.ID)
	}
	if c.interrupts.power != On {
		return fmt.Errorf("CPU%d is %s", c.ID, c.interrupts.power)
	}
	c.program.queued = p
	if !c.proc.Busy() {
		c.proc.Start(c, c.engine.Now())
	}
	return nil
}

// Run is the CPU out of its idle loop: interrupts, then the program that was started, then interrupts again.
func (c *CPU) Run(p *sim.Proc) {
	if c.program.queued == nil {
		c.waiting.forInterrupt = true // the idle loop's wait
	}
	for {
		switch {
		case c.interrupts.pending():
			c.TakeInterrupt()
		case c.program.queued != nil:
			run := c.program.queued
			c.program.queued, c.program.running, c.waiting.forInterrupt = nil, true, false
			run.Run(p)
			p.Settle() // what was masked stays masked up to here
			c.program.running = false
			c.mask(Supervisor, false)
		default:
			c.waiting.forInterrupt = false
			return
		}
		if c.interrupts.pending() || c.program.queued != nil {
			p.Sync()
		} else {
			p.Settle()
		}
	}
}
