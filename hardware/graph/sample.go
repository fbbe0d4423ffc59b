package graph

import "math/bits"

// sampler goes down the tree by one child of each graph, each as likely as the others, and where that leads nowhere by
// another. The ways that have not turned back say how many executions there may be, by how many children there were:
// Knuth, "Estimating the efficiency of backtrack programs", Math. Comp. 29 (1975).
type sampler struct {
	seed     uint64
	from, to uint64 // numbers of the descents
	made     uint64 // descents so far
	state    uint64 // of the generator
	offers   []offer
	weight   uint64 // the product of the numbers of children
	straight bool   // the present descent has not turned back
	total    uint64 // weights of all descents that did not
}

// An offer is a child that may be chosen.
type offer struct {
	g    *graph
	path []uint16
}

// many is more executions than anybody can count: what an estimate does not exceed.
const many = 1 << 60

// descend makes the descents, each from the empty graph.
func (x *search) descend(empty *graph) {
	s := x.sampled
	s.total, s.made = 0, 0
	for i := s.from; i < s.to && !x.halted(); i++ {
		s.state, s.weight, s.straight = s.seed*golden^i, 1, true
		executions := x.report.Executions
		x.path = x.path[:0]
		x.fall(empty)
		s.made++
		if s.straight && x.report.Executions > executions {
			s.total = min(s.total+s.weight, many)
		}
	}
}

// fall goes down from a graph to an execution, or one that is given up. It answers false if there is none.
func (x *search) fall(g *graph) bool {
	s, base, leaves := x.sampled, len(x.sampled.offers), x.report.Executions+x.report.GivenUp
	x.visit(g)
	count := len(s.offers) - base
	if s.straight && count > 0 {
		s.weight = times(s.weight, uint64(count))
	}
	found := x.report.Executions+x.report.GivenUp > leaves
	for n := count; n > 0 && !found && !x.halted(); n-- {
		here := s.offers[base : base+n]
		k := int(s.draw() % uint64(n))
		here[k], here[n-1] = here[n-1], here[k]
		x.path = append(x.path[:0], here[n-1].path...)
		found = x.fall(here[n-1].g)
		s.straight = s.straight && found
	}
	for i := range s.offers[base:] {
		x.put(s.offers[base+i].g)
	}
	s.offers = s.offers[:base]
	return found
}

// offer keeps a child.
func (x *search) offer(g *graph) {
	s := x.sampled
	if n := len(s.offers); n < cap(s.offers) {
		s.offers = s.offers[:n+1]
	} else {
		s.offers = append(s.offers, offer{})
	}
	o := &s.offers[len(s.offers)-1]
	o.g, o.path = x.get(g), append(o.path[:0], x.path...)
}

// golden is the odd number next to 2^64 divided by the golden ratio.
const golden = 0x9e3779b97f4a7c15

// draw is one step of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
func (s *sampler) draw() uint64 {
	s.state += golden
	return spread(s.state)
}

// spread is the bijection of that generator: each bit of the argument changes about half of the others.
func spread(z uint64) uint64 {
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
