package gicv3_test

import (
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/sim"
)

// tables is a memory of bytes in which each access takes a while.
type tables struct {
	bytes    map[bus.Addr]byte
	latency  sim.Time
	accesses int
	last     bus.Attr
}

func (m *tables) Transact(t *bus.Transaction) bus.Answer {
	m.accesses++
	m.last = t.Attr
	for i := range bus.Addr(t.Len) {
		shift := i % 8 * 8
		if t.Op == bus.Read {
			t.Data[i/8] |= uint64(m.bytes[t.Addr+i]) << shift
		} else {
			m.bytes[t.Addr+i] = byte(t.Data[i/8] >> shift)
		}
	}
	return bus.Answer{Done: t.At + m.latency, Served: bus.ByMemory}
}

// Where the tables of the tests are.
const (
	propTable           = 0x4140_0000
	pendTable           = 0x4150_0000
	pendSize            = 0x1_0000
	idBits              = 14
	lookup              = 100 * sim.Nanosecond
	enabledLPI   byte   = 0xa1
	urgentLPI    byte   = 0x41
	disabledLPI  byte   = 0xa0
	firstLPI     uint32 = uint32(gic.FirstLPI)
	inner, RaWWb uint64 = 1, 7
)

// lpiBed is a testbed with LPIs.
type lpiBed struct {
	*testbed
	memory *tables
}

func newLPIBed(t testing.TB, change func(s *gicv3.Spec)) *lpiBed {
	spec := gicv3.DefaultSpec(2, redistBase)
	spec.PendingWrites = true
	if change != nil {
		change(&spec)
	}
	b := &lpiBed{newTestbed(t, spec), &tables{bytes: map[bus.Addr]byte{}, latency: lookup}}
	b.gic.ConnectMemory(func(int) bus.Target { return b.memory })
	b.boot(true)
	for cpu := range 2 {
		b.configure(cpu)
		b.enableLPIs(cpu, true)
	}
	b.drive()
	return b
}

func (b *lpiBed) wide(cpu int, off, v uint64) { b.gic.Redistributor(cpu).WriteReg(off, bus.W64, v) }

// configure writes the table registers of a redistributor.
func (b *lpiBed) configure(cpu int) {
	v := gic.GICR_PROPBASER_IDbits.Put(propTable, idBits-1)
	v = gic.GICR_PROPBASER_InnerCache.Put(v, RaWWb)
	b.wide(cpu, gic.GICR_PROPBASER, gic.GICR_PROPBASER_Shareability.Put(v, inner))
	v = gic.GICR_PENDBASER_InnerCache.Put(pendTable+pendSize*uint64(cpu), RaWWb)
	b.wide(cpu, gic.GICR_PENDBASER, gic.GICR_PENDBASER_Shareability.Put(v, inner))
}

func (b *lpiBed) enableLPIs(cpu int, on bool) {
	b.redist(cpu, gic.GICR_CTLR, gic.GICR_CTLR_EnableLPIs.Put(0, map[bool]uint64{true: 1}[on]))
}

func (b *lpiBed) config(lpi uint32, config byte) {
	b.memory.bytes[bus.Addr(propTable+lpi-firstLPI)] = config
}

// bit is an LPI's bit of the pending table.
func (b *lpiBed) bit(cpu int, lpi uint32) bool {
	return b.memory.bytes[bus.Addr(pendTable+pendSize*uint32(cpu)+lpi/8)]>>(lpi%8)&1 != 0
}

// take acknowledges and ends an interrupt.
func (b *lpiBed) take(cpu int) uint32 {
	id := uint32(b.mrs(cpu, gic.ICC_IAR1_EL1))
	b.msr(cpu, gic.ICC_EOIR1_EL1, uint64(id))
	return id
}

// expect checks what a CPU would acknowledge.
func (b *lpiBed) expect(cpu int, want uint32) {
	b.Helper()
	if got := uint32(b.mrs(cpu, gic.ICC_HPPIR1_EL1)); got != want {
		b.Errorf("CPU%d: HPPIR is %d, want %d", cpu, got, want)
	}
}

