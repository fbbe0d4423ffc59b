package its_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/its"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

const ns = sim.Nanosecond

// The memory map of a testbed.
const (
	itsBase  bus.Addr = 0x0808_0000
	redist   bus.Addr = 0x080a_0000
	ramBase           = 0x4000_0000
	queue             = 0x4100_0000
	devices           = 0x4110_0000
	collects          = 0x4120_0000
	itts              = 0x4130_0000
)

// The latencies of a testbed.
const (
	commandTime   = 7 * ns
	translateTime = 5 * ns
	handOverTime  = 20 * ns
	memoryTime    = 100 * ns
	systemTime    = 60 * ns
)

// latency is constant, but for one redistributor that is far away.
type latency struct{ far int }

func (*latency) Command(uint64) sim.Time   { return commandTime }
func (*latency) Translate(uint64) sim.Time { return translateTime }

func (l *latency) HandOver(rd int, _ uint64) sim.Time {
	if rd == l.far {
		return 50 * handOverTime
	}
	return handOverTime
}

// redists is redistributors that keep which LPIs are pending, and what they were told.
type redists struct {
	eng     *sim.Engine
	pending []map[uint32]bool
	heard   []string
	quiet   bool         // nothing is kept of what they hear
	busy    *sim.Channel // answers of SyncLPIs leave on it,
	delay   sim.Time     // so much later
	taken   func(rd int, intid uint32)

	overwrites bool // a faulty one: what is moved takes the place of what is pending there
}

func (r *redists) hear(format string, args ...any) {
	if !r.quiet {
		r.heard = append(r.heard, fmt.Sprintf("%s "+format, append([]any{r.eng.Now()}, args...)...))
	}
}

func (r *redists) SetLPI(rd int, intid uint32) {
	if r.quiet {
		r.taken(rd, intid)
		return
	}
	r.hear("set %d at %d", intid, rd)
	r.pending[rd][intid] = true
}

func (r *redists) ClearLPI(rd int, intid uint32) {
	r.hear("clear %d at %d", intid, rd)
	delete(r.pending[rd], intid)
}

func (r *redists) InvalidateLPI(rd int, intid uint32) { r.hear("invalidate %d at %d", intid, rd) }

func (r *redists) InvalidateAllLPIs(rd int) { r.hear("invalidate all at %d", rd) }

func (r *redists) MoveLPI(from, to int, intid uint32) {
	r.hear("move %d from %d to %d", intid, from, to)
	if r.pending[from][intid] {
		delete(r.pending[from], intid)
		r.pending[to][intid] = true
	}
}

func (r *redists) MoveAllLPIs(from, to int) {
	r.hear("move all from %d to %d", from, to)
	if r.overwrites {
		clear(r.pending[to])
	}
	for intid := range r.pending[from] {
		r.pending[to][intid] = true
	}
	clear(r.pending[from])
}

func (r *redists) SyncLPIs(rd int, h sim.Handler, arg uint64) {
	r.hear("sync at %d", rd)
	r.eng.Post(r.busy, r.eng.Now()+r.delay, h, arg)
}

// accesses is a target that keeps the transactions that pass it.
type accesses struct {
	to     bus.Target
	list   []string
	mangle func(t *bus.Transaction, after bool) // makes the device faulty
	off    bool
}

func (a *accesses) Transact(t *bus.Transaction) bus.Answer {
	if a.mangle != nil {
		a.mangle(t, false)
	}
	answer := a.to.Transact(t)
	if a.mangle != nil {
		a.mangle(t, true)
	}
	if !a.off {
		a.list = append(a.list, fmt.Sprintf("%s %d at 0x%x by the %s", t.Op, t.Len, uint64(t.Addr), answer.Served))
	}
	return answer
}

// testbed is an ITS with memory and redistributors.
type testbed struct {
	testing.TB
	eng      *sim.Engine
	mem      *mem.Memory
	its      *its.ITS
	redists  *redists
	accesses *accesses
	latency  latency
	devices  bus.Map
	ports    map[uint32]*mem.Port // of devices
	next     uint64               // offset of the next command
}

const testCPUs = 4

func testSpec() its.Spec {
	s := its.DefaultSpec(nil)
	for rd := range testCPUs {
		s.Redistributors = append(s.Redistributors, redist+bus.Addr(rd*0x20000))
	}
	return s
}

