package riscv

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mmu"
)

// What an entry decides about a load, a store and a fetch, of the supervisor and of user mode. The letters are those
// that succeed: r, w, x of the supervisor, then of user mode.
func TestEntries(t *testing.T) {
	const v, r, w, x = uint64(rv.PTE_V), uint64(rv.PTE_R), uint64(rv.PTE_W), uint64(rv.PTE_X)
	const ad = uint64(rv.PTE_A | rv.PTE_D)
	for _, c := range []struct {
		name    string
		flags   uint64
		spec    func(s *Spec)
		mstatus uint64
		want    string
	}{
		{name: "all", flags: v | r | w | x | ad, want: "rwx---"},
		{name: "user", flags: v | r | w | x | ad | user, want: "---rwx"},
		{name: "user with SUM", flags: v | r | w | x | ad | user, mstatus: uint64(rv.MSTATUS_SUM), want: "rw-rwx"},
		{name: "read-only", flags: v | r | ad, want: "r-----"},
		{name: "execute-only", flags: v | x | ad, want: "--x---"},
		{name: "execute-only with MXR", flags: v | x | ad, mstatus: uint64(rv.MSTATUS_MXR), want: "r-x---"},
		{name: "invalid", flags: r | w | x | ad, want: "------"},
		{name: "W without R", flags: v | w | ad, want: "------"},
		{name: "a pointer where there are no tables", flags: v | ad, want: "------"},
		{name: "not accessed", flags: v | r | w | x | uint64(rv.PTE_D), want: "------"},
		{name: "not dirty", flags: v | r | w | x | uint64(rv.PTE_A), want: "r-x---"},
		{name: "not accessed, by hardware", flags: v | r | w | x, spec: func(s *Spec) { s.HardwareAD = true },
			want: "rwx---"},
		{name: "hardware sets nothing that may not be written", flags: v | r, spec: func(s *Spec) { s.HardwareAD = true },
			want: "r-----"},
		{name: "reserved bits", flags: v | r | ad | 1<<54, want: "------"},
		{name: "PBMT without Svpbmt", flags: v | r | ad | 1<<61, want: "------"},
		{name: "PBMT", flags: v | r | ad | 1<<61, spec: func(s *Spec) { s.Format.Pbmt = true }, want: "r-----"},
		{name: "PBMT 3", flags: v | r | ad | 3<<61, spec: func(s *Spec) { s.Format.Pbmt = true }, want: "------"},
		{name: "N without Svnapot", flags: v | r | ad | 1<<63, want: "------"},
		{name: "N of another size", flags: v | r | ad | 1<<63, spec: func(s *Spec) { s.Format.Napot = true },
			want: "------"},
		{name: "attributes of T-Head", flags: v | r | ad | 7<<60, spec: func(s *Spec) { s.Format.THead = true },
			want: "r-----"},
		{name: "attributes of T-Head, reserved", flags: v | r | ad | 1<<58, spec: func(s *Spec) { s.Format.THead = true },
			want: "------"},
	} {
		spec := testSpec()
		if c.spec != nil {
			c.spec(&spec)
		}
		got := ""
		for i := range 6 { // each on a hart of its own, since flags and caches stay
			b := newBench(t, 1, spec)
			root := b.page()
			b.set(root, va, b.filled(before), c.flags)
			b.run(0, func(h *Hart) {
				enter(h, 5, root)
				h.csrs.mstatus = c.mstatus
				h.SetUser(i >= 3)
				_, e := h.Translate(va, mmu.Access{Write: i%3 == 1, Execute: i%3 == 2})
				letter := "rwx"[i%3 : i%3+1]
				if e != nil {
					letter = "-"
					if e.Cause != [...]rv.Cause{rv.LoadPage, rv.StorePage, rv.FetchPage}[i%3] || e.Value != va {
						t.Errorf("%s: %v", c.name, e)
					}
				}
				got += letter
			})
			b.clean()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Superpages of each scheme, and the addresses at which schemes end.
func TestSchemes(t *testing.T) {
	for _, c := range []struct {
		mode   rv.SatpMode
		height int8
		va     uint64
		shift  uint8 // of the leaf, 0 for a page fault
		at     uint64
	}{
		{rv.Sv39, 0, va, 12, 0}, {rv.Sv39, 1, va, 21, 0}, {rv.Sv39, 2, va, 30, 0}, {rv.Sv48, 3, va, 39, 0},
		{rv.Sv57, 4, va, 48, 0}, {rv.Sv39, 1, va, 0, page}, {rv.Sv57, 4, va, 0, 1 << 39},
		{rv.Sv39, 0, 1<<38 - page, 12, 0}, {rv.Sv39, 0, 1 << 38, 0, 0}, {rv.Sv39, 0, 1<<64 - 4096, 12, 0},
		{rv.Sv39, 0, 1<<64 - 1<<38, 12, 0}, {rv.Sv39, 0, 1<<64 - 1<<38 - 4096, 0, 0}, {rv.Sv48, 0, 1 << 46, 12, 0},
		{rv.Sv48, 0, 1 << 47, 0, 0}, {rv.Sv57, 0, 1 << 55, 12, 0}, {rv.Sv57, 0, 1 << 56, 0, 0},
	} {
		b := newBench(t, 1, testSpec())
		root := b.page()
		at := b.entry(root, c.va&(1<<56-1)|c.va>>63<<56, mmu.SvLevels(c.mode)-1, c.height)
		b.memory.Poke(at, 8, pte(c.at, leafFlags))
		b.run(0, func(h *Hart) {
			h.CPU.WriteSys(rv.SATP, satp(c.mode, 1, root))
			pa, e := h.Translate(c.va|0x10, mmu.Access{})
			ok := c.shift != 0
			if (e == nil) != ok || ok && pa != (c.va&(1<<c.shift-1)|0x10) {
				t.Errorf("%d, height %d, 0x%x: 0x%x, %v", c.mode, c.height, c.va, pa, e)
			}
		})
		b.clean()
	}
}

// A group of 16 pages is one entry, and a fence of any of its pages ends it.
func TestNapot(t *testing.T) {
	spec := testSpec()
	spec.Format.Napot = true
	b := newBench(t, 1, spec)
	root, group := b.page(), uint64(ramBase+0x20_0000)
	const first = uint64(0x41_0000)
	for i := range uint64(16) {
		b.set(root, first+i*page, group|8<<12, leafFlags|uint64(rv.PTE_N))
	}
	b.run(0, func(h *Hart) {
		enter(h, 5, root)
		for i := range uint64(16) {
			if pa, e := h.Translate(first+i*page+8, mmu.Access{}); e != nil || pa != group+i*page+8 {
				t.Errorf("page %d: 0x%x, %v", i, pa, e)
			}
		}
		if h.stats.Walks != 1 {
			t.Errorf("%d walks", h.stats.Walks)
		}
		h.SfenceVMA(rv.Reg(first+7*page), rv.Reg(5))
		h.Translate(first, mmu.Access{})
		if h.stats.Walks != 2 {
			t.Errorf("%d walks after the fence", h.stats.Walks)
		}
	})
	b.clean()
}

// Hardware sets A and D in memory, and not in what is cached alone.
func TestHardwareFlags(t *testing.T) {
	spec := testSpec()
	spec.HardwareAD = true
	b := newBench(t, 1, spec)
	root := b.page()
	at := b.set(root, va, b.filled(before), uint64(rv.PTE_V|rv.PTE_R|rv.PTE_W))
	b.run(0, func(h *Hart) {
		enter(h, 5, root)
		see(h, va)
		if v := b.memory.Peek(at, 8); !rv.PTE_A.Is(v) || rv.PTE_D.Is(v) {
			t.Errorf("0x%x after a load", v)
		}
		if e := h.StoreVirtual(va, 8, 3, bus.Plain); e != nil {
			t.Error(e)
		}
		if v := b.memory.Peek(at, 8); !rv.PTE_D.Is(v) {
			t.Errorf("0x%x after a store", v)
		}
		walks := h.stats.Walks
		h.StoreVirtual(va, 8, 4, bus.Plain)
		if h.stats.Walks != walks {
			t.Error("a second store walks again")
		}
	})
	b.clean()
}

// Tables outside of RAM are access faults, a table that points to itself ends, and so does what is misaligned.
func TestBadTables(t *testing.T) {
	b := newBench(t, 1, testSpec())
	root, self := b.page(), b.page()
	b.memory.Poke(root, 8, pte(0x1000, uint64(rv.PTE_V)))
	b.memory.Poke(root+8, 8, pte(1<<50, uint64(rv.PTE_V)))
	for i := range uint64(512) {
		b.memory.Poke(self+8*i, 8, pte(self, uint64(rv.PTE_V)))
	}
	b.set(root, 3<<30, 0x10_0000, leafFlags)
	b.run(0, func(h *Hart) {
		enter(h, 5, root)
		for _, c := range []struct {
			va   uint64
			want rv.Cause
		}{{0, rv.LoadAccess}, {1 << 30, rv.LoadAccess}, {2 << 30, rv.LoadPage}, {3 << 30, rv.LoadAccess}} {
			if _, e := h.LoadVirtual(c.va, 8, bus.Plain); e == nil || e.Cause != c.want {
				t.Errorf("0x%x: %v, want %s", c.va, e, c.want)
			}
		}
		enter(h, 6, self)
		if _, e := h.LoadVirtual(0x12345678, 8, bus.Plain); e == nil || e.Cause != rv.LoadPage {
			t.Errorf("a table that points to itself: %v", e)
		}
		if _, e := h.LoadVirtual(1, 8, bus.Plain); e == nil || e.Cause != rv.LoadMisaligned {
			t.Errorf("misaligned: %v", e)
		}
		if e := h.StoreVirtual(2, 4, 0, bus.Plain); e == nil || e.Cause != rv.StoreMisaligned {
			t.Errorf("misaligned: %v", e)
		}
		if _, e := h.Fetch(3 << 30); e == nil || e.Cause != rv.FetchPage {
			t.Errorf("fetch: %v", e)
		}
	})
	b.clean()
}

// satp keeps what there is: a scheme that there is not leaves it as it was, ASID bits above ASIDLEN read as zero.
func TestSatpIsWARL(t *testing.T) {
	for _, c := range []struct {
		widest rv.SatpMode
		bits   uint8
		write  uint64
		want   uint64
	}{
		{rv.Sv39, 16, satp(rv.Sv39, 0xffff, 0x8000_0000), satp(rv.Sv39, 0xffff, 0x8000_0000)},
		{rv.Sv39, 3, satp(rv.Sv39, 0xffff, 0x8000_0000), satp(rv.Sv39, 7, 0x8000_0000)},
		{rv.Sv39, 0, satp(rv.Sv39, 0xffff, 0x8000_0000), satp(rv.Sv39, 0, 0x8000_0000)},
		{rv.Sv39, 16, satp(rv.Sv48, 1, 0x8000_0000), satp(rv.Sv39, 9, 0x1000)},
		{rv.Sv48, 16, satp(rv.Sv48, 1, 0x8000_0000), satp(rv.Sv48, 1, 0x8000_0000)},
		{rv.Sv57, 16, satp(11, 1, 0x8000_0000), satp(rv.Sv39, 9, 0x1000)},
		{rv.Sv57, 16, satp(1, 1, 0x8000_0000), satp(rv.Sv39, 9, 0x1000)},
		{rv.Sv57, 16, satp(15, 1, 0x8000_0000), satp(rv.Sv39, 9, 0x1000)},
		{rv.Sv57, 16, satp(rv.Bare, 1, 0x8000_0000), 0},
		{rv.Sv57, 16, satp(rv.Sv39, 0xffff, 1<<56-1<<12), satp(rv.Sv39, 0xffff, 1<<40-1<<12)},
	} {
		spec := testSpec()
		spec.Widest, spec.ASIDBits = c.widest, c.bits
		b := newBench(t, 1, spec)
		b.run(0, func(h *Hart) {
			if c.bits == 16 {
				enter(h, 9, 0x1000)
			}
			h.CPU.WriteSys(rv.SATP, c.write)
			if got, _ := h.CPU.ReadSys(rv.SATP); got != c.want {
				t.Errorf("wrote 0x%x: 0x%x, want 0x%x", c.write, got, c.want)
			}
		})
	}
}

// What each privilege may do.
func TestPrivileges(t *testing.T) {
	b := newBench(t, 1, testSpec())
	b.run(0, func(h *Hart) {
		try := func(r bits.SysReg, want bool) {
			if _, ok := h.CPU.ReadSys(r); ok != want {
				t.Errorf("%s reads CSR 0x%x: %v", h.Privilege(), uint16(r), ok)
			}
		}
		fences := func(want, inval bool) {
			for i, e := range []*Exception{
				h.SfenceVMA(x0, x0), h.SinvalVMA(x0, x0), h.SfenceWInval(), h.SfenceInvalIR(),
			} {
				if expected := want; (e == nil) != (expected || i >= 2 && inval) {
					t.Errorf("%s, fence %d: %v", h.Privilege(), i, e)
				}
			}
		}
		try(rv.SATP, true)
		try(rv.MSTATUS, false)
		try(rv.MHARTID, false)
		try(0x7ff, false)
		fences(true, true)
		h.SetUser(true)
		try(rv.SATP, false)
		try(rv.TIME, true)
		fences(false, false)
		if v, _ := h.CPU.ReadSys(rv.TIME); v == 0 {
			t.Error("time stands still")
		}
		h.SetUser(false)
		if h.CPU.WriteSys(rv.TIME, 1) || h.CPU.WriteSys(rv.MSTATUS, 0) || h.CPU.WriteSys(rv.MXSTATUS, 0) {
			t.Error("wrote what the supervisor may not write")
		}
		h.Trap(cpu.Firmware, func() {
			try(rv.MHARTID, true)
			h.CPU.WriteSys(rv.MSTATUS, uint64(rv.MSTATUS_TVM))
			fences(true, true)
		})
		try(rv.SATP, false)
		if h.CPU.WriteSys(rv.SATP, 0) {
			t.Error("wrote satp with TVM")
		}
		fences(false, true)
		if _, e := h.ECall(rv.Call{}); e == nil || e.Cause != rv.IllegalInstruction {
			t.Errorf("a call without firmware: %v", e)
		}
	})
}

// T-Head's wires of the supervisor have effect with mxstatus.CLINTEE only, which firmware sets.
func TestTHeadWires(t *testing.T) {
	spec := testSpec()
	spec.Format.THead = true
	b := newBench(t, 1, spec)
	taken := 0
	b.harts[0].SetVector(vector(func(*cpu.CPU) {
		taken++
		b.harts[0].SetLine(uint64(rv.MIP_SSIP), false)
	}))
	b.run(0, func(h *Hart) {
		h.CPU.WriteSys(rv.SIE, uint64(rv.SIE_SSIE))
		h.SetLine(uint64(rv.MIP_SSIP), true)
		h.Boundary()
		if v, _ := h.CPU.ReadSys(rv.SIP); v != 0 || taken != 0 {
			t.Errorf("sip 0x%x, %d taken without CLINTEE", v, taken)
		}
		h.Trap(cpu.Firmware, func() { h.CPU.WriteSys(rv.MXSTATUS, uint64(rv.MXSTATUS_CLINTEE)) })
		h.Boundary()
		if taken != 1 {
			t.Errorf("%d taken with CLINTEE", taken)
		}
	})
}

// A pulse of SSIP stays until software clears it in sip; MSIP is not the supervisor's to see.
func TestSoftwareInterruptBits(t *testing.T) {
	b := newBench(t, 1, testSpec())
	b.run(0, func(h *Hart) {
		h.SetPending(uint64(rv.MIP_SSIP))
		h.SetLine(uint64(rv.MIP_MSIP|rv.MIP_STIP), true)
		if v, _ := h.CPU.ReadSys(rv.SIP); v != uint64(rv.SIP_SSIP|rv.SIP_STIP) {
			t.Errorf("sip 0x%x", v)
		}
		h.CPU.WriteSys(rv.SIP, 0)
		if v, _ := h.CPU.ReadSys(rv.SIP); v != uint64(rv.SIP_STIP) {
			t.Errorf("sip 0x%x after a write of 0", v)
		}
		h.Trap(cpu.Firmware, func() {
			if v, _ := h.CPU.ReadSys(rv.MIP); v != uint64(rv.MIP_MSIP|rv.MIP_STIP) {
				t.Errorf("mip 0x%x", v)
			}
		})
		h.CPU.WriteSys(rv.SSTATUS, uint64(rv.SSTATUS_SIE|rv.SSTATUS_SUM))
		if v, _ := h.CPU.ReadSys(rv.SSTATUS); v != uint64(rv.SSTATUS_SIE|rv.SSTATUS_SUM) || h.IRQMasked() {
			t.Errorf("sstatus 0x%x", v)
		}
	})
}
