package mmu

import "github.com/hwscript/hwscript/hardware/arch/rv"

// Sv is the format of RISC-V's page tables, with the extensions that a hart has.
type Sv struct {
	Napot bool // Svnapot: groups of 16 pages
	Pbmt  bool // Svpbmt: memory types
	THead bool // the attributes of T-Head cores, which are in the place of both
}

// SvLevels is the number of levels of a scheme, 0 if it has no tables.
func SvLevels(m rv.SatpMode) int8 {
	switch m {
	case rv.Sv39:
		return 3
	case rv.Sv48:
		return 4
	case rv.Sv57:
		return 5
	}
	return 0
}

// SvStage is the stage of a scheme that has tables. The A and D flags are the hart's to look at, for it may set them.
func SvStage(f *Sv, m rv.SatpMode, root uint64, outputBits uint8) Stage {
	levels := SvLevels(m)
	return Stage{
		Format: f, Root: root, PageShift: uint8(rv.PageShift), Stride: uint8(rv.VPNBits), Top: levels - 1,
		InputBits: uint8(rv.PageShift) + uint8(rv.VPNBits)*uint8(levels), OutputBits: outputBits,
		Options: Options{NoAccessFlag: true},
	}
}

// SvCanonical reports whether an address is one of a scheme: the bits above are copies of its highest.
func SvCanonical(m rv.SatpMode, va uint64) bool {
	above := 64 - (uint8(rv.PageShift) + uint8(rv.VPNBits)*uint8(SvLevels(m)))
	return uint64(int64(va<<above)>>above) == va
}

// Decode is Format: a reserved encoding and a misaligned superpage are nothing, which is a page fault. Volume II,
// 12.3.2, steps 3 to 6.
func (f *Sv) Decode(s *Stage, height int8, d uint64) Entry {
	flags := d & uint64(rv.PTE_R|rv.PTE_W|rv.PTE_X)
	if !rv.PTE_V.Is(d) || flags&uint64(rv.PTE_R|rv.PTE_W) == uint64(rv.PTE_W) || !f.attributes(d, flags != 0) {
		return Entry{}
	}
	e := Entry{
		Kind: Table, Address: rv.PTE_PPN.Get(d) << rv.PageShift, Perm: Everything, Global: rv.PTE_G.Is(d),
	}
	if flags == 0 {
		return e
	}
	e.Kind, e.Perm, e.Memory = Leaf, svPerm(d), uint8(rv.PTE_PBMT.Get(d))
	if f.THead {
		e.Memory = uint8(d >> rv.PTETHEAD_Sec.Shift())
	} else if rv.PTE_N.Is(d) {
		if height != 0 || rv.PTE_PPN.Get(d)&(1<<rv.NapotBits-1) != 1<<(rv.NapotBits-1) {
			return Entry{}
		}
		e.Group = uint8(rv.NapotBits)
		e.Address &^= 1<<(uint8(rv.PageShift)+e.Group) - 1
	}
	if e.Address&(1<<s.shift(height)-1) != 0 {
		return Entry{}
	}
	return e
}

// attributes reports whether the bits above the page number are none that are reserved.
func (f *Sv) attributes(d uint64, leaf bool) bool {
	reserved := uint64(rv.PTE_RES0 | rv.PTE_PBMT | rv.PTE_N)
	switch {
	case f.THead:
		reserved &^= uint64(rv.PTETHEAD_Sec | rv.PTETHEAD_SH | rv.PTETHEAD_B | rv.PTETHEAD_C | rv.PTETHEAD_SO)
	case leaf:
		if f.Napot {
			reserved &^= uint64(rv.PTE_N)
		}
		if f.Pbmt && rv.PTE_PBMT.Get(d) != rv.PTE_PBMT.Max() {
			reserved &^= uint64(rv.PTE_PBMT)
		}
	}
	return d&reserved == 0
}

// svPerm is what a leaf permits: a user page to user mode only, until sstatus.SUM says otherwise.
func svPerm(d uint64) (p Perm) {
	if rv.PTE_R.Is(d) {
		p |= Reads
	}
	if rv.PTE_W.Is(d) {
		p |= Writes
	}
	if rv.PTE_X.Is(d) {
		p |= Executes
	}
	if rv.PTE_U.Is(d) {
		return p & Unprivileged
	}
	return p &^ Unprivileged
}
