package machine

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/arch/a64"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/gicv3"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Affinities says how MPIDR_EL1 numbers the CPUs.
type Affinities uint8

// The numberings.
const (
	// AffinityFlat: Aff0 counts to 16, so that one target list reaches 16 CPUs, then Aff1 and Aff2 to 256.
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

// Spec describes a machine. Presets are made by [Preset].
type Spec struct {
	Name string
	// Topology: dies of a socket, clusters of a die, cores of a cluster. CPUs may be fewer than there are cores.
	Sockets, Dies, Clusters, Cores int
	CPUs                           int
	Affinities                     Affinities

	MIDR        uint64
	Clock       sim.Freq
	CounterFreq sim.Freq // of the generic counter
	StoreBuffer int      // entries of each CPU
	Latency     [latencies]Latency
	Jitter      bool // latencies vary over their spread; else they are their means

	RAMBase, RAMSize uint64
	GICDBase         uint64
	GICRs            []Region
	GIC              gicv3.Spec // MPIDRs, regions and RWPDelay follow from the rest

	Linux linux.Options
	Costs linux.Costs
	Seed  uint64
}

// Validate names the first field that cannot be built, and its limit.
func (s *Spec) Validate() error {
	for _, f := range [...]struct {
		name string
		n    int
	}{{"sockets", s.Sockets}, {"dies", s.Dies}, {"clusters", s.Clusters}, {"cores", s.Cores}} {
		if f.n < 1 || f.n > gicv3.MaxCPUs {
			return fmt.Errorf("%s is %d: expected 1 to %d", f.name, f.n, gicv3.MaxCPUs)
		}
	}
	cores := s.Sockets * s.Dies * s.Clusters * s.Cores
	if limit := min(cores, gicv3.MaxCPUs); s.CPUs < 1 || s.CPUs > limit {
		return fmt.Errorf("cpus is %d: expected 1 to %d", s.CPUs, limit)
	}
	if s.Affinities == AffinityCores && s.Clusters > 8 {
		return fmt.Errorf("clusters is %d: expected at most 8 with affinities of kind %s", s.Clusters, s.Affinities)
	}
	room := 0
	for _, r := range s.GICRs {
		room += r.CPUs
	}
	if end := s.RAMBase + s.RAMSize; s.GICDBase >= s.RAMBase && s.GICDBase < end {
		return fmt.Errorf("RAM from 0x%x to 0x%x overlaps the distributor at 0x%x: expected at most %d MiB", s.RAMBase, end-1,
			s.GICDBase, (s.GICDBase-s.RAMBase)>>20)
	}
	for _, r := range s.GICRs {
		if end := s.RAMBase + s.RAMSize; r.Base >= s.RAMBase && r.Base < end {
			return fmt.Errorf("RAM from 0x%x to 0x%x overlaps the redistributors at 0x%x: expected at most %d MiB", s.RAMBase,
				end-1, r.Base, (r.Base-s.RAMBase)>>20)
		}
	}
	if room < s.CPUs {
		return fmt.Errorf("cpus is %d: the redistributor regions have room for %d", s.CPUs, room)
	}
	for i := range s.Latency {
		if err := s.Latency[i].Validate(); err != nil {
			return fmt.Errorf("%s: %w", LatencyName(i), err)
		}
	}
	return nil
}

// places are the CPUs' positions: cores of a cluster are numbered first, then clusters, dies, sockets.
func (s *Spec) places() []mem.Place {
	places := make([]mem.Place, s.CPUs)
	for i := range places {
		cluster := i / s.Cores
		die := cluster / s.Clusters
		places[i] = mem.Place{Cluster: int32(cluster), Die: int32(die), Socket: int32(die / s.Dies)}
	}
	return places
}

// mpidr is the affinity of a CPU.
func (s *Spec) mpidr(i int) uint64 {
	if s.Affinities == AffinityFlat {
		v := a64.MPIDR_EL1_Aff0.Put(0, uint64(i%16))
		v = a64.MPIDR_EL1_Aff1.Put(v, uint64(i/16%256))
		return a64.MPIDR_EL1_Aff2.Put(v, uint64(i/16/256))
	}
	cluster := i / s.Cores
	v := a64.MPIDR_EL1_Aff1.Put(0, uint64(i%s.Cores))
	return a64.MPIDR_EL1_Aff2.Put(v, uint64(8+16*(cluster/s.Clusters)+cluster%s.Clusters))
}

// spread is a latency with or without its jitter.
func (s *Spec) spread(n LatencyName) sim.Spread {
	if s.Jitter {
		return s.Latency[n].Spread
	}
	return sim.Fixed(s.Latency[n].Mean)
}

func (s *Spec) memory() mem.Spec {
	m := mem.Spec{Base: s.RAMBase, Size: s.RAMSize, Places: s.places(), Seed: s.Seed}
	for d, n := range [mem.Distances]LatencyName{
		L1Hit, HandOffCluster, HandOffDie, HandOffCrossDie, HandOffCrossSocket, DRAM,
	} {
		m.Latency[d] = s.spread(n)
	}
	return m
}

func (s *Spec) cpu() cpu.Spec {
	mean := func(n LatencyName) sim.Time { return s.Latency[n].Mean }
	return cpu.Spec{
		Clock: s.Clock, StoreBuffer: s.StoreBuffer,
		StoreIssue: mean(StoreIssue), DMB: mean(DMB), DSB: mean(DSB), ISB: mean(ISB),
		SysRegRead: mean(SysRegRead), SysRegWrite: mean(SysRegWrite), OuterAck: mean(OuterAck),
		DeviceRead: mean(DeviceRead), DeviceWrite: mean(DeviceWrite),
		WFIExit: mean(WFIExit), ExceptionEntry: mean(ExceptionEntry), ExceptionReturn: mean(ExceptionReturn),
	}
}

// gic completes the GIC's Spec from the topology.
func (s *Spec) gic() gicv3.Spec {
	g := s.GIC
	g.MPIDRs = make([]uint64, s.CPUs)
	for i := range g.MPIDRs {
		g.MPIDRs[i] = s.mpidr(i)
	}
	g.Regions = nil
	left := s.CPUs
	for _, r := range s.GICRs {
		if n := min(left, r.CPUs); n > 0 {
			g.Regions = append(g.Regions, gicv3.Region{Base: busAddr(r.Base), Count: n})
			left -= n
		}
	}
	g.RWPDelay = s.Latency[RWP].Mean
	return g
}
