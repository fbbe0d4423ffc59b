package its_test

import (
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/its"
)

// wrong is a command in error, with what is noted of it behind its text.
type wrong struct {
	command gic.ITSCommand
	want    string
}

// wrongCommands are the errors of every command on the testbed of mapped. IHI 0069, 5.3.
var wrongCommands = []wrong{
	{gic.ITSCommand{}, "unknown command 0x00"},
	{gic.ITSCommand{0x7f}, "unknown command 0x7f"},
	{op(gic.MOVI, 5, 0, 0), ": unmapped device 0x5 (0x010107 Number=MOVI_UNMAPPED_INTERRUPT)"},
	{op(gic.MOVI, 0, 3, 0), ": unmapped event 0x3 (0x010107 Number=MOVI_UNMAPPED_INTERRUPT)"},
	{op(gic.MOVI, 0, 4, 0), ": event out of the device's range: 0x4 (0x010107 Number=MOVI_UNMAPPED_INTERRUPT)"},
	{op(gic.MOVI, 0, 0, 9), ": unmapped collection 0x9 (0x010109 Number=MOVI_UNMAPPED_COLLECTION)"},
	{op(gic.MOVI, 0, 0, 0x2000), ": no entry for collection 0x2000 (0x010109 Number=MOVI_UNMAPPED_COLLECTION)"},
	{op(gic.INT, 5, 0, 0), ": unmapped device 0x5 (0x010307 Number=INT_UNMAPPED_INTERRUPT)"},
	{op(gic.INT, 0x2000, 0, 0),
		": the device table has no entry for device 0x2000 (0x010307 Number=INT_UNMAPPED_INTERRUPT)"},
	{op(gic.INT, 0x10000, 0, 0),
		": the device table has no entry for device 0x10000 (0x010307 Number=INT_UNMAPPED_INTERRUPT)"},
	{op(gic.INT, 0, 2, 0), ": unmapped event 0x2 (0x010307 Number=INT_UNMAPPED_INTERRUPT)"},
	{op(gic.INT, 0, 4, 0), ": event out of the device's range: 0x4 (0x010307 Number=INT_UNMAPPED_INTERRUPT)"},
	{op(gic.INT, 0, 0xffffffff, 0),
		": event out of the device's range: 0xffffffff (0x010307 Number=INT_UNMAPPED_INTERRUPT)"},
	{op(gic.CLEAR, 0, 3, 0), ": unmapped event 0x3 (0x010507 Number=CLEAR_UNMAPPED_INTERRUPT)"},
	{mapd(0x2000, 4, itts), ": the device table has no entry for device 0x2000 (0x010801 Number=MAPD_DEVICE_OOR)"},
	{mapd(1, 17, itts), ": too many bits of an EventID, minus one: 0x10 (0x010802 Number=MAPD_ITTSIZE_OOR)"},
	{unmapd(0x10000), ": the device table has no entry for device 0x10000 (0x010801 Number=MAPD_DEVICE_OOR)"},
	{mapc(3, 4), ": no redistributor has the number 0x4 (0x010902 Number=MAPC_PROCNUM_OOR)"},
	{mapc(0x2000, 0), ": no entry for collection 0x2000 (0x010903 Number=MAPC_COLLECTION_OOR)"},
	{unmapc(0x2000), ": no entry for collection 0x2000 (0x010903 Number=MAPC_COLLECTION_OOR)"},
	{mapti(5, 0, 8193, 0), ": unmapped device 0x5 (0x010a04 Number=MAPTI_UNMAPPED_DEVICE)"},
	{mapti(0x2000, 0, 8193, 0),
		": the device table has no entry for device 0x2000 (0x010a04 Number=MAPTI_UNMAPPED_DEVICE)"},
	{mapti(0, 4, 8193, 0), ": event out of the device's range: 0x4 (0x010a05 Number=MAPTI_ID_OOR)"},
	{mapti(0, 3, 8191, 0), ": no LPI: 0x1fff (0x010a06 Number=MAPTI_PHYSICALID_OOR)"},
	{mapti(0, 3, 0x10000, 0), ": no LPI: 0x10000 (0x010a06 Number=MAPTI_PHYSICALID_OOR)"},
	{op(gic.MAPI, 0, 3, 0), ": no LPI: 0x3 (0x010a06 Number=MAPTI_PHYSICALID_OOR)"},
	{op(gic.INV, 0, 3, 0), ": unmapped event 0x3 (0x010c07 Number=INV_UNMAPPED_INTERRUPT)"},
	{op(gic.INVALL, 0, 0, 9), ": unmapped collection 0x9 (0x010d09 Number=INVALL_UNMAPPED_COLLECTION)"},
	{movall(0, 4), ": no redistributor has the number 0x4 (0x010e01 Number=MOVALL_PROCNUM_OOR)"},
	{movall(9, 0), ": no redistributor has the number 0x9 (0x010e01 Number=MOVALL_PROCNUM_OOR)"},
	{op(gic.DISCARD, 0, 3, 0), ": unmapped event 0x3 (0x010f07 Number=DISCARD_UNMAPPED_INTERRUPT)"},
	{syncTo(9), "SYNC RDbase=0x9: no redistributor has the number 0x9"},
}

