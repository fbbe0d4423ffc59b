package opensbi_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/aclint"
	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/mmu"
	"github.com/hwscript/hwscript/hardware/opensbi"
	"github.com/hwscript/hwscript/hardware/riscv"
	"github.com/hwscript/hwscript/hardware/sim"
)

const (
	ns        = sim.Nanosecond
	clintBase = 0x200_0000
	all       = ^uint64(0)

	va = uint64(0x40_0000)
)

// bench is harts with a CLINT and firmware, and one address space with ASID 5 in which pages from va on are mapped.
type bench struct {
	t      *testing.T
	engine *sim.Engine
	memory *mem.Memory
	harts  []*riscv.Hart
	ipis   []int // supervisor software interrupts that each hart has taken
	root   uint64
	table  uint64 // the entry of va, and those behind it
	oracle *riscv.Oracle
}

func newBench(t *testing.T, spec opensbi.Spec, ids ...uint64) *bench {
	t.Helper()
	return newBenchOf(t, spec, func(*riscv.Spec) {}, ids...)
}

func newBenchOf(t *testing.T, spec opensbi.Spec, change func(s *riscv.Spec), ids ...uint64) *bench {
	t.Helper()
	b := &bench{t: t, engine: sim.NewEngine(), ipis: make([]int, len(ids))}
	latency := [mem.Parts]sim.Spread{
		mem.Hit: sim.Fixed(ns), mem.ClusterHandOff: sim.Fixed(20 * ns), mem.DieHandOff: sim.Fixed(40 * ns),
		mem.MemoryAccess: sim.Fixed(100 * ns),
	}
	var err error
	b.memory, err = mem.New(mem.Spec{
		Base: 0x8000_0000, Size: 2 << 20, Places: make([]mem.Place, len(ids)), DiesPerSocket: 1, Latency: latency,
	}, func(c int, at sim.Time) { b.harts[c].Wake(at) })
	b.check(err)
	devices := &bus.Map{}
	wired := make([]aclint.Hart, ids[len(ids)-1]+8)
	var cpus []*cpu.CPU
	var fenced []opensbi.Hart
	for i, id := range ids {
		one := hartSpec(id)
		change(&one)
		h := riscv.New(i, one, b.engine)
		h.Connect(b.memory, devices)
		b.harts, cpus, fenced = append(b.harts, h), append(cpus, h.CPU), append(fenced, h)
		wired[id] = h
		h.SetVector(kernel{b, i})
	}
	clint, err := aclint.New(aclint.Spec{Kind: aclint.CLINT, Freq: 10 * sim.Megahertz, Wire: 30 * ns}, b.engine, wired)
	b.check(err)
	b.check(devices.Add(bus.Region{Name: "CLINT", Base: clintBase, Size: aclint.CLINT.Size(), Device: clint}))
	spec.MSWI, spec.ECall, spec.IPI = clintBase, 50, 80
	f, err := opensbi.New(spec, b.memory, cpus, ids, fenced)
	b.check(err)
	for _, h := range b.harts {
		h.SetFirmware(f)
		b.boot(h)
	}
	b.tables()
	b.oracle = riscv.NewOracle(b.memory, b.harts...)
	t.Cleanup(b.engine.Close)
	return b
}

func hartSpec(id uint64) riscv.Spec {
	return riscv.Spec{
		CPU:    cpu.Spec{Clock: sim.Gigahertz, StoreBuffer: 8, DeviceRead: 40 * ns, DeviceWrite: 20 * ns},
		HartID: id, TimeFreq: 10 * sim.Megahertz, Widest: rv.Sv39, ASIDBits: 8, PhysicalBits: 40,
		ITLB: riscv.TLBSpec{Sets: 1, Ways: 8}, DTLB: riscv.TLBSpec{Sets: 1, Ways: 8},
		Joint: riscv.TLBSpec{Sets: 16, Ways: 2},
	}
}

