package machine_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/machine"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// bareBoard is a board of another architecture: cores that are nothing but CPUs, and a counter as the only device.
type bareBoard struct {
	cores   []bareCore
	counter counterPart
}

type bareCore struct {
	cpu   *cpu.CPU
	saved cpu.Checkpoint
}

func (c *bareCore) Save()                                  { c.saved = c.cpu.Save() }
func (c *bareCore) Restore()                               { c.cpu.Restore(&c.saved) }
func (c *bareCore) Problem() string                        { return "" }
func (c *bareCore) Describe() string                       { return "bare core" }
func (c *bareCore) CPU() *cpu.CPU                          { return c.cpu }
func (c *bareCore) ReadClock() sim.Time                    { return c.cpu.Now() }
func (c *bareCore) InspectSys(bits.SysReg) (uint64, error) { return 0, errors.New("no registers") }
func (c *bareCore) Dump(w io.Writer, epoch sim.Time)       { c.cpu.Dump(w, epoch) }

// counterPart counts reads of its register, and minds more than one.
type counterPart struct{ reads, saved uint64 }

func (c *counterPart) Save()            { c.saved = c.reads }
func (c *counterPart) Restore()         { c.reads = c.saved }
func (c *counterPart) Describe() string { return "counter" }

func (c *counterPart) Problem() string {
	if c.reads > 1 {
		return fmt.Sprintf("read %d times", c.reads)
	}
	return ""
}

func (c *counterPart) ReadReg(uint64, bus.Width) (uint64, bool) {
	c.reads++
	return c.reads, true
}

func (c *counterPart) WriteReg(uint64, bus.Width, uint64) bool { return false }

const counterBase = 0x1000

func (b *bareBoard) Validate(*machine.Spec) error { return nil }

func (b *bareBoard) Build(m *machine.Machine) (machine.Board, error) {
	for i := range m.CPUs {
		c := cpu.New(i, &cpu.Spec{Clock: sim.Gigahertz, StoreBuffer: 4}, m.Engine)
		c.Connect(cpu.Ports{Memory: m.Memory, Devices: &m.Devices})
		b.cores = append(b.cores, bareCore{cpu: c})
	}
	return b, m.Devices.Add(bus.Region{Name: "counter", Base: counterBase, Size: 0x1000, Device: &b.counter})
}

func (b *bareBoard) Core(cpu int) machine.Core { return &b.cores[cpu] }

func (b *bareBoard) Parts() []machine.Part { return []machine.Part{&b.counter} }

func (b *bareBoard) Arch() linux.Arch { return &arm.Asm{} }

func (b *bareBoard) Plug(k *linux.Kernel) { k.Plug(bareChip{}, nil) }

// bareChip is the driver of no interrupt controller.
type bareChip struct{ linux.IRQChip }

func (bareChip) Save()            {}
func (bareChip) Restore()         {}
func (bareChip) Describe() string { return "no interrupts" }

// TestForeignBoard: a machine knows its cores and parts only as such: timed, it runs them, and it describes, saves and
// restores them and asks each for its problem.
func TestForeignBoard(t *testing.T) {
	spec, _ := machine.Preset("virt")
	board := &bareBoard{}
	spec.CPUs, spec.Board = 3, board
	m, err := machine.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, ok := m.Board.(machine.SoftwareInterrupts); ok {
		t.Error("the board claims interrupts")
	}
	var got uint64
	read := program(func() { got = m.CPUs[2].Load(counterBase, 4, bus.Plain) })
	if err := m.Run(2, read); err != nil || got != 1 {
		t.Fatalf("read %d, %v", got, err)
	}
	text := m.Describe()
	want := "\npart: 3 x bare core\npart: counter\npart: Linux 5.17, no interrupts\n"
	if !strings.Contains(text, want) {
		t.Errorf("Describe: %s\nlacks %s", text, want)
	}
	want = "the interrupt controller of virt cannot be explored as an execution graph"
	if _, err := m.Graphs(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestMastersAreNotExplored: a device that reaches memory by itself is refused by name.
func TestMastersAreNotExplored(t *testing.T) {
	m := boot(t, "virt", nil)
	if err := m.Explorable(); err != nil {
		t.Errorf("without a master: %v", err)
	}
	m.Memory.NewPort(&bus.Master{Name: "ITS0"}, mem.Place{}, nil)
	want := "ITS0 reaches memory by itself: expected a machine in which only CPUs do"
	if err := m.Explorable(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
