package smmuv3_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/hardware/smmuv3"
)

// T9: a record that finds no room is lost, which OVFLG tells once until it is acknowledged; the queue itself goes on.
func TestT9EventOverflow(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	bed.stage1(1)
	const size, overflow = 1 << queueLog2, uint64(1) << 31
	for i := range uint64(size) {
		bed.access(bus.Read, i<<12, 8, 0)
	}
	bed.reads("PROD, full", smmu.SMMU_EVENTQ_PROD, size)
	if want := []string{"event"}; !slices.Equal(bed.wires, want) {
		t.Errorf("wires %v, expected one: when the queue is no longer empty", bed.wires)
	}
	bed.access(bus.Read, 0x9000, 8, 0)
	bed.reads("PROD, overflowed", smmu.SMMU_EVENTQ_PROD, size|overflow)
	bed.access(bus.Read, 0x9000, 8, 0)
	bed.reads("PROD, overflowed once more", smmu.SMMU_EVENTQ_PROD, size|overflow)
	bed.write(smmu.SMMU_EVENTQ_CONS, 2) // room, not acknowledged
	bed.access(bus.Read, 0xa000, 8, 0)
	bed.reads("PROD, room", smmu.SMMU_EVENTQ_PROD, (size+1)|overflow)
	bed.write(smmu.SMMU_EVENTQ_CONS, 2|overflow)
	bed.access(bus.Read, 0xb000, 8, 0)
	bed.access(bus.Read, 0xc000, 8, 0)
	bed.reads("PROD, overflowed after the acknowledgement", smmu.SMMU_EVENTQ_PROD, size+2)
	bed.reads("GERROR", smmu.SMMU_GERROR, 0)
	if lost := bed.smmu.Stats().Lost; lost != 3 {
		t.Errorf("%d records lost, expected 3", lost)
	}
}

// Nothing overflows while EVENTQEN is 0.
func TestEventQueueOff(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	bed.write(smmu.SMMU_CR0, allOn&^4)
	bed.drive()
	bed.access(bus.Read, 0x1000, 8, 0)
	bed.reads("PROD", smmu.SMMU_EVENTQ_PROD, 0)
}

// A queue that is not in memory: an error, and nothing more is written until it is acknowledged.
func TestEventAbort(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	bed.write(smmu.SMMU_CR0, allOn&^4)
	bed.drive()
	bed.write64(smmu.SMMU_EVENTQ_BASE, nowhere|queueLog2)
	bed.write(smmu.SMMU_CR0, allOn)
	bed.drive()
	bed.access(bus.Read, 0x1000, 8, 0)
	bed.reads("GERROR", smmu.SMMU_GERROR, uint64(smmu.SMMU_GERROR_EVENTQ_ABT_ERR))
	bed.reads("PROD", smmu.SMMU_EVENTQ_PROD, 0)
	bed.access(bus.Read, 0x1000, 8, 0)
	bed.reads("GERROR", smmu.SMMU_GERROR, uint64(smmu.SMMU_GERROR_EVENTQ_ABT_ERR))
	bed.write(smmu.SMMU_GERRORN, uint64(smmu.SMMU_GERROR_EVENTQ_ABT_ERR))
	bed.access(bus.Read, 0x1000, 8, 0)
	bed.reads("GERROR, again", smmu.SMMU_GERROR, 0)
}

// The interrupts' MSIs: written where their registers say, aborts of each an error of its own, that of GERROR's without
// an interrupt.
func TestInterruptMessages(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.write64(smmu.SMMU_EVENTQ_IRQ_CFG0, buffers)
	bed.write(smmu.SMMU_EVENTQ_IRQ_CFG1, 0x51)
	bed.write(smmu.SMMU_EVENTQ_IRQ_CFG2, 0x3f)
	bed.write64(smmu.SMMU_GERROR_IRQ_CFG0, nowhere)
	bed.boot()
	bed.access(bus.Read, 0x1000, 8, 0)
	if got := bed.peek(buffers); got != 0x51 {
		t.Errorf("memory has 0x%x", got)
	}
	bed.do(0xff, 0)
	bed.reads("GERROR", smmu.SMMU_GERROR, uint64(smmu.SMMU_GERROR_CMDQ_ERR|smmu.SMMU_GERROR_MSI_GERROR_ABT_ERR))
	if want := []string{"event", "error"}; !slices.Equal(bed.wires, want) {
		t.Errorf("wires %v, expected %v", bed.wires, want)
	}
}

