package its_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/its"
)

// fuzzSpec takes an ITS's options from a byte.
func fuzzSpec(options byte) its.Spec {
	s := testSpec()
	s.Stall, s.PTA, s.DS = options&1 != 0, options&2 != 0, options&4 != 0
	s.ITESize = 8 << (options >> 3 & 1)
	if options&16 != 0 {
		s.DeviceCache, s.EventCache, s.CollectionCache = 2, 3, 1
	}
	if options&32 != 0 {
		s.HCC, s.CCT = 3, options&64 != 0
	}
	s.Translations = 1 + int(options>>7)*3
	return s
}

// sound checks what holds whatever software and devices do.
func (t *testbed) sound() {
	t.Helper()
	creadr, cbaser := t.read(gic.GITS_CREADR), t.read(gic.GITS_CBASER)
	if creadr&^uint64(gic.GITS_CREADR_Offset|gic.GITS_CREADR_Stalled) != 0 {
		t.Errorf("GITS_CREADR is %#x", creadr)
	}
	pages := gic.GITS_CBASER_Size.Get(cbaser) + 1
	at := creadr & uint64(gic.GITS_CREADR_Offset)
	idle := !t.Busy()
	switch writer := t.read(gic.GITS_CWRITER); {
	case !gic.GITS_CTLR_Enabled.Is(t.read(gic.GITS_CTLR)) || !gic.GITS_CBASER_Valid.Is(cbaser):
	case idle && creadr&1 == 0 && writer < pages*4096 && at < pages*4096 && writer != at:
		t.Errorf("idle with commands from %#x to %#x", at, writer)
	}
	var b strings.Builder
	t.its.Dump(&b)
	t.its.DumpQueue(&b, t.mem.Peek)
	list, _ := t.its.Events()
	for i := range list {
		b.WriteString(list[i].String())
	}
	if strings.Contains(b.String(), "%!") {
		t.Errorf("bad text: %s", b.String())
	}
}

// FuzzQueue makes the ITS process any bytes as commands, with messages in between.
func FuzzQueue(f *testing.F) {
	seed := []byte{0}
	for _, c := range []gic.ITSCommand{
		mapc(0, 0), mapc(1, 1), mapd(0, 2, itts), mapti(0, 0, 8192, 0), op(gic.INT, 0, 0, 0), op(gic.MOVI, 0, 0, 1),
		syncTo(1), movall(0, 1), op(gic.DISCARD, 0, 0, 0), op(gic.INVALL, 0, 0, 0),
	} {
		for _, w := range c {
			seed = binary.LittleEndian.AppendUint64(seed, w)
		}
	}
	for options := range 256 {
		f.Add(append([]byte{byte(options)}, seed[1:]...))
	}
	f.Fuzz(func(tt *testing.T, data []byte) {
		if len(data) == 0 || len(data) > 4000 {
			return
		}
		t := newTestbed(tt, fuzzSpec(data[0]))
		for data = data[1:]; len(data) >= 32; data = data[32:] {
			var c gic.ITSCommand
			for n := range c {
				c[n] = binary.LittleEndian.Uint64(data[8*n:])
			}
			t.put(c)
			t.message(uint32(c[0]>>32), uint32(c[1]))
			t.write(gic.GITS_CWRITER, t.next|c[3]&1)
			if c[3]&2 == 0 {
				t.drive()
				t.sound()
			}
		}
		t.drive()
		t.sound()
	})
}

// FuzzRegisters makes any accesses to both frames: each is 11 bytes, the offset, what to do, and the value.
func FuzzRegisters(f *testing.F) {
	access := func(off uint32, what byte, v uint64) []byte {
		b := binary.LittleEndian.AppendUint16(nil, uint16(off))
		b = append(b, what|byte(off>>16)<<4)
		return binary.LittleEndian.AppendUint64(b, v)
	}
	for options := range byte(8) {
		seed := []byte{options}
		seed = append(seed, access(gic.GITS_BASER, 3, 1<<63|devices|0x4000_0000_0000_0200)...)
		seed = append(seed, access(gic.GITS_BASER+8, 3, 1<<63|collects)...)
		seed = append(seed, access(gic.GITS_CBASER, 3, 1<<63|queue|0x7000)...)
		seed = append(seed, access(gic.GITS_CTLR, 2, 1)...)
		seed = append(seed, access(gic.GITS_CWRITER, 3, 0x40)...)
		seed = append(seed, access(gic.GITS_TRANSLATER, 1, 5)...)
		seed = append(seed, access(gic.GITS_CREADR, 8|3, 0)...)
		f.Add(seed)
	}
	f.Fuzz(func(tt *testing.T, data []byte) {
		if len(data) == 0 || len(data) > 2000 {
			return
		}
		t := newBareTestbed(tt, fuzzSpec(data[0]))
		typer := t.read(gic.GITS_TYPER)
		for data = data[1:]; len(data) >= 11; data = data[11:] {
			off := bus.Addr(binary.LittleEndian.Uint16(data)) | bus.Addr(data[2]>>4&1)<<16
			x := bus.Transaction{
				Master: &bus.Master{DeviceID: uint32(data[2] >> 5)}, At: t.eng.Now(), Addr: itsBase + off,
				Len: 1 << (data[2] & 3), Op: bus.Write,
			}
			if data[2]&8 != 0 {
				x.Op = bus.Read
			}
			x.Data[0] = binary.LittleEndian.Uint64(data[3:])
			t.devices.Transact(&x)
			if data[2]&4 == 0 {
				t.drive()
				t.sound()
			}
		}
		t.drive()
		t.sound()
		if v := t.read(gic.GITS_TYPER); v != typer {
			t.Errorf("GITS_TYPER is %#x, was %#x", v, typer)
		}
		for n := range uint64(8) {
			want := []uint64{1, 4, 0, 0, 0, 0, 0, 0}[n]
			if v := t.read(gic.GITS_BASER + 8*n); gic.GITS_BASER_Type.Get(v) != want {
				t.Errorf("GITS_BASER%d is %#x", n, v)
			}
		}
	})
}
