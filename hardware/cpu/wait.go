package cpu

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Forever is a wait without a deadline.
const Forever = sim.Never

// Wait loads from a location until the value satisfies pred, and answers the value; false when the timeout passed
// first. Between two looks the CPU holds the line and costs nothing, as a WFE loop does
// (arch/arm64/include/asm/barrier.h, smp_cond_load_acquire).
func (c *CPU) Wait(
	addr uint64, size uint8, order bus.Order, pred func(v uint64) bool, timeout sim.Time,
) (uint64, bool) {
	if c.explored != nil {
		return c.exploredWait(addr, size, order, pred, timeout)
	}
	deadline := Forever
	if timeout != Forever {
		c.step(0, false) // an interrupt that came before takes nothing from the timeout
		if now := c.proc.Now(); timeout < Forever-now {
			deadline = now + timeout
		}
	}
	for {
		v := c.Load(addr, size, order)
		seen := c.seen // the condition may load as well
		if pred(v) {
			return v, true
		}
		now := c.proc.Now()
		if now >= deadline {
			return v, false
		}
		if drains, inFlight := c.ports.Memory.Watch(c.ID, addr, seen); inFlight {
			c.work(Waiting, max(min(drains, deadline)-now, 0))
			continue
		}
		c.park(sim.WaitReason{What: "a write to line", Addr: addr}, deadline)
		c.ports.Memory.Unwatch(c.ID)
	}
}

// park waits until the CPU is woken or interrupted, or until the deadline.
func (c *CPU) park(why sim.WaitReason, deadline sim.Time) (woken bool) {
	c.deadline = deadline
	if deadline != Forever {
		c.timeout = c.engine.Post(&c.timer, max(deadline, c.engine.Now()), c, arriveTimeout)
	}
	c.stats.Waits++
	begin, before := c.proc.Now(), c.spent
	woken = c.proc.Park(why)
	elapsed := c.proc.Now() - begin
	if !woken {
		elapsed -= c.spent.Sub(before).Total() // what the handler spent, which has its own kinds
	}
	c.spent[Waiting] += elapsed
	if deadline != Forever {
		c.engine.Cancel(c.timeout)
	}
	return woken
}

// Wake ends the CPU's wait for a line at the time at which a write drains, or at the deadline if that is earlier.
// Memory calls it.
func (c *CPU) Wake(at sim.Time) { c.proc.Wake(min(at, c.deadline)) }

// WaitForInterrupt is WFI: it returns when an interrupt is pending, even a masked one; an unmasked one is taken first.
func (c *CPU) WaitForInterrupt() {
	c.step(0, false)
	if c.irqLevel {
		return
	}
	c.inWFI = true
	if c.park(sim.WaitReason{What: "an interrupt"}, Forever) {
		c.work(Exception, c.spec.WFIExit)
	}
	c.inWFI = false
}

// WaitForEvent is WFE: it returns at once and clears the event register if that is set, otherwise when an event
// comes or an interrupt was taken. Unlike WFI it sleeps through a masked interrupt.
func (c *CPU) WaitForEvent() {
	c.step(0, false)
	if !c.eventFlag {
		c.inWFE = true
		woken := c.park(sim.WaitReason{What: "an event"}, Forever)
		c.inWFE = false
		if !woken {
			return // the exception return has set the event register, and it stays set
		}
	}
	c.eventFlag = false
}

// SetEvent sets the event register, as SEV on any CPU does, and wakes a WFE. The machine calls it.
func (c *CPU) SetEvent(at sim.Time) {
	c.touchProgram(true)
	c.eventFlag = true
	if c.inWFE {
		c.proc.Wake(at)
	}
}
