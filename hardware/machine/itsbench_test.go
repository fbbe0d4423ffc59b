package machine_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
)

// lpiMessages is a machine with a device whose messages CPU 1 handles.
type lpiMessages struct {
	*itsTest
	t bus.Transaction
}

func newLPIMessages(t testing.TB) *lpiMessages {
	i := &lpiMessages{itsTest: &itsTest{TB: t, m: boot(t, "qdf2400", small(2, func(*irqchip.ITSOptions) {}))}}
	i.run(0, func(c *cpu.CPU) error {
		d, err := i.driver().ITSCreateDevice(c, 8, 4)
		if err != nil {
			return err
		}
		if err := d.Activate(c, 0, 1); err != nil {
			return err
		}
		d.Request(0, func(*cpu.CPU, uint64) { i.count++ })
		return d.SetEnabled(c, 0, true)
	})
	i.t = bus.Transaction{
		Master: &bus.Master{Name: "device", DeviceID: 8}, Op: bus.Write, Len: 4,
		Addr: bus.Addr(armBoard(i.m).ITSBase() + gic.GITS_TRANSLATER),
	}
	return i
}

// send is a message, from the device to the end of its handler.
func (i *lpiMessages) send() {
	i.t.At, i.t.Data[0] = i.m.Engine.Now(), 0
	i.m.Devices.Transact(&i.t)
	if err := i.m.Drive(nil); err != nil {
		i.Fatal(err)
	}
}

// BenchmarkLPI is one LPI end to end: the message, five lookups, the pending table, the kernel's handler.
func BenchmarkLPI(b *testing.B) {
	i := newLPIMessages(b)
	i.send()
	b.ReportAllocs()
	for b.Loop() {
		i.send()
	}
	if i.count < b.N {
		b.Fatalf("%d LPIs of %d", i.count, b.N)
	}
}

func BenchmarkBootITS(b *testing.B) {
	for b.Loop() {
		if err := boot(b, "qdf2400", nil).Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// The way of an LPI allocates nothing.
func TestLPIAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	i := newLPIMessages(t)
	i.send()
	if n := testing.AllocsPerRun(100, i.send); n != 0 {
		t.Errorf("%v allocations for an LPI", n)
	}
	if i.count != 102 {
		t.Errorf("%d LPIs", i.count)
	}
}
