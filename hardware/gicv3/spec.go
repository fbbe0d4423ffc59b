package gicv3

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Spec says which GIC to build: how many PEs it serves, what it identifies itself as, which options of the architecture
// it has. Start from [DefaultSpec].
type Spec struct {
	// MPIDRs are the PEs' affinities, in MPIDR_EL1's layout and in the order of their redistributors.
	MPIDRs []uint64
	// Regions are the areas of contiguous redistributors, in order; their counts add up to the number of PEs.
	Regions []Region
	// VLPIS gives each redistributor the two additional frames of GICv4. They read as zero.
	VLPIS bool

	NumSPIs int  // shared interrupts, from INTID 32: a multiple of 32, or 988 for all
	LPIS    bool // LPIs are supported: GICR_CTLR.EnableLPIs and the table registers exist
	CES     bool // GICR_CTLR.EnableLPIs can be cleared again
	// DirectLPI is GICR_TYPER.DirectLPI: GICR_SETLPIR, GICR_INVLPIR and their kin exist.
	DirectLPI bool
	// PendingWrites makes each LPI that comes, and each that is taken, a read and a write of the pending table. Without,
	// the redistributor keeps what is pending to itself until EnableLPIs is cleared. Which is the implementation's choice.
	PendingWrites bool
	// ConfigCache is how many configuration bytes each redistributor keeps, 0 for none; with ConfigCacheByHint it keeps
	// only those that GICR_PROPBASER allows read-allocation for.
	ConfigCache       int
	ConfigCacheByHint bool

	MBIS bool // message-based SPIs: GICD_SETSPI_NSR, GICD_CLRSPI_NSR
	No1N bool // no 1-of-N SPIs: GICD_IROUTER.IRM and GICR_CTLR.DPG* are RES0
	RSS  bool // SGIs reach Aff0 values up to 255
	A3V  bool // affinity level 3 may be other than zero

	// DS is one security state. Without it the GIC shows its Non-secure view, in which Group 0 is out of reach.
	DS bool
	// NonSecureReset, with two security states, is the state that firmware leaves to a kernel: every interrupt belongs
	// to Group 1, the redistributors are awake and the priority mask is open. Without it everything is Secure, as at
	// power-on, and Non-secure software can do little.
	NonSecureReset bool

	IDbits       int           // bits of an INTID as GICD_TYPER says them, 10 to 24
	INTIDs       gic.INTIDSize // size of INTIDs at the CPU interface
	CommonLPIAff int           // affinity level down to which redistributors share LPI tables, 0 to 3

	DistributorPriorityBits int // priority bits that GICD_IPRIORITYR and GICR_IPRIORITYR keep, 4 to 8
	CPUPriorityBits         int // priority bits of the CPU interface, 4 to 8

	IIDR              uint32   // GICD_IIDR and GICR_IIDR
	DistributorPIDR   [5]uint8 // GICD_PIDR0 to GICD_PIDR4
	RedistributorPIDR [5]uint8 // GICR_PIDR0 to GICR_PIDR4

	// RWPDelay is how long GICD_CTLR.RWP and GICR_CTLR.RWP stay set after a write whose effects they stand for, and how
	// much later GICR_WAKER.ChildrenAsleep follows ProcessorSleep, and Quiescent Sleep.
	RWPDelay sim.Time
}

// Region is an area of contiguous redistributors.
type Region struct {
	Base  bus.Addr
	Count int
}

// MaxCPUs is the largest number of PEs.
const MaxCPUs = 4096

// maxConfigCache bounds Spec.ConfigCache, which is searched from its beginning.
const maxConfigCache = 256

// maxSPIs is all INTIDs from 32 up to the special ones.
const maxSPIs = int(gic.FirstSpecial - gic.FirstSPI)

