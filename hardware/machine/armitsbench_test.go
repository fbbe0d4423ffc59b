package machine_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/machine"
)

// lpiLoop is a machine on which a device's event 0 goes to CPU1, whose handler counts.
type lpiLoop struct {
	m     *machine.Machine
	dev   *irqchip.ITSDevice
	x     bus.Transaction
	taken int
}

func newLPILoop(t testing.TB) *lpiLoop {
	l := &lpiLoop{m: boot(t, "qdf2400", nil)}
	c := l.m.CPUs[0]
	var err error
	if e := l.m.Run(0, program(func() {
		if l.dev, err = armBoard(l.m).Driver().ITSCreateDevice(c, 8, 4); err == nil {
			err = l.dev.Activate(c, 0, 1)
		}
		if err == nil {
			err = l.dev.SetEnabled(c, 0, true)
		}
		l.dev.Request(0, func(*cpu.CPU, uint64) { l.taken++ })
	})); e != nil || err != nil {
		t.Fatal(e, err)
	}
	l.x = bus.Transaction{
		Master: &bus.Master{Name: "device", DeviceID: 8}, Len: 4, Op: bus.Write,
		Addr: bus.Addr(armBoard(l.m).ITSBase() + gic.GITS_TRANSLATER),
	}
	return l
}

// message is one LPI: a device writes, the ITS and the redistributor look it up, and the kernel's handler runs.
func (l *lpiLoop) message(t testing.TB) {
	l.x.At, l.x.Data[0] = l.m.Engine.Now(), 0
	l.m.Devices.Transact(&l.x)
	if err := l.m.Engine.Drive(nil); err != nil {
		t.Error(err)
	}
}

// BenchmarkLPI is one LPI from end to end.
func BenchmarkLPI(b *testing.B) {
	l := newLPILoop(b)
	b.ReportAllocs()
	for b.Loop() {
		l.message(b)
	}
	if l.taken != b.N {
		b.Fatalf("%d of %d taken", l.taken, b.N)
	}
}

// BenchmarkLPIByCommand is one LPI by INT and SYNC, with all that the driver does for them.
func BenchmarkLPIByCommand(b *testing.B) {
	l := newLPILoop(b)
	b.ReportAllocs()
	b.ResetTimer()
	if err := l.m.Run(0, program(func() {
		for range b.N {
			if err := l.dev.SendINT(l.m.CPUs[0], 0); err != nil {
				b.Error(err)
			}
		}
	})); err != nil {
		b.Fatal(err)
	}
	if err := l.m.Drive(nil); err != nil || l.taken != b.N {
		b.Fatalf("%d of %d taken, %v", l.taken, b.N, err)
	}
}

// An LPI allocates nothing.
func TestLPIAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	l := newLPILoop(t)
	for range 100 {
		l.message(t)
	}
	if n := testing.AllocsPerRun(100, func() { l.message(t) }); n != 0 {
		t.Errorf("%v allocations for an LPI", n)
	}
}
