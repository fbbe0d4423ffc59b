package its_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/its"
	"github.com/hwscript/hwscript/hardware/sim"
)

// plain is an ITS written a second time, without time, queue and caches: what commands say, one after another.
type plain struct {
	spec   its.Spec
	baser  [2]uint64
	words  map[uint64]uint64 // memory
	held   map[uint64]uint64 // collections in the ITS
	orders []string
	errors []gic.ITSError // of commands that failed, 0 without a number
}

// cell is where an id's entry is; exists is false if there is none.
func (p *plain) cell(n int, id uint64) (addr uint64, exists bool) {
	v := p.baser[n]
	if v>>63 == 0 {
		return 0, false
	}
	page := map[uint64]uint64{0: 4096, 1: 16384, 2: 65536, 3: 65536}[v>>8&3]
	size := (v&0xff + 1) * page
	base := v & 0xffff_ffff_f000
	if page == 65536 {
		base = v&0xffff_ffff_0000 | v>>12&0xf<<48
	}
	base -= base % page
	if v>>62&1 == 0 {
		return base + 8*id, 8*id < size
	}
	n1 := id * 8 / page
	l1 := p.words[base+8*n1]
	if 8*n1 >= size || l1>>63 == 0 {
		return 0, false
	}
	second := l1 & 0xf_ffff_ffff_f000
	return second - second%page + id*8%page, true
}

// collection is the place of a collection's entry, in memory or held.
func (p *plain) collection(icid uint64) (place map[uint64]uint64, key uint64, exists bool) {
	held := uint64(p.spec.HCC)
	if p.baser[1]>>63 != 0 && !p.spec.CCT {
		held = 0
	}
	if icid >= 1<<p.spec.CollectionBits {
		return nil, 0, false
	}
	if icid < held {
		return p.held, icid, true
	}
	key, exists = p.cell(1, icid-held)
	return p.words, key, exists
}

// target is the redistributor of a collection.
func (p *plain) target(icid uint64) (rd uint64, mapped bool) {
	place, key, exists := p.collection(icid)
	if !exists || place[key]>>63 == 0 {
		return 0, false
	}
	return place[key] >> 16 & 0xf_ffff_ffff, true
}

func (p *plain) fail(n gic.ITSError) { p.errors = append(p.errors, n) }

func (p *plain) order(format string, args ...any) {
	p.orders = append(p.orders, fmt.Sprintf(format, args...))
}

// dte is a device's entry, 0 if it is not mapped.
func (p *plain) dte(device uint64) uint64 {
	if addr, exists := p.cell(0, device); exists && device>>p.spec.DeviceBits == 0 && p.words[addr]>>63 != 0 {
		return p.words[addr]
	}
	return 0
}

// ite is where an event's entry is.
func (p *plain) ite(dte, event uint64) (addr uint64, exists bool) {
	return dte&0xf_ffff_ffff_ff00 + event*uint64(p.spec.ITESize), dte != 0 && event < 2<<(dte&31)
}

// do is what a command does.
func (p *plain) do(c gic.ITSCommand) {
	device, event, icid := c[0]>>32, c[1]&0xffff_ffff, c[2]&0xffff
	rd, cpus := c[2]>>16&0xf_ffff_ffff, uint64(len(p.spec.Redistributors))
	switch o := gic.ITSOpcode(c[0]); o {
	case gic.MAPD:
		addr, exists := p.cell(0, device)
		switch {
		case c[2]>>63 != 0 && c[1]&31 >= uint64(p.spec.EventBits):
			p.fail(gic.MAPD_ITTSIZE_OOR)
		case !exists || device>>p.spec.DeviceBits != 0:
			p.fail(gic.MAPD_DEVICE_OOR)
		case c[2]>>63 == 0:
			p.words[addr] = 0
		default:
			p.words[addr] = 1<<63 | c[2]&0xf_ffff_ffff_ff00 | c[1]&31
		}
	case gic.MAPC:
		place, key, exists := p.collection(icid)
		switch {
		case c[2]>>63 != 0 && rd >= cpus:
			p.fail(gic.MAPC_PROCNUM_OOR)
		case !exists:
			p.fail(gic.MAPC_COLLECTION_OOR)
		case c[2]>>63 == 0:
			place[key] = 0
		default:
			place[key] = 1<<63 | rd<<16
		}
	case gic.MAPTI, gic.MAPI:
		p.mapEvent(c, device, event, icid)
	case gic.INVALL:
		if rd, mapped := p.target(icid); mapped {
			p.order("invalidate all at %d", rd)
		} else {
			p.fail(gic.INVALL_UNMAPPED_COLLECTION)
		}
	case gic.MOVALL:
		if to := c[3] >> 16 & 0xf_ffff_ffff; rd >= cpus || to >= cpus {
			p.fail(gic.MOVALL_PROCNUM_OOR)
		} else if rd != to {
			p.order("move all from %d to %d", rd, to)
		}
	case gic.SYNC:
		if rd >= cpus {
			p.fail(0)
		}
	case gic.MOVI, gic.INT, gic.CLEAR, gic.INV, gic.DISCARD:
		p.onEvent(o, device, event, icid)
	default:
		p.fail(0)
	}
}