func (b *bench) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// boot enables machine and supervisor software interrupts.
func (b *bench) boot(h *riscv.Hart) {
	b.run(h.ID, func(h *riscv.Hart) {
		h.Trap(cpu.Firmware, func() {
			h.CPU.WriteSys(rv.MIE, uint64(rv.MIE_MSIE|rv.MIE_SSIE))
		})
	})
}

func (b *bench) page() uint64 {
	at, err := b.memory.Alloc(8192)
	b.check(err)
	return (at + 4095) &^ 4095
}

func (b *bench) tables() {
	root, middle, last, data := b.page(), b.page(), b.page(), b.page()
	pointer := func(at uint64) uint64 { return rv.PTE_PPN.Put(uint64(rv.PTE_V), at>>12) }
	b.memory.Poke(root, 8, pointer(middle))
	b.memory.Poke(middle+8*(va>>21), 8, pointer(last))
	for i := range uint64(8) {
		b.memory.Poke(last+8*i, 8, leaf(data))
	}
	b.root, b.table = root, last
}

func leaf(pa uint64) uint64 {
	return rv.PTE_PPN.Put(uint64(rv.PTE_V|rv.PTE_R|rv.PTE_W|rv.PTE_A|rv.PTE_D), pa>>12)
}

func (b *bench) enter(h *riscv.Hart) {
	h.CPU.WriteSys(rv.SATP, rv.SATP_PPN.Put(rv.SATP_ASID.Put(rv.SATP_MODE.Put(0, uint64(rv.Sv39)), 5), b.root>>12))
}

// kernel takes supervisor software interrupts.
type kernel struct {
	b    *bench
	hart int
}

func (k kernel) IRQ(c *cpu.CPU) {
	k.b.ipis[k.hart]++
	c.WriteSys(rv.SIP, 0)
}

type program struct {
	h   *riscv.Hart
	run func(h *riscv.Hart)
}

func (p program) Run(*sim.Proc) { p.run(p.h) }

func (b *bench) start(n int, run func(h *riscv.Hart)) {
	b.check(b.harts[n].Start(program{b.harts[n], run}))
}

func (b *bench) drive() {
	b.t.Helper()
	b.check(b.engine.Drive(nil))
	for _, h := range b.harts {
		if h.Proc().Busy() && h.Power() == cpu.On {
			b.t.Errorf("%s waits for ever", h)
		}
	}
}

func (b *bench) run(n int, run func(h *riscv.Hart)) {
	b.t.Helper()
	b.start(n, run)
	b.drive()
}

func call(h *riscv.Hart, e rv.Extension, f rv.Function, args ...uint64) rv.Error {
	c := rv.Call{Extension: e, Function: f}
	copy(c.Args[:], args)
	ret, _ := h.ECall(c)
	return ret.Error
}

// The tests of kvm-unit-tests for the IPI extension, under their names there.
func TestIPI(t *testing.T) {
	for _, c := range []struct {
		name       string
		mask, base uint64
		want       rv.Error
		taken      [3]int
		check      opensbi.HartCheck
	}{
		{name: "random hart", mask: 1, base: 2, taken: [3]int{0, 1, 0}},
		{name: "two in hart_mask", mask: 0b101, base: 1, taken: [3]int{1, 0, 1}},
		{name: "broadcast", mask: 0, base: all, taken: [3]int{1, 1, 1}},
		{name: "hart_mask got 0 base 0", mask: 0, base: 0},
		{name: "hart_mask got 0 base 1", mask: 0, base: 1},
		{name: "next hart id via mask", mask: 0b1111, base: 1, want: rv.InvalidParam},
		{name: "next hart id via base", mask: 1, base: 4, want: rv.InvalidParam},
		{name: "next hart id before 1.7", mask: 0b1111, base: 1, check: opensbi.CheckNothing, taken: [3]int{1, 1, 1}},
		{name: "base beyond every mask", mask: 1, base: all - 1, want: rv.InvalidParam},
	} {
		b := newBench(t, opensbi.Spec{Check: c.check}, 1, 2, 3)
		b.run(0, func(h *riscv.Hart) {
			if e := call(h, rv.IPIExtension, 0, c.mask, c.base); e != c.want {
				t.Errorf("%s: %d, want %d", c.name, e, c.want)
			}
		})
		if got := [3]int(b.ipis); got != c.taken {
			t.Errorf("%s: %v interrupts, want %v", c.name, got, c.taken)
		}
	}
}

