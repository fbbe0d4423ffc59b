package graph

import "math/bits"

// sampler goes down the tree by one child of each graph, each as likely as the others. How many there were on the way
// says how many executions there may be: Knuth, "Estimating the efficiency of backtrack programs", Math. Comp. 29
// (1975).
type sampler struct {
	seed     uint64
	from, to uint64 // numbers of the descents
	state    uint64 // of the generator
	offers   int    // children of the present graph
	chosen   *graph // one of them
	path     []uint16
	weight   uint64 // the product of the numbers of children
	total    uint64 // of all descents that have come to an execution
}

// many is more executions than anybody can count: what an estimate does not exceed.
const many = 1 << 60

// descend makes the descents, each from the empty graph.
func (x *search) descend(empty *graph) {
	s := x.sampled
	s.total = 0
	for i := s.from; i < s.to && !x.halted(); i++ {
		s.state, s.weight = s.seed*golden^i, 1
		executions := x.report.Executions
		x.path = x.path[:0]
		g := x.get(empty)
		if s.chosen == nil {
			s.chosen = x.get(empty)
		}
		for {
			s.offers = 0
			x.visit(g)
			if s.offers == 0 {
				break
			}
			s.weight = times(s.weight, uint64(s.offers))
			g, s.chosen = s.chosen, g
			x.path = append(x.path[:0], s.path...)
		}
		x.put(g)
		if x.report.Executions > executions {
			s.total = min(s.total+s.weight, many)
		}
	}
}

// offer chooses among the children of a graph without knowing how many there will be.
func (s *sampler) offer(g *graph, path []uint16) {
	s.offers++
	if s.offers > 1 && s.draw()%uint64(s.offers) != 0 {
		return
	}
	s.chosen.copyFrom(g)
	s.path = append(s.path[:0], path...)
}

// golden is the odd number next to 2^64 divided by the golden ratio.
const golden = 0x9e3779b97f4a7c15

// draw is one step of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
func (s *sampler) draw() uint64 {
	s.state += golden
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// times multiplies numbers of executions.
func times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 || lo > many {
		return many
	}
	return lo
}
