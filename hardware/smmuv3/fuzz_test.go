package smmuv3_test

import (
	"encoding/binary"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/hardware/smmuv3"
)

// bounded drives the testbed, and fails if that does not end.
func (t *testbed) bounded() {
	t.Helper()
	before := t.eng.Fired()
	t.eng.SetStop(func() bool { return t.eng.Fired()-before > 1_000_000 })
	err := t.eng.Drive(nil)
	t.eng.SetStop(nil)
	switch {
	case err == sim.ErrStopped:
		t.Fatal("a million events and no end")
	case err != nil:
		t.Fatal(err)
	}
}

// words are the words of 8 bytes of some input, the last filled up with zeros.
func fuzzWords(data []byte) (words []uint64) {
	for len(data) > 0 {
		var b [8]byte
		data = data[copy(b[:], data):]
		words = append(words, binary.LittleEndian.Uint64(b[:]))
	}
	return words
}

// fuzzSpec is an SMMU with everything, or, for odd n, one with little.
func fuzzSpec(n uint8) smmuv3.Spec {
	s := timed()
	if n&1 != 0 {
		s.Stage2, s.MSI, s.StallModel, s.StallMax, s.RIL = false, false, smmu.TerminateOnly, 0, false
		s.AbortOnly = true
		return s
	}
	s.HYP, s.ATS, s.PRI, s.BTM, s.VMW = true, true, true, true, true
	return s
}

// FuzzCommands: whatever stands in the Command queue is consumed or refused, and the queue goes on after an error.
func FuzzCommands(f *testing.F) {
	f.Add(uint8(0), []byte{0x46, 0x10, 0xc0, 0x0f, 2, 0, 0, 0, 0, 0, 0, 0x41, 0, 0, 0, 0})
	f.Add(uint8(1), []byte{0x12, 0xf0, 0xff, 0x01, 0, 0, 1, 0, 1, 0x0c, 0, 0, 0, 0, 0, 0xff, 0x46})
	f.Fuzz(func(t *testing.T, n uint8, data []byte) {
		bed := newTestbed(t, fuzzSpec(n))
		bed.boot()
		bed.stage1(1)
		bed.mapPage(tables, 0x1000, buffers|pageRW)
		bed.smmu.Connect(stream, &endpoint{answers: n&2 == 0})
		bed.begin(bed.dev, bus.Read, 0x1000, 8, 0)
		bed.bounded()
		words := fuzzWords(data[:min(len(data), 512)])
		for i := 0; i+1 < len(words); i += 2 {
			bed.put(words[i], words[i+1])
			bed.publish()
			bed.bounded()
			if errors := bed.read(smmu.SMMU_GERROR) ^ bed.read(smmu.SMMU_GERRORN); errors&1 != 0 {
				cons := bed.read(smmu.SMMU_CMDQ_CONS) & (1<<queueLog2 - 1)
				bed.poke(commandQueue+cons*16, cmdSync, 0)
			}
			bed.write(smmu.SMMU_GERRORN, bed.read(smmu.SMMU_GERROR))
			bed.bounded()
		}
		if cons := bed.read(smmu.SMMU_CMDQ_CONS) & 0xfffff; cons != bed.prod {
			t.Errorf("CONS is 0x%x, PROD 0x%x", cons, bed.prod)
		}
	})
}

// FuzzTables: whatever stands in the tables, a transaction ends or stalls, and one that has ended was translated to
// where memory can be, or refused. Looking at it as a debugger comes to the same.
func FuzzTables(f *testing.F) {
	f.Add(uint8(0), uint64(0x1000), []byte{0x0b, 0, 0x50, 0x40})
	f.Add(uint8(2), uint64(0x20_0000), []byte{0x0f, 0, 0x50, 0x40, 0, 0, 0, 0, 0, 0x10})
	f.Fuzz(func(t *testing.T, n uint8, iova uint64, data []byte) {
		bed := newTestbed(t, fuzzSpec(n))
		bed.boot()
		if n&4 != 0 {
			bed.write(smmu.SMMU_CR0, commands|4)
			bed.bounded()
			bed.write(smmu.SMMU_STRTAB_BASE_CFG, 16|uint64(n>>3)<<6|1<<16)
			bed.write(smmu.SMMU_CR0, allOn)
			bed.bounded()
		}
		words := fuzzWords(data)
		at := func(i int) uint64 {
			if i < len(words) {
				return words[i]
			}
			return 0
		}
		for i := range uint64(8) {
			bed.poke(streamTable+stream*64+8*i, at(int(i)))
			bed.poke(contexts+8*i, at(int(8+i)))
			bed.poke(streamTable+8*i, at(int(8+i)))
		}
		for i := range uint64(512) {
			bed.poke(tables+8*i, at(16+int(i)%64))
			bed.poke(tables2+8*i, at(24+int(i)%64))
		}
		bed.dev.Master = &bus.Master{Name: "device", StreamID: stream, SubstreamID: uint32(n)}
		bed.dev.Substream = n&8 != 0
		op := bus.Read
		if n&16 != 0 {
			op = bus.Write
		}
		bed.begin(bed.dev, op, iova&^7, 8, 0)
		bed.bounded()
		var out discard
		peek := func(addr uint64, w []uint64) bool {
			for i := range w {
				if !bed.memory.Contains(addr+8*uint64(i), 8) {
					return false
				}
				w[i] = bed.peek(addr + 8*uint64(i))
			}
			return true
		}
		bed.smmu.Inspect(&out, *bed.dev.Master, bed.dev.Substream, iova&^7, op, bed.dev.Attr, peek)
		bed.smmu.Dump(&out, peek)
		if out == 0 {
			t.Error("nothing was printed")
		}
		bed.write(smmu.SMMU_CR0, 0)
		bed.bounded()
		if bed.ended != 1 {
			t.Errorf("%d ended", bed.ended)
		}
	})
}

// discard counts what it is given.
type discard int

func (d *discard) Write(b []byte) (int, error) {
	*d += discard(len(b))
	return len(b), nil
}

// FuzzRegisters: accesses of any size anywhere, with transactions between.
func FuzzRegisters(f *testing.F) {
	f.Add(uint8(0), []byte{0x20, 0, 4, 0x0d, 0, 0, 0, 0, 0x98, 0, 4, 1})
	f.Fuzz(func(t *testing.T, n uint8, data []byte) {
		bed := newTestbed(t, fuzzSpec(n))
		if n&2 != 0 {
			bed.boot()
		}
		for len(data) >= 8 {
			off := uint64(data[0]) | uint64(data[1])<<8&0x100
			off += uint64(data[1]&2) << 15
			w := bus.Width(1 << (data[2] & 3))
			v := binary.LittleEndian.Uint64(data[:8]) >> 24
			v |= v << 40
			if data = data[8:]; v&1 != 0 {
				bed.smmu.ReadReg(off, w)
			}
			bed.smmu.WriteReg(off, w, v)
			if bed.dev.Master == nil || bed.ended > 0 {
				bed.ended = 0
				bed.begin(bed.dev, bus.Read, v<<12, 8, 0)
			}
			bed.bounded()
		}
		bed.smmu.Reset()
		bed.bounded()
		if !bed.smmu.Idle() {
			t.Error("not idle after a reset")
		}
	})
}
