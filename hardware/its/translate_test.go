package its_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/its"
	"github.com/hwscript/hwscript/hardware/sim"
)

// whenSet are the times at which LPIs were set, since a time.
func (t *testbed) whenSet(from sim.Time) (list []sim.Time) {
	for _, h := range t.redists.heard {
		var value float64
		var unit string
		if _, err := fmt.Sscanf(h, "%f %s set", &value, &unit); err == nil && strings.Contains(h, " set ") {
			scale := map[string]float64{"ns": 1000, "us": 1e6}[unit]
			list = append(list, sim.Time(value*scale+0.5)-from)
		}
	}
	return list
}

// Messages are looked up one after another, or as many at once as the Spec says; those that do not fit wait, in order.
func TestTranslationsInFlight(tt *testing.T) {
	const lookUp = translateTime + 3*systemTime
	for translations, want := range map[int][]sim.Time{
		1: {lookUp, 2 * lookUp, 3 * lookUp, 4 * lookUp},
		2: {lookUp, lookUp, 2 * lookUp, 2 * lookUp},
		4: {lookUp, lookUp, lookUp, lookUp},
	} {
		s := testSpec()
		s.Translations = translations
		t := mappedWith(tt, s)
		t.redists.heard = nil
		begin := t.eng.Now()
		for range 4 {
			t.message(0, 1)
		}
		if !t.Busy() {
			t.Error("quiescent with messages under way")
		}
		t.drive()
		if got := t.whenSet(begin + handOverTime); !slices.Equal(got, want) {
			t.Errorf("%d translations: set after %v, want %v", translations, got, want)
		}
		if t.Busy() {
			t.Error("never quiescent")
		}
	}
}

// A command that changes tables waits for the messages that are being looked up, and those that come meanwhile wait for
// it: what was unmapped is not set behind the SYNC that follows.
func TestCommandsExcludeMessages(tt *testing.T) {
	for _, translations := range []int{1, 2, 16} {
		for delay := sim.Time(0); delay < 400*ns; delay += 10 * ns {
			s := testSpec()
			s.Translations = translations
			t := mappedWith(tt, s)
			t.put(op(gic.DISCARD, 0, 1, 0))
			t.put(syncTo(1))
			for range 6 {
				t.message(0, 1)
			}
			t.eng.Post(t.redists.busy, t.eng.Now()+delay, starter{t}, 0)
			cleared := t.when(func() bool { return t.read(gic.GITS_CREADR) == 0x120 })
			t.drive()
			t.pending()
			for _, at := range t.whenSet(0) {
				if at > *cleared {
					t.Errorf("set at %s, behind the SYNC that ended at %s", at, *cleared)
				}
			}
		}
	}
}

// starter lets the ITS process what is in the queue.
type starter struct{ *testbed }

func (s starter) Fire(sim.Time, uint64) { s.write(gic.GITS_CWRITER, s.next) }

// MOVI takes along what is pending, whatever messages come meanwhile: none is lost, and behind the SYNC none is left.
func TestMoveLosesNothing(tt *testing.T) {
	for delay := sim.Time(0); delay < 600*ns; delay += 10 * ns {
		t := mapped(tt)
		t.put(op(gic.MOVI, 0, 1, 2))
		t.put(syncTo(1))
		t.message(0, 1)
		t.eng.Post(t.redists.busy, t.eng.Now()+delay, starter{t}, 0)
		t.drive()
		t.pending(nil, nil, nil, []uint32{8193})
	}
}

// What follows a MOVI or MOVALL comes behind it, however far away the redistributor is that the state moves from.
func TestMoveIsDoneBeforeWhatFollows(tt *testing.T) {
	for _, move := range []gic.ITSCommand{op(gic.MOVI, 0, 1, 2), movall(1, 3)} {
		t := mapped(tt)
		t.latency.far = 1
		t.run(op(gic.INT, 0, 1, 0), move, op(gic.MOVI, 0, 1, 2), op(gic.CLEAR, 0, 1, 0))
		t.pending()
		if n := len(t.redists.heard); n < 4 {
			t.Errorf("heard %q", t.redists.heard)
		}
	}
}

