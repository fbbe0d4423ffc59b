package riscv

import (
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mmu"
)

// questions counts the findings of each kind.
func questions(o *Oracle) (n [4]int) {
	for _, f := range o.Findings() {
		n[f.Question]++
	}
	return n
}

// Each quirk breaks the manual where it is on, the finding names it, and nothing is found where it is off.
func TestQuirks(t *testing.T) {
	for _, c := range []struct {
		name  string
		quirk Quirks
		run   func(b *bench, h *Hart)
	}{
		{"sfence.vma va,asid uses satp.ASID", Quirks{VAASIDUsesSatp: true}, func(b *bench, h *Hart) {
			s, other := b.scene(0), b.page()
			enter(h, 5, s.root)
			see(h, va)
			enter(h, 6, other) // another process runs, and the kernel changes a page of the first
			h.WriteEntry(s.at, s.now)
			h.SfenceVMA(rv.Reg(va), rv.Reg(5))
			enter(h, 5, s.root)
			see(h, va)
		}},
		{"superpages stay in uTLBs", Quirks{UTLBSuperpageVPN: true}, func(b *bench, h *Hart) {
			root := b.page()
			at := b.entry(root, va, 2, 1)
			b.memory.Poke(at, 8, pte(ramBase, leafFlags))
			enter(h, 5, root)
			see(h, va)
			h.WriteEntry(at, pte(ramBase+0x20_0000, leafFlags))
			h.SfenceVMA(rv.Reg(va+page), rv.Reg(5))
			see(h, va)
		}},
		{"CIP-1200", Quirks{ITLBIgnoresPartial: true}, func(b *bench, h *Hart) {
			s := b.scene(uint64(rv.PTE_X))
			enter(h, 5, s.root)
			h.Fetch(va)
			h.WriteEntry(s.at, s.now)
			h.SfenceVMA(x0, rv.Reg(5))
			h.Fetch(va)
		}},
	} {
		for _, on := range []bool{false, true} {
			spec := testSpec()
			if on {
				spec.Quirks = c.quirk
			}
			b := newBench(t, 1, spec)
			b.run(0, func(h *Hart) { c.run(b, h) })
			n := questions(b.oracle)
			if on != (n[HardwareMay] == 1) || n[KernelUsed]+n[KernelMay]+n[FreedTable] != 0 {
				t.Errorf("%s, on %v: %v", c.name, on, b.oracle.Findings())
			}
			if on && !strings.Contains(b.oracle.Findings()[0].String(), c.name) {
				t.Errorf("%s is not named: %s", c.name, b.oracle.Findings()[0])
			}
		}
	}
}

// CIP-1200 ends with the fence that is its workaround.
func TestCIP1200Workaround(t *testing.T) {
	spec := testSpec()
	spec.Quirks.ITLBIgnoresPartial = true
	b := newBench(t, 1, spec)
	s := b.scene(uint64(rv.PTE_X))
	b.run(0, func(h *Hart) {
		enter(h, 5, s.root)
		h.Fetch(va)
		h.WriteEntry(s.at, s.now)
		h.SfenceVMA(x0, x0)
		if v, _ := h.Fetch(va); v != after {
			t.Errorf("fetched %d", v)
		}
	})
	b.clean()
}

// A flush that the kernel leaves out is no fault of the hardware, and the hardware's question finds nothing: the
// kernel's does. It says whether the stale entry was used, or only might have been.
func TestTheOracleAsksTwoQuestions(t *testing.T) {
	for _, c := range []struct {
		name  string
		fence func(h *Hart)
		lose  bool // the TLB has lost the entry by itself
		want  [4]int
	}{
		{"no fence", nothing, false, [4]int{KernelUsed: 1}},
		{"no fence, and the entry is gone by chance", nothing, true, [4]int{KernelMay: 1}},
		{"a fence of another space", sfence(x0, rv.Reg(6)), false, [4]int{KernelUsed: 1}},
		{"a fence", sfence(rv.Reg(va), rv.Reg(5)), false, [4]int{}},
	} {
		b := newBench(t, 1, testSpec())
		s := b.scene(0)
		b.run(0, func(h *Hart) {
			enter(h, 5, s.root)
			see(h, va)
			h.WriteEntry(s.at, s.now)
			h.Drain()
			c.fence(h)
			b.oracle.Retire(Retired{"flush_tlb_page", va, 12, s.at, s.old, s.now})
			if c.lose {
				h.dtlb.clear()
				h.joint.clear()
			}
			see(h, va)
		})
		if got := questions(b.oracle); got != c.want {
			t.Errorf("%s: %v", c.name, b.oracle.Findings())
		}
	}
}

