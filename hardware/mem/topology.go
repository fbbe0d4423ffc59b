package mem

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/sim"
)

// Distance says how far a line travels.
type Distance uint8

// The distances, from the nearest.
const (
	Own       Distance = iota // a hit in the CPU's own cache
	Cluster                   // from a CPU of the same cluster
	Die                       // from another cluster of the die
	CrossDie                  // from another die of the socket
	CrossNode                 // from another socket
	DRAM                      // from memory: nobody holds the line

	Distances = 6
)

// String is the distance's name in reports.
func (d Distance) String() string {
	return [...]string{"own", "cluster", "die", "cross die", "cross socket", "dram"}[d]
}

// A Place is where a CPU sits: the numbers of its cluster, die and socket, each counted through the whole machine.
type Place struct {
	Cluster, Die, Socket int32
}

// DistanceTo classifies the way between two different CPUs.
func (p Place) DistanceTo(q Place) Distance {
	switch {
	case p.Cluster == q.Cluster:
		return Cluster
	case p.Die == q.Die:
		return Die
	case p.Socket == q.Socket:
		return CrossDie
	default:
		return CrossNode
	}
}

// Spec describes a memory.
type Spec struct {
	Base    uint64                // physical address of RAM, a multiple of 2 MiB
	Size    uint64                // bytes, a multiple of 2 MiB
	Places  []Place               // one a CPU
	Latency [Distances]sim.Spread // one transfer, by distance; Own is a load that hits the L1
	Seed    uint64                // of the jitter
}

// Validate names the first field that cannot be built.
func (s *Spec) Validate() error {
	if s.Base%ramGrain != 0 || s.Size%ramGrain != 0 || s.Size == 0 || s.Size > maxSize {
		return fmt.Errorf("RAM of 0x%x bytes at 0x%x: expected multiples of 2 MiB, up to 64 GiB", s.Size, s.Base)
	}
	if len(s.Places) == 0 || len(s.Places) > MaxCPUs {
		return fmt.Errorf("%d CPUs: expected 1 to %d", len(s.Places), MaxCPUs)
	}
	for d, l := range s.Latency {
		if err := l.Validate(); err != nil {
			return fmt.Errorf("latency %s: %w", Distance(d), err)
		}
	}
	return nil
}

// MaxCPUs is the largest number of CPUs that share a memory.
const MaxCPUs = 4096
