package smmuv3_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
	"github.com/hwscript/hwscript/hardware/smmuv3"
)

// The testbed's map. Queues have 2^queueLog2 entries.
const (
	ramBase, ramSize = 0x4000_0000, 64 << 20

	commandQueue = 0x4280_0000
	eventQueue   = 0x4020_0000
	priQueue     = 0x4030_0000
	streamTable  = 0x4040_0000
	contexts     = 0x4050_0000
	tables       = 0x4060_0000
	tables2      = 0x4080_0000
	buffers      = 0x4100_0000
	nowhere      = 0x9_0000_0000

	queueLog2 = 3
	stream    = 8
)

// testbed is an SMMU with memory, a device, and PEs that only count events.
type testbed struct {
	testing.TB
	eng    *sim.Engine
	memory *mem.Memory
	smmu   *smmuv3.SMMU
	dev    *smmuv3.Request
	wires  []string // pulses
	events int      // at the PEs
	prod   uint64   // of the Command queue
	ended  int      // transactions of the device
	log2   uint8
	cr2    uint64
}

type wire struct {
	bed  *testbed
	name string
}

func (w *wire) SetLine(level bool) {
	if level {
		w.bed.wires = append(w.bed.wires, w.name)
	}
}

func (t *testbed) SetEvent(sim.Time) { t.events++ }

func (t *testbed) Answered(*smmuv3.Request, sim.Time) { t.ended++ }

// timed is a Spec whose steps all take some time, each another.
func timed() smmuv3.Spec {
	s := smmuv3.DefaultSpec()
	for i := range s.Latency {
		s.Latency[i] = sim.Time(10+i) * sim.Nanosecond
	}
	s.RIL = true
	return s
}

func newTestbed(t testing.TB, spec smmuv3.Spec) *testbed {
	t.Helper()
	bed := &testbed{TB: t, eng: sim.NewEngine(), log2: queueLog2, cr2: uint64(smmu.SMMU_CR2_RECINVSID)}
	m := mem.Spec{Base: ramBase, Size: ramSize, Places: make([]mem.Place, 1), DiesPerSocket: 1}
	for i := range m.Latency {
		m.Latency[i] = sim.Fixed(sim.Time(20+10*i) * sim.Nanosecond)
	}
	var err error
	if bed.memory, err = mem.New(m, func(int, sim.Time) {}); err != nil {
		t.Fatal(err)
	}
	master := &bus.Master{Name: "SMMU"}
	lines := smmuv3.Lines{
		Event: &wire{bed, "event"}, PRI: &wire{bed, "pri"}, Sync: &wire{bed, "sync"}, Global: &wire{bed, "error"},
	}
	port := bed.memory.NewPort(master, mem.Place{}, nil)
	if bed.smmu, err = smmuv3.New(spec, bed.eng, master, port, lines, bed); err != nil {
		t.Fatal(err)
	}
	bed.dev = bed.smmu.NewRequest(bed, "device")
	return bed
}

// drive lets everything that is under way happen.
func (t *testbed) drive() {
	t.Helper()
	if err := t.eng.Drive(nil); err != nil {
		t.Fatal(err)
	}
}

type stop struct{ eng *sim.Engine }

func (s stop) Fire(sim.Time, uint64) { s.eng.Fail(sim.ErrStopped) }

// pass lets some time go by.
func (t *testbed) pass(d sim.Time) {
	t.Helper()
	var ch sim.Channel
	t.eng.Register(&ch, "end")
	t.eng.Post(&ch, t.eng.Now()+d, stop{t.eng}, 0)
	if err := t.eng.Drive(nil); err != sim.ErrStopped {
		t.Fatal(err)
	}
}

func (t *testbed) poke(addr uint64, words ...uint64) {
	for i, w := range words {
		t.memory.Poke(addr+8*uint64(i), 8, w)
	}
}

func (t *testbed) peek(addr uint64) uint64 { return t.memory.Peek(addr, 8) }

func (t *testbed) write(off, v uint64) {
	t.Helper()
	if !t.smmu.WriteReg(off, bus.W32, v) {
		t.Fatalf("SMMU+0x%x: no such register", off)
	}
}