// A table of two levels: the entry of the first names a page of the second; an invalid one maps nothing, and MAPD
// cannot use it. The first level is indexed by what fits a page. IHI 0069, 5.2.
func TestTwoLevels(tt *testing.T) {
	for _, page := range []struct {
		size gic.PageSize
		byte uint64
	}{{gic.Page4K, 4 << 10}, {gic.Page16K, 16 << 10}, {gic.Page64K, 64 << 10}, {3, 64 << 10}} {
		t := newTestbed(tt, testSpec())
		t.enable(false)
		v := t.baser(devices, gic.WaWb)&^uint64(gic.GITS_BASER_Page_Size) | uint64(gic.GITS_BASER_Indirect)
		t.write(gic.GITS_BASER, gic.GITS_BASER_Page_Size.Put(v, uint64(page.size)))
		t.enable(true)
		perPage := page.byte / 8
		const second = 0x4200_0000
		last := min(3*perPage+perPage-1, 0xffff)
		t.mem.Poke(devices+last/perPage*8, 8, uint64(gic.ITS_L1_Valid)|second)
		t.run(mapc(0, 0), mapd(last, 2, itts), mapti(last, 1, 8200, 0))
		t.accesses.list = nil
		t.run(op(gic.INT, last, 1, 0))
		t.pending([]uint32{8200})
		if list := []string{
			fmt.Sprintf("read 8 at 0x%x by the memory", devices+last/perPage*8),
			fmt.Sprintf("read 8 at 0x%x by the system cache", second+last%perPage*8),
		}; len(t.accesses.list) < 3 || !slices.Equal(t.accesses.list[1:3], list) {
			t.Errorf("accesses %q, want %q", t.accesses.list, list)
		}
		t.events()
		t.run(mapd(perPage-1, 2, itts), op(gic.INT, perPage-1, 1, 0))
		if list, _ := t.its.Events(); len(list) != 2 || list[0].Number() != gic.MAPD_DEVICE_OOR ||
			list[1].Number() != gic.INT_UNMAPPED_INTERRUPT {
			t.Errorf("events %v", list)
		}
	}
}

// With pages of 64 KiB the address's bits 51 to 48 stand in bits 15 to 12. IHI 0069, 12.19.
func TestHighTableAddress(tt *testing.T) {
	t := newTestbed(tt, testSpec())
	t.enable(false)
	t.write(gic.GITS_BASER, t.baser(devices, gic.WaWb)|0x3000)
	t.enable(true)
	t.run(mapd(0, 2, itts))
	t.events("command at 0x0: MAPD DeviceID=0x0 Size=0x1 ITTaddr=0x41300000 V=0x1: no memory at 0x3000041100000")
}

// Collections that the ITS holds itself need no table. One in memory takes their place, or adds to them with CCT.
func TestHeldCollections(tt *testing.T) {
	for _, c := range []struct {
		name        string
		cct, table  bool
		inside      uint64 // of collections 0 and 4, how many the ITS holds
		outOfReach  bool   // collection 4 is
		firstMemory uint64 // index of collection 4 in memory
	}{
		{"no table", false, false, 1, true, 0},
		{"table", false, true, 0, false, 4},
		{"CCT, no table", true, false, 1, true, 0},
		{"CCT, table", true, true, 1, false, 0},
	} {
		tt.Run(c.name, func(tt *testing.T) {
			s := testSpec()
			s.HCC, s.CCT = 4, c.cct
			t := newTestbed(tt, s)
			if !c.table {
				t.enable(false)
				t.write(gic.GITS_BASER+8, 0)
				t.enable(true)
			}
			t.accesses.list = nil
			t.run(mapc(0, 1), mapc(4, 2), mapd(0, 2, itts), mapti(0, 0, 8192, 0), mapti(0, 1, 8193, 4),
				op(gic.INT, 0, 0, 0), op(gic.INT, 0, 1, 0))
			var written []string
			for _, a := range t.accesses.list {
				if strings.HasPrefix(a, "write 8 at 0x412") {
					written = append(written, strings.Fields(a)[3])
				}
			}
			var want []string
			if c.inside == 0 {
				want = append(want, fmt.Sprintf("0x%x", collects))
			}
			if c.outOfReach {
				t.pending(nil, []uint32{8192})
			} else {
				want = append(want, fmt.Sprintf("0x%x", collects+8*c.firstMemory))
				t.pending(nil, []uint32{8192}, []uint32{8193})
			}
			if !slices.Equal(written, want) {
				t.Errorf("collections written at %q, want %q", written, want)
			}
			if v := t.read(gic.GITS_TYPER); gic.GITS_TYPER_HCC.Get(v) != 4 || gic.GITS_TYPER_CCT.Is(v) != c.cct {
				t.Errorf("GITS_TYPER %#x", v)
			}
		})
	}
}

