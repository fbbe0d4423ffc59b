package its_test

import (
	"fmt"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/its"
	"github.com/hwscript/hwscript/hardware/sim"
)

// ram is memory that answers at once.
type ram map[bus.Addr]uint64

func (r ram) Transact(t *bus.Transaction) bus.Answer {
	for n := range bus.Addr(t.Len / 8) {
		if t.Op == bus.Write {
			r[t.Addr+8*n] = t.Data[n]
		} else {
			t.Data[n] = r[t.Addr+8*n]
		}
	}
	return bus.Answer{Done: t.At, Served: bus.ByMemory}
}

// An ITS that software gives tables and a queue, of which it processes the commands.
func Example() {
	eng, memory := sim.NewEngine(), ram{}
	rds := &redists{eng: eng, pending: []map[uint32]bool{{}, {}}, busy: &sim.Channel{}}
	eng.Register(rds.busy, "answers")
	s, _ := its.New(its.DefaultSpec([]bus.Addr{0x80a_0000, 0x80c_0000}), eng, its.Ports{
		Master: &bus.Master{Name: "ITS0"}, Memory: memory, Redistributors: rds, Latency: &latency{far: -1},
	})
	write := func(off, v uint64) { s.Control().WriteReg(off, bus.W64, v) }
	write(gic.GITS_BASER, uint64(gic.GITS_BASER_Valid)|devices)
	write(gic.GITS_BASER+8, uint64(gic.GITS_BASER_Valid)|collects)
	write(gic.GITS_CBASER, uint64(gic.GITS_CBASER_Valid)|queue)
	s.Control().WriteReg(gic.GITS_CTLR, bus.W32, 1)
	for n, c := range []gic.ITSCommand{mapd(8, 2, itts), mapc(0, 1), mapti(8, 3, 8195, 0), op(gic.INT, 8, 3, 0)} {
		for word, v := range c {
			memory[bus.Addr(queue+32*n+8*word)] = v
		}
	}
	write(gic.GITS_CWRITER, 4*32)
	if err := eng.Drive(nil); err != nil {
		fmt.Println(err)
	}
	fmt.Println(rds.heard)
	// Output: [48 ns set 8195 at 1]
}

// What a dump, the queue and the tables look like.
func TestDump(tt *testing.T) {
	s := testSpec()
	s.HCC, s.CCT, s.Stall = 1, true, true
	t := newTestbed(tt, s)
	t.run(mapc(0, 3), mapc(1, 1), mapd(8, 5, itts+0x1000), mapti(8, 5, 8213, 1), mapti(8, 6, 8214, 0),
		op(gic.INT, 9, 0, 0), syncTo(1))
	t.mem.Poke(devices+8, 8, 0) // no device
	peek := func(addr uint64, size uint8) uint64 { return t.mem.Peek(addr, size) }
	t.dumps("registers", func(w *text) { t.its.Dump(w) }, `
GITS_CTLR        0x8000_0001  Quiescent Enabled
GITS_TYPER       0x1f_0101_ef75  CIL CIDbits=0xf HCC=1 Devbits=0xf ID_bits=0xf ITT_entry_size=7 CCT Physical
GITS_CBASER      0xa800_0000_4100_0400  Valid InnerCache=WaWb Physical_Address=0x41000 Shareability=InnerShareable
GITS_CWRITER     0x0000_00e0  Offset=7
GITS_CREADR      0x0000_00a1  Offset=5 Stalled
GITS_BASER0      0xa907_0000_4110_0600  Valid InnerCache=WaWb Type=DeviceTable Entry_Size=7 Physical_Address=0x41100 `+
		`Shareability=InnerShareable Page_Size=Page64K
GITS_BASER1      0xac07_0000_4120_0600  Valid InnerCache=WaWb Type=CollectionTable Entry_Size=7 `+
		`Physical_Address=0x41200 Shareability=InnerShareable Page_Size=Page64K
6 commands, 0 messages, of which 0 dropped; 0 looked up, 0 wait
`)
	t.dumps("queue", func(w *text) { t.its.DumpQueue(w, peek) }, `
0x00000  done     MAPC ICID=0x0 RDbase=0x3 V=0x1
0x00020  done     MAPC ICID=0x1 RDbase=0x1 V=0x1
0x00040  done     MAPD DeviceID=0x8 Size=0x4 ITTaddr=0x41301000 V=0x1
0x00060  done     MAPTI DeviceID=0x8 EventID=0x5 pINTID=0x2015 ICID=0x1
0x00080  done     MAPTI DeviceID=0x8 EventID=0x6 pINTID=0x2016 ICID=0x0
0x000a0  stalled  INT DeviceID=0x9 EventID=0x0
0x000c0           SYNC RDbase=0x1
`)
	t.dumps("tables", func(w *text) { t.its.DumpTables(w, peek) }, `
collection 0x0000  redistributor 0x3, held by the ITS
collection 0x0001  redistributor 0x1
device 0x00000008  32 events, translation table at 0x4130_1000
  event 0x00000005  LPI 8213, collection 0x0001
  event 0x00000006  LPI 8214, collection 0x0000
`)
	t.enable(false)
	t.setQueue(1)
	t.dumps("empty queue", func(w *text) { t.its.DumpQueue(w, peek) }, "\n0x00000  empty\n")
	t.write(gic.GITS_CWRITER, 0x1000)
	t.dumps("bad queue", func(w *text) { t.its.DumpQueue(w, peek) },
		"\nno queue, or a pointer beyond its end: 0x1000 bytes, CREADR 0x0, CWRITER 0x1000\n")
}

// text collects what is printed.
type text []byte

func (t *text) Write(b []byte) (int, error) {
	*t = append(*t, b...)
	return len(b), nil
}

func (t *testbed) dumps(what string, dump func(w *text), want string) {
	t.Helper()
	w := &text{}
	if dump(w); "\n"+string(*w) != want {
		t.Errorf("%s:\n%s\nwant%s", what, *w, want)
	}
}

// A table of many entries is cut.
func TestDumpOfManyEvents(tt *testing.T) {
	t := newTestbed(tt, testSpec())
	t.run(mapd(0, 12, itts))
	for event := range uint64(4096) {
		t.mem.Poke(itts+8*event, 8, 1<<63|8192+event)
	}
	w := &text{}
	t.its.DumpTables(w, func(addr uint64, size uint8) uint64 { return t.mem.Peek(addr, size) })
	lines := 0
	for _, b := range *w {
		if b == '\n' {
			lines++
		}
	}
	if end := string((*w)[len(*w)-9:]); lines != 1000 || end != "and more\n" {
		t.Errorf("%d lines, the last %q", lines, end)
	}
}