const spurious = uint32(gic.Spurious)

// An LPI is presented when its configuration and its pending bit have come, both looked up at once; taken, it has no
// active state, and comes again although it was not ended. IHI 0069, 5.1.
func TestLPI(t *testing.T) {
	b := newLPIBed(t, nil)
	b.config(firstLPI+3, enabledLPI)
	start := b.eng.Now()
	b.gic.SetLPI(0, firstLPI+3)
	b.expect(0, spurious)
	b.drive()
	b.expect(0, firstLPI+3)
	if !b.ports[0].irq || !b.bit(0, firstLPI+3) {
		t.Errorf("irq %v, pending bit %v", b.ports[0].irq, b.bit(0, firstLPI+3))
	}
	if took := b.eng.Now() - start; took != 2*lookup { // the lookups, then the write of the pending table
		t.Errorf("done after %v, want %v", took, 2*lookup)
	}
	var dump strings.Builder
	b.gic.Redistributor(0).Dump(&dump)
	if want := "     8195  group 1  0xa0  LPI      enabled pending\n"; !strings.HasSuffix(dump.String(), want) {
		t.Errorf("dump:\n%s", dump.String())
	}
	if id := uint32(b.mrs(0, gic.ICC_IAR1_EL1)); id != firstLPI+3 {
		t.Fatalf("IAR is %d", id)
	}
	b.drive()
	if b.bit(0, firstLPI+3) {
		t.Error("pending bit is set after the acknowledgement")
	}
	b.gic.SetLPI(0, firstLPI+3)
	b.drive()
	b.expect(0, firstLPI+3)
	if b.ports[0].irq {
		t.Error("interrupts itself")
	}
	b.msr(0, gic.ICC_EOIR1_EL1, uint64(firstLPI+3))
	if !b.ports[0].irq {
		t.Error("no interrupt after the priority drop")
	}
}

// A change of a configuration byte takes effect by an invalidation; a redistributor that keeps configurations uses the
// old one until then. IHI 0069, 5.1.1.
func TestLPIInvalidate(t *testing.T) {
	for _, cache := range []int{0, 4} {
		for _, how := range []func(b *lpiBed){
			func(b *lpiBed) { b.gic.InvalidateLPI(0, firstLPI) },
			func(b *lpiBed) { b.gic.InvalidateAllLPIs(0) },
			func(b *lpiBed) { b.wide(0, gic.GICR_INVLPIR, uint64(firstLPI)) },
			func(b *lpiBed) { b.wide(0, gic.GICR_INVALLR, 0) },
		} {
			b := newLPIBed(t, func(s *gicv3.Spec) { s.ConfigCache, s.DirectLPI = cache, true })
			b.config(firstLPI, disabledLPI)
			b.gic.SetLPI(0, firstLPI)
			b.drive()
			b.config(firstLPI, enabledLPI)
			b.expect(0, spurious)
			how(b)
			if b.readRedist(0, gic.GICR_SYNCR) != 1 {
				t.Error("SYNCR is not busy")
			}
			b.drive()
			if b.readRedist(0, gic.GICR_SYNCR) != 0 {
				t.Error("SYNCR stays busy")
			}
			b.expect(0, firstLPI)
			b.take(0)
			b.config(firstLPI, disabledLPI)
			b.gic.SetLPI(0, firstLPI)
			b.drive()
			if cache > 0 {
				b.expect(0, firstLPI) // by the old configuration
			} else {
				b.expect(0, spurious)
			}
			how(b)
			b.drive()
			b.expect(0, spurious)
		}
	}
}