// stalling is a testbed whose stream stalls on faults.
func stalling(t *testing.T, spec smmuv3.Spec) *testbed {
	bed := newTestbed(t, spec)
	bed.boot()
	bed.stage1(1)
	bed.poke(contexts, cdBase|1<<44|1<<48, tables, 0, mair)
	bed.sync(two(cfgiCD(stream, 0))...)
	return bed
}

// A stalled transaction waits for CMD_RESUME: retried it is as one that has just arrived; otherwise it ends.
func TestStall(t *testing.T) {
	for _, c := range []struct {
		name   string
		d0     uint64
		maps   bool
		result smmuv3.Result
	}{
		{"retry", 0x44 | 1<<12, true, smmuv3.Performed},
		{"retry with Ab", 0x44 | 3<<12, true, smmuv3.Performed},
		{"abort", 0x44 | 2<<12, false, smmuv3.Aborted},
		{"RAZ/WI", 0x44, false, smmuv3.Terminated},
		{"STALL_TERM", 0x45, false, smmuv3.Aborted},
	} {
		bed := stalling(t, timed())
		bed.begin(bed.dev, bus.Read, 0x1000, 8, 0)
		bed.drive()
		if bed.ended != 0 {
			t.Fatalf("%s: the transaction did not stall", c.name)
		}
		record := bed.event()
		if want := "F_TRANSLATION StreamID=8 CLASS=ClassIN RnW Stall InputAddr=0x1000"; smmuv3.DecodeEvent(record) != want {
			t.Errorf("%s, expected %s", smmuv3.DecodeEvent(record), want)
		}
		stag := smmu.EVT1_STAG.Get(record[1])
		bed.do(c.d0&^0xff|0x44|9<<32, stag) // another stream
		bed.do(0x44|2<<12|stream<<32, stag+1)
		if bed.ended != 0 {
			t.Fatalf("%s: resumed by another's tag", c.name)
		}
		bed.sync() // does not wait for what stalls
		if c.maps {
			bed.mapPage(tables, 0x1000, buffers|pageRW)
		}
		bed.sync(c.d0|stream<<32, stag)
		if bed.ended != 1 || bed.dev.Result != c.result {
			t.Errorf("%s: %d ended, %v", c.name, bed.ended, bed.dev.Result)
		}
	}
}

// The record of a stall is never lost: the transaction waits for room, and is tried anew. SMMUEN 0 ends what stalls.
func TestStallWaitsForRoom(t *testing.T) {
	spec := timed()
	spec.StallMax = 12
	bed := stalling(t, spec)
	var requests []*smmuv3.Request
	const n = 20
	for i := range uint64(n) {
		r := bed.smmu.NewRequest(bed, fmt.Sprint("device", i))
		requests = append(requests, r)
		bed.begin(r, bus.Read, i<<12, 8, 0)
	}
	bed.drive()
	bed.reads("PROD", smmu.SMMU_EVENTQ_PROD, 8)
	seen := map[uint64]bool{}
	for range 12 {
		seen[bed.event()[2]] = true
	}
	bed.noEvent() // no more than StallMax stall
	bed.sync(0x44|2<<12|stream<<32, 3)
	if len(seen) != 12 || bed.ended != 1 {
		t.Errorf("%d different stalls, %d ended", len(seen), bed.ended)
	}
	seen[bed.event()[2]] = true
	if len(seen) != 13 {
		t.Errorf("%d different stalls after one has ended", len(seen))
	}
	bed.write(smmu.SMMU_CR0, commands)
	bed.drive()
	for i, r := range requests {
		if r.Result != smmuv3.Aborted {
			t.Errorf("request %d: %v", i, r.Result)
		}
	}
	if bed.ended != n {
		t.Errorf("%d of %d ended", bed.ended, n)
	}
}

