package machine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
)

// Public bugs of drivers of the ITS and of LPIs, each with the fault on and off.

// small is qdf2400 with few CPUs, and changes of its driver.
func small(cpus int, change func(o *irqchip.ITSOptions)) func(s *machine.Spec) {
	return func(s *machine.Spec) {
		s.CPUs = cpus
		change(&armSpec(s).Driver.ITS)
	}
}

// Linux a050fa5476d4: behind a wrap of the queue its_wait_for_range_completion misjudges where GITS_CREADR
// is, and returns before its command is done.
func TestBugQueueWrap(t *testing.T) {
	for _, c := range []struct {
		wrap  irqchip.ITSWrap
		early bool
	}{{irqchip.WrapRange, true}, {irqchip.WrapLinear, false}} {
		i := newITSTest(t, small(2, func(o *irqchip.ITSOptions) { o.Wrap = c.wrap }))
		d := i.device(8, 1)
		const slots = 2048
		early := false
		i.run(0, func(pe *cpu.CPU) error {
			for range slots { // twice round
				if err := d.SendINT(pe, 0); err != nil {
					return err
				}
				read, _ := armBoard(i.m).ITS().Control().ReadReg(gic.GITS_CREADR, bus.W64)
				write, _ := armBoard(i.m).ITS().Control().ReadReg(gic.GITS_CWRITER, bus.W64)
				early = early || read != write
			}
			return nil
		})
		if early != c.early {
			t.Errorf("%s: INT returns before the queue is done: %v, want %v", c.wrap, early, c.early)
		}
	}
}

// Linux its_enable_quirk_qdf2400_e0065: the ITS's entries have 16 bytes, GITS_TYPER says 8. A driver that believes it
// allocates half of the table, and the ITS writes over what stands behind it, here its own device table.
func TestBugEntrySize(t *testing.T) {
	for _, fault := range []bool{false, true} {
		i := newITSTest(t, small(2, func(o *irqchip.ITSOptions) { o.NoQuirkE0065 = fault }))
		const events = 64
		var beyond []string
		var end uint64
		i.m.WatchLookups(func(l machine.Lookup) {
			if l.Op == bus.Write && l.Master == "ITS" && l.Addr >= end && l.Addr < end+events*8 {
				beyond = append(beyond, fmt.Sprintf("0x%x", l.Addr-end))
			}
		})
		i.run(0, func(c *cpu.CPU) error {
			d, err := i.driver().ITSCreateDevice(c, 8, events)
			if err != nil {
				return err
			}
			base, size := d.ITT()
			end = base + size
			for event := range events {
				if err := d.Activate(c, event, 1); err != nil {
					return err
				}
			}
			return nil
		})
		if len(beyond) > 0 != fault {
			t.Errorf("fault %v: writes behind the table: %v", fault, beyond)
		}
		if list, _ := armBoard(i.m).ITS().Events(); len(list) > 0 != fault { // it has overwritten the device table
			t.Errorf("fault %v: events %v", fault, list)
		}
	}
}

// HiSilicon kernel-dev PR 39: with maxcpus= an LPI is bound to a CPU that never came up; its collection has RDbase 0,
// which with PTA is the address of no redistributor, and the SYNC behind the command is never done.
func TestBugOfflineCPU(t *testing.T) {
	for _, fault := range []bool{false, true} {
		i := newITSTest(t, func(s *machine.Spec) {
			small(3, func(o *irqchip.ITSOptions) { o.AnyCPU = fault })(s)
			s.Linux.MaxCPUs = 2
			armSpec(s).ITS.ITS.PTA = true
		})
		var err error
		i.run(0, func(c *cpu.CPU) error {
			var d *irqchip.ITSDevice
			if d, err = i.driver().ITSCreateDevice(c, 8, 4); err == nil {
				err = d.Activate(c, 0, 2)
			}
			return nil
		})
		want := "CPU 2 is not online"
		if fault {
			want = "CPU0: ITS queue timeout"
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("fault %v: %v, want %s", fault, err, want)
		}
		if busy := armBoard(i.m).ITS().Busy(); busy != fault {
			t.Errorf("fault %v: the ITS is busy: %v", fault, busy)
		}
	}
}

// TF-A 81519fbf62a2: who sets EnableLPIs again before GICR_CTLR.RWP is 0 loses it, and all LPIs of the CPU with it.
func TestBugRWP(t *testing.T) {
	for _, fault := range []bool{false, true} {
		i := newITSTest(t, func(s *machine.Spec) {
			small(2, func(o *irqchip.ITSOptions) {
				*o = irqchip.DefaultITSOptions(irqchip.ITS517)
				o.NoRWPWait = fault
			})(s)
			s.Latency[machine.RWP].Mean = s.Latency[machine.RWP].High
		})
		d := i.device(8, 1)
		i.run(1, func(c *cpu.CPU) error { return i.driver().ITSRestartLPIs(c) })
		i.run(0, func(c *cpu.CPU) error { return d.SendINT(c, 0) })
		if lost := i.count == 0; lost != fault {
			t.Errorf("fault %v: the LPI is lost: %v", fault, lost)
		}
		if r := i.m.Engine.Remarks().Unpredictable(); (r != nil) != fault {
			t.Errorf("fault %v: remark %+v", fault, r)
		}
	}
}

// kvm-unit-tests its-trigger, as the driver has it: a configuration byte that was written without INV takes effect late
// on a redistributor that keeps configurations, and at once on one that does not.
func TestBugNoINV(t *testing.T) {
	for _, c := range []struct{ cache, taken int }{{0, 1}, {16, 0}} {
		i := newITSTest(t, func(s *machine.Spec) {
			small(2, func(*irqchip.ITSOptions) {})(s)
			armSpec(s).GIC.ConfigCache = c.cache
		})
		d := i.device(8, 1)
		i.run(0, func(pe *cpu.CPU) error {
			if err := d.SetEnabled(pe, 0, false); err != nil {
				return err
			}
			if err := d.SendINT(pe, 0); err != nil { // the redistributor reads that it is disabled
				return err
			}
			return d.SendCLEAR(pe, 0)
		})
		at := d.ConfigAddress(0)
		i.run(0, func(pe *cpu.CPU) error {
			pe.Store(at, 1, pe.Load(at, 1, bus.Plain)|1, bus.Plain)
			return d.SendINT(pe, 0)
		})
		if i.count != c.taken {
			t.Errorf("cache of %d: taken %d times, want %d", c.cache, i.count, c.taken)
		}
		i.run(0, func(pe *cpu.CPU) error { return d.SendINV(pe, 0) })
		if i.count != 1 {
			t.Errorf("cache of %d: taken %d times after INV, want 1", c.cache, i.count)
		}
	}
}