// With ConfigCacheByHint the hint of GICR_PROPBASER decides whether a configuration is kept.
func TestLPICacheByHint(t *testing.T) {
	for _, c := range []struct{ hint, second uint64 }{{5, 3}, {7, 2}} { // lookups of a second LPI: pending, config, write
		b := newLPIBed(t, func(s *gicv3.Spec) { s.ConfigCache, s.ConfigCacheByHint = 4, true })
		b.enableLPIs(0, false)
		b.drive()
		v := gic.GICR_PROPBASER_IDbits.Put(propTable, idBits-1)
		b.wide(0, gic.GICR_PROPBASER, gic.GICR_PROPBASER_InnerCache.Put(v, c.hint))
		b.enableLPIs(0, true)
		b.config(firstLPI, enabledLPI)
		b.gic.SetLPI(0, firstLPI)
		b.drive()
		b.take(0)
		b.drive()
		before := b.memory.accesses
		b.gic.SetLPI(0, firstLPI)
		b.drive()
		if n := uint64(b.memory.accesses - before); n != c.second {
			t.Errorf("hint %d: %d accesses, want %d", c.hint, n, c.second)
		}
	}
}

// EnableLPIs stays set without CES. With it, RWP says that the pending table is being written, and before that neither
// EnableLPIs may be set again nor the tables be moved: that is remarked and ignored. IHI 0069, 12.11; TF-A 81519fbf62a2
// waits for RWP.
func TestEnableLPIs(t *testing.T) {
	b := newLPIBed(t, func(s *gicv3.Spec) { s.CES = false })
	b.enableLPIs(0, false)
	if v := b.readRedist(0, gic.GICR_CTLR); v != uint64(gic.GICR_CTLR_EnableLPIs) {
		t.Errorf("GICR_CTLR is %#x without CES", v)
	}

	b = newLPIBed(t, func(s *gicv3.Spec) { s.PendingWrites = false })
	b.config(firstLPI+9, enabledLPI)
	b.gic.SetLPI(0, firstLPI+9)
	b.drive()
	if b.bit(0, firstLPI+9) {
		t.Error("the pending table was written")
	}
	b.enableLPIs(0, false)
	b.expect(0, spurious)
	if !gic.GICR_CTLR_RWP.Is(b.readRedist(0, gic.GICR_CTLR)) {
		t.Error("RWP is 0 while the pending table is being written")
	}
	old, _ := b.gic.Redistributor(0).ReadReg(gic.GICR_PENDBASER, bus.W64)
	b.wide(0, gic.GICR_PENDBASER, 0)
	b.enableLPIs(0, true)
	b.drive()
	if v := b.readRedist(0, gic.GICR_CTLR); v != uint64(gic.GICR_CTLR_CES) {
		t.Errorf("GICR_CTLR is %#x, want EnableLPIs lost and RWP 0", v)
	}
	if now, _ := b.gic.Redistributor(0).ReadReg(gic.GICR_PENDBASER, bus.W64); now != old {
		t.Errorf("GICR_PENDBASER changed to %#x", now)
	}
	if !b.bit(0, firstLPI+9) {
		t.Error("the pending table does not say what was pending")
	}
	var remarks []string
	for _, r := range b.eng.Remarks().List {
		remarks = append(remarks, r.What)
	}
	if got, want := strings.Join(remarks, "; "),
		"wrote GICR_PENDBASER before RWP was 0; set EnableLPIs before RWP was 0"; got != want {
		t.Errorf("remarks: %q, want %q", got, want)
	}
	b.enableLPIs(0, true) // the driver that has waited
	b.drive()
	b.expect(0, firstLPI+9)
}

// Setting EnableLPIs reads the pending table, unless GICR_PENDBASER.PTZ promises that it is zero, once.
func TestLPIScan(t *testing.T) {
	for _, promised := range []bool{false, true} {
		b := newLPIBed(t, nil)
		b.enableLPIs(1, false)
		b.drive()
		const last = uint32(1)<<idBits - 1
		for _, lpi := range []uint32{firstLPI + 70, last} {
			b.config(lpi, enabledLPI)
			b.memory.bytes[bus.Addr(pendTable+pendSize+lpi/8)] |= 1 << (lpi % 8)
		}
		ptz := map[bool]uint64{true: 1}[promised]
		b.wide(1, gic.GICR_PENDBASER, gic.GICR_PENDBASER_PTZ.Put(pendTable+pendSize, ptz))
		b.enableLPIs(1, true)
		b.drive()
		if promised {
			b.expect(1, spurious)
			b.enableLPIs(1, false)
			b.drive()
			b.enableLPIs(1, true)
			b.drive()
		}
		for _, want := range []uint32{firstLPI + 70, last, spurious} {
			if got := b.take(1); got != want {
				t.Errorf("promised %v: took %d, want %d", promised, got, want)
			}
		}
		b.drive()
		if b.bit(1, firstLPI+70) || b.bit(1, last) {
			t.Error("pending bits are left")
		}
	}
}

