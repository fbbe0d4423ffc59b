package machine

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/arch/gic"
	"github.com/hwscript/hwscript/hardware/arm"
	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/linux/irqchip"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Affinities says how MPIDR_EL1 numbers the CPUs.
type Affinities uint8

// The numberings.
const (
	// AffinityFlat: Aff0 counts to PerAff0, so that one target list reaches as many CPUs, then Aff1 and Aff2 to 256.
	AffinityFlat Affinities = iota
	// AffinityCores: Aff0 is 0, Aff1 the core in the cluster, Aff2 the cluster, of which dies count 16 each from 8.
	AffinityCores
)

// String is the numbering's name in scripts.
func (a Affinities) String() string { return [...]string{"flat", "cores"}[a] }

// Region is a contiguous region of redistributors.
type Region struct {
	Base uint64
	CPUs int // most that fit
}

// ArmSpec describes the board of Arm PEs and a GICv3.
type ArmSpec struct {
	Affinities  Affinities
	PerAff0     int // of AffinityFlat: 1 to 16 CPUs that differ in Aff0 only, which divide all
	MIDR        uint64
	CounterFreq sim.Freq // of the generic counter

	GICDBase uint64
	GICRs    []Region
	GIC      gicv3.Spec // MPIDRs, regions and RWPDelay follow from the rest

	// RedistributorsOff makes a PE that is switched off take its redistributor along: what that has latched is lost.
	RedistributorsOff bool

	ITS      *ITSSpec  // nil: none
	SMMU     *SMMUSpec // nil: none
	SMMUBase uint64    // where one would be

	Driver irqchip.Options // of the kernel's driver of the GIC
}

// Validate is BoardSpec.
func (b *ArmSpec) Validate(s *Spec) error {
	if b.Affinities == AffinityCores && s.Clusters > 8 {
		return fmt.Errorf("clusters is %d: expected at most 8 with affinities of kind %s", s.Clusters, b.Affinities)
	}
	if b.Affinities == AffinityFlat && (b.PerAff0 < 1 || b.PerAff0 > 16) {
		return fmt.Errorf("per_aff0 is %d: expected 1 to 16", b.PerAff0)
	}
	end := s.RAMBase + s.RAMSize
	if b.GICDBase >= s.RAMBase && b.GICDBase < end {
		return fmt.Errorf("RAM from 0x%x to 0x%x overlaps the distributor at 0x%x: expected at most %d MiB", s.RAMBase, end-1,
			b.GICDBase, (b.GICDBase-s.RAMBase)>>20)
	}
	room := 0
	for _, r := range b.GICRs {
		if r.Base >= s.RAMBase && r.Base < end {
			return fmt.Errorf("RAM from 0x%x to 0x%x overlaps the redistributors at 0x%x: expected at most %d MiB", s.RAMBase,
				end-1, r.Base, (r.Base-s.RAMBase)>>20)
		}
		room += r.CPUs
	}
	if room < s.CPUs {
		return fmt.Errorf("cpus is %d: the redistributor regions have room for %d", s.CPUs, room)
	}
	if err := b.ITS.validate(s); err != nil {
		return err
	}
	return b.SMMU.validate(s)
}

// mpidr is the affinity of a CPU.
func (b *ArmSpec) mpidr(s *Spec, i int) uint64 {
	if b.Affinities == AffinityFlat {
		group := i / b.PerAff0
		v := a64.MPIDR_EL1_Aff0.Put(0, uint64(i%b.PerAff0))
		v = a64.MPIDR_EL1_Aff1.Put(v, uint64(group%256))
		return a64.MPIDR_EL1_Aff2.Put(v, uint64(group/256))
	}
	cluster := i / s.Cores
	v := a64.MPIDR_EL1_Aff1.Put(0, uint64(i%s.Cores))
	return a64.MPIDR_EL1_Aff2.Put(v, uint64(8+16*(cluster/s.Clusters)+cluster%s.Clusters))
}

// pe is what all PEs have in common.
func (b *ArmSpec) pe(s *Spec) arm.Spec {
	c := s.cpu()
	c.IPIRegister = gic.ICC_SGI1R_EL1
	c.Own = [2]bits.SysReg{gic.ICC_PMR_EL1, gic.ICC_RPR_EL1}
	return arm.Spec{CPU: &c, MIDR: b.MIDR, CounterFreq: b.CounterFreq}
}

// gic completes the GIC's Spec from the topology.
func (b *ArmSpec) gic(s *Spec) gicv3.Spec {
	g := b.GIC
	g.MPIDRs = make([]uint64, s.CPUs)
	for i := range g.MPIDRs {
		g.MPIDRs[i] = b.mpidr(s, i)
	}
	g.Regions = nil
	left := s.CPUs
	for _, r := range b.GICRs {
		if n := min(left, r.CPUs); n > 0 {
			g.Regions = append(g.Regions, gicv3.Region{Base: bus.Addr(r.Base), Count: n})
			left -= n
		}
	}
	g.RWPDelay = s.Latency[RWP].Mean
	return g
}

// What the latencies that only this board has are.
const (
	sgiTransportDoc = "from the write of ICC_SGI1R_EL1 to the interrupt input of a target on the die; elsewhere a leg " +
		"more"
	sgi1rIssueDoc  = "MSR of ICC_SGI1R_EL1, in place of sysreg_write"
	sgi1rAcceptDoc = "interval at which back-to-back writes of ICC_SGI1R_EL1 by one CPU are accepted"
	rwpDoc         = "GICD_CTLR.RWP and GICR_CTLR.RWP stay set, and GICR_WAKER answers later"
)
