package cpu

import (
	"fmt"
	mathbits "math/bits"

	"github.com/hwscript/hwscript/hardware/sim"
)

// Privilege is a level of privilege that has an interrupt input and a handler of its own.
type Privilege uint8

// The privileges. Programs run as Supervisor.
const (
	Supervisor Privilege = iota // the kernel's
	Firmware                    // RISC-V's machine mode, Arm's EL3

	privileges = 2
)

const allInputs uint8 = 1<<privileges - 1

// interrupts are the interrupt inputs, one for each privilege. The input of a higher privilege than that of what runs
// is always taken; the own one unless it is masked; a lower one waits.
//
// Invariant: enabled follows from masked, at and power, by update, and the program's attention from level and enabled,
// by [CPU.attend].
type interrupts struct {
	vectors [privileges]Vector
	level   uint8 // inputs that are high, a bit each
	masked  uint8 // privileges that mask their own input, a bit each
	enabled uint8 // inputs that would be taken now, a bit each
	at      Privilege
	power   Power
	wakeUp  bool // an input that ends a WFI and is never taken
	nested  int  // handlers that run, one inside the other
}

// pending reports whether an interrupt is to be taken.
func (i *interrupts) pending() bool { return i.level&i.enabled != 0 }

// shut reports whether none is taken, whatever comes: an input without a handler is never high.
func (i *interrupts) shut() bool {
	return i.enabled&1 == 0 && (i.enabled == 0 || i.vectors[Firmware] == nil)
}

// mask masks the input of a privilege for what runs at it, or no longer does.
func (c *CPU) mask(p Privilege, masked bool) {
	in := &c.interrupts
	if in.masked &^= 1 << p; masked {
		in.masked |= 1 << p
	}
	in.update()
	c.attend()
}

// attend makes the program look at its next step if an interrupt is to be taken.
func (c *CPU) attend() { c.proc.Attend(c.interrupts.pending()) }

func (i *interrupts) update() {
	i.enabled = allInputs << i.at &^ (i.masked & (1 << i.at))
	switch i.power {
	case On:
	case Held:
		i.enabled &^= 1<<Firmware - 1
	default:
		i.enabled = 0
	}
}

// SetVector installs the interrupt handler of the kernel.
func (c *CPU) SetVector(v Vector) { c.SetVectorOf(Supervisor, v) }

// SetVectorOf installs the interrupt handler of a privilege.
func (c *CPU) SetVectorOf(p Privilege, v Vector) { c.interrupts.vectors[p] = v }

// SetIRQ drives the kernel's interrupt input, at the engine's present. The interrupt controller calls it.
func (c *CPU) SetIRQ(level bool) { c.SetInput(Supervisor, level) }

// SetInput drives the interrupt input of a privilege, at the engine's present.
func (c *CPU) SetInput(p Privilege, level bool) {
	if c.graph != nil {
		return // the graph says what is pending, and when it is taken
	}
	in := &c.interrupts
	if in.level &^= 1 << p; level {
		in.level |= 1 << p
	}
	c.attend()
	if level {
		c.signal()
	}
}

// SetWakeUp drives the input that ends a WFI and is never taken, at the engine's present: what asks a CPU to wake up
// has no handler here.
func (c *CPU) SetWakeUp(level bool) {
	if c.graph != nil {
		if level {
			c.graph.refuse("a request to wake up, or a fast interrupt", errNotModelled)
		}
		return
	}
	if c.interrupts.wakeUp = level; level {
		c.signal()
	}
}

// signal makes the CPU see that an input is high.
func (c *CPU) signal() {
	in := &c.interrupts
	switch {
	case in.pending() && !c.proc.Busy():
		c.proc.Start(c, c.engine.Now())
	case in.pending():
		c.proc.Interrupt()
	case c.waiting.forInterrupt && in.power == On:
		c.proc.Wake(c.engine.Now()) // even a masked one ends the wait
	}
}

// IRQ is the level of the kernel's interrupt input.
func (c *CPU) IRQ() bool { return c.interrupts.level&(1<<Supervisor) != 0 }

// TakeInterrupt takes interrupts at the program's time, one after another while one is pending: none if the input
// was lowered in the meantime.
func (c *CPU) TakeInterrupt() {
	for c.interrupts.pending() {
		c.takeOne(Privilege(mathbits.Len8(c.interrupts.level&c.interrupts.enabled) - 1))
	}
}

// takeOne runs the handler of an input, the highest, with that input masked. The wait that the interrupt cut short, if
// any, begins anew afterwards.
func (c *CPU) takeOne(p Privilege) {
	in := &c.interrupts
	from := in.at
	c.memory.Interrupted()
	c.engine.Cancel(c.waiting.timeout)
	in.at = p
	in.nested++
	c.mask(p, true)
	var saved uint64
	if c.ports.Arch != nil {
		saved = c.ports.Arch.Taken()
	}
	c.account.lastTaken, c.account.before = c.proc.Now(), c.spent
	if c.tracing() {
		c.trace("takes an interrupt")
	}
	if c.waiting.forInterrupt {
		c.waiting.forInterrupt = false
		c.work(Exception, c.spec.WakeUp)
	}
	c.stats.Interrupts++
	c.work(Exception, c.spec.ExceptionEntry)
	if in.vectors[p] == nil {
		panic(fmt.Sprintf("BUG: CPU%d takes an interrupt without a handler", c.ID))
	}
	in.vectors[p].IRQ(c)
	c.work(Exception, c.spec.ExceptionReturn)
	c.proc.Sync() // what was masked stays masked up to here
	in.at = from
	in.nested--
	c.mask(p, false)
	if c.ports.Arch != nil {
		c.ports.Arch.Returned(saved)
	}
	if c.tracing() {
		c.trace("returns from the interrupt")
	}
}

// LastInterrupt is the time at which the CPU took its last interrupt, and what it had spent by then: before it woke up
// and before exception entry.
func (c *CPU) LastInterrupt() (sim.Time, Spent) { return c.account.lastTaken, c.account.before }

// MaskIRQ masks the interrupt input of what runs, or unmasks it and takes what is pending.
func (c *CPU) MaskIRQ(masked bool) {
	if masked {
		c.Boundary() // an interrupt that came before is taken before
		c.mask(c.interrupts.at, true)
		c.maskGraph()
		return
	}
	c.proc.Sync()
	c.mask(c.interrupts.at, false)
	c.maskGraph()
	c.Boundary()
}

// SetMask is MaskIRQ by an instruction: within its step, at whose end what is pending is taken.
func (c *CPU) SetMask(masked bool) {
	c.mask(c.interrupts.at, masked)
}

// IRQMasked reports whether what runs masks its own interrupt input.
func (c *CPU) IRQMasked() bool { return c.interrupts.masked&(1<<c.interrupts.at) != 0 }