// Commands in error are ignored: they change nothing, are noted, and those behind them are processed. With Stall the
// queue stops at them, until software asks for a retry and the command is right.
func TestWrongCommands(tt *testing.T) {
	for _, stall := range []bool{false, true} {
		for _, w := range wrongCommands {
			s := testSpec()
			s.Stall = stall
			t := mappedWith(tt, s)
			t.run(w.command, op(gic.INT, 0, 0, 0))
			list, _ := t.its.Events()
			if len(list) != 1 || !strings.HasSuffix(list[0].String(), w.want) {
				t.Errorf("events %v, want one that ends in %q", list, w.want)
			}
			if !stall {
				t.at(0x120)
				t.pending([]uint32{8192})
				continue
			}
			t.at(0xe0 | uint64(gic.GITS_CREADR_Stalled))
			t.pending()
			t.write(gic.GITS_CWRITER, t.next)
			t.drive()
			t.at(0xe0 | uint64(gic.GITS_CREADR_Stalled))
			for n, word := range syncTo(0) {
				t.mem.Write(0, queue+0xe0+8*uint64(n), 8, word, t.eng.Now(), 0)
			}
			t.write(gic.GITS_CWRITER, t.next|uint64(gic.GITS_CWRITER_Retry))
			t.drive()
			t.at(0x120)
			t.pending([]uint32{8192})
		}
	}
}

// The commands of GICv4 are known by their names, and refused.
func TestVirtualCommands(tt *testing.T) {
	for code, name := range map[gic.ITSOpcode]string{
		gic.VMOVI: "VMOVI", gic.VMOVP: "VMOVP", gic.VSGI: "VSGI", gic.VSYNC: "VSYNC", gic.VMAPP: "VMAPP",
		gic.VMAPTI: "VMAPTI", gic.VMAPI: "VMAPI", gic.VINVALL: "VINVALL", gic.INVDB: "INVDB",
	} {
		t := mapped(tt)
		c := op(code, 0, 0, 0)
		c[1] |= gic.ITS_VCMD_1_vPEID.Put(0, 7)
		t.run(c, op(gic.INT, 0, 0, 0))
		t.pending([]uint32{8192})
		list, _ := t.its.Events()
		if text := its.DescribeCommand(c); !strings.HasPrefix(text, name+" ") || !strings.Contains(text, "vPEID=0x7") {
			t.Errorf("%s is described as %q", name, text)
		}
		if len(list) != 1 || !strings.Contains(list[0].String(), ": command of GICv4 0x") {
			t.Errorf("events %v", list)
		}
	}
}

