package tests

import (
	"fmt"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/its"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
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
	message(device uint32, addr uint64, v uint32) // a device writes 32 bits
	setLine(id uint64, level bool)
	lineChange() (id uint64, level, ok bool) // the next change of an interrupt input that was not asked for yet
	readSys(cpu int, name string) (uint64, bool)
	writeSys(cpu int, name string, v uint64) bool
}

// oracleCPUs is the number of CPUs of the recorded machine.
const oracleCPUs = 4

// machineTarget is the virt machine as it comes out of reset: no kernel has run. Its CPUs make the accesses.
type machineTarget struct {
	t      *testing.T
	m      *machine.Machine
	cpus   [oracleCPUs]oracleCPU
	inputs []inputChange
}

// oracleCPU sleeps with interrupts masked, so that ISR_EL1 shows them and nobody takes them, until it has something to
// do.
type oracleCPU struct {
	*arm.PE
	task func()
}

func (c *oracleCPU) Run(*sim.Proc) {
	c.MaskIRQ(true)
	for {
		c.WaitForEvent()
		c.task()
	}
}

type inputChange struct {
	id    uint64
	level bool
}

// oracleSecurity is the security of the GIC that a trace was recorded on.
type oracleSecurity struct {
	name           string
	ds             bool
	nonSecureReset bool
}

// oracleITSSpec is the recorded machine's ITS, which says that entries of interrupt translation tables have 12 bytes.
func oracleITSSpec() *machine.ITSSpec {
	s := its.DefaultSpec(nil)
	s.ITTEntry = 12
	return &machine.ITSSpec{Base: oracleITS, ITS: s}
}

// newMachineTarget builds the machine, with the GIC's identification and options as virt has them.
func newMachineTarget(t *testing.T, security oracleSecurity) oracleTarget {
	t.Helper()
	spec, ok := machine.Preset("virt")
	if !ok {
		t.Fatal("no machine virt")
	}
	spec.CPUs = oracleCPUs
	board := spec.Board.(*machine.ArmSpec)
	board.GIC.DS, board.GIC.NonSecureReset = security.ds, security.nonSecureReset
	board.GIC.PendingWrites = true // as the recorder does
	board.ITS = oracleITSSpec()
	m, err := machine.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	g := &machineTarget{t: t, m: m}
	for i := range g.cpus {
		g.cpus[i].PE = armBoard(m).PE(i)
		if err := m.Spawn(i, &g.cpus[i]); err != nil {
			t.Fatal(err)
		}
	}
	g.settle()
	return g
}

// on lets a CPU do something, and what it sets off happen.
func (g *machineTarget) on(cpu int, task func(c *oracleCPU)) {
	c := &g.cpus[cpu]
	c.task = func() { task(c) }
	c.SetEvent(g.m.Engine.Now())
	g.settle()
}

// settle lets what is under way arrive.
func (g *machineTarget) settle() {
	if err := g.m.Engine.Drive(nil); err != nil {
		g.t.Fatal(err)
	}
}

func (g *machineTarget) reset() {
	armBoard(g.m).GIC().Reset()
	armBoard(g.m).ITS().Reset()
	g.settle()
}

func (g *machineTarget) read(addr uint64, w bus.Width) (v uint64) {
	g.on(0, func(c *oracleCPU) {
		if c.Check(addr, uint8(w), bus.Read) == nil { // else there is nothing, which reads as zero
			v = c.Load(addr, uint8(w), bus.Plain)
		}
	})
	return v
}

func (g *machineTarget) write(addr uint64, w bus.Width, v uint64) {
	g.on(0, func(c *oracleCPU) {
		if c.Check(addr, uint8(w), bus.Write) == nil {
			c.Store(addr, uint8(w), v, bus.Plain)
		}
	})
}

func (g *machineTarget) readMemory(addr, n uint64) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.m.Memory.Peek(addr+uint64(i), 1))
	}
	return b
}

func (g *machineTarget) writeMemory(addr uint64, b []byte) {
	for i, v := range b {
		g.m.Memory.Poke(addr+uint64(i), 1, uint64(v))
	}
}

func (g *machineTarget) message(device uint32, addr uint64, v uint32) {
	master := &bus.Master{Name: fmt.Sprintf("device %d", device), DeviceID: device}
	port := g.m.Memory.NewPort(master, mem.Place{}, &g.m.Devices)
	port.Transact(&bus.Transaction{
		Master: master, At: g.m.Engine.Now(), Addr: bus.Addr(addr), Len: 4, Op: bus.Write, Data: [8]uint64{uint64(v)},
	})
	g.settle()
}

func (g *machineTarget) setLine(id uint64, level bool) {
	if line, err := armBoard(g.m).GIC().SPI(gic.INTID(id)); err == nil { // else no such input, as a difference may show
		line.SetLine(level)
	}
	g.settle()
	g.inputs = append(g.inputs, inputChange{id, level})
}

func (g *machineTarget) lineChange() (id uint64, level, ok bool) {
	if len(g.inputs) == 0 {
		return 0, false, false
	}
	first := g.inputs[0]
	g.inputs = g.inputs[1:]
	return first.id, first.level, true
}

// sysReg finds an encoding in both manuals.
func (g *machineTarget) sysReg(name string) bits.SysReg {
	for _, t := range []bits.Table{gic.Registers, a64.Registers} {
		if r, ok := t.Lookup(name); ok && r.Where == bits.InSystem {
			return bits.SysReg(r.Addr)
		}
	}
	g.t.Fatalf("unknown system register %s", name)
	return 0
}

func (g *machineTarget) readSys(cpu int, name string) (v uint64, ok bool) {
	g.on(cpu, func(c *oracleCPU) { v, ok = c.CPU.ReadSys(g.sysReg(name)) })
	return v, ok
}

func (g *machineTarget) writeSys(cpu int, name string, v uint64) (ok bool) {
	g.on(cpu, func(c *oracleCPU) { ok = c.CPU.WriteSys(g.sysReg(name), v) })
	return ok
}