// DefaultSpec is a GICv3 with all INTIDs, 16-bit LPIs and the identification of Arm's GIC-500, for PEs that are
// numbered by Aff0 in clusters of 16 and have one region of redistributors at base.
func DefaultSpec(cpus int, base bus.Addr) Spec {
	mpidrs := make([]uint64, cpus)
	for i := range mpidrs {
		n := uint64(i)
		m := a64.MPIDR_EL1_Aff0.Put(0, n&0xf)
		m = a64.MPIDR_EL1_Aff1.Put(m, n>>4&0xff)
		mpidrs[i] = a64.MPIDR_EL1_Aff2.Put(m, n>>12)
	}
	return Spec{
		MPIDRs: mpidrs, Regions: []Region{{base, cpus}},
		NumSPIs: maxSPIs, LPIS: true, CES: true, A3V: true, DS: true,
		IDbits: 16, INTIDs: gic.INTIDs24, CommonLPIAff: 1,
		DistributorPriorityBits: 8, CPUPriorityBits: 5,
		IIDR:              0x43b,
		DistributorPIDR:   [5]uint8{0x92, 0xb4, 0x3b, 0x00, 0x44},
		RedistributorPIDR: [5]uint8{0x93, 0xb4, 0x3b, 0x00, 0x44},
	}
}

// Stride is the distance between two redistributors of a region.
func (s *Spec) Stride() uint64 {
	if s.VLPIS {
		return uint64(gic.RedistributorStrideVLPI)
	}
	return uint64(gic.RedistributorStride)
}

// RedistributorBase is the address of a PE's redistributor.
func (s *Spec) RedistributorBase(cpu int) bus.Addr {
	for _, r := range s.Regions {
		if cpu < r.Count {
			return r.Base + bus.Addr(uint64(cpu)*s.Stride())
		}
		cpu -= r.Count
	}
	panic(fmt.Sprintf("BUG: no redistributor region for CPU %d more", cpu))
}

// Validate names the field that makes no GIC, and its limit.
func (s *Spec) Validate() error {
	if n := len(s.MPIDRs); n < 1 || n > MaxCPUs {
		return fmt.Errorf("gicv3: %d MPIDRs: want 1 to %d", n, MaxCPUs)
	}
	if n := s.NumSPIs; n < 0 || n > maxSPIs || n%32 != 0 && n != maxSPIs {
		return fmt.Errorf("gicv3: NumSPIs is %d: want a multiple of 32, or %d", n, maxSPIs)
	}
	for _, f := range []struct {
		name          string
		v, low, limit int
	}{
		{"IDbits", s.IDbits, 10, 24},
		{"CommonLPIAff", s.CommonLPIAff, 0, 3},
		{"DistributorPriorityBits", s.DistributorPriorityBits, 4, 8},
		{"CPUPriorityBits", s.CPUPriorityBits, 4, 8},
		{"ConfigCache", s.ConfigCache, 0, maxConfigCache},
	} {
		if f.v < f.low || f.v > f.limit {
			return fmt.Errorf("gicv3: %s is %d: want %d to %d", f.name, f.v, f.low, f.limit)
		}
	}
	if s.LPIS && s.IDbits < 14 {
		return fmt.Errorf("gicv3: IDbits is %d: LPIs begin at 8192 and need at least 14", s.IDbits)
	}
	if s.RWPDelay < 0 {
		return fmt.Errorf("gicv3: RWPDelay is %v: want no less than zero", s.RWPDelay)
	}
	if err := s.validateRegions(); err != nil {
		return err
	}
	return s.validateAffinities()
}

