package tests

import (
	"fmt"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/sim"
)

// oracleTarget is what a trace is replayed against: the devices of a machine, seen from outside, with CPUs that do
// nothing by themselves. Everything that an operation sets off has happened when it returns.
type oracleTarget interface {
	reset()
	read(addr uint64, w bus.Width) uint64
	write(addr uint64, w bus.Width, v uint64)
	readMemory(addr, n uint64) []byte
	writeMemory(addr uint64, b []byte)
	setLine(id uint64, level bool)
	lineChange() (id uint64, level, ok bool) // the next change of an interrupt input that was not asked for yet
	readSys(cpu int, name string) (uint64, bool)
	writeSys(cpu int, name string, v uint64) bool
}

// oracleCPUs is the number of CPUs of the recorded machine.
const oracleCPUs = 4

// gicTarget is the interrupt controller of the virt machine.
type gicTarget struct {
	t       *testing.T
	eng     *sim.Engine
	gic     *gicv3.GIC
	spec    gicv3.Spec
	devices bus.Map
	memory  map[uint64]byte
	inputs  []inputChange
	ports   [oracleCPUs]oraclePort
}

type inputChange struct {
	id    uint64
	level bool
}

// oraclePort is a CPU's inputs; ISR_EL1 shows them.
type oraclePort struct {
	eng      *sim.Engine
	irq, fiq bool
}

func (p *oraclePort) SetIRQ(level bool) { p.irq = level }
func (p *oraclePort) SetFIQ(level bool) { p.fiq = level }
func (p *oraclePort) Now() sim.Time     { return p.eng.Now() }

type oracleWires struct{}

func (oracleWires) SGI(_, _ int, n uint64) sim.Time { return sim.Time(1+n%7) * sim.Nanosecond }

// oracleSecurity is the security of the GIC that a trace was recorded on.
type oracleSecurity struct {
	name           string
	ds             bool
	nonSecureReset bool
}

// newGICTarget takes the GIC's identification and options from the virt machine itself.
func newGICTarget(t *testing.T, security oracleSecurity) oracleTarget {
	t.Helper()
	spec, ok := machine.Preset("virt")
	if !ok {
		t.Fatal("no machine virt")
	}
	spec.CPUs = oracleCPUs
	m, err := machine.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	g := &gicTarget{t: t, eng: sim.NewEngine(1), spec: m.GIC.Spec(), memory: map[uint64]byte{}}
	g.spec.DS, g.spec.NonSecureReset = security.ds, security.nonSecureReset
	var ports []gicv3.CPUPort
	for i := range g.ports {
		g.ports[i].eng = g.eng
		ports = append(ports, &g.ports[i])
	}
	if g.gic, err = gicv3.New(g.spec, g.eng, oracleWires{}, ports); err != nil {
		t.Fatal(err)
	}
	frame := func(name string, base bus.Addr, size uint64, d bus.Device) {
		if err := g.devices.Add(bus.Region{Name: name, Base: base, Size: size, Device: d}); err != nil {
			t.Fatal(err)
		}
	}
	frame("GICD", bus.Addr(spec.GICDBase), uint64(gic.FrameSize), g.gic.Distributor())
	for i := range oracleCPUs {
		frame(fmt.Sprintf("GICR%d", i), g.spec.RedistributorBase(i), g.spec.Stride(), g.gic.Redistributor(i))
	}
	return g
}

// settle lets what is under way arrive.
func (g *gicTarget) settle() {
	if err := g.eng.Drive(nil); err != nil {
		g.t.Fatal(err)
	}
}

func (g *gicTarget) reset() {
	g.gic.Reset()
	g.settle()
}

func (g *gicTarget) read(addr uint64, w bus.Width) uint64 {
	r := g.devices.Find(bus.Addr(addr))
	if r == nil {
		return 0
	}
	v, _ := r.Device.ReadReg(addr-uint64(r.Base), w) // a hole reads as zero
	return v
}

func (g *gicTarget) write(addr uint64, w bus.Width, v uint64) {
	if r := g.devices.Find(bus.Addr(addr)); r != nil {
		r.Device.WriteReg(addr-uint64(r.Base), w, v) // a hole ignores the write
	}
	g.settle()
}

func (g *gicTarget) readMemory(addr, n uint64) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = g.memory[addr+uint64(i)]
	}
	return b
}

func (g *gicTarget) writeMemory(addr uint64, b []byte) {
	for i, v := range b {
		g.memory[addr+uint64(i)] = v
	}
}

func (g *gicTarget) setLine(id uint64, level bool) {
	if line, err := g.gic.SPI(gic.INTID(id)); err == nil { // else there is no such input, as a difference may show
		line.SetLine(level)
	}
	g.settle()
	g.inputs = append(g.inputs, inputChange{id, level})
}

func (g *gicTarget) lineChange() (id uint64, level, ok bool) {
	if len(g.inputs) == 0 {
		return 0, false, false
	}
	first := g.inputs[0]
	g.inputs = g.inputs[1:]
	return first.id, first.level, true
}

// sysReg finds an encoding in both manuals.
func (g *gicTarget) sysReg(name string) bits.SysReg {
	for _, t := range []bits.Table{gic.Registers, a64.Registers} {
		if r, ok := t.Lookup(name); ok && r.Where == bits.InSystem {
			return bits.SysReg(r.Addr)
		}
	}
	g.t.Fatalf("unknown system register %s", name)
	return 0
}

func (g *gicTarget) readSys(cpu int, name string) (uint64, bool) {
	switch reg := g.sysReg(name); reg {
	case a64.MPIDR_EL1:
		return a64.MPIDR_EL1_RES1.Put(g.spec.MPIDRs[cpu], 1), true
	case a64.ISR_EL1:
		v := uint64(0)
		if g.ports[cpu].irq {
			v |= uint64(a64.ISR_EL1_I)
		}
		if g.ports[cpu].fiq {
			v |= uint64(a64.ISR_EL1_F)
		}
		return v, true
	default:
		return g.gic.CPUInterface(cpu).ReadSys(reg)
	}
}

func (g *gicTarget) writeSys(cpu int, name string, v uint64) bool {
	ok := g.gic.CPUInterface(cpu).WriteSys(g.sysReg(name), v)
	g.settle()
	return ok
}
