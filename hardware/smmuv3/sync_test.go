package smmuv3_test

import (
	"slices"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/hardware/smmuv3"
)

// T4: how the completion of a CMD_SYNC is told.
func TestT4Signals(t *testing.T) {
	for _, c := range []struct {
		name   string
		d0, d1 uint64
		change func(s *smmuv3.Spec)
		msi    uint64
		wires  []string
		events int
		cons   uint64
	}{
		{name: "CS 0", d0: cmdSync, cons: 1},
		{name: "CS 1 without an address", d0: cmdSync | 1<<12, wires: []string{"sync"}, cons: 1},
		{name: "CS 1", d0: cmdSyncMSI | 0x1234_5678<<32, d1: buffers, msi: 0x1234_5678, wires: []string{"sync"}, cons: 1},
		{
			name: "CS 1 without MSIs", d0: cmdSyncMSI | 5<<32, d1: buffers, wires: []string{"sync"}, cons: 1,
			change: func(s *smmuv3.Spec) { s.MSI = false },
		},
		{name: "CS 2", d0: cmdSyncSEV, events: 1, cons: 1},
		{name: "CS 2 without SEV", d0: cmdSyncSEV, cons: 1, change: func(s *smmuv3.Spec) { s.SEV = false }},
		{name: "CS 3", d0: cmdSync | 3<<12, wires: []string{"error"}, cons: 1 << 24},
		{
			name: "address beyond OAS is truncated", d0: cmdSyncMSI | 9<<32, d1: 1<<50 | buffers, msi: 9,
			wires: []string{"sync"}, cons: 1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := timed()
			if c.change != nil {
				c.change(&spec)
			}
			bed := newTestbed(t, spec)
			bed.boot()
			bed.do(c.d0, c.d1)
			if got := bed.peek(buffers); got != c.msi {
				t.Errorf("memory has 0x%x, expected 0x%x", got, c.msi)
			}
			if !slices.Equal(bed.wires, c.wires) || bed.events != c.events {
				t.Errorf("wires %v and %d events, expected %v and %d", bed.wires, bed.events, c.wires, c.events)
			}
			bed.reads("CONS", smmu.SMMU_CMDQ_CONS, c.cons)
		})
	}
}

// T4: an MSI to nowhere is an error, and the queue goes on.
func TestT4MSIAbort(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	bed.sync(cmdSyncMSI, nowhere)
	bed.reads("GERROR", smmu.SMMU_GERROR, uint64(smmu.SMMU_GERROR_MSI_CMDQ_ABT_ERR))
}

// T4, bug 2: Hi161x writes 64 bits, which clears what stands behind; a command slot whose second half is written so is
// harmless, since its owner zeroes it.
func TestT4WideMSI(t *testing.T) {
	for _, wide := range []bool{false, true} {
		spec := timed()
		spec.Errata.WideMSI = wide
		bed := newTestbed(t, spec)
		bed.boot()
		bed.poke(buffers, 0xaaaa_aaaa_bbbb_bbbb)
		bed.sync(cmdSyncMSI|7<<32, buffers)
		want := uint64(0xaaaa_aaaa_0000_0007)
		if wide {
			want = 7
		}
		if got := bed.peek(buffers); got != want {
			t.Errorf("wide %v: memory has 0x%x, expected 0x%x", wide, got, want)
		}
	}
}

// logged is memory that notes when writes arrive.
type logged struct {
	bus.Target
	bed  *testbed
	note func(t *bus.Transaction, a bus.Answer)
}

func (l *logged) Transact(t *bus.Transaction) bus.Answer {
	a := l.Target.Transact(t)
	l.note(t, a)
	return a
}

// The MSI leaves after CONS has passed the CMD_SYNC; a mutant's does not. Attributes are those of the command.
func TestSignalFollowsConsumption(t *testing.T) {
	for _, mutant := range []bool{false, true} {
		spec := timed()
		spec.Mutants.SignalBeforeConsumption = mutant
		spec.Latency[smmuv3.MessageIssue] = 0
		bed := newTestbed(t, spec)
		var attr bus.Attr
		bed.smmu.Tap(func(m bus.Target) bus.Target {
			return &logged{Target: m, bed: bed, note: func(x *bus.Transaction, _ bus.Answer) {
				if x.Op == bus.Write {
					attr = x.Attr
				}
			}}
		})
		bed.boot()
		bed.sync(cmdSyncMSI, buffers)
		want := bus.Attr{
			Shareability: bus.InnerShareable, Inner: bus.Normal.Inner, Outer: bus.Normal.Outer,
		}
		if attr != want {
			t.Errorf("attributes %+v, expected %+v", attr, want)
		}
		bed.sync(cmdSync|1<<12|1<<24|3<<22, buffers+8) // MSIATTR 1: Device
		if attr.Snoops() || attr.Shareability != bus.OuterShareable {
			t.Errorf("Device: attributes %+v", attr)
		}
	}
}