// newTestbed builds an ITS that has tables, a queue and is enabled: the device table has 64 KiB, and so has the
// collection table, both accessed with WaWb.
func newTestbed(tb testing.TB, s its.Spec) *testbed {
	tb.Helper()
	t := newBareTestbed(tb, s)
	t.write(gic.GITS_BASER, t.baser(devices, gic.WaWb))
	t.write(gic.GITS_BASER+8, t.baser(collects, gic.WaWb))
	t.setQueue(1)
	t.enable(true)
	return t
}

// newBareTestbed builds an ITS at its reset state.
func newBareTestbed(tb testing.TB, s its.Spec) *testbed {
	tb.Helper()
	t := &testbed{TB: tb, eng: sim.NewEngine(), ports: map[uint32]*mem.Port{}, latency: latency{far: -1}}
	spec := mem.Spec{Base: ramBase, Size: 256 << 20, Places: make([]mem.Place, testCPUs)}
	for i := range spec.Places {
		spec.Places[i].Cluster = int32(i)
	}
	for part, d := range map[mem.Part]sim.Time{
		mem.Hit: 2 * ns, mem.ClusterHandOff: 40 * ns, mem.DieHandOff: 50 * ns, mem.SystemHit: systemTime,
		mem.MemoryAccess: memoryTime,
	} {
		spec.Latency[part] = sim.Fixed(d)
	}
	spec.SystemCache = mem.SystemCacheSpec{Size: 1 << 20, Ways: 16, LineSize: mem.LineSize}
	var err error
	if t.mem, err = mem.New(spec, func(int, sim.Time) {}); err != nil {
		tb.Fatal(err)
	}
	t.redists = &redists{eng: t.eng, busy: &sim.Channel{}}
	t.eng.Register(t.redists.busy, "answers")
	for range s.Redistributors {
		t.redists.pending = append(t.redists.pending, map[uint32]bool{})
	}
	master := &bus.Master{Name: "ITS0"}
	t.accesses = &accesses{to: t.mem.NewPort(master, mem.Place{}, nil)}
	t.its, err = its.New(s, t.eng, its.Ports{
		Master: master, Memory: t.accesses, Redistributors: t.redists, Latency: &t.latency,
	})
	if err != nil {
		tb.Fatal(err)
	}
	for _, r := range []bus.Region{
		{Name: "GITS", Base: itsBase, Size: uint64(gic.FrameSize), Device: t.its.Control()},
		{Name: "GITS_TRANSLATER", Base: itsBase + bus.Addr(gic.TranslationFrame), Size: uint64(gic.FrameSize),
			Target: t.its.Translation()},
	} {
		if err := t.devices.Add(r); err != nil {
			tb.Fatal(err)
		}
	}
	return t
}

// baser is a GITS_BASER of one page of 64 KiB.
func (t *testbed) baser(addr uint64, c gic.Cacheability) uint64 {
	v := gic.GITS_BASER_Valid.Put(addr, 1)
	v = gic.GITS_BASER_InnerCache.Put(v, uint64(c))
	v = gic.GITS_BASER_Shareability.Put(v, uint64(gic.InnerShareable))
	return gic.GITS_BASER_Page_Size.Put(v, uint64(gic.Page64K))
}

// setQueue gives the ITS a queue of a number of pages.
func (t *testbed) setQueue(pages uint64) {
	v := gic.GITS_CBASER_Valid.Put(queue, 1)
	v = gic.GITS_CBASER_InnerCache.Put(v, uint64(gic.WaWb))
	v = gic.GITS_CBASER_Shareability.Put(v, uint64(gic.InnerShareable))
	t.write(gic.GITS_CBASER, gic.GITS_CBASER_Size.Put(v, pages-1))
	t.write(gic.GITS_CWRITER, 0)
	t.next = 0
}

func (t *testbed) enable(on bool) {
	t.Helper()
	v := uint64(0)
	if on {
		v = 1
	}
	t.writeSize(gic.GITS_CTLR, bus.W32, v)
}

func (t *testbed) write(off, v uint64) { t.writeSize(off, bus.W64, v) }

func (t *testbed) writeSize(off uint64, w bus.Width, v uint64) {
	t.Helper()
	if !t.its.Control().WriteReg(off, w, v) {
		t.Fatalf("GITS+%#x: no such register", off)
	}
}

func (t *testbed) read(off uint64) uint64 {
	t.Helper()
	w := bus.W64
	if off == gic.GITS_CTLR {
		w = bus.W32
	}
	v, ok := t.its.Control().ReadReg(off, w)
	if !ok {
		t.Fatalf("GITS+%#x: no such register", off)
	}
	return v
}

// drive lets everything that is under way end.
func (t *testbed) drive() {
	t.Helper()
	if err := t.eng.Drive(nil); err != nil {
		t.Fatal(err)
	}
}

