package cpu

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// A CPU that is off or parked remembers its input, and takes the interrupt when it is on again; it starts no program
// before.
func TestOffCPUTakesNothing(t *testing.T) {
	for _, state := range []Power{Off, Parked, Held} {
		t.Run(state.String(), func(t *testing.T) {
			b := newBoard(t, 1)
			b.handle(0, 0)
			c := b.cpus[0]
			c.SetPower(state)
			b.interrupt(0, 1000*ns)
			b.run()
			b.logged()
			if c.Proc().Busy() || !c.IRQ() || c.Power() != state {
				t.Errorf("busy %v, input %v, %s", c.Proc().Busy(), c.IRQ(), c.Power())
			}
			err := c.Start(bound{c, func(*CPU) {}})
			if want := "CPU0 is " + state.String(); err == nil || err.Error() != want {
				t.Errorf("Start: %v, want %s", err, want)
			}
			c.SetPower(On)
			b.run()
			b.logged("1.07 us CPU0 handler")
			b.alone(0, func(c *CPU) { b.note(c, "program") })
			b.logged("1.07 us CPU0 handler", "1.089 us CPU0 program")
		})
	}
}

// The program's last act is to switch its CPU off.
func TestProgramSwitchesItsCPUOff(t *testing.T) {
	b := newBoard(t, 1)
	b.handle(0, 0)
	b.interrupt(0, 1000*ns)
	b.alone(0, func(c *CPU) { c.Exec(500); c.SetPower(Off) })
	b.logged()
	if c := b.cpus[0]; c.Proc().Busy() || c.Power() != Off {
		t.Errorf("busy %v, %s", c.Proc().Busy(), c.Power())
	}
}

// privileged is a CPU whose firmware's handler notes, and lowers its input.
func privileged(b *board, power Power) *CPU {
	c := b.cpus[0]
	c.SetVectorOf(Firmware, handler(func(c *CPU) {
		b.note(c, "firmware")
		c.SetInput(Firmware, false)
		c.Exec(100)
	}))
	c.SetPower(power)
	return c
}

// raise drives the firmware's input at a time.
type raise struct{ c *CPU }

func (r raise) Fire(at sim.Time, _ uint64) { r.c.SetInput(Firmware, true) }

// Firmware's input is taken where the kernel masks its own, inside the kernel's handler, and while firmware has the
// CPU; the kernel's is not taken inside firmware's handler.
func TestHigherPrivilegePreempts(t *testing.T) {
	t.Run("masked", func(t *testing.T) {
		b := newBoard(t, 1)
		c := privileged(b, On)
		b.handle(0, 0)
		b.interrupt(0, 50*ns)
		b.engine.Post(&b.wires[0].channel, 100*ns, raise{c}, 0)
		b.alone(0, func(c *CPU) {
			c.MaskIRQ(true)
			c.Exec(300)
			c.Load(line(0), 8, bus.Plain)
			if !c.IRQMasked() {
				t.Error("the return from firmware has unmasked the kernel's input")
			}
			c.MaskIRQ(false)
			b.note(c, "unmasked")
		})
		b.logged("120 ns CPU0 firmware", "555 ns CPU0 handler", "574 ns CPU0 unmasked")
	})
	t.Run("handler", func(t *testing.T) {
		b := newBoard(t, 1)
		c := privileged(b, On)
		c.SetVector(handler(func(c *CPU) {
			b.note(c, "handler")
			c.ReadSys(ackReg)
			c.Exec(1000)
			c.Boundary()
			b.note(c, "handler ends")
		}))
		b.interrupt(0, 0)
		b.engine.Post(&b.wires[0].channel, 500*ns, raise{c}, 0)
		b.run()
		b.logged("70 ns CPU0 handler", "520 ns CPU0 firmware", "1.209 us CPU0 handler ends")
	})
	t.Run("inside", func(t *testing.T) {
		b := newBoard(t, 1)
		c := privileged(b, On)
		b.handle(0, 0)
		b.engine.Post(&b.wires[0].channel, 0, raise{c}, 0)
		b.interrupt(0, 100*ns)
		b.run()
		b.logged("70 ns CPU0 firmware", "205 ns CPU0 handler")
	})
	t.Run("held", func(t *testing.T) {
		b := newBoard(t, 1)
		c := privileged(b, Held)
		b.interrupt(0, 10*ns)
		b.engine.Post(&b.wires[0].channel, 100*ns, raise{c}, 0)
		b.run()
		b.logged("170 ns CPU0 firmware")
	})
}
