package machine_test

import (
	"fmt"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/machine"
)

// The registers of a testDevice.
const (
	deviceBase = 0x0a00_0000
	dataReg    = deviceBase      // what was written last
	countReg   = deviceBase + 8  // how often it was read: reading changes it
	fireReg    = deviceBase + 16 // a write of 1 raises the interrupt line, one of 0 lowers it
	badReg     = deviceBase + 24 // there is none
)

// testDevice is a device with an interrupt line whose state is what it has been told. It counts how often it has begun
// anew.
type testDevice struct {
	line        bus.Line
	data, count uint64
	level       bool
	named       bool // it has fingerprints
	rewinds     int
}

func (d *testDevice) Save()            {}
func (d *testDevice) Restore()         {}
func (d *testDevice) Problem() string  { return "" }
func (d *testDevice) Describe() string { return "test device" }

func (d *testDevice) Rewind() { d.data, d.count, d.level, d.rewinds = 0, 0, false, d.rewinds+1 }

func (d *testDevice) Fingerprint() (string, bool) {
	return fmt.Sprint(d.data, d.count, d.level), d.named
}

func (d *testDevice) ReadReg(off uint64, _ bus.Width) (uint64, bool) {
	switch deviceBase + off {
	case dataReg:
		return d.data, true
	case countReg:
		d.count++
		return d.count, true
	}
	return 0, false
}

func (d *testDevice) WriteReg(off uint64, _ bus.Width, v uint64) bool {
	switch deviceBase + off {
	case dataReg:
		d.data = v
	case fireReg:
		d.level = v != 0
		d.line.SetLine(d.level)
	default:
		return false
	}
	return true
}

const deviceSPI = 40

// device adds a device to the machine whose interrupt, level-sensitive, goes to CPU0.
func (g *graphTest) device(named bool) *testDevice {
	g.t.Helper()
	line, err := armBoard(g.m).Line(deviceSPI, machine.NoCPU)
	if err != nil {
		g.t.Fatal(err)
	}
	d := &testDevice{line: line, named: named}
	if err := g.m.AddDevice("device", deviceBase, 4096, d); err != nil {
		g.t.Fatal(err)
	}
	return d
}

// enableSPI lets the device's interrupt through.
func (g *graphTest) enableSPI(c *cpu.CPU) {
	c.Store(armBoard(g.m).DistributorBase()+gic.GICD_ISENABLER+4, 4, 1<<(deviceSPI-32), bus.Plain)
}

func (g *graphTest) load(c *cpu.CPU, addr uint64) uint64 {
	v := c.Load(addr, 8, bus.Plain)
	c.Branch(c.Loaded())
	return v
}

// Reads without effect are one execution however many there are, if the device can tell its states apart; those that
// change the device come in every order.
func TestGraphDeviceReads(t *testing.T) {
	for _, c := range []struct {
		name  string
		named bool
		reg   uint64
		want  int
	}{
		{"without effect", true, dataReg, 1}, {"with effect", true, countReg, 20},
		{"of a device that cannot tell", false, dataReg, 20},
	} {
		g := newGraphTest(t, 2)
		g.device(c.named)
		read := func(pe *cpu.CPU) {
			for range 3 {
				g.load(pe, c.reg)
			}
		}
		_, r, err := g.tryExplore(read, read)
		if err != nil || r.Executions != c.want || r.Limits != 0 {
			t.Errorf("%s: %d executions, want %d; %v", c.name, r.Executions, c.want, err)
		}
	}
}