// What a remote fence drops on the other hart, by its range.
func TestRemoteFence(t *testing.T) {
	for _, c := range []struct {
		name     string
		spec     opensbi.Spec
		function rv.Function
		args     [3]uint64
		want     rv.Error
		walks    int // of four pages that are loaded again
	}{
		{"one page", opensbi.Spec{RangeLimit: 4096}, rv.RemoteSfenceVMA, [3]uint64{va, 4096}, 0, 1},
		{"4095 bytes are a page", opensbi.Spec{RangeLimit: 4096}, rv.RemoteSfenceVMA, [3]uint64{va, 4095}, 0, 1},
		{"4097 bytes are all", opensbi.Spec{RangeLimit: 4096}, rv.RemoteSfenceVMA, [3]uint64{va, 4097}, 0, 4},
		{"two pages with a larger limit", opensbi.Spec{RangeLimit: 8192}, rv.RemoteSfenceVMA, [3]uint64{va, 8192}, 0, 2},
		{"limit 0", opensbi.Spec{}, rv.RemoteSfenceVMA, [3]uint64{va, 4096}, 0, 4},
		{"start and size 0", opensbi.Spec{RangeLimit: 4096}, rv.RemoteSfenceVMA, [3]uint64{}, 0, 4},
		{"size 0", opensbi.Spec{RangeLimit: 4096}, rv.RemoteSfenceVMA, [3]uint64{va, 0}, 0, 0},
		{"all ones", opensbi.Spec{RangeLimit: 4096}, rv.RemoteSfenceVMA, [3]uint64{va, all}, 0, 4},
		{"past the end", opensbi.Spec{RangeLimit: 4096}, rv.RemoteSfenceVMA, [3]uint64{all - 4095, 8192}, rv.InvalidAddress,
			0},
		{"the space", opensbi.Spec{RangeLimit: 4096}, rv.RemoteSfenceVMAASID, [3]uint64{va, 4096, 5}, 0, 1},
		{"another space", opensbi.Spec{RangeLimit: 4096}, rv.RemoteSfenceVMAASID, [3]uint64{va, 4096, 6}, 0, 0},
		{"another whole space", opensbi.Spec{RangeLimit: 4096}, rv.RemoteSfenceVMAASID, [3]uint64{0, all, 6}, 0, 0},
		{"another whole space, before a140a4e8", opensbi.Spec{WholeIgnoresASID: true}, rv.RemoteSfenceVMAASID,
			[3]uint64{0, all, 6}, 0, 4},
		{"an unknown function", opensbi.Spec{}, 9, [3]uint64{}, rv.NotSupported, 0},
	} {
		b := newBench(t, c.spec, 0, 1)
		touch := func(h *riscv.Hart) {
			for i := range uint64(4) {
				if _, e := h.LoadVirtual(va+i<<12, 8, bus.Plain); e != nil {
					t.Errorf("%s: %v", c.name, e)
				}
			}
		}
		b.run(1, func(h *riscv.Hart) { b.enter(h); touch(h) })
		b.run(0, func(h *riscv.Hart) {
			if e := call(h, rv.RFENCE, c.function, 0b10, 0, c.args[0], c.args[1], c.args[2]); e != c.want {
				t.Errorf("%s: %d, want %d", c.name, e, c.want)
			}
		})
		walks := b.harts[1].HartStats().Walks
		b.run(1, touch)
		if n := int(b.harts[1].HartStats().Walks - walks); n != c.walks {
			t.Errorf("%s: %d walks, want %d", c.name, n, c.walks)
		}
	}
}

