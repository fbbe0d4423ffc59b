package its_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/its"
)

// A bug is one that some ITS, or software for one, has had. Its scenario comes out right without it and wrong with it:
// memory, registers or software behave as if the ITS had it.
type bug struct {
	name         string
	spec         func(s *its.Spec)
	scenario     func(t *testbed, faulty bool)
	right, wrong string // what is pending then, and the last error
}

// outcome is what is pending at which redistributor, and the last error.
func (t *testbed) outcome() string {
	var parts []string
	for rd, set := range t.redists.pending {
		var list []int
		for intid := range set {
			list = append(list, int(intid))
		}
		slices.Sort(list)
		for _, intid := range list {
			parts = append(parts, fmt.Sprintf("%d at %d", intid, rd))
		}
	}
	if list, _ := t.its.Events(); len(list) > 0 {
		text := list[len(list)-1].String()
		parts = append(parts, text[strings.LastIndex(text, ": ")+2:])
	}
	return strings.Join(parts, ", ")
}

// mangled makes memory behave as a faulty ITS would use it.
func (t *testbed) mangled(faulty bool, mangle func(x *bus.Transaction, after bool)) {
	if faulty {
		t.accesses.mangle = mangle
	}
}

// forgetsZero loses writes of an entry that maps nothing.
func forgetsZero(x *bus.Transaction, after bool) {
	if !after && x.Op == bus.Write && x.Data[0] == 0 {
		x.Op = bus.Read
	}
}

// both is the memory of two devices, 0 with 32 events and 1, whose translation tables stand one behind the other.
func (t *testbed) both(size uint64) {
	t.run(mapc(0, 0), mapd(0, 5, itts), mapd(1, 5, itts+32*size), mapti(1, 0, 8200, 0))
}

// restart is what migration does: the tables stay in memory, the rest is saved and restored.
func (t *testbed) restart() {
	saved := t.its.Save()
	t.its.Reset()
	t.its.Restore(saved)
}

