package its_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// The queue wraps: with pages of 4 KiB, each of 128 commands, of which all but one can wait. IHI 0069, 5.2.
func TestQueueWraps(tt *testing.T) {
	for _, pages := range []uint64{1, 2, 256} {
		t := mapped(tt)
		t.enable(false)
		t.setQueue(pages)
		t.enable(true)
		size := pages * 4096
		for n := uint64(0); n < 2*size; n += 32 {
			t.run(op(gic.INT, 0, n/32%2, 0))
			t.at((n + 32) % size)
		}
		t.redists.heard = nil
		for range size/32 - 1 {
			t.put(op(gic.INT, 0, 0, 0))
		}
		t.run()
		t.at(size - 32)
		if n := len(t.redists.heard); n != int(size/32-1) {
			t.Errorf("%d pages: %d commands in one write of GITS_CWRITER, want %d", pages, n, size/32-1)
		}
		t.events()
	}
}

// Disabling lets the command that is under way end, and no other begin; the ITS is quiescent then. Enabling changes
// neither pointer: the queue goes on where it has stopped. IHI 0069, 12.19.
func TestDisable(tt *testing.T) {
	t := mapped(tt)
	for range 3 {
		t.put(op(gic.INT, 0, 0, 0))
	}
	t.write(gic.GITS_CWRITER, t.next)
	if t.Busy() != true {
		t.Error("quiescent with commands to process")
	}
	t.enable(false)
	if t.Busy() != true {
		t.Error("quiescent with a command under way")
	}
	t.drive()
	t.at(0x100)
	if t.Busy() {
		t.Error("never quiescent")
	}
	t.message(0, 1)
	t.run(op(gic.INT, 0, 0, 0))
	t.at(0x100)
	t.enable(true)
	t.drive()
	t.at(0x160)
	t.events("message DeviceID=0x0 EventID=0x1: the ITS is disabled")
	t.enable(false)
	t.setQueue(1)
	t.write(gic.GITS_CWRITER, 0x40)
	t.at(0)
	if v := t.read(gic.GITS_CWRITER); v != 0x40 {
		t.Errorf("GITS_CWRITER is %#x", v)
	}
	t.write(gic.GITS_CREADR, 0x40)
	t.at(0x40)
	t.enable(true)
	t.drive()
	t.at(0x40)
}

// A pointer beyond the queue stops it until it is good again.
func TestWritePointerBeyondQueue(tt *testing.T) {
	t := mapped(tt)
	t.put(op(gic.INT, 0, 0, 0))
	t.write(gic.GITS_CWRITER, 0x1000)
	t.drive()
	t.at(0xe0)
	t.pending()
	t.run()
	t.at(0x100)
	t.pending([]uint32{8192})
}

// An LPI takes what its parts take, one after another: the look-up of a command, its decoding, the entries of the
// device, the event and the collection, and the way to the redistributor. Each is one transaction, served where the
// line is: the command comes from the CPU that wrote it, the entries from where their commands, with the hint to
// allocate on a write, have put them.
func TestTimeOfINT(tt *testing.T) {
	t := mapped(tt)
	t.put(op(gic.INT, 0, 1, 0))
	t.eng.Post(t.redists.busy, t.eng.Now()+sim.Microsecond, &noop{}, 0)
	t.drive()
	t.accesses.list, t.redists.heard = nil, nil
	begin := t.eng.Now()
	t.write(gic.GITS_CWRITER, t.next)
	t.drive()
	const handOff = 40 * ns
	want := begin + handOff + commandTime + 3*systemTime + handOverTime
	if heard := want.String() + " set 8193 at 1"; !slices.Equal(t.redists.heard, []string{heard}) {
		t.Errorf("heard %q, want %q", t.redists.heard, heard)
	}
	if list := []string{
		"read 32 at 0x410000e0 by the cache", "read 8 at 0x41100000 by the system cache",
		"read 8 at 0x41300008 by the system cache", "read 8 at 0x41200008 by the system cache",
	}; !slices.Equal(t.accesses.list, list) {
		t.Errorf("accesses\n%q, want\n%q", t.accesses.list, list)
	}
}

type noop struct{}

func (*noop) Fire(sim.Time, uint64) {}

// SYNC ends when the redistributor has answered: it is told to behind what it was told before, and the answer takes its
// way back. INT ends when it has been handed to the wire.
func TestSync(tt *testing.T) {
	t := mapped(tt)
	t.redists.delay = 500 * ns
	t.redists.heard = nil
	t.put(op(gic.INT, 0, 1, 0))
	t.put(syncTo(1))
	t.write(gic.GITS_CWRITER, t.next)
	handed := t.when(func() bool { return t.read(gic.GITS_CREADR) == 0x100 })
	synced := t.when(func() bool { return t.read(gic.GITS_CREADR) == 0x120 })
	t.drive()
	want := []string{(*handed + handOverTime).String() + " set 8193 at 1"}
	if len(t.redists.heard) != 2 || t.redists.heard[0] != want[0] || !strings.HasSuffix(t.redists.heard[1], " sync at 1") {
		t.Errorf("heard %q, want %q and the SYNC", t.redists.heard, want)
	}
	// The fetch (the CPU's line is where INT was fetched from), decoding, there, the answer, and back.
	if got, want := *synced-*handed, 40*ns+commandTime+2*handOverTime+500*ns; got != want {
		t.Errorf("SYNC took %s, want %s", got, want)
	}
}