// mapped is a testbed with a page mapped for its stream, and a translation of it in the TLB.
func mapped(t *testing.T, spec smmuv3.Spec) *testbed {
	bed := newTestbed(t, spec)
	bed.boot()
	bed.stage1(1)
	bed.mapPage(tables, 0x1000, buffers|pageRW)
	bed.reaches(0x1000, buffers)
	return bed
}

// T8: without CMD_SYNC a TLBI may have no effect yet: the device goes on to use the page; after CMD_SYNC it does not.
func TestT8StaleUntilSync(t *testing.T) {
	spec := timed()
	spec.Latency[smmuv3.InvalidateTLB] = sim.Microsecond
	bed := mapped(t, spec)
	bed.mapPage(tables, 0x1000, 0)
	bed.reaches(0x1008, buffers+8) // no TLBI
	bed.put(tlbiVA(1, 0x1000))
	bed.publish()
	for bed.read(smmu.SMMU_CMDQ_CONS) != bed.prod {
		bed.pass(sim.Nanosecond)
	}
	bed.begin(bed.dev, bus.Read, 0x1010, 8, 0)
	bed.drive()
	if bed.dev.Result != smmuv3.Performed {
		t.Errorf("right behind the consumption: %v, expected a stale hit", bed.dev.Result)
	}
	bed.sync()
	if result, _ := bed.access(bus.Read, 0x1018, 8, 0); result != smmuv3.Aborted {
		t.Errorf("after CMD_SYNC: %v", result)
	}
}

// A CMD_SYNC waits for the transactions that use what was invalidated, so that none becomes visible after it; the
// mutant does not.
func TestSyncAwaitsTransactions(t *testing.T) {
	for _, mutant := range []bool{false, true} {
		spec := timed()
		spec.Mutants.SyncIgnoresTransactions = mutant
		spec.Latency[smmuv3.Downstream] = 10 * sim.Microsecond
		bed := mapped(t, spec)
		bed.begin(bed.dev, bus.Write, 0x1000, 8, 0xdead)
		bed.pass(spec.Latency[smmuv3.Lookup] + sim.Nanosecond) // translated, on its way
		bed.mapPage(tables, 0x1000, 0)
		bed.put(tlbiVA(1, 0x1000))
		bed.put(cmdSync, 0)
		bed.publish()
		for bed.read(smmu.SMMU_CMDQ_CONS) != bed.prod {
			bed.pass(sim.Nanosecond)
		}
		arrived := bed.peek(buffers) == 0xdead
		if arrived == mutant {
			t.Errorf("mutant %v: at the end of CMD_SYNC the write has arrived: %v", mutant, arrived)
		}
		bed.drive()
		if bed.peek(buffers) != 0xdead {
			t.Error("the write did not arrive at all")
		}
	}
}

// A walk that is under way when its address is invalidated is waited for too, and what it finds is not kept.
func TestSyncAwaitsWalks(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	bed.stage1(1)
	bed.mapPage(tables, 0x1000, buffers|pageRW)
	bed.begin(bed.dev, bus.Read, 0x1000, 8, 0)
	for bed.smmu.Stats().Reads < 5 { // STE, CD, and the last of three descriptors
		bed.pass(sim.Nanosecond)
	}
	bed.mapPage(tables, 0x1000, 0)
	bed.put(tlbiVA(1, 0x1000))
	bed.put(cmdSync, 0)
	bed.publish()
	for bed.read(smmu.SMMU_CMDQ_CONS) != bed.prod {
		bed.pass(sim.Nanosecond)
	}
	if bed.ended != 1 {
		t.Error("CMD_SYNC is complete, and a transaction that had read the old descriptor is not")
	}
	bed.drive()
	if result, _ := bed.access(bus.Read, 0x1000, 8, 0); result != smmuv3.Aborted {
		t.Errorf("afterwards: %v: what the walk had found was kept", result)
	}
}