var bugs = []bug{
	{
		name: "22: MAPD leaves the entry of a device that it unmaps",
		scenario: func(t *testbed, faulty bool) {
			t.run(mapc(0, 0), mapd(0, 2, itts), mapti(0, 0, 8192, 0))
			t.mangled(faulty, forgetsZero)
			t.run(unmapd(0))
			t.restart()
			t.run(op(gic.INT, 0, 0, 0))
		},
		right: "unmapped device 0x0 (0x010307 Number=INT_UNMAPPED_INTERRUPT)", wrong: "8192 at 0",
	},
	{
		name: "22: DISCARD leaves the entry of an event that it unmaps",
		scenario: func(t *testbed, faulty bool) {
			t.run(mapc(0, 0), mapd(0, 2, itts), mapti(0, 0, 8192, 0))
			t.mangled(faulty, forgetsZero)
			t.run(op(gic.DISCARD, 0, 0, 0))
			t.restart()
			t.run(op(gic.INT, 0, 0, 0))
		},
		right: "unmapped event 0x0 (0x010307 Number=INT_UNMAPPED_INTERRUPT)", wrong: "8192 at 0",
	},
	{
		name: "23: an event of a collection that is not mapped yet is lost by a migration",
		scenario: func(t *testbed, faulty bool) {
			t.run(mapd(0, 2, itts), mapti(0, 0, 8192, 3))
			if faulty {
				t.mem.Poke(itts, 8, 0)
			}
			t.restart()
			t.run(mapc(3, 2), op(gic.INT, 0, 0, 0))
		},
		right: "8192 at 2", wrong: "unmapped event 0x0 (0x010307 Number=INT_UNMAPPED_INTERRUPT)",
	},
	{
		name: "24: EventIDs go one bit too far",
		scenario: func(t *testbed, faulty bool) {
			t.both(8)
			t.mangled(faulty, func(x *bus.Transaction, after bool) {
				if after && x.Op == bus.Read && x.Addr == devices {
					x.Data[0]++ // DTE.Size
				}
			})
			t.run(op(gic.INT, 0, 32, 0))
		},
		right: "0x20 (0x010307 Number=INT_UNMAPPED_INTERRUPT)", wrong: "8200 at 0",
	},
	{
		name: "25: the second part of an event's entry is written over the first",
		spec: func(s *its.Spec) { s.ITESize = 16 },
		scenario: func(t *testbed, faulty bool) {
			t.mangled(faulty, func(x *bus.Transaction, after bool) {
				if !after && x.Op == bus.Write && x.Len == 16 {
					x.Data[0] = x.Data[0]&0xffff_ffff | x.Data[1]<<32
				}
			})
			t.run(mapc(0, 0), mapd(0, 2, itts), mapti(0, 1, 8192, 0), op(gic.INT, 0, 1, 0))
		},
		right: "8192 at 0", wrong: "unmapped event 0x1 (0x010307 Number=INT_UNMAPPED_INTERRUPT)",
	},
	{
		name: "25: an invalid entry of the first level is used",
		scenario: func(t *testbed, faulty bool) {
			t.enable(false)
			t.write(gic.GITS_BASER, t.read(gic.GITS_BASER)|uint64(gic.GITS_BASER_Indirect))
			t.enable(true)
			t.mem.Poke(devices, 8, 1<<63|0x4200_0000)
			t.run(mapc(0, 0), mapd(0, 2, itts), mapti(0, 0, 8192, 0))
			t.mem.Poke(devices, 8, 0x4200_0000)
			t.mangled(faulty, func(x *bus.Transaction, after bool) {
				if after && x.Op == bus.Read && x.Addr == devices {
					x.Data[0] |= 1 << 63
				}
			})
			t.run(op(gic.INT, 0, 0, 0))
		},
		right: "the device table has no entry for device 0x0 (0x010307 Number=INT_UNMAPPED_INTERRUPT)",
		wrong: "8192 at 0",
	},
	{
		name: "27: software writes the address of every table to GITS_BASER0",
		scenario: func(t *testbed, faulty bool) {
			t.enable(false)
			t.write(gic.GITS_BASER, 0)
			t.write(gic.GITS_BASER+8, 0)
			for n, v := range [...]uint64{t.baser(devices, gic.WaWb), t.baser(collects, gic.WaWb)} {
				off := gic.GITS_BASER + 8*uint64(n)
				if faulty {
					off = gic.GITS_BASER
				}
				t.write(off, v)
			}
			t.enable(true)
			t.run(mapc(0, 0), mapd(0, 2, itts), mapti(0, 0, 8192, 0), op(gic.INT, 0, 0, 0))
		},
		right: "8192 at 0", wrong: "no entry for collection 0x0 (0x010307 Number=INT_UNMAPPED_INTERRUPT)",
	},
	{
		name: "27, 31: software does not clean commands for an ITS that is not coherent",
		scenario: func(t *testbed, faulty bool) {
			t.enable(false)
			t.write(gic.GITS_CBASER, uint64(gic.GITS_CBASER_Valid)|queue)
			t.enable(true)
			for n, c := range [...]gic.ITSCommand{
				mapc(0, 0), mapd(0, 2, itts), mapti(0, 0, 8192, 0), op(gic.INT, 0, 0, 0),
			} {
				t.put(c)
				if !faulty {
					out := t.mem.Clean(0, queue+32*uint64(n), false, t.eng.Now(), 0)
					t.eng.Post(t.redists.busy, out.Done, &noop{}, 0)
				}
				t.drive()
			}
			t.run()
		},
		right: "8192 at 0", wrong: "unknown command 0x00",
	},
	{
		name: "30: a write of GITS_BASER adds to what it holds",
		scenario: func(t *testbed, faulty bool) {
			t.enable(false)
			v := t.baser(0x4280_0000, gic.WaWb)
			if faulty {
				v |= t.read(gic.GITS_BASER)
			}
			t.write(gic.GITS_BASER, v)
			t.enable(true)
			t.mem.Poke(0x4280_0000, 8, 1<<63|1|itts)
			t.run(mapc(0, 0), mapti(0, 0, 8192, 0), op(gic.INT, 0, 0, 0))
		},
		right: "8192 at 0", wrong: "unmapped device 0x0 (0x010307 Number=INT_UNMAPPED_INTERRUPT)",
	},
	{
		name: "30: MOVALL overwrites what is pending at its destination",
		scenario: func(t *testbed, faulty bool) {
			t.redists.overwrites = faulty
			t.run(mapc(0, 0), mapc(1, 1), mapd(0, 2, itts), mapti(0, 0, 8192, 0), mapti(0, 1, 8193, 1),
				op(gic.INT, 0, 0, 0), op(gic.INT, 0, 1, 0), movall(0, 1))
		},
		right: "8192 at 1, 8193 at 1", wrong: "8192 at 1",
	},
	{
		name: "QEMU of January 2022: enabling starts the queue over",
		scenario: func(t *testbed, faulty bool) {
			t.run(mapc(0, 0), mapd(0, 2, itts), mapti(0, 0, 8192, 0), op(gic.INT, 0, 0, 0), op(gic.CLEAR, 0, 0, 0),
				op(gic.DISCARD, 0, 0, 0), mapc(0, 1))
			t.enable(false)
			if faulty {
				t.write(gic.GITS_CREADR, 0x60) // as far as back as INT
			}
			t.enable(true)
			t.drive()
		},
		right: "", wrong: "unmapped event 0x0 (0x010f07 Number=DISCARD_UNMAPPED_INTERRUPT)",
	},
	{
		name: "32: an event's entry is larger than GITS_TYPER says, and software believes it",
		spec: func(s *its.Spec) { s.ITESize, s.ITTEntry = 16, 8 },
		scenario: func(t *testbed, faulty bool) {
			size := uint64(16) // what its_enable_quirk_qdf2400_e0065 makes of it
			if faulty {
				size = gic.GITS_TYPER_ITT_entry_size.Get(t.read(gic.GITS_TYPER)) + 1
			}
			t.both(size)
			t.run(mapti(0, 16, 8300, 0), op(gic.INT, 1, 0, 0))
		},
		right: "8200 at 0", wrong: "8300 at 0",
	},
	{
		name: "33: software synchronises with a CPU that never came up",
		spec: func(s *its.Spec) { s.PTA = true },
		scenario: func(t *testbed, faulty bool) {
			rd := uint64(redist) >> 16
			if faulty {
				rd = 0 // of a collection that was never mapped
			}
			t.run(mapc(0, uint64(redist)>>16), mapd(0, 2, itts), mapti(0, 0, 8192, 0), syncTo(rd), op(gic.INT, 0, 0, 0))
		},
		right: "8192 at 0", wrong: "no redistributor is at the address 0x0",
	},
}

// Public bugs of ITSs and of software for them, with the fault off and on.
func TestPublicBugs(tt *testing.T) {
	for _, b := range bugs {
		tt.Run(b.name, func(tt *testing.T) {
			for _, faulty := range []bool{false, true} {
				s := testSpec()
				if b.spec != nil {
					b.spec(&s)
				}
				t := newTestbed(tt, s)
				b.scenario(t, faulty)
				want := b.right
				if faulty {
					want = b.wrong
				}
				if got := t.outcome(); got != want {
					t.Errorf("faulty %v: %q, want %q", faulty, got, want)
				}
			}
		})
	}
}
