package riscv

import (
	"fmt"
	mathbits "math/bits"

	"github.com/hwscript/hwscript/hardware/arch/rv"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mmu"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Spec describes one hart.
type Spec struct {
	CPU      cpu.Spec
	HartID   uint64
	TimeFreq sim.Freq // of the time CSR

	Widest       rv.SatpMode // and all schemes that are narrower; Bare: no translation
	ASIDBits     uint8       // ASIDLEN
	PhysicalBits uint8
	Format       mmu.Sv
	HardwareAD   bool // hardware sets A and D; else an access that needs them set is a page fault

	ITLB, DTLB    TLBSpec // uTLBs, before the joint one
	Joint         TLBSpec
	UntaggedMicro bool    // uTLBs know no ASID: each write of satp empties them
	WalkCache     TLBSpec // entries that point to tables; no ways: none is cached
	CacheInvalid  bool    // what is found invalid is cached as well
	Speculate     uint8   // of 256 walks, after how many the next page is walked unasked

	OverFence   OverFence
	DelaySinval bool      // sinval.vma takes effect at sfence.inval.ir; else at once
	ICache      CacheSpec // no ways: instructions are always fetched from memory
	Quirks      Quirks
	Cost        Cost
	Seed        uint64
}

// TLBSpec is the geometry of a translation cache.
type TLBSpec struct {
	Sets, Ways int // sets are a power of two
	Replace    Replacement
}

// CacheSpec is the geometry of an instruction cache with lines of 64 bytes.
type CacheSpec struct{ Sets, Ways int }

// Replacement is how a translation cache chooses what makes room.
type Replacement uint8

// The policies.
const (
	FIFO Replacement = iota
	PLRU             // a bit for each way, set by a hit, all cleared when all are set
)

// OverFence is what a fence of translations does beyond what it has to.
type OverFence uint8

// The policies: Exact drops nothing more, the others treat a register as x0.
const (
	Exact OverFence = iota
	IgnoreVA
	IgnoreASID
	AlwaysFull
)

// Quirks are deviations of known cores, each of which breaks the manual.
type Quirks struct {
	VAASIDUsesSatp     bool // openC906: sfence.vma va,asid compares with satp.ASID
	UTLBSuperpageVPN   bool // openC906: a superpage in a uTLB goes only by a fence of the page through which it came
	SfenceWipesICache  bool // openC906: each sfence.vma empties the instruction cache; slow, and no more than that
	ITLBIgnoresPartial bool // SiFive CIP-1200: the ITLB ignores each sfence.vma but x0,x0
}

// Cost is what translation takes, in cycles, beside the reads of page table entries.
type Cost struct {
	JointHit   int64 // of the smallest page
	JointProbe int64 // more for each larger size that is probed after it
	Walk       int64
	WalkRead   int64 // for each entry

	FenceAll, FenceASID       int64 // sfence.vma x0,x0 and x0,asid
	FenceAbsent, FencePresent int64 // by address, whether something went or not
	ICacheWipe                int64
}

// Validate names the first field that cannot be.
func (s *Spec) Validate() error {
	if mmu.SvLevels(s.Widest) == 0 && s.Widest != rv.Bare {
		return fmt.Errorf("satp mode %d: expected 0 (Bare), 8, 9 or 10", s.Widest)
	}
	if limit := uint8(rv.SATP_ASID.Width()); s.ASIDBits > limit {
		return fmt.Errorf("%d ASID bits: expected at most %d", s.ASIDBits, limit)
	}
	if s.PhysicalBits < 32 || s.PhysicalBits > 56 {
		return fmt.Errorf("%d physical address bits: expected 32 to 56", s.PhysicalBits)
	}
	if s.TimeFreq == 0 {
		return fmt.Errorf("time frequency 0 Hz: expected at least 1 Hz")
	}
	for _, t := range [...]struct {
		name       string
		sets, ways int
	}{
		{"ITLB", s.ITLB.Sets, s.ITLB.Ways}, {"DTLB", s.DTLB.Sets, s.DTLB.Ways}, {"joint TLB", s.Joint.Sets, s.Joint.Ways},
		{"walk cache", s.WalkCache.Sets, s.WalkCache.Ways}, {"instruction cache", s.ICache.Sets, s.ICache.Ways},
	} {
		if t.ways < 0 || t.ways > 1024 {
			return fmt.Errorf("%s of %d ways: expected 0 to 1024", t.name, t.ways)
		}
		if t.ways > 0 && mathbits.OnesCount(uint(t.sets)) != 1 || t.sets > 1<<16 {
			return fmt.Errorf("%s of %d sets: expected a power of two up to 65536", t.name, t.sets)
		}
	}
	return s.CPU.Validate()
}
