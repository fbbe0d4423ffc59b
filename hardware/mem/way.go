package mem

import (
	"cmp"
	"slices"

	"github.com/hwscript/hwscript/hardware/sim"
)

// A class of ways is the sum of latencies that a line's way takes: where it comes from, and up to three legs, which are
// counted by kind so that ways are added like numbers.
type class uint8

const (
	betweenSockets class = 1 << 0 // [1:0] legs
	betweenDies    class = 1 << 2 // [3:2] legs
	legCount       class = 3

	fromCluster class = 0 << 4 // [5:4] where from
	fromDie     class = 1 << 4
	fromSystem  class = 2 << 4
	fromMemory  class = 3 << 4

	classes = 64
)

// leg is the way from one die to another.
func (p *Place) leg(q *Place) class {
	switch {
	case p.Die == q.Die:
		return 0
	case p.Socket == q.Socket:
		return betweenDies
	}
	return betweenSockets
}

// A way is the rank of its class among all, the nearest first, and the distance that it is reported as. The least of
// several ways is the nearest.
type way uint16

const (
	here    way = 0 // no way at all: the CPU has the line
	nowhere way = 1<<16 - 1

	distanceBits = 3
)

func (w way) distance() Distance { return Distance(w & (1<<distanceBits - 1)) }

// ways are the latencies of all classes, by rank.
type ways struct {
	ranks  [classes]way // by class, in its place in a way
	jitter [classes]sim.Jitter
	high   [classes]sim.Time
}

// newWays adds the parts up. Low, mean and high of a sum are the sums of those of its parts.
func newWays(latency *[Parts]sim.Spread) *ways {
	base := [...]Part{ClusterHandOff, DieHandOff, SystemHit, MemoryAccess}
	var sums [classes]sim.Spread
	order := make([]class, 0, classes)
	for c := range class(classes) {
		dies, sockets := c/betweenDies&legCount, c&legCount
		if dies+sockets > legCount {
			continue
		}
		sums[c] = latency[base[c>>4]]
		for range dies {
			sums[c] = sums[c].Plus(latency[DieLeg])
		}
		for range sockets {
			sums[c] = sums[c].Plus(latency[SocketLeg])
		}
		order = append(order, c)
	}
	slices.SortFunc(order, func(a, b class) int {
		return cmp.Or(cmp.Compare(sums[a].Mean, sums[b].Mean), cmp.Compare(a, b))
	})
	w := &ways{}
	for rank, c := range order {
		w.ranks[c] = way(rank) << distanceBits
		w.jitter[rank], w.high[rank] = sim.NewJitter(sums[c]), sums[c].High
	}
	return w
}

// distances are those between two clusters, by the leg from one to the other.
var distances = [classes]Distance{0: Die, betweenDies: CrossDie, betweenSockets: CrossNode}

// handOff is the way of a line from a CPU o to c: the request to the home, from there to o, and the line to c.
func (w *ways) handOff(c, o, home *Place) way {
	from, last := fromDie, o.leg(c)
	d := distances[last%classes]
	if c.Cluster == o.Cluster {
		from, d = fromCluster, Cluster
	}
	return w.ranks[(from+c.leg(home)+home.leg(o)+last)%classes] | way(d)
}

// fetch is the way of a line from the memory at its home: there and back.
func (w *ways) fetch(toHome class) way { return w.ranks[fromMemory+2*toHome] | way(DRAM) }

// fetchCached is fetch of a line that the system cache has.
func (w *ways) fetchCached(toHome class) way { return w.ranks[fromSystem+2*toHome] | way(SystemCache) }

// longest is the most that take draws, nothing for no way at all.
func (w *ways) longest(way way) sim.Time {
	if way == here {
		return 0
	}
	return w.high[way>>distanceBits]
}

// take draws the time of a line's n-th transfer.
func (w *ways) take(way way, seed, line, n uint64) sim.Time {
	return w.jitter[way>>distanceBits].At(seed, line, n)
}