// What no table has room for, what comes while LPIs are disabled, and what needs registers that do not exist has no
// effect.
func TestLPIWithoutEffect(t *testing.T) {
	b := newLPIBed(t, nil)
	b.gic.SetLPI(0, 1<<idBits)
	b.gic.SetLPI(0, firstLPI-1)
	b.wide(0, gic.GICR_SETLPIR, uint64(firstLPI))
	b.enableLPIs(1, false)
	b.gic.SetLPI(1, firstLPI)
	b.drive()
	b.expect(0, spurious)
	b.expect(1, spurious)
	if s := b.gic.Stats(0); s.LPIsDropped != 2 || s.LPIsDelivered != 0 {
		t.Errorf("%+v", s)
	}
}

// Direct injection: GICR_SETLPIR and GICR_CLRLPIR.
func TestDirectLPI(t *testing.T) {
	b := newLPIBed(t, func(s *gicv3.Spec) { s.DirectLPI = true })
	if v := b.readRedist(0, gic.GICR_TYPER); !gic.GICR_TYPER_DirectLPI.Is(v) {
		t.Errorf("GICR_TYPER is %#x", v)
	}
	b.config(firstLPI, enabledLPI)
	b.wide(0, gic.GICR_SETLPIR, uint64(firstLPI))
	b.drive()
	b.expect(0, firstLPI)
	b.wide(0, gic.GICR_CLRLPIR, uint64(firstLPI))
	b.drive()
	b.expect(0, spurious)
	if b.bit(0, firstLPI) {
		t.Error("pending bit is left")
	}
}

// With two security states an LPI's priority is in the lower half, as Non-secure software sees it. IHI 0069, 4.8.
func TestLPIPriority(t *testing.T) {
	for _, ds := range []bool{true, false} {
		b := newLPIBed(t, func(s *gicv3.Spec) { s.DS, s.NonSecureReset = ds, !ds })
		b.config(firstLPI, 0xa0|1)
		b.gic.SetLPI(0, firstLPI)
		b.drive()
		if id := uint32(b.mrs(0, gic.ICC_IAR1_EL1)); id != firstLPI {
			t.Fatalf("ds %v: IAR is %d", ds, id)
		}
		if p := b.mrs(0, gic.ICC_RPR_EL1); p != 0xa0 {
			t.Errorf("ds %v: ICC_RPR_EL1 is %#x", ds, p)
		}
	}
}

// A sync is answered when what was asked before is done; losing power answers it too.
func TestLPISync(t *testing.T) {
	b := newLPIBed(t, nil)
	b.config(firstLPI, enabledLPI)
	var order []string
	b.gic.SetLPI(0, firstLPI)
	b.gic.SyncLPIs(0, answer(func() { order = append(order, name("pending", len(order))) }), 0)
	if len(order) != 0 {
		t.Error("answered at once")
	}
	b.drive()
	if len(order) != 1 || !b.gic.LPIPending(0, firstLPI) {
		t.Errorf("%v", order)
	}
	b.gic.SetLPI(0, firstLPI+1)
	b.gic.SyncLPIs(0, answer(func() { order = append(order, "off") }), 0)
	b.gic.SetPower(0, false)
	if len(order) != 2 || b.gic.LPIPending(0, firstLPI) {
		t.Errorf("%v", order)
	}
	b.drive()
}

