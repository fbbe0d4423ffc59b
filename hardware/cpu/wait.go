package cpu

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Forever is a wait without a deadline.
const Forever = sim.Never

// waiting is what a parked program waits for.
type waiting struct {
	timeout      sim.Event // of the wait that the CPU is parked in
	deadline     sim.Time  // of the same wait
	expired      bool      // the deadline of the last wait passed
	forInterrupt bool      // an interrupt ends the wait, even a masked one
	active       bool      // the present wait's condition is asked by the CPU itself only
}

// Wait loads from a location until the value satisfies pred, and answers the value; false when the timeout passed
// first. It stands for the loop that a kernel sleeps in without traffic (smp_cond_load_acquire). pred is a function of
// the value alone, which others ask about what they write.
func (c *CPU) Wait(
	addr uint64, size uint8, order bus.Order, pred func(v uint64) bool, timeout sim.Time,
) (uint64, bool) {
	return c.wait(addr, size, order, pred, timeout, false)
}

// WaitActively is Wait for a condition that does more than to look at the value: the CPU runs it after each write.
func (c *CPU) WaitActively(
	addr uint64, size uint8, order bus.Order, pred func(v uint64) bool, timeout sim.Time,
) (uint64, bool) {
	return c.wait(addr, size, order, pred, timeout, true)
}

func (c *CPU) wait(
	addr uint64, size uint8, order bus.Order, pred func(v uint64) bool, timeout sim.Time, active bool,
) (uint64, bool) {
	if !c.direct(addr, size) {
		addr, _ = c.mustLocate(addr, size, bus.Read)
	}
	interrupted := c.waiting.active // of the wait that the program's interrupt has cut short, if any
	c.waiting.active = active
	v, ok := c.memory.Wait(addr, size, order, pred, timeout)
	c.waiting.active = interrupted
	return v, ok
}

// park waits until the CPU is woken or interrupted, or until the deadline.
func (c *CPU) park(why sim.WaitReason, deadline sim.Time) (woken bool) {
	if c.graph != nil {
		c.graph.refuse("a wait for "+why.What, errNotModelled)
	}
	w := &c.waiting
	w.deadline = deadline
	if deadline != Forever {
		w.timeout = c.engine.Post(&c.timer, max(deadline, c.engine.Now()), c, 0)
	}
	c.stats.Waits++
	begin, before := c.proc.Now(), c.spent
	woken = c.proc.Park(why)
	c.waited(begin, before, woken)
	if deadline != Forever {
		c.engine.Cancel(w.timeout)
	}
	return woken
}

// parkUntil waits until a time, or until an interrupt was taken.
func (c *CPU) parkUntil(at sim.Time) {
	begin, before := c.proc.Now(), c.spent
	c.waited(begin, before, c.proc.ParkUntil(at))
}

// waited charges a wait: all that has passed but for what an interrupt's handler spent, which has its own kinds.
func (c *CPU) waited(begin sim.Time, before Spent, woken bool) {
	elapsed := c.proc.Now() - begin
	if !woken {
		elapsed -= c.spent.Sub(before).Total()
	}
	c.spent[Waiting] += elapsed
}

// Fire receives the CPU's timeouts.
func (c *CPU) Fire(now sim.Time, _ uint64) {
	c.waiting.expired = true
	c.proc.Wake(now)
}

// Wake ends the CPU's wait at a time, or at the deadline if that is earlier: memory calls it when a write drains.
func (c *CPU) Wake(at sim.Time) { c.proc.Wake(min(at, c.waiting.deadline)) }

// Sleep parks the program until Wake, or until somebody else takes the line of the exclusive monitor if that is set. It
// reports whether it was woken: false if an interrupt was taken instead.
func (c *CPU) Sleep(what string) (woken bool) {
	why := sim.WaitReason{What: what}
	if c.monitor.set && c.graph == nil {
		return c.timed.sleepMonitored(why)
	}
	return c.park(why, Forever)
}

// MonitorCleared reports whether somebody else's write has cleared the exclusive monitor, and does so once.
func (c *CPU) MonitorCleared() bool {
	if !c.monitor.set || !c.memory.MonitorCleared() {
		return false
	}
	c.monitor.set = false
	return true
}

// WaitForInterrupt returns when an interrupt is pending, even a masked one; an unmasked one is taken first. What asks
// the CPU to wake up ends it as well.
func (c *CPU) WaitForInterrupt() {
	c.Boundary()
	if c.graph != nil {
		c.graph.waitForInterrupt()
		return
	}
	if c.interrupts.level != 0 || c.interrupts.wakeUp {
		return
	}
	c.waiting.forInterrupt = true
	if c.park(sim.WaitReason{What: "an interrupt"}, Forever) {
		c.work(Exception, c.spec.WakeUp)
	}
	c.waiting.forInterrupt = false
}