func (p *plain) mapEvent(c gic.ITSCommand, device, event, icid uint64) {
	intid := c[1] >> 32
	if gic.ITSOpcode(c[0]) == gic.MAPI {
		intid = event
	}
	dte := p.dte(device)
	addr, exists := p.ite(dte, event)
	switch {
	case dte == 0:
		p.fail(gic.MAPTI_UNMAPPED_DEVICE)
	case !exists:
		p.fail(gic.MAPTI_ID_OOR)
	case intid < 8192 || intid >= 1<<p.spec.INTIDBits:
		p.fail(gic.MAPTI_PHYSICALID_OOR)
	case icid >= 1<<p.spec.CollectionBits:
		p.fail(0)
	default:
		p.words[addr] = 1<<63 | icid<<32 | intid
	}
}

// onEvent is a command about an event that is mapped.
func (p *plain) onEvent(o gic.ITSOpcode, device, event, icid uint64) {
	wrong := map[gic.ITSOpcode]gic.ITSError{
		gic.MOVI: gic.MOVI_UNMAPPED_INTERRUPT, gic.INT: gic.INT_UNMAPPED_INTERRUPT,
		gic.CLEAR: gic.CLEAR_UNMAPPED_INTERRUPT, gic.INV: gic.INV_UNMAPPED_INTERRUPT,
		gic.DISCARD: gic.DISCARD_UNMAPPED_INTERRUPT,
	}[o]
	addr, exists := p.ite(p.dte(device), event)
	if !exists || p.words[addr]>>63 == 0 {
		p.fail(wrong)
		return
	}
	intid := p.words[addr] & 0xffff_ffff
	rd, mapped := p.target(p.words[addr] >> 32 & 0xffff)
	to, toMapped := p.target(icid)
	switch {
	case o == gic.MOVI && (!mapped || !toMapped):
		p.fail(gic.MOVI_UNMAPPED_COLLECTION)
	case !mapped:
		p.fail(wrong)
	case o == gic.INT:
		p.order("set %d at %d", intid, rd)
	case o == gic.INV:
		p.order("invalidate %d at %d", intid, rd)
	case o == gic.MOVI:
		if rd != to {
			p.order("move %d from %d to %d", intid, rd, to)
		}
		p.words[addr] = p.words[addr]&^(0xffff<<32) | icid<<32
	default:
		p.order("clear %d at %d", intid, rd)
		if o == gic.DISCARD {
			p.words[addr] = 0
		}
	}
}

// anyCommand draws a command about few devices, events, collections and redistributors, some of them out of range.
func anyCommand(r *rand.Rand) gic.ITSCommand {
	few := func(n int, odd ...uint64) uint64 {
		if r.Intn(20) == 0 {
			return odd[r.Intn(len(odd))]
		}
		return uint64(r.Intn(n))
	}
	device, event := few(4, 600, 0x1fff, 0x2000, 0x10000), few(6, 31, 255, 0xffff_ffff)
	icid, rd := few(6, 1000, 0x1fff, 0xffff), few(testCPUs, testCPUs, 0xf_ffff_ffff)
	ops := []gic.ITSOpcode{
		gic.MOVI, gic.INT, gic.INT, gic.CLEAR, gic.SYNC, gic.MAPD, gic.MAPC, gic.MAPTI, gic.MAPTI, gic.MAPTI, gic.MAPI,
		gic.INV, gic.INVALL, gic.MOVALL, gic.DISCARD, gic.VMAPTI, 0x7f,
	}
	switch o := ops[r.Intn(len(ops))]; o {
	case gic.MAPD:
		if r.Intn(4) == 0 {
			return unmapd(device)
		}
		return mapd(device, 1+few(4, 16, 31), itts+device%8*0x1000)
	case gic.MAPC:
		if r.Intn(4) == 0 {
			return unmapc(icid)
		}
		return mapc(icid, rd)
	case gic.MAPTI:
		return mapti(device, event, 8192+few(20, 0xe000, 0xdfff, ^uint64(0)), icid)
	case gic.MAPI:
		return op(o, device, []uint64{event, 8192 + uint64(r.Intn(8))}[r.Intn(2)], icid)
	case gic.MOVALL:
		return movall(rd, few(testCPUs, testCPUs))
	case gic.SYNC:
		return syncTo(rd)
	default:
		return op(o, device, event, icid)
	}
}

