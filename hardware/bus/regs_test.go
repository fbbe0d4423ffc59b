package bus_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/bus"
)

// device is a frame of memory behind registers of every kind.
type device struct {
	ctlr, base uint64
	enable     [4]uint32
	priority   [128]uint8
	router     [128]uint64
}

func (d *device) readCtlr() uint64   { return d.ctlr }
func (d *device) writeCtlr(v uint64) { d.ctlr = v }
func (d *device) readType() uint64   { return 0x1122334455667788 }
func (d *device) readBase() uint64   { return d.base }
func (d *device) writeBase(v, mask uint64) {
	d.base = d.base&^mask | v
}
func (d *device) readEnable(irq int) uint64 { return uint64(d.enable[irq/32]) }
func (d *device) setEnable(irq int, v, _ uint64) {
	d.enable[irq/32] |= uint32(v)
}
func (d *device) readPriority(irq int) uint64 {
	v := uint64(0)
	for i := range 4 {
		if irq+i < len(d.priority) {
			v |= uint64(d.priority[irq+i]) << (8 * i)
		}
	}
	return v
}
func (d *device) writePriority(irq int, v, mask uint64) {
	for ; mask != 0; irq, v, mask = irq+1, v>>8, mask>>8 {
		d.priority[irq] = uint8(v)
	}
}
func (d *device) readRouter(irq int) uint64           { return d.router[irq] }
func (d *device) writeRouter(irq int, v, mask uint64) { d.router[irq] = d.router[irq]&^mask | v }

var deviceRegs = bus.Registers[device]{
	bus.Reg(0x00, bus.W32, (*device).readCtlr, (*device).writeCtlr),
	bus.Reg(0x08, bus.W32|bus.W64, (*device).readType, bus.WI),
	bus.Halves(0x10, (*device).readBase, (*device).writeBase),
	bus.Reserved[device](0x20, 0x10, bus.W32),
	bus.PerIRQ(0x100, 1, 128, bus.W32, (*device).readEnable, (*device).setEnable),
	bus.PerIRQ(0x200, 8, 128, bus.W8|bus.W32, (*device).readPriority, (*device).writePriority),
	bus.PerIRQ(0x800, 64, 128, bus.W32|bus.W64, (*device).readRouter, (*device).writeRouter),
}

var deviceFrame = bus.MustFrame(0x1000, deviceRegs)

func TestFrame(t *testing.T) {
	for _, c := range []struct {
		name string
		off  uint64
		w    bus.Width
		v    uint64
		want uint64 // of the read that follows the write
		ok   bool
	}{
		{"register", 0x00, bus.W32, 0x1_8765_4321, 0x8765_4321, true},
		{"too wide", 0x00, bus.W64, 1, 0, false},
		{"too narrow", 0x00, bus.W8, 1, 0, false},
		{"not aligned", 0x02, bus.W32, 1, 0, false},
		{"hole", 0x04, bus.W32, 1, 0, false},
		{"beyond", 0x1000, bus.W32, 1, 0, false},
		{"no single size", 0x00, bus.W32 | bus.W64, 1, 0, false},
		{"no size", 0x00, 0, 1, 0, false},
		{"read only, low", 0x08, bus.W32, 0, 0x5566_7788, true},
		{"read only, high", 0x0c, bus.W32, 0, 0x1122_3344, true},
		{"reserved", 0x2c, bus.W32, 1, 0, true},
		{"half", 0x14, bus.W32, 0xdead_beef, 0xdead_beef, true},
		{"bit an interrupt", 0x104, bus.W32, 0x5, 0x5, true},
		{"byte", 0x203, bus.W8, 0xab, 0xab, true},
		{"four bytes", 0x27c, bus.W32, 0x4433_2211, 0x4433_2211, true},
		{"half-word of bytes", 0x204, bus.W16, 0xabcd, 0, false},
		{"router", 0x808, bus.W64, 0xff_0000_0001, 0xff_0000_0001, true},
		{"router, high", 0x80c, bus.W32, 0x7, 0x7, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d device
			if ok := deviceFrame.Write(&d, c.off, c.w, c.v); ok != c.ok {
				t.Errorf("write reports %v", ok)
			}
			if got, ok := deviceFrame.Read(&d, c.off, c.w); got != c.want || ok != c.ok {
				t.Errorf("read gives %#x, %v, want %#x, %v", got, ok, c.want, c.ok)
			}
		})
	}
}