// What the registers are misused for is noted, is UNPREDICTABLE, and has the effect that is documented here.
func TestWrongRegisters(tt *testing.T) {
	t := newBareTestbed(tt, testSpec())
	t.enable(true)
	t.events("GITS_CTLR: enabled without a command queue")
	t.write(gic.GITS_CBASER, uint64(gic.GITS_CBASER_Valid)|queue)
	t.write(gic.GITS_BASER, t.baser(devices, gic.WaWb))
	if v := t.read(gic.GITS_CBASER) | t.read(gic.GITS_BASER)>>63; v != 0 {
		t.Error("written while enabled")
	}
	t.enable(false)
	t.setQueue(1)
	t.write(gic.GITS_CBASER, t.read(gic.GITS_CBASER)|0x3000)
	t.enable(true)
	t.write(gic.GITS_CWRITER, 0x1000)
	t.drive()
	t.at(0)
	t.run(syncTo(0)) // at the queue's begin
	t.at(0x20)
	t.write(gic.GITS_CREADR, 0)
	t.at(0x20)
	t.enable(false)
	t.write(gic.GITS_BASER, t.baser(devices, gic.WaWb))
	t.enable(true)
	t.events(
		"GITS_CTLR: enabled without a command queue",
		"GITS_CBASER: written while the ITS is enabled", "GITS_BASER: written while the ITS is enabled",
		"GITS_CBASER: the queue is not aligned to 64 KiB: bits 15 to 12 of its address count as 0",
		"GITS_CTLR: enabled without a device table",
		"GITS_CWRITER: beyond the end of the queue: nothing is processed",
		"GITS_CREADR: written, but read-only",
		"GITS_CTLR: enabled without a collection table",
	)
	if r := t.eng.Remarks(); len(r.List) != 8 || r.Unpredictable() == nil {
		t.Errorf("%d remarks", len(r.List))
	}
}

// Tables that are not valid, or too small, map nothing.
func TestNoTables(tt *testing.T) {
	t := newBareTestbed(tt, testSpec())
	t.setQueue(1)
	t.enable(true)
	t.run(mapd(0, 2, itts), mapc(0, 0), mapti(0, 0, 8192, 0), op(gic.INT, 0, 0, 0))
	t.message(0, 0)
	t.drive()
	t.at(0x80)
	t.pending()
	list, _ := t.its.Events()
	if len(list) != 6 {
		t.Errorf("events %v", list)
	}
}

// A queue, or a table, where there is no memory stops the queue; a message is dropped. Retry finds it.
func TestTablesOutsideRAM(tt *testing.T) {
	const nowhere = 0x9000_0000
	for name, c := range map[string]struct {
		off, v  uint64
		creadr  uint64
		message string
	}{
		"queue": {gic.GITS_CBASER, uint64(gic.GITS_CBASER_Valid) | nowhere, 0, "no memory at 0x90000000"},
		"devices": {gic.GITS_BASER, uint64(gic.GITS_BASER_Valid) | nowhere, 0x20,
			"MAPD DeviceID=0x0 Size=0x1 ITTaddr=0x41300000 V=0x1: no memory at 0x90000000"},
		"collections": {gic.GITS_BASER + 8, uint64(gic.GITS_BASER_Valid) | nowhere, 0,
			"MAPC ICID=0x0 RDbase=0x0 V=0x1: no memory at 0x90000000"},
	} {
		tt.Run(name, func(tt *testing.T) {
			t := newTestbed(tt, testSpec())
			t.enable(false)
			t.write(c.off, c.v)
			t.enable(true)
			t.run(mapc(0, 0), mapd(0, 2, itts), mapti(0, 0, 8192, 0))
			t.at(c.creadr | uint64(gic.GITS_CREADR_Stalled))
			if p := t.its.Problem(); !strings.HasPrefix(p, "the command queue has stalled at 0x") {
				t.Errorf("problem %q", p)
			}
			list, _ := t.its.Events()
			if len(list) != 1 || !strings.HasSuffix(list[0].String(), c.message) {
				t.Errorf("events %v", list)
			}
		})
	}
	t := newTestbed(tt, testSpec())
	t.run(mapc(0, 0), mapd(0, 2, nowhere))
	t.message(0, 1)
	t.drive()
	t.events("message DeviceID=0x0 EventID=0x1: no memory at 0x90000008")
}

