package smmuv3

import (
	mathbits "math/bits"

	"github.com/hwscript/hwscript/hardware/arch/smmu"
	"github.com/hwscript/hwscript/hardware/mmu"
)

// world is the stream world of a translation, as far as TLBs tell them apart: with an ASID and a VMID, with an ASID, or
// with neither. IHI 0070, 3.3.5.
type world uint8

const (
	worldEL1 world = iota
	worldEL2
	worldE2H
)

// space is what an input address means something in.
type space struct {
	world      world
	one, two   bool // the stages that translate
	vmid, asid uint16
	private    bool // ASET: broadcast invalidation by address or ASID leaves it
}

// A tlbEntry is one translation.
type tlbEntry struct {
	input  uint64 // of the first address of the range
	output uint64
	ipa    uint64 // with stage 2: what it translates, of the first address
	space  space
	used   uint32 // when it was used last
	shift  uint8  // log2 of the bytes of the range
	leaf   uint8  // log2 of the bytes that the leaf of the first stage stands for: at least shift
	valid  bool
	global bool // in all address spaces of its VMID
	perm   mmu.Perm
	perm2  mmu.Perm // what stage 2 permits, where there is one
	memory memoryTypes
}

// memoryTypes are what the stages say of the memory: the byte of MAIR, four bits, and shareabilities.
type memoryTypes struct{ one, two, oneShare, twoShare uint8 }

// tlb holds translations, least recently used of a set first to go.
type tlb struct {
	sets, ways int
	entries    []tlbEntry
	clock      uint32
	sizes      uint64 // bit n: there may be an entry of 2^n bytes
	fragments  int    // entries that are smaller than their leaf
}

func (t *tlb) init(sets, ways int) {
	t.sets, t.ways, t.entries = sets, ways, make([]tlbEntry, sets*ways)
}

func (t *tlb) clear() {
	clear(t.entries)
	t.clock, t.sizes, t.fragments = 0, 0, 0
}

// set is where an address of a range of some size is looked for. The ASID is not in it, since a global entry has all.
func (t *tlb) set(input uint64, shift uint8, vmid uint16) []tlbEntry {
	const spread = 0x9e3779b97f4a7c15 // the golden ratio's 64 bits: neighbours go to different sets
	n := (input>>shift + uint64(vmid)<<40 + uint64(shift)<<56) * spread >> 40 & uint64(t.sets-1)
	first := int(n) * t.ways
	return t.entries[first : first+t.ways]
}

// serves reports whether an entry translates an address of a space.
func (e *tlbEntry) serves(input uint64, s *space) bool {
	return e.valid && (e.input^input)>>e.shift == 0 && e.space.world == s.world && e.space.one == s.one &&
		e.space.two == s.two && e.space.vmid == s.vmid && (e.global || e.space.asid == s.asid)
}

// find is the translation of an address, nil if it is not there.
func (t *tlb) find(input uint64, s *space) *tlbEntry {
	for sizes := t.sizes; sizes != 0; sizes &= sizes - 1 {
		set := t.set(input, uint8(mathbits.TrailingZeros64(sizes)), s.vmid)
		for i := range set {
			if e := &set[i]; e.serves(input, s) {
				t.clock++
				e.used = t.clock
				return e
			}
		}
	}
	return nil
}

// insert puts a translation in place of one of the same address, or of the one that was used longest ago.
func (t *tlb) insert(n tlbEntry) {
	set := t.set(n.input, n.shift, n.space.vmid)
	at := &set[0]
	for i := range set {
		e := &set[i]
		if e.serves(n.input, &n.space) {
			at = e
			break
		}
		if at.valid && (!e.valid || e.used < at.used) {
			at = e
		}
	}
	t.drop(at)
	t.clock++
	n.used, n.valid = t.clock, true
	t.sizes |= 1 << n.shift
	if n.leaf > n.shift {
		t.fragments++
	}
	*at = n
}

// drop forgets an entry.
func (t *tlb) drop(e *tlbEntry) {
	if e.valid && e.leaf > e.shift {
		t.fragments--
	}
	e.valid = false
}

// invalidate drops what an invalidation names. One address is looked for in its sets, unless entries are there that are
// smaller than their leaf: all of a leaf's go.
func (t *tlb) invalidate(x *invalidation) (dropped int) {
	if x.single() && t.fragments == 0 && x.vmidMask == 0xffff && !x.anyVMID {
		for sizes := t.sizes; sizes != 0; sizes &= sizes - 1 {
			dropped += t.sweep(t.set(x.first, uint8(mathbits.TrailingZeros64(sizes)), x.vmid), x)
		}
		return dropped
	}
	return t.sweep(t.entries, x)
}

func (t *tlb) sweep(entries []tlbEntry, x *invalidation) (dropped int) {
	for i := range entries {
		e := &entries[i]
		if e.valid && x.names(&e.space, e.global) && x.covers(e.input, e.leaf) {
			t.drop(e)
			dropped++
		}
	}
	return dropped
}

// entryOf is what a TLB keeps of a walk.
func entryOf(input uint64, sp space, one, two *mmu.Stage, walk *mmu.Nested, mairValue uint64) tlbEntry {
	r := &walk.Result
	e := tlbEntry{
		input: input &^ (1<<r.Shift - 1), output: r.Output, ipa: r.IPA, space: sp, shift: r.Shift, leaf: r.Shift,
		perm: r.Perm,
	}
	if one != nil {
		e.leaf = max(r.Shift, walk.FirstShift())
		e.global = r.One.Global
		e.memory.one, e.memory.oneShare = uint8(mairValue>>(8*r.One.Memory)), r.One.Share
	}
	if two != nil {
		e.memory.two, e.memory.twoShare, e.perm2 = r.Two.Memory, r.Two.Share, r.Two.Perm
	}
	return e
}

