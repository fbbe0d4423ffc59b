package mem

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/sim"
)

// Distance says where a line comes from.
type Distance uint8

// The distances, from the nearest.
const (
	Own         Distance = iota // a hit in the CPU's own cache
	Cluster                     // from a CPU of the same cluster
	Die                         // from another cluster of the die
	CrossDie                    // from another die of the socket
	CrossNode                   // from another socket
	SystemCache                 // from the cache before memory: no CPU holds the line
	DRAM                        // from memory: nobody holds the line

	Distances = 7
)

// String is the distance's name in reports.
func (d Distance) String() string {
	return [...]string{"own", "cluster", "die", "cross die", "cross socket", "system cache", "dram"}[d]
}

// A Place is where a CPU sits: the numbers of its cluster, die and socket, each counted through the whole machine. A
// die is a node of memory.
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

// Part is a part of the time that an access takes.
type Part uint8

// The parts; see the package comment for how they are put together.
const (
	Hit            Part = iota // a load that hits the CPU's own cache
	ClusterHandOff             // a line from a CPU of the same cluster, whose home is on the die
	DieHandOff                 // ... from another cluster of the die
	DieLeg                     // from one die to another of the socket, once
	SocketLeg                  // from one socket to another, once
	SystemHit                  // a line from the system cache of the own die
	MemoryAccess               // a line from the memory of the own die
	HomeService                // the home's work for one request of a line, before which the next one waits

	Parts = 8
)

// String is the part's name in messages.
func (p Part) String() string {
	return [...]string{
		"hit", "cluster hand-off", "die hand-off", "die leg", "socket leg", "system cache", "memory", "home service",
	}[p]
}

// Spec describes a memory.
type Spec struct {
	Base          uint64            // physical address of RAM, a multiple of 2 MiB
	Size          uint64            // bytes, a multiple of 2 MiB
	Places        []Place           // one a CPU
	DiesPerSocket int               // dies are counted through the machine; 0 if there is one socket only
	Latency       [Parts]sim.Spread // of which the home's service and a hit take their means
	SystemCache   SystemCacheSpec
	Seed          uint64 // of the jitter
}

// Validate names the first field that cannot be built.
func (s *Spec) Validate() error {
	if s.Base%ramGrain != 0 || s.Size%ramGrain != 0 || s.Size == 0 || s.Size > maxSize {
		return fmt.Errorf("RAM of 0x%x bytes at 0x%x: expected multiples of 2 MiB, up to 64 GiB", s.Size, s.Base)
	}
	if len(s.Places) == 0 || len(s.Places) > MaxCPUs {
		return fmt.Errorf("%d CPUs: expected 1 to %d", len(s.Places), MaxCPUs)
	}
	for i, p := range s.Places {
		if want := s.socketOf(p.Die); p.Socket != want {
			return fmt.Errorf("CPU%d is in socket %d: expected %d, since its die is %d and a socket has %d", i, p.Socket,
				want, p.Die, s.DiesPerSocket)
		}
	}
	if err := s.SystemCache.validate(); err != nil {
		return err
	}
	for p, l := range s.Latency {
		if err := l.Validate(); err != nil {
			return fmt.Errorf("latency %s: %w", Part(p), err)
		}
	}
	return nil
}

// socketOf is the socket of a die.
func (s *Spec) socketOf(die int32) int32 {
	if s.DiesPerSocket == 0 {
		return 0
	}
	return die / int32(s.DiesPerSocket)
}

// MaxCPUs is the largest number of CPUs that share a memory.
const MaxCPUs = 4096