// A sync behind a move is answered when the other redistributor has the LPI; two that move LPIs to each other do not
// wait for one another.
func TestLPISyncBehindMove(t *testing.T) {
	b := newLPIBed(t, nil)
	for cpu := range 2 {
		b.config(firstLPI+uint32(cpu), enabledLPI)
		b.gic.SetLPI(cpu, firstLPI+uint32(cpu))
	}
	b.drive()
	answers := 0
	for cpu := range 2 {
		b.gic.MoveLPI(cpu, 1-cpu, firstLPI+uint32(cpu))
		b.gic.SyncLPIs(cpu, answer(func() {
			answers++
			if !b.gic.LPIPending(1-cpu, firstLPI+uint32(cpu)) || !b.bit(1-cpu, firstLPI+uint32(cpu)) {
				t.Errorf("LPI %d has not arrived at CPU%d", firstLPI+uint32(cpu), 1-cpu)
			}
		}), 0)
	}
	b.gic.MoveAllLPIs(0, 1)
	b.drive()
	if answers != 2 {
		t.Errorf("%d answers", answers)
	}
	b.gic.MoveLPI(1, 0, firstLPI)
	b.gic.SyncLPIs(1, answer(func() { answers++ }), 0)
	var middle sim.Channel
	b.eng.Register(&middle, "power")
	b.eng.Post(&middle, b.eng.Now()+2*lookup+lookup/2, answer(func() { b.gic.SetPower(0, false) }), 0) // it looks it up
	b.drive()
	if answers != 3 {
		t.Errorf("%d answers", answers)
	}
}

type answer func()

func (f answer) Fire(sim.Time, uint64) { f() }

// An LPI allocates nothing.
func TestLPIAllocations(t *testing.T) {
	b := newLPIBed(t, nil)
	b.config(firstLPI, enabledLPI)
	one := func() {
		b.gic.SetLPI(0, firstLPI)
		b.drive()
		b.take(0)
		b.drive()
	}
	one()
	if n := testing.AllocsPerRun(100, one); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzLPI: whatever software writes to the registers of LPIs, and an ITS asks for, in whatever order, everything ends
// and every sync is answered.
func FuzzLPI(f *testing.F) {
	f.Add([]byte{0, 0, 1, 1, 9, 0, 2, 0, 3, 3, 1, 7, 5, 5, 5})
	f.Add([]byte{6, 0, 0, 6, 0, 1, 0, 9, 9, 8, 0, 0, 7, 1, 255, 4, 0, 0})
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) > 300 {
			t.Skip("longer finds nothing more")
		}
		b := newLPIBed(t, func(s *gicv3.Spec) {
			s.DirectLPI, s.ConfigCache, s.PendingWrites = true, len(ops)%3, len(ops)%2 == 0
			s.RWPDelay = lookup
		})
		asked, answered := 0, 0
		for ; len(ops) >= 3; ops = ops[3:] {
			cpu, v := int(ops[1]%2), uint64(ops[2])
			lpi := firstLPI + uint32(v)
			switch ops[0] % 10 {
			case 0:
				b.gic.SetLPI(cpu, lpi)
			case 1:
				b.gic.MoveLPI(cpu, 1-cpu, lpi)
			case 2:
				b.gic.MoveAllLPIs(cpu, 1-cpu)
			case 3:
				b.gic.InvalidateAllLPIs(cpu)
			case 4:
				asked++
				b.gic.SyncLPIs(cpu, answer(func() { answered++ }), 0)
			case 5:
				b.config(lpi, byte(v))
			case 6:
				b.enableLPIs(cpu, v&1 != 0)
			case 7:
				offsets := []uint64{
					gic.GICR_PROPBASER, gic.GICR_PENDBASER, gic.GICR_SETLPIR, gic.GICR_CLRLPIR, gic.GICR_INVLPIR,
				}
				b.wide(cpu, offsets[v%5], v*0x0101_0101_0101_0101)
			case 8:
				b.gic.SetPower(cpu, v&1 != 0)
			case 9:
				b.drive()
				b.take(cpu)
			}
		}
		b.drive()
		if asked != answered {
			t.Errorf("%d of %d syncs are answered", answered, asked)
		}
	})
}
