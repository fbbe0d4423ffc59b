package machine

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/linux"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Spec describes a machine. Presets are made by [Preset].
type Spec struct {
	Name string
	// Topology: dies of a socket, clusters of a die, cores of a cluster. CPUs may be fewer than there are cores.
	Sockets, Dies, Clusters, Cores int
	CPUs                           int

	Clock       sim.Freq
	StoreBuffer int // entries of each CPU
	OuterModel  cpu.OuterModel
	OuterWindow int // of its model pipelined: acknowledgements under way at a time
	Latency     [latencies]Latency
	Jitter      bool // latencies that vary do so; else each is its typical value

	RAMBase, RAMSize uint64
	SystemCache      mem.SystemCacheSpec // of each node

	// Assumptions are what of the machine is merely assumed beside its latencies, a line each.
	Assumptions []string

	Board BoardSpec
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
		if f.n < 1 || f.n > mem.MaxCPUs {
			return fmt.Errorf("%s is %d: expected 1 to %d", f.name, f.n, mem.MaxCPUs)
		}
	}
	cores := s.Sockets * s.Dies * s.Clusters * s.Cores
	if limit := min(cores, mem.MaxCPUs); s.CPUs < 1 || s.CPUs > limit {
		return fmt.Errorf("cpus is %d: expected 1 to %d", s.CPUs, limit)
	}
	if perSocket := cores / s.Sockets; s.CPUs <= perSocket*(s.Sockets-1) {
		return fmt.Errorf("cpus is %d: socket %d of %d would be empty; expected at least %d, or fewer sockets", s.CPUs,
			(s.CPUs+perSocket-1)/perSocket, s.Sockets, perSocket*(s.Sockets-1)+1)
	}
	if n := s.Linux.StackNode; n < linux.OwnNode || n >= s.Nodes() {
		return fmt.Errorf("stack_node is %d: expected 0 to %d", n, s.Nodes()-1)
	}
	if err := s.Board.Validate(s); err != nil {
		return err
	}
	for i := range s.Latency {
		if err := s.Latency[i].Validate(); err != nil {
			return fmt.Errorf("%s: %w", LatencyName(i), err)
		}
	}
	return nil
}

// Nodes is the number of nodes that memory can be allocated on: a die is one, whether it has CPUs or not.
func (s *Spec) Nodes() int { return s.Sockets * s.Dies }

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

// spread is a latency with or without its jitter.
func (s *Spec) spread(n LatencyName) sim.Spread {
	if s.Jitter && s.Latency[n].Varies {
		return s.Latency[n].Spread
	}
	return sim.Fixed(s.Latency[n].Mean)
}

func (s *Spec) memory() mem.Spec {
	m := mem.Spec{
		Base: s.RAMBase, Size: s.RAMSize, Places: s.places(), DiesPerSocket: s.Dies, Seed: s.Seed,
		SystemCache: s.SystemCache,
	}
	for part, n := range [mem.Parts]LatencyName{
		L1Hit, HandOffCluster, HandOffDie, LegDie, LegSocket, SystemCacheHit, DRAM, HomeService,
	} {
		m.Latency[part] = s.spread(n)
	}
	return m
}

func (s *Spec) cpu() cpu.Spec {
	mean := func(n LatencyName) sim.Time { return s.Latency[n].Mean }
	return cpu.Spec{
		Clock: s.Clock, StoreBuffer: s.StoreBuffer,
		StoreIssue: mean(StoreIssue), OrderingFence: mean(DMB), CompletingFence: mean(DSB), Synchronize: mean(ISB),
		SysRegRead: mean(SysRegRead), SysRegWrite: mean(SysRegWrite), IPIIssue: mean(SGI1RIssue),
		IPIInterval: mean(SGI1RAccept), TLBIIssue: mean(TLBIIssue), TLBI: mean(TLBI),
		DeviceRead: mean(DeviceRead), DeviceWrite: mean(DeviceWrite),
		WakeUp: mean(WFIExit), ExceptionEntry: mean(ExceptionEntry), ExceptionReturn: mean(ExceptionReturn),
		Outer: cpu.Outer{Model: s.OuterModel, Ack: mean(OuterAck), Window: s.OuterWindow, Flush: mean(OuterFlush)},
	}
}
