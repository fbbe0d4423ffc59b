package its_test

import (
	"os"
	"runtime"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/its"
)

// deaf makes redistributors keep nothing of what they hear but how often an LPI was set.
func (t *testbed) deaf() *int {
	n := 0
	t.redists.quiet, t.accesses.off = true, true
	t.redists.taken = func(int, uint32) { n++ }
	return &n
}

// BenchmarkINT is one LPI by a command, without the redistributor: written by a CPU, fetched, looked up, handed over.
func BenchmarkINT(b *testing.B) {
	t := mapped(b)
	set := t.deaf()
	b.ReportAllocs()
	for b.Loop() {
		t.interrupt()
	}
	if *set != b.N {
		b.Fatalf("%d of %d set", *set, b.N)
	}
}

// interrupt is an INT without the helpers of tests, which cost more than it does.
func (t *testbed) interrupt() {
	for n, word := range [...]uint64{uint64(gic.INT), 1, 0, 0} {
		t.mem.Write(0, queue+t.next+8*uint64(n), 8, word, t.eng.Now(), 0)
	}
	t.next = (t.next + 32) % 4096
	t.its.WriteReg(gic.GITS_CWRITER, bus.W64, t.next)
	if err := t.eng.Drive(nil); err != nil {
		t.Error(err)
	}
}

// BenchmarkMessage is one LPI by a device's write to GITS_TRANSLATER, without the redistributor.
func BenchmarkMessage(b *testing.B) {
	for _, translations := range []int{1, 16} {
		b.Run(map[int]string{1: "one at a time", 16: "16 at once"}[translations], func(b *testing.B) {
			s := testSpec()
			s.Translations = translations
			t := mappedWith(b, s)
			set := t.deaf()
			m := &messages{t: t}
			b.ReportAllocs()
			for b.Loop() {
				m.send(16)
			}
			if *set != 16*b.N {
				b.Fatalf("%d of %d set", *set, 16*b.N)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(16*b.N), "ns/LPI")
		})
	}
}

// messages sends messages of device 0 without anything of its own.
type messages struct {
	t *testbed
	x bus.Transaction
}

func (m *messages) send(n int) {
	for range n {
		m.x = bus.Transaction{
			At: m.t.eng.Now(), Addr: itsBase + gic.GITS_TRANSLATER, Len: 4, Op: bus.Write, Data: [8]uint64{1},
		}
		m.t.devices.Transact(&m.x)
	}
	if err := m.t.eng.Drive(nil); err != nil {
		m.t.Error(err)
	}
}

// The paths of an LPI allocate nothing.
func TestLPIAllocatesNothing(tt *testing.T) {
	t := mapped(tt)
	t.deaf()
	m := &messages{t: t}
	for range 200 { // all lines of the queue have been used
		t.interrupt()
		m.send(20)
	}
	if n := testing.AllocsPerRun(100, t.interrupt); n != 0 {
		t.Errorf("%v allocations for an INT", n)
	}
	if n := testing.AllocsPerRun(100, func() { m.send(20) }); n != 0 {
		t.Errorf("%v allocations for 20 messages", n)
	}
}

// A million events are mapped in the simulated memory that their entries take: 300 MB at most. They are fewer unless
// long tests are asked for.
func TestManyEvents(tt *testing.T) {
	const perDevice, limit = 1 << 11, 300 // bytes an event
	events := uint64(1 << 15)
	if os.Getenv("HWSCRIPT_LONG") != "" {
		events = 1 << 20
	}
	s := testSpec()
	s.INTIDBits, s.ITESize = 24, 16
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	t := newTestbed(tt, s)
	t.deaf()
	t.enable(false)
	t.setQueue(16)
	t.enable(true)
	t.run(mapc(0, 0))
	for n := uint64(0); n < events; n++ {
		device, event := n/perDevice, n%perDevice
		if event == 0 {
			t.put(mapd(device, 11, 0x4200_0000+n*16))
		}
		t.put(mapti(device, event, 8192+n, 0))
		if n%1000 == 999 {
			t.run()
		}
	}
	t.run()
	runtime.GC()
	runtime.ReadMemStats(&after)
	used := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	if t.Logf("%d KB for %d events of 16 bytes", used>>10, events); uint64(used) > limit*events {
		t.Errorf("more than %d bytes an event", limit)
	}
	set := t.deaf()
	t.run(op(gic.INT, events/perDevice-1, perDevice-1, 0), op(gic.INT, 0, 0, 0))
	if *set != 2 {
		t.Errorf("%d of 2 set", *set)
	}
	t.events()
}

// BenchmarkNew is an ITS without its machine.
func BenchmarkNew(b *testing.B) {
	s := testSpec()
	t := newBareTestbed(b, s)
	for b.Loop() {
		if _, err := its.New(s, t.eng, its.Ports{Master: &bus.Master{Name: "ITS0"}}); err != nil {
			b.Fatal(err)
		}
	}
}