func (t *testbed) write64(off, v uint64) {
	t.Helper()
	if !t.smmu.WriteReg(off, bus.W64, v) {
		t.Fatalf("SMMU+0x%x: no such register", off)
	}
}

func (t *testbed) read(off uint64) uint64 {
	t.Helper()
	v, ok := t.smmu.ReadReg(off, bus.W32)
	if !ok {
		t.Fatalf("SMMU+0x%x: no such register", off)
	}
	return v
}

// reads checks a register.
func (t *testbed) reads(name string, off, want uint64) {
	t.Helper()
	if got := t.read(off); got != want {
		t.Errorf("%s is 0x%x, expected 0x%x", name, got, want)
	}
}

const (
	hintRA   = 1 << 62
	cr1      = 0xd75 // everything inner-shareable, write-back
	allOn    = 0xd   // SMMUEN, EVENTQEN, CMDQEN
	commands = 0x8
)

// boot does to the SMMU what Linux does (arm_smmu_device_reset), with a linear stream table of 64 entries.
func (t *testbed) boot() {
	t.Helper()
	t.write(smmu.SMMU_CR1, cr1)
	t.write(smmu.SMMU_CR2, t.cr2)
	t.write64(smmu.SMMU_STRTAB_BASE, hintRA|streamTable)
	t.write(smmu.SMMU_STRTAB_BASE_CFG, 6)
	t.write64(smmu.SMMU_CMDQ_BASE, hintRA|commandQueue|uint64(t.log2))
	t.write(smmu.SMMU_CMDQ_PROD, 0)
	t.write(smmu.SMMU_CMDQ_CONS, 0)
	t.prod = 0
	t.write64(smmu.SMMU_EVENTQ_BASE, hintRA|eventQueue|uint64(t.log2))
	t.write(smmu.SMMU_EVENTQ_PROD, 0)
	t.write(smmu.SMMU_EVENTQ_CONS, 0)
	on := uint64(allOn)
	if t.smmu.Spec().PRI {
		t.write64(smmu.SMMU_PRIQ_BASE, hintRA|priQueue|uint64(t.log2))
		on |= uint64(smmu.SMMU_CR0_PRIQEN)
	}
	t.write(smmu.SMMU_IRQ_CTRL, 7)
	t.write(smmu.SMMU_CR0, on)
	t.drive()
	t.reads("CR0ACK", smmu.SMMU_CR0ACK, on)
}

// put writes a command into its slot, without PROD.
func (t *testbed) put(d0, d1 uint64) {
	t.poke(commandQueue+t.prod&(1<<t.log2-1)*16, d0, d1)
	t.prod = (t.prod + 1) & (1<<(t.log2+1) - 1)
}

// publish writes PROD.
func (t *testbed) publish() { t.write(smmu.SMMU_CMDQ_PROD, t.prod) }

// do lets the SMMU do commands, each two words.
func (t *testbed) do(words ...uint64) {
	t.Helper()
	for i := 0; i < len(words); i += 2 {
		t.put(words[i], words[i+1])
	}
	t.publish()
	t.drive()
}

const (
	cmdSync    = 0x46
	cmdSyncMSI = 0x0fc01046
	cmdSyncSEV = 0x0fc02046
)

// sync is a CMD_SYNC that must complete.
func (t *testbed) sync(words ...uint64) {
	t.Helper()
	t.do(append(words, cmdSync, 0)...)
	t.reads("CMDQ_CONS", smmu.SMMU_CMDQ_CONS, t.prod)
}

func cfgiSTE(sid uint64) (uint64, uint64)      { return 0x03 | sid<<32, 1 }
func cfgiCD(sid, ssid uint64) (uint64, uint64) { return 0x05 | ssid<<12 | sid<<32, 1 }
func tlbiVA(asid, va uint64) (uint64, uint64)  { return 0x12 | asid<<48, va | 1 }

// two is two words as one list.
func two(a, b uint64) []uint64 { return []uint64{a, b} }

// access makes an access of the device.
func (t *testbed) access(op bus.Op, addr uint64, n uint8, v uint64) (smmuv3.Result, uint64) {
	t.Helper()
	t.begin(t.dev, op, addr, n, v)
	t.drive()
	return t.dev.Result, t.dev.Data[0]
}

