package result

import "math/bits"

// A Point is one simulation of every row under a hypothesis: a value for each constant. Those that the hypothesis fits
// have their typical value here.
type Point struct {
	Hypothesis int
	Values     []int64
	Moved      int // the constant that alone differs from its typical value; -1: none or all
}

// Typical are the points at which every constant is typical, one for each hypothesis.
func (s *Study) Typical() []Point {
	points := make([]Point, len(s.Hypotheses))
	for h := range points {
		points[h] = Point{h, s.typical(), -1}
	}
	return points
}

// Around are the other points of the hypotheses: for each merely assumed constant one at either end of its range, which
// shows what it moves; and the sample. The sample is the same for all hypotheses.
func (s *Study) Around() []Point {
	var points []Point
	for h := range s.Hypotheses {
		for c := range s.Constants {
			if !s.varies(h, c) || s.Constants[c].Origin != Assumed {
				continue
			}
			for _, end := range []int64{s.Constants[c].Low, s.Constants[c].High} {
				p := Point{h, s.typical(), c}
				p.Values[c] = end
				points = append(points, p)
			}
		}
		for n := range s.Sample {
			p := Point{h, s.typical(), -1}
			for c := range s.Constants {
				if s.varies(h, c) {
					p.Values[c] = s.Constants[c].at(halton(s.Seed, c, n))
				}
			}
			points = append(points, p)
		}
	}
	return points
}

func (s *Study) typical() []int64 {
	values := make([]int64, len(s.Constants))
	for c := range s.Constants {
		values[c] = s.Constants[c].Typical
	}
	return values
}

// varies reports whether a constant has a range and is not fitted under a hypothesis.
func (s *Study) varies(h, c int) bool {
	for _, f := range s.Hypotheses[h].Fit {
		if f.Constant == s.Constants[c].Name {
			return false
		}
	}
	return s.Constants[c].Low < s.Constants[c].High
}

// at is the value at a fraction of the range, in units of 2^-32: half of the sample lies below the typical value, half
// above, each half evenly.
func (c *Constant) at(fraction uint32) int64 {
	const half = 1 << 31
	from, to := c.Low, c.Typical
	if fraction >= half {
		from, to = c.Typical, c.High
	}
	hi, lo := bits.Mul64(uint64(to-from), uint64(fraction%half))
	return from + int64(hi<<33|lo>>31)
}

// halton is number n of the scrambled Halton sequence in one dimension, in units of 2^-32: the digits of n in the base
// of the dimension, permuted at random and mirrored at the point. It is all integers, so it is the same everywhere.
func halton(seed uint64, dimension, n int) uint32 {
	base := uint64(prime(dimension))
	value, weight := uint64(0), uint64(1)
	for digit := uint64(0); weight < 1<<32; digit++ {
		perm := permutation(mix(seed, uint64(dimension), digit), int(base))
		weight *= base
		value = value*base + uint64(perm[uint64(n)%base])
		n /= int(base)
	}
	hi, lo := bits.Mul64(value, 1<<32)
	fraction, _ := bits.Div64(hi, lo, weight)
	return uint32(fraction)
}

// prime is the i-th prime number, from 0.
func prime(i int) int {
	for p := 2; ; p++ {
		divisor := 2
		for divisor*divisor <= p && p%divisor != 0 {
			divisor++
		}
		if divisor*divisor > p {
			if i == 0 {
				return p
			}
			i--
		}
	}
}

// permutation is a random order of 0 to n-1.
func permutation(state uint64, n int) []int {
	perm := make([]int, n)
	for i := range perm {
		state = mix(state, 0, 0)
		j, _ := bits.Mul64(state, uint64(i+1))
		perm[i] = perm[j]
		perm[j] = i
	}
	return perm
}

// mix scatters its arguments over 64 bits (SplitMix64).
func mix(a, b, c uint64) uint64 {
	const golden = 0x9e3779b97f4a7c15
	z := a
	for _, x := range [...]uint64{b, c} {
		z += golden + x
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
	}
	return z
}