func (s *Spec) validateRegions() error {
	sum := 0
	for i, r := range s.Regions {
		if r.Count < 1 {
			return fmt.Errorf("gicv3: Regions[%d].Count is %d: want at least 1", i, r.Count)
		}
		if r.Base%bus.Addr(gic.FrameSize) != 0 {
			return fmt.Errorf("gicv3: Regions[%d].Base is %#x: want a multiple of %#x", i, r.Base, gic.FrameSize)
		}
		sum += r.Count
		for j, o := range s.Regions[:i] {
			if r.Base < o.Base+bus.Addr(uint64(o.Count)*s.Stride()) && o.Base < r.Base+bus.Addr(uint64(r.Count)*s.Stride()) {
				return fmt.Errorf("gicv3: Regions[%d] overlaps Regions[%d]", i, j)
			}
		}
	}
	if sum != len(s.MPIDRs) {
		return fmt.Errorf("gicv3: Regions hold %d redistributors for %d PEs", sum, len(s.MPIDRs))
	}
	return nil
}

// validateAffinities refuses affinities that no SGI could name. That no two are equal shows when the lookup is built.
func (s *Spec) validateAffinities() error {
	for i, m := range s.MPIDRs {
		if !s.A3V && a64.MPIDR_EL1_Aff3.Is(m) {
			return fmt.Errorf("gicv3: MPIDRs[%d] is %#x: Aff3 must be 0 without A3V", i, m)
		}
		if aff0 := a64.MPIDR_EL1_Aff0.Get(m); !s.RSS && aff0 >= targetListSize {
			return fmt.Errorf("gicv3: MPIDRs[%d] is %#x: Aff0 must be below %d without RSS", i, m, targetListSize)
		}
	}
	return nil
}

// priorityMask keeps the implemented bits of a priority, which are the upper ones.
func priorityMask(implemented int) uint8 { return 0xff << (8 - implemented) }

// preemptionBits is the number of bits of a priority that can be group priority: bit 0 never is. IHI 0069, 4.8.
func (s *Spec) preemptionBits() int { return min(s.CPUPriorityBits, 7) }

// typer is the value of GICD_TYPER. CPUNumber is 0: without GICv2 legacy nobody can reach PEs by number.
func (s *Spec) typer() uint64 {
	v := gic.GICD_TYPER_ITLinesNumber.Put(0, uint64((s.NumSPIs+31)/32))
	v = gic.GICD_TYPER_IDbits.Put(v, uint64(s.IDbits-1))
	for _, f := range []struct {
		field bits.Field
		on    bool
	}{
		{gic.GICD_TYPER_SecurityExtn, !s.DS},
		{gic.GICD_TYPER_MBIS, s.MBIS},
		{gic.GICD_TYPER_LPIS, s.LPIS},
		{gic.GICD_TYPER_A3V, s.A3V},
		{gic.GICD_TYPER_No1N, s.No1N},
		{gic.GICD_TYPER_RSS, s.RSS},
	} {
		v = f.field.Put(v, bits.Flag(f.on))
	}
	return v
}

// redistributorTyper is the value of GICR_TYPER.
func (s *Spec) redistributorTyper(cpu int) uint64 {
	v := gic.GICR_TYPER_PLPIS.Put(0, bits.Flag(s.LPIS))
	v = gic.GICR_TYPER_VLPIS.Put(v, bits.Flag(s.VLPIS))
	v = gic.GICR_TYPER_DirectLPI.Put(v, bits.Flag(s.LPIS && s.DirectLPI))
	v = gic.GICR_TYPER_Last.Put(v, bits.Flag(s.last(cpu)))
	v = gic.GICR_TYPER_DPGS.Put(v, bits.Flag(!s.No1N))
	v = gic.GICR_TYPER_Processor_Number.Put(v, uint64(cpu))
	v = gic.GICR_TYPER_CommonLPIAff.Put(v, uint64(s.CommonLPIAff))
	return gic.GICR_TYPER_Affinity_Value.Put(v, uint64(affinityOf(s.MPIDRs[cpu])))
}

// last reports whether a PE's redistributor is the last of a contiguous region: the next one does not follow on it.
func (s *Spec) last(cpu int) bool {
	return cpu == len(s.MPIDRs)-1 || s.RedistributorBase(cpu+1) != s.RedistributorBase(cpu)+bus.Addr(s.Stride())
}