// What gains rights retires nothing, and what loses one does.
func TestRetire(t *testing.T) {
	old := pte(0x1000, leafFlags)
	for now, want := range map[uint64]bool{
		old: false, old | uint64(rv.PTE_X): false, old &^ uint64(rv.PTE_W): true, old &^ uint64(rv.PTE_D): true,
		old &^ uint64(rv.PTE_V): true, pte(0x2000, leafFlags): true, old | global: false,
	} {
		o := &Oracle{}
		o.Retire(Retired{Old: old, New: now})
		if got := len(o.retired) == 1; got != want {
			t.Errorf("0x%x after 0x%x retires: %v", now, old, got)
		}
	}
}

// A walk through a table that the kernel has freed, where pointers to tables are cached: a fence by address is too
// little (97cf301fa42e).
func TestFreedTable(t *testing.T) {
	for _, c := range []struct {
		fence func(h *Hart)
		found int
	}{{sfence(rv.Reg(va), rv.Reg(5)), 1}, {sfence(x0, rv.Reg(5)), 0}} {
		b := newBench(t, 1, testSpec())
		s := b.scene(0)
		b.run(0, func(h *Hart) {
			enter(h, 5, s.root)
			see(h, va)
			h.WriteEntry(b.entry(s.root, va, 2, 1), 0)
			c.fence(h)
			b.oracle.Freed("free_pgtables", s.at&^(page-1))
			see(h, va)
		})
		if n := questions(b.oracle); n[FreedTable] != c.found || n[HardwareMay] != 0 {
			t.Errorf("%v", b.oracle.Findings())
		}
	}
}

// Random programs: whatever is mapped, fenced and switched, on harts of all kinds, hardware uses what it may; and with
// a quirk some program shows it.
func TestHardwareStaysWithinMay(t *testing.T) {
	n := 60
	if os.Getenv("HWSCRIPT_LONG") == "1" {
		n = 2000
	}
	translations := uint64(0)
	for seed := range int64(n) {
		b := randomProgram(t, seed, Quirks{})
		for _, f := range b.oracle.Findings() {
			t.Fatalf("seed %d: %s", seed, f)
		}
		translations += b.harts[0].stats.Walks + b.harts[0].stats.JointHits + b.harts[0].stats.MicroHits
	}
	if translations < uint64(n)*50 {
		t.Errorf("%d translations", translations)
	}
	for _, q := range []Quirks{{VAASIDUsesSatp: true}, {UTLBSuperpageVPN: true}, {ITLBIgnoresPartial: true}} {
		found := false
		for seed := int64(0); seed < int64(n) && !found; seed++ {
			found = len(randomProgram(t, seed, q).oracle.Findings()) > 0
		}
		if !found {
			t.Errorf("%+v: no program shows it", q)
		}
	}
}

// randomSpec draws what a hart caches.
func randomSpec(r *rand.Rand) Spec {
	s := testSpec()
	s.CacheInvalid, s.HardwareAD = r.Intn(2) == 0, r.Intn(2) == 0
	s.UntaggedMicro, s.DelaySinval = r.Intn(2) == 0, r.Intn(2) == 0
	s.OverFence = OverFence(r.Intn(4) * r.Intn(2))
	s.Speculate = uint8(r.Intn(2) * 100)
	s.ASIDBits = uint8(r.Intn(4))
	s.Format.Napot = r.Intn(2) == 0
	if r.Intn(2) == 0 {
		s.WalkCache.Ways = 0
	}
	if r.Intn(4) == 0 {
		s.Joint.Ways = 0
	}
	return s
}

func randomProgram(t *testing.T, seed int64, q Quirks) *bench {
	r := rand.New(rand.NewSource(seed))
	spec := randomSpec(r)
	if spec.Quirks = q; q != (Quirks{}) {
		spec.OverFence, spec.UntaggedMicro, spec.ASIDBits = Exact, false, 3
	}
	b := newBench(t, 1, spec)
	w := world{b: b, r: r}
	for range 3 {
		w.roots = append(w.roots, b.page())
	}
	for range 6 {
		w.tables = append(w.tables, b.page())
	}
	b.run(0, func(h *Hart) {
		enter(h, 1, w.roots[0])
		for range 150 {
			w.step(h)
		}
	})
	return b
}

// world is what a random program changes.
type world struct {
	b             *bench
	r             *rand.Rand
	roots, tables []uint64
}

func (w *world) va() uint64 { return w.r.Uint64() & (1<<30 | 1<<21 | 0x1f<<12) }

func (w *world) operand(v uint64) rv.Operand {
	if w.r.Intn(2) == 0 {
		return rv.Operand{}
	}
	return rv.Reg(v)
}

func (w *world) step(h *Hart) {
	r := w.r
	switch r.Intn(12) {
	case 0, 1, 2:
		h.WriteEntry(w.place(), w.value())
	case 3:
		enter(h, uint64(r.Intn(3)), w.roots[r.Intn(len(w.roots))])
	case 4:
		h.SfenceVMA(w.operand(w.va()), w.operand(uint64(r.Intn(3))))
	case 5:
		h.SfenceWInval()
		h.SinvalVMA(w.operand(w.va()), w.operand(uint64(r.Intn(3))))
		if r.Intn(2) == 0 {
			h.SfenceInvalIR()
		}
	default:
		h.SetUser(r.Intn(3) == 0)
		h.Translate(w.va(), mmu.Access{Write: r.Intn(3) == 0, Execute: r.Intn(3) == 0})
		h.SetUser(false)
	}
}

