package mmu

import "github.com/hwscript/hwscript/hardware/arch/a64"

// ArmStage1 and ArmStage2 are the formats of VMSAv8-64.
var (
	ArmStage1 Format = armStage1{}
	ArmStage2 Format = armStage2{}
)

type armStage1 struct{}

type armStage2 struct{}

// ArmHeight is the height of a level of VMSAv8-64, and the level of a height.
func ArmHeight(level int8) int8 { return 3 - level }

// Arm is the part of a VMSAv8-64 stage that follows from its granule and the size of its input addresses: the first
// table is the lowest that covers them. It answers false for a granule or a size that there is not (DDI 0487, D8.2).
func Arm(f Format, granule, inputBits uint8) (Stage, bool) {
	stride := granule - EntryShift
	if granule != 12 && granule != 14 && granule != 16 || inputBits < 25 || inputBits > 48 {
		return Stage{}, false
	}
	top := (inputBits-granule+stride-1)/stride - 1
	return Stage{Format: f, PageShift: granule, Stride: stride, Top: int8(top), InputBits: inputBits}, true
}

// ArmConcatenated is Arm for a stage 2 that begins at a level: up to 16 tables of that level stand side by side. False
// if the level does not go with the size (DDI 0487, D8.2.7).
func ArmConcatenated(granule, inputBits uint8, level int8) (Stage, bool) {
	s, ok := Arm(ArmStage2, granule, inputBits)
	if !ok || level < 0 || level > 3 {
		return Stage{}, false
	}
	s.Top = ArmHeight(level)
	covered := s.shift(s.Top) // by one entry of the first table
	if inputBits <= covered || inputBits > covered+s.Stride+4 {
		return Stage{}, false
	}
	return s, true
}

// armKind tells tables, blocks and pages apart. Blocks exist at level 2, and with 4 KiB at level 1.
func armKind(s *Stage, height int8, descriptor uint64) Kind {
	table := a64.PTE_Table.Is(descriptor)
	switch {
	case !a64.PTE_Valid.Is(descriptor):
		return Invalid
	case table && height > 0:
		return Table
	case table:
		return Leaf
	case height == 1 || height == 2 && s.PageShift == 12:
		return Leaf
	}
	return Invalid
}

// armAddress is the address of a descriptor, aligned to what it stands for.
func armAddress(s *Stage, height int8, kind Kind, descriptor uint64) uint64 {
	shift := s.PageShift
	if kind == Leaf {
		shift = s.shift(height)
	}
	return descriptor & uint64(a64.PTE_Address) &^ (1<<shift - 1)
}

// Decode is Format. DDI 0487, D8.3 and D8.4.
func (armStage1) Decode(s *Stage, height int8, d uint64) Entry {
	e := Entry{Kind: armKind(s, height, d)}
	e.Address = armAddress(s, height, e.Kind, d)
	switch e.Kind {
	case Table:
		e.Perm = armTablePerm(s, d)
	case Leaf:
		e.Perm = armPerm(s, d)
		e.Unused = !a64.PTE_AF.Is(d) && !s.Options.NoAccessFlag
		e.Global = !a64.PTE_nG.Is(d)
		e.Memory, e.Share = uint8(a64.PTE_AttrIndx.Get(d)), uint8(a64.PTE_SH.Get(d))
	}
	return e
}

// The bits of AP and APTable.
const (
	apUnprivileged = 1
	apReadOnly     = 2
)

// armTablePerm is what a table leaves to what is below.
func armTablePerm(s *Stage, d uint64) Perm {
	p := Perm(Everything)
	if s.Options.NoHierarchy {
		return p
	}
	ap := a64.PTETABLE_AP.Get(d)
	if ap&apReadOnly != 0 {
		p &^= Writes
	}
	if ap&apUnprivileged != 0 && !s.Options.OnePrivilege {
		p &^= ReadUnprivileged | WriteUnprivileged
	}
	if a64.PTETABLE_XN.Is(d) {
		p &^= ExecuteUnprivileged
	}
	if a64.PTETABLE_PXN.Is(d) || s.Options.OnePrivilege && a64.PTETABLE_XN.Is(d) {
		p &^= ExecutePrivileged
	}
	return p
}

// armPerm is what a leaf permits by itself.
func armPerm(s *Stage, d uint64) Perm {
	p := Perm(Everything)
	ap := a64.PTE_AP.Get(d)
	if ap&apReadOnly != 0 {
		p &^= Writes
	}
	if a64.PTE_XN.Is(d) {
		p &^= ExecuteUnprivileged
	}
	if s.Options.OnePrivilege {
		if a64.PTE_XN.Is(d) || s.Options.NeverExecute && p&WritePrivileged != 0 {
			p &^= Executes
		}
		return p
	}
	unprivileged := ap&apUnprivileged != 0
	if !unprivileged {
		p &^= ReadUnprivileged | WriteUnprivileged
	}
	if a64.PTE_PXN.Is(d) || p&WriteUnprivileged != 0 || s.Options.NeverExecute && p&WritePrivileged != 0 {
		p &^= ExecutePrivileged
	}
	if s.Options.NeverExecute && p&WriteUnprivileged != 0 {
		p &^= ExecuteUnprivileged
	}
	if s.Options.PrivilegedOff && unprivileged {
		p &^= ReadPrivileged | WritePrivileged
	}
	return p
}

// Decode is Format. DDI 0487, D8.3 and D8.4: stage 2 has no tables with permissions, and one privilege.
func (armStage2) Decode(s *Stage, height int8, d uint64) Entry {
	e := Entry{Kind: armKind(s, height, d), Perm: Everything}
	e.Address = armAddress(s, height, e.Kind, d)
	if e.Kind != Leaf {
		return e
	}
	ap := a64.PTES2_S2AP.Get(d)
	if ap&1 == 0 {
		e.Perm &^= Reads
	}
	if ap&2 == 0 {
		e.Perm &^= Writes
	}
	if a64.PTES2_XN.Get(d)&2 != 0 {
		e.Perm &^= Executes
	}
	e.Unused = !a64.PTE_AF.Is(d) && !s.Options.NoAccessFlag
	e.Memory, e.Share = uint8(a64.PTES2_MemAttr.Get(d)), uint8(a64.PTE_SH.Get(d))
	return e
}