// What the ITS keeps it does not read again, until a command changes it (hypothesis E); with CacheByHint it keeps what
// its register has the read-allocation hint for (hypothesis F). Enabling empties the caches.
func TestCaches(tt *testing.T) {
	reads := func(t *testbed) int {
		t.accesses.list = nil
		t.run(op(gic.INT, 0, 1, 0))
		return len(t.accesses.list) - 1
	}
	for _, c := range []struct {
		name          string
		change        func(s *its.Spec)
		cacheability  gic.Cacheability
		first, second int // reads of tables
	}{
		{"nothing kept", func(*its.Spec) {}, gic.RaWaWb, 3, 3},
		{"all kept", func(s *its.Spec) { s.DeviceCache, s.EventCache, s.CollectionCache = 8, 8, 8 }, gic.WaWb, 3, 0},
		{"collections kept", func(s *its.Spec) { s.CollectionCache = 1 }, gic.WaWb, 3, 2},
		{"by hint, none", func(s *its.Spec) {
			s.DeviceCache, s.EventCache, s.CollectionCache, s.CacheByHint = 8, 8, 8, true
		}, gic.WaWb, 3, 3},
		{"by hint of the device table", func(s *its.Spec) {
			s.DeviceCache, s.EventCache, s.CollectionCache, s.CacheByHint = 8, 8, 8, true
		}, gic.RaWaWb, 3, 1},
	} {
		tt.Run(c.name, func(tt *testing.T) {
			s := testSpec()
			c.change(&s)
			t := mappedWith(tt, s)
			t.enable(false)
			t.write(gic.GITS_BASER, t.baser(devices, c.cacheability))
			t.enable(true)
			if n := reads(t); n != c.first {
				t.Errorf("first: %d reads, want %d", n, c.first)
			}
			if n := reads(t); n != c.second {
				t.Errorf("second: %d reads, want %d", n, c.second)
			}
			t.pending(nil, []uint32{8193})
			t.run(op(gic.MOVI, 0, 1, 2), mapc(2, 2), op(gic.INT, 0, 1, 0))
			t.pending(nil, nil, []uint32{8193}, []uint32{8193})
			t.run(mapd(0, 2, itts+0x2000), op(gic.INT, 0, 1, 0))
			t.pending(nil, nil, []uint32{8193}, []uint32{8193})
			t.run(mapti(0, 1, 8200, 0), op(gic.INT, 0, 1, 0), op(gic.DISCARD, 0, 1, 0), op(gic.INT, 0, 1, 0), unmapd(0),
				op(gic.INT, 0, 1, 0))
			t.pending(nil, nil, []uint32{8193}, []uint32{8193})
			if list, _ := t.its.Events(); len(list) != 3 {
				t.Errorf("events %v", list)
			}
			t.enable(false)
			t.enable(true)
			t.run(mapd(0, 2, itts))
			if n := reads(t); n != 3 {
				t.Errorf("enabled again: %d reads", n)
			}
		})
	}
}

// A checkpoint restores what software has written, and a reset forgets it. What was under way is void.
func TestSaveAndReset(tt *testing.T) {
	s := testSpec()
	s.HCC = 2
	t := mappedWith(tt, s)
	saved := t.its.Save()
	t.message(9, 9)
	t.drive()
	t.message(0, 0)
	t.its.Restore(saved)
	t.drive()
	t.pending()
	t.events()
	t.at(0xe0)
	t.run(op(gic.INT, 0, 0, 0))
	t.pending([]uint32{8192})
	t.put(op(gic.INT, 0, 1, 0))
	t.write(gic.GITS_CWRITER, t.next)
	t.its.Reset()
	t.drive()
	t.pending([]uint32{8192})
	for off, want := range map[uint64]uint64{
		gic.GITS_CTLR: 0x8000_0000, gic.GITS_CBASER: 0, gic.GITS_CWRITER: 0, gic.GITS_CREADR: 0,
		gic.GITS_BASER: 0x0107_0000_0000_0200, gic.GITS_BASER + 8: 0x0407_0000_0000_0200, gic.GITS_BASER + 16: 0,
	} {
		if v := t.read(off); v != want {
			t.Errorf("GITS+%#x after a reset: %#x, want %#x", off, v, want)
		}
	}
	var _ bus.Device = t.its.Control()
}