// place is an entry of one of the tables.
func (w *world) place() uint64 {
	all := append(append([]uint64(nil), w.roots...), w.tables...)
	return all[w.r.Intn(len(all))] + 8*uint64(w.r.Intn(4)*w.r.Intn(9))
}

// value is a pointer, a leaf that is often right, or something else.
func (w *world) value() uint64 {
	switch r := w.r; r.Intn(8) {
	case 0:
		return r.Uint64()
	case 1, 2, 3:
		return pte(w.tables[r.Intn(len(w.tables))], uint64(rv.PTE_V)|uint64(r.Intn(4)/3)*global)
	case 4:
		return pte(8<<12, leafFlags|uint64(rv.PTE_N))
	}
	flags := leafFlags | w.r.Uint64()&uint64(rv.PTE_X|rv.PTE_U)
	if w.r.Intn(4) == 0 {
		flags |= global
	}
	if w.r.Intn(4) == 0 {
		flags &^= uint64(rv.PTE_D | rv.PTE_A)
	}
	return pte(uint64(w.r.Intn(4))<<30, flags)
}

// What satp, page tables, fences and calls say, nothing panics and no walk is endless.
func FuzzHart(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, uint64(0x8000_0000_0008_0000))
	f.Add([]byte{9, 9, 9, 1, 1, 1, 4, 4, 4, 4}, ^uint64(0))
	f.Fuzz(func(t *testing.T, script []byte, v uint64) {
		if len(script) > 200 {
			return
		}
		spec := testSpec()
		spec.HardwareAD, spec.CacheInvalid, spec.Speculate = v&1 != 0, v&2 != 0, 128
		spec.Format = mmu.Sv{Napot: v&4 != 0, Pbmt: v&8 != 0, THead: v&16 != 0}
		b := newBench(t, 1, spec)
		tables := []uint64{b.page(), b.page()}
		b.run(0, func(h *Hart) {
			for i, op := range script {
				v = v*6364136223846793005 + uint64(op) + uint64(i)
				fuzzStep(h, op, v, tables)
			}
		})
		for _, f := range b.oracle.Findings() {
			t.Errorf("%s", f)
		}
	})
}

func fuzzStep(h *Hart, op byte, v uint64, tables []uint64) {
	table := tables[v>>3&1]
	switch op % 11 {
	case 0:
		h.CPU.WriteSys(rv.SATP, v)
	case 1:
		h.CPU.WriteSys(rv.SATP, satp(rv.SatpMode(8+v>>5%3), v>>8, table))
	case 2:
		h.WriteEntry(table+v>>9&511*8, v)
	case 3:
		h.WriteEntry(table+v>>9&511*8, pte(tables[v>>4&1], v&0xff|1))
	case 4:
		h.Translate(v, mmu.Access{Write: v&1 != 0, Execute: v&2 != 0})
	case 5:
		h.LoadVirtual(v&^7, 8, bus.Plain)
	case 6:
		h.SfenceVMA(rv.Operand{Register: v&1 != 0, Value: v}, rv.Operand{Register: v&2 != 0, Value: v >> 7})
	case 7:
		h.SinvalVMA(rv.Operand{Register: v&1 != 0, Value: v}, rv.Operand{Register: v&2 != 0, Value: v >> 7})
	case 8:
		h.SfenceInvalIR()
	case 9:
		h.CPU.WriteSys(rv.SSTATUS, v)
	case 10:
		h.SetUser(v&1 != 0)
		h.StoreVirtual(v>>20&^7, 8, v, bus.Plain)
		h.ECall(rv.Call{Extension: rv.Extension(v), Function: rv.Function(v >> 8)})
	}
}

// A checkpoint brings caches and registers back.
func TestCheckpoint(t *testing.T) {
	b := newBench(t, 1, testSpec())
	s := b.scene(0)
	h := b.harts[0]
	b.run(0, func(h *Hart) { enter(h, 5, s.root); see(h, va) })
	var first, again strings.Builder
	saved := h.Save()
	h.DumpTLB(&first)
	b.run(0, func(h *Hart) { h.SfenceVMA(x0, x0); h.CPU.WriteSys(rv.SATP, 0) })
	h.Restore(saved)
	h.DumpTLB(&again)
	if first.String() != again.String() || h.satp == 0 || h.mode != rv.Sv39 {
		t.Errorf("satp 0x%x\n%s\n%s", h.satp, &first, &again)
	}
	want := fmt.Sprintf("dtlb   0x0040_1000  4K    asid 5     -> %s  rw-/---  DA--\n", "0x8000_8000")
	if !strings.Contains(first.String(), "0x0040_1000  4K    asid 5") {
		t.Errorf("got\n%swant a line like\n%s", &first, want)
	}
}