// With PTA an address of no redistributor can be mapped. What is sent there is lost, and a SYNC with it never ends
// (bug 33 of the driver); processor numbers are checked.
func TestNoRedistributorThere(tt *testing.T) {
	s := testSpec()
	s.PTA = true
	t := newTestbed(tt, s)
	const rd1 = uint64(redist+0x20000) >> 16
	t.run(mapc(0, 0), mapc(1, rd1), mapd(0, 2, itts), mapti(0, 0, 8192, 0), mapti(0, 1, 8193, 1),
		op(gic.INT, 0, 0, 0), op(gic.INT, 0, 1, 0), syncTo(rd1))
	t.pending(nil, []uint32{8193})
	t.at(0x100)
	t.run(syncTo(0), op(gic.INT, 0, 1, 0))
	t.at(0x100)
	if t.read(gic.GITS_CTLR)>>31 != 0 {
		t.Error("quiescent with a SYNC that nobody answers")
	}
	if p := t.its.Problem(); p != "the command at 0x100 is never done: SYNC RDbase=0x0" {
		t.Errorf("problem %q", p)
	}
	t.message(0, 1)
	t.drive()
	t.events("command at 0xa0: INT DeviceID=0x0 EventID=0x0: no redistributor is at the address 0x0",
		"command at 0x100: SYNC RDbase=0x0: no redistributor is at the address 0x0")
	t.its.Reset()
	if t.Busy() {
		t.Error("busy after a reset")
	}
}

// The list of events is bounded: later ones are counted.
func TestEventsAreBounded(tt *testing.T) {
	t := newTestbed(tt, testSpec())
	for range 1005 {
		t.message(1, 1)
	}
	t.drive()
	if list, more := t.its.Events(); len(list) != 1000 || more != 5 {
		t.Errorf("%d events and %d more", len(list), more)
	}
}

// Accesses to the translation frame that are no message do nothing.
func TestTranslationFrame(tt *testing.T) {
	t := mapped(tt)
	at := itsBase + gic.GITS_TRANSLATER
	for _, c := range []struct {
		op    bus.Op
		addr  bus.Addr
		size  uint8
		fault bus.Fault
	}{
		{bus.Read, at, 4, bus.NoFault}, {bus.Write, at, 8, bus.NoRegister}, {bus.Write, at, 1, bus.NoRegister},
		{bus.Write, at + 2, 2, bus.NoRegister}, {bus.Write, at + 4, 4, bus.NoRegister},
		{bus.Write, at + 1, 4, bus.Misaligned}, {bus.Write, at, 16, bus.Refused}, {bus.ReadModify, at, 4, bus.Refused},
		{bus.Write, at - 0x40, 4, bus.NoRegister},
	} {
		x := bus.Transaction{Addr: c.addr, Len: c.size, Op: c.op, At: t.eng.Now()}
		if a := t.devices.Transact(&x); a.Fault != c.fault {
			t.Errorf("%s of %d at %#x: %s, want %s", c.op, c.size, uint64(c.addr), a.Fault, c.fault)
		}
	}
	t.drive()
	t.pending()
	t.messageSize(0, 0xabcd_0000, 2) // bits 15 to 0 count
	t.drive()
	t.pending([]uint32{8192})
	x := bus.Transaction{Addr: at, Len: 4, Op: bus.Write, At: t.eng.Now(), Data: [8]uint64{1}}
	t.devices.Transact(&x) // without a name: device 0
	t.drive()
	t.pending([]uint32{8192}, []uint32{8193})
}