// put writes a command behind the last one, as CPU 0, without telling the ITS.
func (t *testbed) put(c gic.ITSCommand) {
	for n, word := range c {
		t.mem.Write(0, queue+t.next+8*uint64(n), 8, word, t.eng.Now(), 0)
	}
	pages := gic.GITS_CBASER_Size.Get(t.read(gic.GITS_CBASER)) + 1
	t.next = (t.next + uint64(gic.ITSCommandSize)) % (pages * 4096)
}

// run gives the ITS commands and lets it process them.
func (t *testbed) run(commands ...gic.ITSCommand) {
	t.Helper()
	for _, c := range commands {
		t.put(c)
	}
	t.write(gic.GITS_CWRITER, t.next)
	t.drive()
}

// message is a write of a device to GITS_TRANSLATER.
func (t *testbed) message(device, event uint32) { t.messageSize(device, event, 4) }

func (t *testbed) messageSize(device, event uint32, size uint8) bus.Answer {
	port := t.ports[device]
	if port == nil {
		port = t.mem.NewPort(&bus.Master{Name: fmt.Sprintf("device %d", device), DeviceID: device}, mem.Place{},
			&t.devices)
		t.ports[device] = port
	}
	m := bus.Transaction{
		Master: &bus.Master{DeviceID: device}, At: t.eng.Now(), Addr: itsBase + gic.GITS_TRANSLATER, Len: size,
		Op: bus.Write, Data: [8]uint64{uint64(event)},
	}
	return port.Transact(&m)
}

// pending are the LPIs that are pending at each redistributor.
func (t *testbed) pending(want ...[]uint32) {
	t.Helper()
	for rd := range t.redists.pending {
		var got []uint32
		for intid := range t.redists.pending[rd] {
			got = append(got, intid)
		}
		slices.Sort(got)
		var wanted []uint32
		if rd < len(want) {
			wanted = want[rd]
		}
		if !slices.Equal(got, wanted) {
			t.Errorf("pending at %d: %d, want %d", rd, got, wanted)
		}
	}
}

// events checks what was minded since the last time.
func (t *testbed) events(want ...string) {
	t.Helper()
	list, _ := t.its.Events()
	got := []string{}
	for i := range list {
		got = append(got, list[i].String())
	}
	if !slices.Equal(got, append([]string{}, want...)) {
		t.Errorf("events:\n%q\nwant\n%q", got, want)
	}
}

// at checks where the queue is.
func (t *testbed) at(want uint64) {
	t.Helper()
	if got := t.read(gic.GITS_CREADR); got != want {
		t.Errorf("GITS_CREADR is %#x, want %#x", got, want)
	}
}

// The commands.

func op(o gic.ITSOpcode, device, event, icid uint64) gic.ITSCommand {
	return gic.ITSCommand{
		gic.ITS_CMD_0_DeviceID.Put(uint64(o), device), gic.ITS_CMD_1_EventID.Put(0, event),
		gic.ITS_CMD_2_ICID.Put(0, icid),
	}
}

func mapd(device, bits, itt uint64) gic.ITSCommand {
	return gic.ITSCommand{
		gic.ITS_CMD_0_DeviceID.Put(uint64(gic.MAPD), device), bits - 1, itt | uint64(gic.ITS_MAPD_2_V),
	}
}

func unmapd(device uint64) gic.ITSCommand {
	return gic.ITSCommand{gic.ITS_CMD_0_DeviceID.Put(uint64(gic.MAPD), device)}
}

func mapc(icid, rd uint64) gic.ITSCommand {
	return gic.ITSCommand{uint64(gic.MAPC), 0, gic.ITS_CMD_2_RDbase.Put(icid, rd) | uint64(gic.ITS_CMD_2_V)}
}

func unmapc(icid uint64) gic.ITSCommand { return gic.ITSCommand{uint64(gic.MAPC), 0, icid} }

func mapti(device, event, intid, icid uint64) gic.ITSCommand {
	c := op(gic.MAPTI, device, event, icid)
	c[1] = gic.ITS_CMD_1_pINTID.Put(c[1], intid)
	return c
}

func syncTo(rd uint64) gic.ITSCommand {
	return gic.ITSCommand{uint64(gic.SYNC), 0, gic.ITS_CMD_2_RDbase.Put(0, rd)}
}

func movall(from, to uint64) gic.ITSCommand {
	return gic.ITSCommand{
		uint64(gic.MOVALL), 0, gic.ITS_CMD_2_RDbase.Put(0, from), gic.ITS_CMD_3_RDbase2.Put(0, to),
	}
}