// T9: page requests; in overflow the SMMU answers the last of a group until that is acknowledged.
func TestT9PRI(t *testing.T) {
	spec := timed()
	spec.PRI, spec.ATS = true, true
	bed := newTestbed(t, spec)
	bed.boot()
	e := &endpoint{}
	bed.smmu.Connect(stream, e)
	ask := func(group uint16) {
		bed.smmu.RequestPage(smmuv3.PageRequest{Stream: stream, Group: group, Addr: 0x7123, Read: true, Last: true})
		bed.drive()
	}
	ask(5)
	if got := smmuv3.DecodePRI([2]uint64{bed.peek(priQueue), bed.peek(priQueue + 8)}); got !=
		"page request Last R StreamID=8 Address=0x7000 PRGIndex=5" {
		t.Error(got)
	}
	if want := []string{"pri"}; !slices.Equal(bed.wires, want) {
		t.Errorf("wires %v", bed.wires)
	}
	bed.sync(0x41|stream<<32, 5|2<<12)
	for range 7 {
		ask(6)
	}
	ask(7)
	bed.reads("PROD", smmu.SMMU_PRIQ_PROD, 8|1<<31)
	bed.write(smmu.SMMU_PRIQ_CONS, 8)
	ask(8) // there is room
	bed.write(smmu.SMMU_PRIQ_CONS, 8|1<<31)
	ask(9)
	bed.reads("PROD", smmu.SMMU_PRIQ_PROD, 9|1<<31)
	if want := []string{"5 2", "7 2", "8 2"}; !slices.Equal(e.responses, want) {
		t.Errorf("responses %v, expected %v", e.responses, want)
	}
	bed.write(smmu.SMMU_CR0, allOn)
	bed.drive()
	ask(10)
	if want := "10 1"; e.responses[len(e.responses)-1] != want {
		t.Errorf("responses %v with the queue off", e.responses)
	}
}

// T11, bug 8: an SMMU whose events do not reach PEs.
func TestT11LostEvents(t *testing.T) {
	for _, lost := range []bool{false, true} {
		spec := timed()
		spec.Errata.LostEvents = lost
		bed := newTestbed(t, spec)
		bed.boot()
		bed.sync(cmdSyncSEV, 0)
		if (bed.events == 0) != lost {
			t.Errorf("lost %v: %d events", lost, bed.events)
		}
	}
}

// T11, bug 11: HiSilicon's prefetch.
func TestT11Prefetch(t *testing.T) {
	for _, illegal := range []bool{false, true} {
		spec := timed()
		spec.Errata.PrefetchIllegal = illegal
		bed := newTestbed(t, spec)
		bed.boot()
		bed.do(0x01|stream<<32, 0)
		want := uint64(1)
		if illegal {
			want = 1 << 24
		}
		bed.reads("CONS", smmu.SMMU_CMDQ_CONS, want)
	}
}

// T11, bug 10: the registers of page 1 in page 0.
func TestT11PageZero(t *testing.T) {
	spec := timed()
	spec.Errata.PageZero = true
	bed := newTestbed(t, spec)
	bed.smmu.WriteReg(smmu.SMMU_EVENTQ_PROD-uint64(smmu.PageSize), bus.W32, 3)
	if v, ok := bed.smmu.ReadReg(smmu.SMMU_EVENTQ_PROD-uint64(smmu.PageSize), bus.W32); v != 3 || !ok {
		t.Errorf("page 0: 0x%x, %v", v, ok)
	}
	if _, ok := bed.smmu.ReadReg(smmu.SMMU_EVENTQ_PROD, bus.W32); ok {
		t.Error("page 1 has a register")
	}
}

// With SMMUEN 0 transactions pass as GBPA says.
func TestGlobalBypass(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.reaches(buffers, buffers)
	bed.write(smmu.SMMU_GBPA, 1<<31|1<<20)
	bed.drive()
	bed.refused(buffers, "")
	if result, _ := bed.access(bus.Read, 1<<60, 8, 0); result != smmuv3.Aborted {
		t.Errorf("an address beyond OAS: %v", result)
	}
}

// An SMMU that is reset forgets all, and what was under way ends without an answer.
func TestReset(t *testing.T) {
	bed := mapped(t, timed())
	bed.begin(bed.dev, bus.Read, 0x1000, 8, 0)
	bed.put(cmdSync, 0)
	bed.publish()
	bed.pass(15 * sim.Nanosecond)
	bed.smmu.Reset()
	bed.drive()
	if bed.ended != 1 || !bed.smmu.Idle() {
		t.Errorf("%d ended, idle %v", bed.ended, bed.smmu.Idle())
	}
	bed.boot()
	bed.stage1(1)
	bed.reaches(0x1000, buffers)
}

// A checkpoint has registers and caches.
func TestCheckpoint(t *testing.T) {
	bed := mapped(t, timed())
	saved := bed.smmu.Save()
	bed.mapPage(tables, 0x1000, buffers+0x1000|pageRW)
	prod := bed.prod
	bed.sync(0x30, 0)
	bed.reaches(0x1000, buffers+0x1000)
	bed.smmu.Restore(saved)
	bed.prod = prod
	bed.reads("CONS", smmu.SMMU_CMDQ_CONS, prod)
	bed.reaches(0x1000, buffers) // stale, as it was
	bed.sync(0x30, 0)
	bed.reaches(0x1000, buffers+0x1000)
}
