package machine_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/sim"
)

// A PE that is switched off takes its redistributor to sleep: an SGI asks for a wake-up and is presented when the PE is
// on again and the interface up.
func TestPowerAndWaker(t *testing.T) {
	const presented = 200 * sim.Nanosecond
	m := boot(t, "virt", func(s *machine.Spec) { s.CPUs, s.Jitter = 2, false })
	g := m.Board.(interface{ GIC() *gicv3.GIC }).GIC()
	waker := func() uint64 {
		v, _ := g.Redistributor(1).ReadReg(gic.GICR_WAKER, bus.W32)
		return v
	}
	m.CPUs[1].SetPower(cpu.Off)
	if v := waker(); v != uint64(gic.GICR_WAKER_ProcessorSleep) {
		t.Errorf("switched off: GICR_WAKER is %#x", v)
	}
	err := m.Run(0, program(func() {
		m.CPUs[0].Delay(5000 * sim.Nanosecond)
		if err := m.Kernel.SMPCallFunctionSingle(m.CPUs[0], 1, nil, 0, false); err != nil {
			t.Error(err)
		}
	}))
	if err == nil {
		err = m.Drive(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	if v := waker(); v != uint64(gic.GICR_WAKER_ProcessorSleep|gic.GICR_WAKER_ChildrenAsleep) {
		t.Errorf("off: GICR_WAKER is %#x", v)
	}
	if n := m.CPUs[1].Stats().Interrupts; n != 0 {
		t.Errorf("%d interrupts while off", n)
	}
	on := m.Engine.Now()
	m.CPUs[1].SetPower(cpu.On)
	if err := m.Drive(nil); err != nil {
		t.Fatal(err)
	}
	at, _ := m.CPUs[1].LastInterrupt()
	if n := m.CPUs[1].Stats().Interrupts; n != 1 || at-on != presented || waker() != 0 {
		t.Errorf("%d interrupts, %s after the PE was on; GICR_WAKER is %#x", n, at-on, waker())
	}
}