func TestHalvesLeaveTheOtherHalf(t *testing.T) {
	var d device
	deviceFrame.Write(&d, 0x10, bus.W64, 0x1111_1111_2222_2222)
	deviceFrame.Write(&d, 0x14, bus.W32, 0x3333_3333)
	if d.base != 0x3333_3333_2222_2222 {
		t.Errorf("base is %#x", d.base)
	}
}

func TestNewFrameRefuses(t *testing.T) {
	word := func(off uint64, w bus.Width) bus.Row[device] {
		return bus.Reg(off, w, (*device).readCtlr, (*device).writeCtlr)
	}
	many := make(bus.Registers[device], 256)
	for i := range many {
		many[i] = word(uint64(4*i), bus.W32)
	}
	for _, c := range []struct {
		table bus.Registers[device]
		want  string
	}{
		{bus.Registers[device]{word(0, bus.W64), word(4, bus.W32)}, "register at 0x4 overlaps the one at 0x0"},
		{bus.Registers[device]{word(0x1000, bus.W32)}, "leaves the frame of 0x1000 bytes"},
		{bus.Registers[device]{word(4, bus.W64)}, "register at 0x4 of 8 bytes is not aligned"},
		{bus.Registers[device]{word(2, bus.W32)}, "not aligned"},
		{bus.Registers[device]{bus.Reserved[device](0, 0, bus.W32)}, "register at 0x0 has no size"},
		{many, "register table of 256 rows"},
	} {
		if _, err := bus.NewFrame(0x1000, c.table); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// row is the plain description that the fuzzer's second opinion searches from end to end.
var plainRows = []struct {
	off, size uint64
	widths    bus.Width
}{
	{0x00, 4, bus.W32}, {0x08, 8, bus.W32 | bus.W64}, {0x10, 8, bus.W32 | bus.W64}, {0x20, 16, bus.W32},
	{0x100, 16, bus.W32}, {0x200, 128, bus.W8 | bus.W32}, {0x800, 1024, bus.W32 | bus.W64},
}

func plainAccepts(off uint64, w bus.Width) bool {
	for _, r := range plainRows {
		if off >= r.off && off-r.off < r.size {
			return (w == 1 || w == 2 || w == 4 || w == 8) && r.widths&w != 0 && off%uint64(w) == 0
		}
	}
	return false
}

// FuzzFrame accesses any offset with any size: no panic, and the answer to "is there such a register" is that of a
// search through the rows.
func FuzzFrame(f *testing.F) {
	f.Add(uint64(0x204), uint8(4), uint64(1))
	f.Add(uint64(0xffff_ffff_ffff_fffc), uint8(8), uint64(1))
	f.Add(uint64(0xbfc), uint8(8), uint64(1))
	f.Fuzz(func(t *testing.T, off uint64, w uint8, v uint64) {
		var d device
		for _, o := range []uint64{off, off % 0x1000} {
			want := plainAccepts(o, bus.Width(w))
			if got := deviceFrame.Write(&d, o, bus.Width(w), v); got != want {
				t.Errorf("write of %d bytes at %#x: %v, want %v", w, o, got, want)
			}
			got, ok := deviceFrame.Read(&d, o, bus.Width(w))
			if ok != want || !ok && got != 0 {
				t.Errorf("read of %d bytes at %#x: %#x, %v, want %v", w, o, got, ok, want)
			}
		}
	})
}

func TestFrameAllocatesNothing(t *testing.T) {
	var d device
	if n := testing.AllocsPerRun(100, func() {
		deviceFrame.Write(&d, 0x100, bus.W32, 1)
		deviceFrame.Read(&d, 0x808, bus.W32)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkFrameRead(b *testing.B) {
	var d device
	sum := uint64(0)
	for i := 0; b.Loop(); i++ {
		v, _ := deviceFrame.Read(&d, 0x100+uint64(i&3)*4, bus.W32)
		sum += v
	}
	if sum != 0 {
		b.Fatal(sum)
	}
}

func ExampleFrame() {
	var d device
	deviceFrame.Write(&d, 0x203, bus.W8, 0xa0)
	v, _ := deviceFrame.Read(&d, 0x200, bus.W32)
	_, ok := deviceFrame.Read(&d, 0x200, bus.W16)
	fmt.Printf("%#x %v\n", v, ok)
	// Output: 0xa0000000 false
}