// An invalidation is a TLB invalidation command, taken apart.
type invalidation struct {
	op          smmu.Opcode
	vmid, asid  uint16
	vmidMask    uint16 // bits of the VMID that count
	asidMask    uint16
	anyVMID     bool
	byAddress   bool
	first, last uint64 // of the addresses
	ttl         uint8  // log2 of the bytes of the leaf that goes, 0 for any
	broadcast   bool   // by a PE
}

// decodeTLBI takes a command apart. IHI 0070, 4.4.
func (s *SMMU) decodeTLBI(c command) invalidation {
	x := invalidation{
		op: c.opcode(), vmid: uint16(smmu.CMD_TLBI0_VMID.Get(c[0])), asid: uint16(smmu.CMD_TLBI0_ASID.Get(c[0])),
		vmidMask: 0xffff, asidMask: 0xffff,
	}
	if !s.spec.VMID16 {
		x.vmidMask = 0xff
	}
	if !s.spec.ASID16 {
		x.asidMask = 0xff
	}
	x.vmidMask &^= 1<<smmu.SMMU_CR0_VMW.Get(s.r.cr0ack) - 1
	if !s.spec.Stage2 {
		x.vmid = 0
	}
	switch x.op {
	case smmu.CMD_TLBI_NH_VA, smmu.CMD_TLBI_NH_VAA, smmu.CMD_TLBI_EL2_VA, smmu.CMD_TLBI_EL2_VAA, smmu.CMD_TLBI_S2_IPA:
		x.byAddress = true
		s.decodeRange(&x, c)
	case smmu.CMD_TLBI_NSNH_ALL, smmu.CMD_TLBI_EL2_ALL, smmu.CMD_TLBI_EL2_ASID:
		x.anyVMID = true
	}
	if x.op == smmu.CMD_TLBI_EL2_VA || x.op == smmu.CMD_TLBI_EL2_VAA {
		x.vmid, x.vmidMask = 0, 0xffff
	}
	return x
}

// decodeRange: a granule makes it a range of (NUM + 1) * 2^SCALE pages, of one level if TTL says so. IHI 0070, 4.4.1.
func (s *SMMU) decodeRange(x *invalidation, c command) {
	addr := c[1] & uint64(smmu.CMD_TLBI1_Address)
	x.first, x.last = addr, addr
	granule := smmu.RangeGranule(smmu.CMD_TLBI1_TG.Get(c[1]))
	if !s.spec.RIL || granule == smmu.RangeNone {
		return
	}
	shift := granule.Shift()
	if s.spec.Mutants.RangeByTG {
		shift = uint8(granule)
	}
	scale, num := smmu.CMD_TLBI0_SCALE.Get(c[0]), smmu.CMD_TLBI0_NUM.Get(c[0])
	low := uint64(1)<<shift - 1
	if ttl := uint8(smmu.CMD_TLBI1_TTL.Get(c[1])); ttl != 0 && !(granule == smmu.Range16K && ttl == 1) {
		x.ttl = shift + (shift-mmu.EntryShift)*(3-ttl)
		low = 1<<x.ttl - 1
	}
	if addr&low != 0 {
		s.remark("CMD_TLBI", "a range begins inside of an entry: what it covers is not predictable", true)
	}
	x.first = addr &^ (1<<shift - 1)
	x.last = x.first + (num+1)<<(scale+uint64(shift)) - 1
	if x.last < x.first || scale+uint64(shift) >= 59 {
		x.last = ^uint64(0)
	}
}

// single reports whether only one address goes.
func (x *invalidation) single() bool { return x.byAddress && x.first == x.last }

// covers reports whether a leaf of 2^leaf bytes that has an address goes.
func (x *invalidation) covers(input uint64, leaf uint8) bool {
	if !x.byAddress {
		return true
	}
	low := uint64(1)<<leaf - 1
	return (x.ttl == 0 || x.ttl == leaf) && input&^low <= x.last && input|low >= x.first
}

// names reports whether an invalidation concerns a space. An invalidation of stage 2 by IPA leaves what stage 1 has a
// part in. IHI 0070, 4.4 and 3.17.
func (x *invalidation) names(s *space, global bool) bool {
	if s.world != worldEL1 {
		return x.namesEL2(s, global)
	}
	if !x.anyVMID && (x.vmid^s.vmid)&x.vmidMask != 0 {
		return false
	}
	asid := global || (x.asid^s.asid)&x.asidMask == 0
	switch x.op {
	case smmu.CMD_TLBI_NSNH_ALL, smmu.CMD_TLBI_S12_VMALL:
		return true
	case smmu.CMD_TLBI_NH_ALL, smmu.CMD_TLBI_NH_VAA:
		return s.one && !(x.broadcast && s.private && x.op == smmu.CMD_TLBI_NH_VAA)
	case smmu.CMD_TLBI_NH_ASID:
		return s.one && !global && asid && !(x.broadcast && s.private)
	case smmu.CMD_TLBI_NH_VA:
		return s.one && asid && !(x.broadcast && s.private)
	case smmu.CMD_TLBI_S2_IPA:
		return s.two && !s.one
	}
	return false
}

func (x *invalidation) namesEL2(s *space, global bool) bool {
	asid := global || s.world == worldEL2 || (x.asid^s.asid)&x.asidMask == 0
	switch x.op {
	case smmu.CMD_TLBI_EL2_ALL, smmu.CMD_TLBI_EL2_VAA:
		return true
	case smmu.CMD_TLBI_EL2_ASID:
		return s.world == worldE2H && !global && asid
	case smmu.CMD_TLBI_EL2_VA:
		return asid
	}
	return false
}