// Two harts fence each other without end, through queues of one entry, while their kernels have interrupts off: each
// serves its queue while it waits for the other.
func TestHartsFenceEachOther(t *testing.T) {
	for _, queue := range []int{0, 1} {
		b := newBench(t, opensbi.Spec{RangeLimit: 4096, Queue: queue}, 0, 1, 2, 3)
		for i := range b.harts {
			b.start(i, func(h *riscv.Hart) {
				h.MaskIRQ(true)
				for n := range uint64(20) {
					if e := call(h, rv.RFENCE, rv.RemoteSfenceVMA, 0b1111, 0, va+n%3<<12, 4096); e != rv.Success {
						t.Error(e)
					}
				}
			})
		}
		b.drive()
	}
}

// The table of another hart is changed, and the call that fences it comes back when no stale translation is left.
func TestFenceIsDoneWhenTheCallReturns(t *testing.T) {
	b := newBench(t, opensbi.Spec{RangeLimit: 4096}, 0, 1)
	moved := b.page()
	b.memory.Poke(moved, 8, 77)
	b.start(1, func(h *riscv.Hart) {
		h.MaskIRQ(true)
		b.enter(h)
		for range 200 {
			h.LoadVirtual(va, 8, bus.Plain)
			h.Exec(20)
		}
		if v, _ := h.LoadVirtual(va, 8, bus.Plain); v != 77 {
			t.Errorf("saw %d", v)
		}
	})
	old := b.memory.Peek(b.table, 8)
	b.start(0, func(h *riscv.Hart) {
		h.Exec(1000)
		h.WriteEntry(b.table, leaf(moved))
		call(h, rv.RFENCE, rv.RemoteSfenceVMAASID, 0b10, 0, va, 4096, 5)
		b.oracle.Retire(riscv.Retired{Call: "flush_tlb_page", VA: va, Shift: 12, At: b.table, Old: old, New: leaf(moved)})
	})
	b.drive()
	for _, f := range b.oracle.Findings() {
		t.Error(f)
	}
}

// A stopped hart is left out; firmware that asked the wrong state refused the whole fence (until 110f2851).
func TestStoppedHart(t *testing.T) {
	for check, want := range map[opensbi.HartCheck]rv.Error{
		opensbi.CheckHarts: rv.Success, opensbi.CheckRunning: rv.InvalidParam,
	} {
		b := newBench(t, opensbi.Spec{Check: check}, 0, 1, 2)
		b.harts[1].SetPower(cpu.Off)
		b.run(0, func(h *riscv.Hart) {
			if e := call(h, rv.RFENCE, rv.RemoteFenceI, 0b111, 0); e != want {
				t.Errorf("check %d: %d", check, e)
			}
			call(h, rv.IPIExtension, 0, 0b010, 0)
		})
		if b.ipis[1] != 0 {
			t.Error("a stopped hart took an interrupt")
		}
	}
}

// Hart ids that are not the harts' indices: clearing MSIP by index leaves the own one high, and the interrupt comes
// again and again (until cae230c9).
func TestMSIPIsClearedByID(t *testing.T) {
	b := newBench(t, opensbi.Spec{}, 1, 2)
	b.run(0, func(h *riscv.Hart) { call(h, rv.IPIExtension, 0, 0b10, 1) })
	if b.ipis[1] != 1 || b.harts[1].Stats().Interrupts != 2 {
		t.Errorf("%v interrupts of the supervisor, %d of all", b.ipis, b.harts[1].Stats().Interrupts)
	}
	b = newBench(t, opensbi.Spec{ClearsByIndex: true}, 1, 2)
	b.start(0, func(h *riscv.Hart) { call(h, rv.IPIExtension, 0, 0b10, 1) })
	stop := 0
	b.engine.SetStop(func() bool { stop++; return stop > 20_000 })
	if err := b.engine.Drive(nil); err == nil || b.harts[1].Stats().Interrupts < 10 {
		t.Errorf("%v, %d interrupts: expected one that comes again and again", err, b.harts[1].Stats().Interrupts)
	}
}