// firstCommands map most of what anyCommand is about.
var firstCommands = func() (list []gic.ITSCommand) {
	for n := range uint64(6) {
		list = append(list, mapc(n, n%testCPUs))
	}
	for device := range uint64(4) {
		list = append(list, mapd(device, 3, itts+device*0x1000))
		for event := range uint64(6) {
			list = append(list, mapti(device, event, 8192+6*device+event, event))
		}
	}
	return list
}()

// Random commands do what the plain ITS says they do, whatever the options: the same orders to redistributors in the
// same order, the same errors.
func TestAgainstPlain(tt *testing.T) {
	const rounds, commands = 60, 300
	given := 0
	for seed := range int64(rounds) {
		r := rand.New(rand.NewSource(seed))
		s := testSpec()
		s.ITESize = 8 << r.Intn(2)
		s.HCC, s.CCT = r.Intn(2)*3, r.Intn(2) == 0
		if r.Intn(2) == 0 {
			s.DeviceCache, s.EventCache, s.CollectionCache = r.Intn(4), r.Intn(6), r.Intn(4)
			s.CacheByHint = r.Intn(2) == 0
		}
		t := newTestbed(tt, s)
		p := &plain{spec: s, words: map[uint64]uint64{}, held: map[uint64]uint64{}}
		t.enable(false)
		if s.HCC > 0 && r.Intn(3) == 0 {
			t.write(gic.GITS_BASER+8, 0)
		}
		if r.Intn(2) == 0 {
			v := t.read(gic.GITS_BASER) | uint64(gic.GITS_BASER_Indirect)
			t.write(gic.GITS_BASER, gic.GITS_BASER_Page_Size.Put(v, uint64(r.Intn(4))))
			t.mem.Poke(devices, 8, 1<<63|0x4200_0000)
			p.words[devices] = 1<<63 | 0x4200_0000
		}
		p.baser = [2]uint64{t.read(gic.GITS_BASER), t.read(gic.GITS_BASER + 8)}
		t.enable(true)
		for n := range commands {
			c := anyCommand(r)
			if n < len(firstCommands) {
				c = firstCommands[n]
			}
			p.do(c)
			t.run(c)
		}
		t.sameAs(p, seed)
		given += len(p.orders)
	}
	if given < rounds*commands/10 {
		tt.Errorf("%d orders by %d commands: most have failed", given, rounds*commands)
	}
}

// wordsOf is memory, as Perform wants it.
type wordsOf map[uint64]uint64

func (w wordsOf) Load(addr uint64) uint64 { return w[addr] }
func (w wordsOf) Store(addr, v uint64)    { w[addr] = v }

// answered are redistributors that have done all when they are synchronised with.
type answered struct{ *redists }

func (answered) SyncLPIs(int, sim.Handler, uint64) {}

// Perform does the same as the queue does, without time.
func TestPerformAgainstPlain(tt *testing.T) {
	for seed := range int64(20) {
		r := rand.New(rand.NewSource(seed))
		s := testSpec()
		s.ITESize = 8 << r.Intn(2)
		t := newTestbed(tt, s)
		p := &plain{spec: s, words: map[uint64]uint64{}}
		p.baser = [2]uint64{t.read(gic.GITS_BASER), t.read(gic.GITS_BASER + 8)}
		words := wordsOf{}
		for n := range 300 {
			c := anyCommand(r)
			if n < len(firstCommands) {
				c = firstCommands[n]
			}
			failed := len(p.errors)
			p.do(c)
			if !t.its.Perform(c, words, answered{t.redists}) {
				t.Fatalf("%s never ends", its.DescribeCommand(c))
			}
			p.errors = p.errors[:failed] // Perform notes none
		}
		if len(p.orders) < 20 {
			t.Errorf("seed %d: %d orders", seed, len(p.orders))
		}
		t.sameAs(p, seed)
		for at, v := range p.words {
			if words[at] != v {
				t.Errorf("seed %d: 0x%x at 0x%x, want 0x%x", seed, words[at], at, v)
			}
		}
	}
	s := testSpec()
	s.PTA = true
	t := newTestbed(tt, s)
	if t.its.Perform(syncTo(0), wordsOf{}, answered{t.redists}) {
		t.Error("a SYNC to nobody ends")
	}
}

// sameAs compares what was done with what the plain ITS has done.
func (t *testbed) sameAs(p *plain, seed int64) {
	t.Helper()
	var orders []string
	for _, h := range t.redists.heard {
		if words := strings.SplitN(h, " ", 3); !strings.HasPrefix(words[2], "sync") {
			orders = append(orders, words[2])
		}
	}
	if !slices.Equal(orders, p.orders) {
		t.Errorf("seed %d: orders\n%q, want\n%q", seed, orders, p.orders)
	}
	list, more := t.its.Events()
	var numbers []gic.ITSError
	for i := range list {
		numbers = append(numbers, list[i].Number())
	}
	if more > 0 || !slices.Equal(numbers, p.errors) {
		t.Errorf("seed %d: errors %x, want %x", seed, numbers, p.errors)
	}
}