// A CMD_SYNC makes the records of terminated transactions visible.
func TestSyncAwaitsRecords(t *testing.T) {
	spec := timed()
	spec.Latency[smmuv3.RecordIssue] = 20 * sim.Microsecond
	bed := mapped(t, spec)
	bed.begin(bed.dev, bus.Read, 0x9000, 8, 0)
	for bed.ended == 1 {
		bed.pass(sim.Nanosecond)
	}
	bed.noEvent()
	bed.put(cmdSync, 0)
	bed.publish()
	for bed.read(smmu.SMMU_CMDQ_CONS) != bed.prod {
		bed.pass(sim.Nanosecond)
	}
	bed.expect("F_TRANSLATION StreamID=8 CLASS=ClassIN RnW InputAddr=0x9000")
}

// An event goes to PEs when a full queue no longer is.
func TestFullQueueEvent(t *testing.T) {
	bed := newTestbed(t, timed())
	bed.boot()
	for range 1 << queueLog2 {
		bed.put(cmdSync, 0)
	}
	bed.publish()
	bed.drive()
	if bed.events != 1 {
		t.Errorf("%d events, expected 1", bed.events)
	}
}

// A CMD_SYNC waits for invalidations that are consumed and have no effect yet; the mutant does not.
func TestSyncAwaitsInvalidations(t *testing.T) {
	for _, mutant := range []bool{false, true} {
		spec := timed()
		spec.Latency[smmuv3.InvalidateTLB] = 10 * sim.Microsecond
		spec.Mutants.SyncIgnoresInvalidations = mutant
		bed := mapped(t, spec)
		bed.mapPage(tables, 0x1000, 0)
		bed.put(tlbiVA(1, 0x1000))
		bed.put(cmdSync, 0)
		bed.publish()
		for bed.read(smmu.SMMU_CMDQ_CONS) != bed.prod {
			bed.pass(sim.Nanosecond)
		}
		bed.begin(bed.dev, bus.Read, 0x1000, 8, 0)
		for bed.ended == 1 {
			bed.pass(sim.Nanosecond)
		}
		if stale := bed.dev.Result == smmuv3.Performed; stale != mutant {
			t.Errorf("mutant %v: after CMD_SYNC the access is %v", mutant, bed.dev.Result)
		}
	}
}

// What an invalidation may concern is waited for: a global page by any ASID, both stages by IPA, the stage 2 walk of a
// CD.
func TestSyncAwaitsWhatMayBeConcerned(t *testing.T) {
	const global = 1 << 11
	for _, c := range []struct {
		name   string
		d0, d1 uint64
		nested bool
		early  bool // while the CD is looked for
		awaits bool
	}{
		{"a global page by another ASID", 0x12 | 2<<48, 0x1000, false, false, true},
		{"another page", 0x12 | 2<<48, 0x3000, false, false, false},
		{"another VMID", 0x13 | 1<<32, 0x1000, false, false, false},
		{"both stages by IPA", 0x2a | 5<<32, 0x7_0000, true, false, true},
		{"both stages by IPA of another VMID", 0x2a | 6<<32, 0x7_0000, true, false, false},
		{"stage 2 of a CD", 0x28 | 5<<32, 0, true, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := timed()
			spec.Latency[smmuv3.Downstream], spec.Latency[smmuv3.WalkStep] = 100*sim.Microsecond, sim.Microsecond
			bed := newTestbed(t, spec)
			bed.boot()
			if c.nested {
				bed.setSTE(stream, steNested|contexts, steUseIncoming|steCache, s2Form|5, tables2)
				bed.poke(contexts, cdBase|1<<48, tables, 0, mair)
				bed.sync(two(cfgiSTE(stream))...)
				for _, at := range []uint64{contexts, tables, buffers} {
					bed.block(at, at&^0x1f_ffff, s2Page)
				}
			} else {
				bed.stage1(1)
			}
			bed.mapPage(tables, 0x1000, buffers|pageRW&^global)
			before := bed.smmu.Stats().Reads
			bed.begin(bed.dev, bus.Read, 0x1000, 8, 0)
			if c.early { // behind the STE and one descriptor of stage 2
				for bed.smmu.Stats().Reads < before+2 {
					bed.pass(sim.Nanosecond)
				}
			} else {
				for bed.smmu.Stats().TLBMisses == 0 {
					bed.pass(sim.Nanosecond)
				}
				bed.pass(25 * sim.Microsecond) // translated
			}
			bed.put(c.d0, c.d1)
			bed.put(cmdSync, 0)
			bed.publish()
			for bed.read(smmu.SMMU_CMDQ_CONS) != bed.prod {
				bed.pass(sim.Nanosecond)
			}
			if ended := bed.ended == 1; ended != c.awaits {
				t.Errorf("at the end of CMD_SYNC the access has ended: %v", ended)
			}
		})
	}
}