// Device-nGnRE (DDI 0487, B2.10): accesses to one device arrive in program order; a write may arrive long after a
// barrier that stands behind it, since it was acknowledged before; what was read has happened.
func TestGraphDeviceOrder(t *testing.T) {
	memory := func(g *graphTest, c *cpu.CPU) { c.Store(g.x, 8, 1, bus.Plain) }
	for _, c := range []struct {
		name           string
		writer, reader func(g *graphTest, c *cpu.CPU)
		want           []string
	}{
		{"memory, DSB ST, device", func(g *graphTest, c *cpu.CPU) {
			memory(g, c)
			c.Fence(arm.DSBST)
			c.Store(dataReg, 8, 1, bus.Plain)
		}, func(g *graphTest, c *cpu.CPU) {
			v := g.load(c, dataReg)
			c.Fence(arm.DSBSY)
			c.Synchronize()
			g.note("%d%d", v, g.load(c, g.x))
		}, []string{"00", "01", "11"}},
		{"memory, device", func(g *graphTest, c *cpu.CPU) {
			memory(g, c)
			c.Store(dataReg, 8, 1, bus.Plain)
		}, func(g *graphTest, c *cpu.CPU) {
			v := g.load(c, dataReg)
			c.Fence(arm.DSBSY)
			g.note("%d%d", v, g.load(c, g.x))
		}, []string{"00", "01", "10", "11"}},
		{"device, DSB SY, memory", func(g *graphTest, c *cpu.CPU) {
			c.Store(dataReg, 8, 1, bus.Plain)
			c.Fence(arm.DSBSY)
			memory(g, c)
		}, func(g *graphTest, c *cpu.CPU) {
			v := g.load(c, g.x)
			c.Fence(arm.DSBSY)
			g.note("%d%d", v, g.load(c, dataReg))
		}, []string{"00", "01", "10", "11"}},
		{"device, the device read, DSB SY, memory", func(g *graphTest, c *cpu.CPU) {
			c.Store(dataReg, 8, 1, bus.Plain)
			g.load(c, dataReg)
			c.Fence(arm.DSBSY)
			memory(g, c)
		}, func(g *graphTest, c *cpu.CPU) {
			v := g.load(c, g.x)
			c.Fence(arm.DSBSY)
			g.note("%d%d", v, g.load(c, dataReg))
		}, []string{"00", "01", "11"}},
		{"two writes to one device", func(_ *graphTest, c *cpu.CPU) {
			c.Store(dataReg, 8, 1, bus.Plain)
			c.Store(dataReg, 8, 2, bus.Plain)
		}, func(g *graphTest, c *cpu.CPU) {
			v := g.load(c, dataReg)
			g.note("%d%d", v, g.load(c, dataReg))
		}, []string{"00", "01", "02", "11", "12", "22"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, named := range []bool{true, false} {
				g := newGraphTest(t, 2)
				g.device(named)
				g.want(g.explore(func(pe *cpu.CPU) { c.writer(g, pe) }, func(pe *cpu.CPU) { c.reader(g, pe) }), c.want...)
			}
		})
	}
}

// What a device does to its interrupt line is on its way for a while: when the handler has made it low and ends the
// interrupt, the distributor may still see it high. Then the interrupt comes again, and its acknowledgement finds it or
// nothing.
func TestGraphDeviceInterrupt(t *testing.T) {
	g := newGraphTest(t, 1)
	g.device(true)
	g.handle(0, func(c *cpu.CPU, intid uint64) {
		g.note("took %d, data %d", intid, g.load(c, dataReg))
		c.Store(fireReg, 8, 0, bus.Plain)
	})
	lines := g.explore(func(c *cpu.CPU) {
		g.enableSPI(c)
		c.Store(dataReg, 8, 7, bus.Plain)
		c.Store(fireReg, 8, 1, bus.Plain)
	})
	once, again := false, false
	for _, l := range lines {
		switch l {
		case "took 40, data 7":
			once = true
		case "spurious took 40, data 7", "took 40, data 7 took 40, data 7":
			again = true
		}
	}
	if !once || !again {
		t.Errorf("once %v, again %v", once, again)
	}
	for _, l := range lines {
		if l == "" || l[0] == '!' {
			t.Errorf("lost: %q", l)
		}
	}
}

// An interrupt that the distributor does not let through is lost, if nobody else looks: enabling it is an access to the
// distributor, which other CPUs may make before or after.
func TestGraphDistributor(t *testing.T) {
	g := newGraphTest(t, 2)
	g.device(true)
	g.handle(0, func(c *cpu.CPU, intid uint64) {
		g.note("took %d", intid)
		c.Store(fireReg, 8, 0, bus.Plain)
		g.load(c, dataReg)
		c.Fence(arm.DSBSY)
	})
	lines := g.explore(func(c *cpu.CPU) { c.Store(fireReg, 8, 1, bus.Plain) }, g.enableSPI)
	for _, l := range lines {
		if l == "" {
			t.Error("an interrupt that was enabled did not come")
		}
	}
}

// The first access that a device does not know, or that is UNPREDICTABLE, is the one that is named.
func TestGraphIllegalAccess(t *testing.T) {
	g := newGraphTest(t, 1)
	g.want(g.explore(func(c *cpu.CPU) {
		c.WriteSys(gic.ICC_EOIR1_EL1, 1)
		c.WriteSys(gic.ICC_EOIR1_EL1, 2)
	}), "! illegal device state: CPU0 wrote EOIR while no interrupt of that group has the running priority, INTID 1")
}

// An interrupt that is pending in the end is lost.
func TestGraphLostInterrupt(t *testing.T) {
	g := newGraphTest(t, 2)
	g.handle(0, func(*cpu.CPU, uint64) { g.note("took") })
	g.want(g.explore(func(c *cpu.CPU) { c.WriteSys(gic.ICC_PMR_EL1, 0) }, func(c *cpu.CPU) {
		c.WriteSys(gic.ICC_SGI1R_EL1, g.sgiTo(3, 0))
	}), "! lost interrupt: INTID 3 is pending at CPU0", "took")
}
