package riscv

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/mmu"
	"github.com/hwscript/hwscript/hardware/sim"
)

const (
	ns      = sim.Nanosecond
	ramBase = 0x8000_0000
	page    = uint64(1) << rv.PageShift

	leafFlags = uint64(rv.PTE_V | rv.PTE_R | rv.PTE_W | rv.PTE_A | rv.PTE_D)
	global    = uint64(rv.PTE_G)
	user      = uint64(rv.PTE_U)
)

// testSpec is a hart with all kinds of caches and exact fences.
func testSpec() Spec {
	return Spec{
		CPU: cpu.Spec{
			Clock: sim.Gigahertz, StoreBuffer: 8, StoreIssue: ns, SysRegRead: ns, SysRegWrite: ns, ExceptionEntry: 20 * ns,
			ExceptionReturn: 15 * ns, CompletingFence: ns,
		},
		TimeFreq: 10 * sim.Megahertz, Widest: rv.Sv57, ASIDBits: 8, PhysicalBits: 40,
		ITLB: TLBSpec{Sets: 1, Ways: 4, Replace: PLRU}, DTLB: TLBSpec{Sets: 1, Ways: 4, Replace: PLRU},
		Joint: TLBSpec{Sets: 8, Ways: 2}, WalkCache: TLBSpec{Sets: 1, Ways: 8},
		ICache: CacheSpec{Sets: 8, Ways: 2},
		Cost:   Cost{JointHit: 4, JointProbe: 2, Walk: 5, FenceAll: 65, FenceASID: 513, FenceAbsent: 11, FencePresent: 14},
	}
}

// bench is harts with memory, an oracle that watches them, and tables that grow.
type bench struct {
	t      testing.TB
	engine *sim.Engine
	memory *mem.Memory
	harts  []*Hart
	oracle *Oracle
}

func newBench(t testing.TB, n int, spec Spec) *bench {
	t.Helper()
	if err := spec.Validate(); err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, engine: sim.NewEngine()}
	latency := [mem.Parts]sim.Spread{
		mem.Hit: sim.Fixed(ns), mem.ClusterHandOff: sim.Fixed(20 * ns), mem.DieHandOff: sim.Fixed(40 * ns),
		mem.DieLeg: sim.Fixed(25 * ns), mem.SocketLeg: sim.Fixed(80 * ns), mem.MemoryAccess: sim.Fixed(100 * ns),
		mem.SystemHit: sim.Fixed(60 * ns),
	}
	var err error
	b.memory, err = mem.New(mem.Spec{
		Base: ramBase, Size: 4 << 20, Places: make([]mem.Place, n), DiesPerSocket: 1, Latency: latency, Seed: 1,
	}, func(c int, at sim.Time) { b.harts[c].Wake(at) })
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		spec.HartID = uint64(i)
		h := New(i, spec, b.engine)
		h.Connect(b.memory, &bus.Map{})
		b.harts = append(b.harts, h)
	}
	b.oracle = NewOracle(b.memory, b.harts...)
	t.Cleanup(b.engine.Close)
	return b
}

type program struct {
	h   *Hart
	run func(h *Hart)
}

func (p program) Run(*sim.Proc) { p.run(p.h) }

func (b *bench) start(n int, run func(h *Hart)) {
	b.t.Helper()
	if err := b.harts[n].Start(program{b.harts[n], run}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) drive() {
	b.t.Helper()
	if err := b.engine.Drive(nil); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) run(n int, run func(h *Hart)) {
	b.t.Helper()
	b.start(n, run)
	b.drive()
}

// page is a new page of RAM that holds zeros.
func (b *bench) page() uint64 {
	b.t.Helper()
	at, err := b.memory.Alloc(2 * page)
	if err != nil {
		b.t.Fatal(err)
	}
	return (at + page - 1) &^ (page - 1)
}

// filled is a page whose first word is v.
func (b *bench) filled(v uint64) uint64 {
	at := b.page()
	b.memory.Poke(at, 8, v)
	return at
}

func pte(pa, flags uint64) uint64 { return rv.PTE_PPN.Put(flags, pa>>rv.PageShift) }

// entry is the address of the entry of va at a height, below a root at height top; tables on the way are made.
func (b *bench) entry(root, va uint64, top, height int8) uint64 {
	for h := top; ; h-- {
		at := root + va>>(12+9*uint(h))&511*8
		if h == height {
			return at
		}
		if v := b.memory.Peek(at, 8); rv.PTE_V.Is(v) {
			root = rv.PTE_PPN.Get(v) << rv.PageShift
			continue
		}
		root = b.page()
		b.memory.Poke(at, 8, pte(root, uint64(rv.PTE_V)))
	}
}

// set maps a page of Sv39 without a hart's doing, before anything runs.
func (b *bench) set(root, va, pa, flags uint64) uint64 {
	at := b.entry(root, va, 2, 0)
	b.memory.Poke(at, 8, pte(pa, flags))
	return at
}

func satp(m rv.SatpMode, asid, root uint64) uint64 {
	return rv.SATP_PPN.Put(rv.SATP_ASID.Put(rv.SATP_MODE.Put(0, uint64(m)), asid), root>>rv.PageShift)
}

// enter loads satp.
func enter(h *Hart, asid, root uint64) { h.CPU.WriteSys(rv.SATP, satp(rv.Sv39, asid, root)) }

// see is what a load of an address gives, ^0 for a page fault.
func see(h *Hart, va uint64) uint64 {
	v, e := h.LoadVirtual(va, 8, bus.Plain)
	if e != nil {
		return ^uint64(0)
	}
	return v
}

// mays are the values that the oracle lets an address have in the present address space.
func (b *bench) mays(h *Hart, va uint64) (values []uint64) {
	for _, t := range b.oracle.May(h, va, h.asid) {
		if t.Kind != mmu.Leaf {
			values = append(values, ^uint64(0))
			continue
		}
		values = append(values, b.memory.Peek(t.Output|va&(1<<t.Shift-1), 8))
	}
	return values
}

// clean checks that the oracle found nothing.
func (b *bench) clean() {
	b.t.Helper()
	for _, f := range b.oracle.Findings() {
		b.t.Errorf("finding: %s", f)
	}
}