// sampler asks each nanosecond whether something has come true.
type sampler struct {
	t       *testbed
	channel sim.Channel
	what    func() bool
	at      sim.Time
}

// when is the time at which something comes true while the testbed is driven, from the next nanosecond on.
func (t *testbed) when(what func() bool) *sim.Time {
	s := &sampler{t: t, what: what}
	t.eng.Register(&s.channel, "sampler")
	t.eng.Post(&s.channel, t.eng.Now(), s, 0)
	return &s.at
}

func (s *sampler) Fire(now sim.Time, _ uint64) {
	if s.what() {
		s.at = now
	} else {
		s.t.eng.Post(&s.channel, now+ns, s, 0)
	}
}

// The ground that the device stands on: its master has a DeviceID, bursts, and hears where it was served; the system
// cache keeps who has put a line there; cleaning and eviction by a CPU's operation, and bulk zeroing, take lines to
// where the ITS then finds them.
func TestGround(tt *testing.T) {
	t := mapped(tt)
	t.accesses.list = nil
	served := func(want ...string) {
		t.Helper()
		t.accesses.list = nil
		t.run(op(gic.INT, 0, 0, 0))
		var got []string
		for _, a := range t.accesses.list {
			got = append(got, a[strings.LastIndex(a, "by the ")+len("by the "):])
		}
		if !slices.Equal(got, want) {
			t.Errorf("served %q, want %q", got, want)
		}
	}
	cachedBy := func(addr uint64, want string) {
		t.Helper()
		if by := t.mem.SystemCached(addr); by != want {
			t.Errorf("0x%x is in the system cache by %q, want %q", addr, by, want)
		}
	}
	cachedBy(devices, "ITS0")
	cachedBy(itts, "ITS0")
	cachedBy(collects, "ITS0")
	served("cache", "system cache", "system cache", "system cache")
	t.mem.Clean(0, itts, true, t.eng.Now(), 0) // evicted: WaWb reads do not bring it back
	cachedBy(itts, "")
	served("cache", "system cache", "memory", "system cache")
	served("cache", "system cache", "memory", "system cache")
	t.mem.Read(2, devices, 8, t.eng.Now()) // a CPU looks at the entry, and writes beside another
	t.mem.Write(3, collects+32, 8, 0, t.eng.Now(), 0)
	t.drive()
	served("cache", "cache", "memory", "cache")
	t.mem.Clean(0, queue+t.next, false, t.eng.Now(), 0)
	t.mem.Zero(collects, 4096, t.eng.Now())
	cachedBy(collects, "")
	served("cache", "cache", "memory", "memory") // and the collection is gone
	t.events("command at 0x160: INT DeviceID=0x0 EventID=0x0: unmapped collection 0x0 " +
		"(0x010307 Number=INT_UNMAPPED_INTERRUPT)")
	if masters := t.mem.Masters(); len(masters) != 1 || masters[0].Name != "ITS0" {
		t.Errorf("masters %v", masters)
	}
	port := t.mem.NewPort(&bus.Master{Name: "disk", DeviceID: 8}, mem.Place{}, &t.devices)
	x := bus.Transaction{Master: &bus.Master{DeviceID: 8}, Addr: itsBase + gic.GITS_TRANSLATER, Len: 4, Op: bus.Write,
		At: t.eng.Now(), Data: [8]uint64{5}}
	if a := port.Transact(&x); a.Served != bus.ByDevice || a.Fault != bus.NoFault {
		t.Errorf("a message is answered %+v", a)
	}
}

// With the hint to allocate on reads, what an eviction has taken comes back at the first look-up (hypothesis B).
func TestReadAllocation(tt *testing.T) {
	for _, c := range []struct {
		cacheability gic.Cacheability
		second       bus.Served
	}{{gic.WaWb, bus.ByMemory}, {gic.RaWaWb, bus.BySystemCache}, {gic.RaWb, bus.BySystemCache}} {
		t := mapped(tt)
		t.enable(false)
		t.write(gic.GITS_BASER, t.baser(devices, c.cacheability))
		t.enable(true)
		t.mem.Clean(0, devices, true, t.eng.Now(), 0)
		t.run(op(gic.INT, 0, 0, 0))
		t.accesses.list = nil
		t.run(op(gic.INT, 0, 0, 0))
		if want := "read 8 at 0x41100000 by the " + c.second.String(); t.accesses.list[1] != want {
			t.Errorf("cacheability %d: %q, want %q", c.cacheability, t.accesses.list[1], want)
		}
	}
}
