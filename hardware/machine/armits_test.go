package machine_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
)

// itsTest is a booted machine with an ITS, and what its handlers have seen.
type itsTest struct {
	testing.TB
	m     *machine.Machine
	taken map[int]int // CPU by LPI
	count int
}

func newITSTest(t *testing.T, change func(s *machine.Spec)) *itsTest {
	return &itsTest{TB: t, m: boot(t, "qdf2400", change), taken: map[int]int{}}
}

func (i *itsTest) driver() *irqchip.GICv3 { return armBoard(i.m).Driver() }

// run lets a CPU run a program, and then everything that it has set off.
func (i *itsTest) run(id int, do func(c *cpu.CPU) error) {
	i.Helper()
	var err error
	if e := i.m.Run(id, program(func() { err = do(i.m.CPUs[id]) })); e != nil {
		i.Fatal(e)
	}
	if err != nil {
		i.Fatal(err)
	}
	if err := i.m.Drive(nil); err != nil {
		i.Fatal(err)
	}
}

// device makes a device whose event 0 is bound to a CPU, enabled, and handled.
func (i *itsTest) device(id uint32, target int) (d *irqchip.ITSDevice) {
	i.run(0, func(c *cpu.CPU) (err error) {
		if d, err = i.driver().ITSCreateDevice(c, id, 4); err != nil {
			return err
		}
		if err := d.Activate(c, 0, target); err != nil {
			return err
		}
		d.Request(0, func(c *cpu.CPU, irq uint64) {
			i.taken[int(irq)] = c.ID
			i.count++
		})
		return d.SetEnabled(c, 0, true)
	})
	return d
}

// Both versions of the driver bring the ITS up, and an INT reaches the handler on the CPU that the event is bound to,
// also after it has moved; discarded, it does not.
func TestITS(t *testing.T) {
	for _, version := range []irqchip.ITSVersion{irqchip.ITS49, irqchip.ITS517} {
		i := newITSTest(t, func(s *machine.Spec) { armSpec(s).Driver.ITS = irqchip.DefaultITSOptions(version) })
		d := i.device(0x108, 3)
		i.run(1, func(c *cpu.CPU) error { return d.SendINT(c, 0) })
		if on, ok := i.taken[d.LPI(0)]; !ok || on != 3 {
			t.Fatalf("%s: taken %v", version, i.taken)
		}
		i.run(1, func(c *cpu.CPU) error {
			if err := d.SetAffinity(c, 0, 40); err != nil {
				return err
			}
			return d.SendINT(c, 0)
		})
		if on := i.taken[d.LPI(0)]; on != 40 || i.count != 2 {
			t.Errorf("%s: taken %v, %d times", version, i.taken, i.count)
		}
		i.run(1, func(c *cpu.CPU) error {
			if err := d.SetEnabled(c, 0, false); err != nil {
				return err
			}
			if err := d.SendINT(c, 0); err != nil {
				return err
			}
			if i.count != 2 {
				t.Errorf("%s: taken although disabled", version)
			}
			return d.SetEnabled(c, 0, true)
		})
		if i.count != 3 {
			t.Errorf("%s: taken %d times", version, i.count)
		}
		if list, _ := armBoard(i.m).ITS().Events(); len(list) != 0 {
			t.Errorf("%s: events %v", version, list)
		}
		for _, p := range armBoard(i.m).Parts() {
			if problem := p.Problem(); problem != "" {
				t.Errorf("%s: %s", version, problem)
			}
		}
	}
}