// Version 0.1: the mask lies in memory of the supervisor, and its faults are the supervisor's.
func TestLegacy(t *testing.T) {
	b := newBench(t, opensbi.Spec{RangeLimit: 4096}, 0, 1, 2)
	mask := b.page()
	b.memory.Poke(mask, 8, 0b110)
	b.run(0, func(h *riscv.Hart) {
		for _, e := range []rv.Extension{rv.LegacySendIPI, rv.LegacyFenceI, rv.LegacySfence, rv.LegacySfenceASID} {
			if err := call(h, e, 0, mask, va, 4096, 5); err != rv.Success {
				t.Errorf("call %d: %d", e, err)
			}
		}
		call(h, rv.LegacySendIPI, 0, 0)
		send := rv.Call{Extension: rv.LegacySendIPI, Args: [6]uint64{0x10}}
		if _, e := h.ECall(send); e == nil || e.Cause != rv.LoadAccess {
			t.Errorf("a mask outside of RAM: %v", e)
		}
		b.enter(h)
		send.Args[0] = 8 << 20
		if _, e := h.ECall(send); e == nil || e.Cause != rv.LoadPage {
			t.Errorf("a mask that is not mapped: %v", e)
		}
	})
	if got := [3]int(b.ipis); got != [3]int{1, 2, 2} {
		t.Errorf("%v interrupts", got)
	}
	b.run(0, func(h *riscv.Hart) {
		h.MaskIRQ(true)
		h.SetPending(uint64(rv.MIP_SSIP))
		call(h, rv.LegacyClearIPI, 0)
		if v, _ := h.CPU.ReadSys(rv.SIP); v != 0 {
			t.Errorf("sip 0x%x after clear_ipi", v)
		}
	})
}

// What there is, and what is refused.
func TestBase(t *testing.T) {
	b := newBench(t, opensbi.Spec{}, 0)
	b.run(0, func(h *riscv.Hart) {
		for e, want := range map[rv.Extension]uint64{rv.RFENCE: 1, rv.IPIExtension: 1, 0x48534d: 0} {
			ret, _ := h.ECall(rv.Call{Extension: rv.BaseExtension, Function: rv.ProbeExtension, Args: [6]uint64{uint64(e)}})
			if ret.Value != want {
				t.Errorf("probe 0x%x: %d", uint64(e), ret.Value)
			}
		}
		for _, c := range []rv.Call{{Extension: 0x99}, {Extension: rv.BaseExtension, Function: 77},
			{Extension: rv.IPIExtension, Function: 1}} {
			if ret, e := h.ECall(c); ret.Error != rv.NotSupported || e != nil {
				t.Errorf("%+v: %+v, %v", c, ret, e)
			}
		}
		h.Trap(cpu.Firmware, func() {
			if _, e := h.ECall(rv.Call{Extension: rv.BaseExtension}); e == nil {
				t.Error("a call from machine mode")
			}
		})
	})
}

// Calls of any content do not panic, and come back.
func FuzzECall(f *testing.F) {
	f.Add(uint64(rv.RFENCE), uint64(1), uint64(3), uint64(0), uint64(va), uint64(4096))
	f.Fuzz(func(t *testing.T, e, fid, a0, a1, a2, a3 uint64) {
		b := newBench(t, opensbi.Spec{RangeLimit: 4096}, 0, 3)
		b.run(0, func(h *riscv.Hart) {
			b.enter(h)
			for _, e := range []rv.Extension{rv.Extension(e), rv.RFENCE, rv.Extension(e % 9)} {
				call(h, e, rv.Function(fid), a0, a1, a2, a3)
			}
			h.Translate(va, mmu.Access{})
		})
	})
}
