package sim

import "fmt"

// A Spread is a measured latency: its mean and the range it was seen in.
type Spread struct {
	Low, Mean, High Time
}

// Fixed is a latency without jitter.
func Fixed(t Time) Spread { return Spread{t, t, t} }

// Validate refuses a spread whose mean is outside its range, or that is negative.
func (s Spread) Validate() error {
	if s.Low < 0 || s.Low > s.Mean || s.Mean > s.High {
		return fmt.Errorf("latency %s (%s to %s): expected 0 <= low <= mean <= high", s.Mean, s.Low, s.High)
	}
	return nil
}

// Plus is the spread of one after the other.
func (s Spread) Plus(o Spread) Spread { return Spread{s.Low + o.Low, s.Mean + o.Mean, s.High + o.High} }

// Scale multiplies the spread by num/den, for the sensitivity of a result to an assumption.
func (s Spread) Scale(num, den int64) Spread {
	scale := func(t Time) Time { return t * Time(num) / Time(den) }
	return Spread{scale(s.Low), scale(s.Mean), scale(s.High)}
}

const quantiles = 256

// Jitter draws latencies of a [Spread]. It is a table of quantiles whose average is the mean to the picosecond:
// below the mean and above it the distribution is uniform, with the two weights that keep the mean (all that low,
// mean and high determine).
//
// Draws are common random numbers: a function of (seed, key, n), not of a shared stream, so that two variants that
// make the same n-th transfer on the same line see the same latency.
type Jitter struct {
	table [quantiles]Time
	mean  Time
	fixed bool
}

// NewJitter tabulates a spread.
func NewJitter(s Spread) Jitter {
	j := Jitter{mean: s.Mean, fixed: s.Low == s.High}
	if j.fixed {
		return j
	}
	low, high := s.Mean-s.Low, s.High-s.Mean // distances from the mean
	below := int(int64(high) * quantiles / int64(low+high))
	sum := Time(0)
	for i := range j.table {
		if i < below {
			j.table[i] = s.Low + low*Time(2*i+1)/Time(2*below)
		} else {
			j.table[i] = s.Mean + high*Time(2*(i-below)+1)/Time(2*(quantiles-below))
		}
		sum += j.table[i]
	}
	// What the integer weights leave over goes evenly onto the quantiles inside the range.
	rest := s.Mean*quantiles - sum
	for i := range j.table {
		share := rest / Time(quantiles-i)
		moved := min(max(j.table[i]+share, s.Low), s.High)
		rest -= moved - j.table[i]
		j.table[i] = moved
	}
	return j
}

// At is the latency of the n-th transfer on the line or wire called key.
func (j *Jitter) At(seed, key, n uint64) Time {
	if j.fixed {
		return j.mean
	}
	return j.table[Mix(seed^key*0xd6e8feb86659fd93+n*0xa0761d6478bd642f)%quantiles]
}

// Mean is the average over all quantiles.
func (j *Jitter) Mean() Time { return j.mean }

// Mix is a bijection of 64-bit words whose every output bit depends on every input bit (the finaliser of
// SplitMix64, Steele et al., OOPSLA 2014).
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
