package machine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/its"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/sim"
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

// The accesses of one command and its SYNC: GITS_CREADR is read for each slot with the lock held, since a050fa5476d4
// once more, then GITS_CWRITER is written, and GITS_CREADR is polled at once and after each microsecond.
func TestITSPosting(t *testing.T) {
	for _, c := range []struct {
		version irqchip.ITSVersion
		want    string
	}{
		{irqchip.ITS49, "lock, CREADR, CREADR, CWRITER, unlock, CREADR, CREADR"},
		{irqchip.ITS517, "lock, CREADR, CREADR, CREADR, CWRITER, unlock, CREADR, CREADR"},
	} {
		i := newITSTest(t, func(s *machine.Spec) {
			small(2, func(o *irqchip.ITSOptions) { *o = irqchip.DefaultITSOptions(c.version) })(s)
		})
		d := i.device(8, 1)
		itt, _ := d.ITT()
		if name := i.m.Symbol(itt + 16); name != "itt of device 0x8+0x10" {
			t.Errorf("%s: the table is called %q", c.version, name)
		}
		var seen []string
		i.m.Engine.Attach(sim.TextTracer(func(_ sim.Time, source, what string) {
			for _, w := range []struct{ prefix, name string }{
				{"cas acquire", "lock"}, {"store release", "unlock"}, {"read GITS+0x90", "CREADR"},
				{"write GITS+0x88", "CWRITER"},
			} {
				if source == "CPU0" && strings.HasPrefix(what, w.prefix) {
					seen = append(seen, w.name)
				}
			}
		}))
		i.run(0, func(pe *cpu.CPU) error { return d.SendINT(pe, 0) })
		if got := strings.Join(seen, ", "); got != c.want {
			t.Errorf("%s: %s, want %s", c.version, got, c.want)
		}
	}
}

// A SYNC stands behind the commands whose builder answers a collection, and behind no other (drivers/irqchip/
// irq-gic-v3-its.c, its_build_*_cmd).
func TestITSSync(t *testing.T) {
	i := newITSTest(t, small(2, func(*irqchip.ITSOptions) {}))
	queue := func(do func(c *cpu.CPU) error) string {
		before, _ := armBoard(i.m).ITS().Control().ReadReg(gic.GITS_CWRITER, bus.W64)
		i.run(0, do)
		after, _ := armBoard(i.m).ITS().Control().ReadReg(gic.GITS_CWRITER, bus.W64)
		base, _ := armBoard(i.m).ITS().Control().ReadReg(gic.GITS_CBASER, bus.W64)
		var names []string
		for at := before; at < after; at += uint64(gic.ITSCommandSize) {
			var c gic.ITSCommand
			for n := range c {
				c[n] = i.m.Memory.Peek(gic.GITS_CBASER_Physical_Address.Get(base)<<12+at+8*uint64(n), 8)
			}
			name, _, _ := strings.Cut(its.DescribeCommand(c), " ")
			names = append(names, name)
		}
		return strings.Join(names, " ")
	}
	var d *irqchip.ITSDevice
	for _, step := range []struct {
		want string
		do   func(c *cpu.CPU) error
	}{
		{"MAPD", func(c *cpu.CPU) (err error) { d, err = i.driver().ITSCreateDevice(c, 8, 4); return err }},
		{"MAPTI SYNC", func(c *cpu.CPU) error { return d.Activate(c, 0, 1) }},
		{"INV SYNC", func(c *cpu.CPU) error { return d.SetEnabled(c, 0, true) }},
		{"MOVI SYNC", func(c *cpu.CPU) error { return d.SetAffinity(c, 0, 0) }},
		{"INT SYNC", func(c *cpu.CPU) error { return d.SendINT(c, 0) }},
		{"CLEAR SYNC", func(c *cpu.CPU) error { return d.SendCLEAR(c, 0) }},
		{"DISCARD SYNC", func(c *cpu.CPU) error { return d.Deactivate(c, 0) }},
		{"MAPD", func(c *cpu.CPU) error { return d.Free(c) }},
	} {
		if got := queue(step.do); got != step.want {
			t.Errorf("%q, want %q", got, step.want)
		}
	}
	boot := ""
	for at := uint64(0); at < 6; at++ {
		base, _ := armBoard(i.m).ITS().Control().ReadReg(gic.GITS_CBASER, bus.W64)
		op := i.m.Memory.Peek(gic.GITS_CBASER_Physical_Address.Get(base)<<12+32*at, 1)
		boot += fmt.Sprintf("%02x ", op)
	}
	if want := "09 05 0d 09 05 0d "; boot != want { // MAPC SYNC INVALL, for each CPU
		t.Errorf("the boot sends %s, want %s", boot, want)
	}
}

// Whether the device table has two levels follows from its size, and what does not stick is adopted: an ITS without
// two levels gets a flat table.
func TestITSTables(t *testing.T) {
	for _, c := range []struct {
		bits     int
		indirect bool
		want     string
	}{
		{16, true, "level 1"}, {16, false, "device"}, {13, true, "device"},
	} {
		i := newITSTest(t, func(s *machine.Spec) {
			small(2, func(*irqchip.ITSOptions) {})(s)
			armSpec(s).ITS.ITS.DeviceBits, armSpec(s).ITS.ITS.Indirect = c.bits, c.indirect
		})
		v, _ := armBoard(i.m).ITS().Control().ReadReg(gic.GITS_BASER, bus.W64)
		if indirect := gic.GITS_BASER_Indirect.Is(v); indirect != (c.want == "level 1") {
			t.Errorf("%d bits, two levels %v: GITS_BASER0 is 0x%x", c.bits, c.indirect, v)
		}
		d := i.device(8, 1)
		var first string
		i.m.WatchLookups(func(l machine.Lookup) {
			if table := armBoard(i.m).Table(l.Addr); first == "" && table != "queue" {
				first = table
			}
		})
		i.run(0, func(pe *cpu.CPU) error { return d.SendINT(pe, 0) })
		if first != c.want || i.count != 1 {
			t.Errorf("%d bits, two levels %v: the first lookup is %s, taken %d times", c.bits, c.indirect, first, i.count)
		}
	}
}