// begin starts an access and does not wait.
func (t *testbed) begin(r *smmuv3.Request, op bus.Op, addr uint64, n uint8, v uint64) {
	if r.Master == nil {
		r.Master = &bus.Master{Name: "device", StreamID: stream}
	}
	m := r.Master
	r.Transaction = bus.Transaction{Master: m, Addr: bus.Addr(addr), Len: n, Op: op, Attr: bus.Normal}
	r.Attr.Privileged = false
	r.Data[0] = v
	r.Submit()
}

// reaches checks that a read by the device ends where it should.
func (t *testbed) reaches(iova, pa uint64) {
	t.Helper()
	t.memory.Poke(pa, 8, pa^0x5555)
	if result, v := t.access(bus.Read, iova, 8, 0); result != smmuv3.Performed || v != pa^0x5555 {
		t.Errorf("0x%x: %v, 0x%x: expected the word at 0x%x", iova, result, v, pa)
	}
}

// The forms of STEs and CDs.
const (
	steValid       = 1
	steBypass      = steValid | uint64(smmu.ConfigBypass)<<1
	steAbort       = steValid
	steStage1      = steValid | uint64(smmu.ConfigS1)<<1
	steStage2      = steValid | uint64(smmu.ConfigS2)<<1
	steNested      = steValid | uint64(smmu.ConfigNested)<<1
	steUseIncoming = 1 << 44
	steCache       = 1<<2 | 1<<4 | 3<<6 // accesses to CDs

	cdBase = 25 | 1<<8 | 1<<10 | 3<<12 | 1<<30 | 1<<31 | 5<<32 | 1<<41 | 1<<45 | 1<<46 // 39 bits, 4 KiB, no upper half
	mair   = 0xff440c0400

	pageRW = 0x443 | 1<<11 // page, AF, AP unprivileged, nG
	pageRO = pageRW | 1<<7
	table  = 3
)

// setSTE writes an STE, without an invalidation.
func (t *testbed) setSTE(sid uint64, words ...uint64) {
	t.poke(streamTable+sid*64, append(words, 0, 0, 0, 0)[:4]...)
}

// stage1 gives the stream a CD with an ASID and the tables at tables; the CD's words can be changed.
func (t *testbed) stage1(asid uint64) {
	t.Helper()
	t.setSTE(stream, steStage1|contexts, steUseIncoming|steCache)
	t.poke(contexts, cdBase|asid<<48, tables, 0, mair)
	t.sync(two(cfgiSTE(stream))...)
}

// mapPage maps a page of 4 KiB in tables of 39 bits at root: each level in a page of its own behind root.
func (t *testbed) mapPage(root, iova, entry uint64) {
	l1 := root
	l2 := root + 0x1000
	l3 := root + 0x10_0000 + iova>>21&0xff<<12
	t.poke(l1+iova>>30&511*8, l2|table)
	t.poke(l2+iova>>21&511*8, l3|table)
	t.poke(l3+iova>>12&511*8, entry)
}

// event is the record at the Event queue's CONS, which is consumed.
func (t *testbed) event() [4]uint64 {
	t.Helper()
	prod, cons := t.read(smmu.SMMU_EVENTQ_PROD), t.read(smmu.SMMU_EVENTQ_CONS)
	if prod<<1 == cons<<1 {
		t.Errorf("no event")
		return [4]uint64{}
	}
	at := eventQueue + cons&(1<<t.log2-1)*32
	record := [4]uint64{t.peek(at), t.peek(at + 8), t.peek(at + 16), t.peek(at + 24)}
	t.write(smmu.SMMU_EVENTQ_CONS, cons&(1<<31)|(cons+1)&(1<<(t.log2+1)-1))
	t.drive()
	return record
}

// expect checks the next event's decoded form.
func (t *testbed) expect(want string) {
	t.Helper()
	if got := smmuv3.DecodeEvent(t.event()); got != want {
		t.Errorf("event\n %s, expected\n %s", got, want)
	}
}

// noEvent checks that there is none.
func (t *testbed) noEvent() {
	t.Helper()
	if prod, cons := t.read(smmu.SMMU_EVENTQ_PROD), t.read(smmu.SMMU_EVENTQ_CONS); prod<<1 != cons<<1 {
		t.Errorf("unexpected %s", smmuv3.DecodeEvent(t.event()))
	}
}
