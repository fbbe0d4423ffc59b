package result

import (
	"math/big"
	"slices"
	"strconv"

	"golang.org/x/perf/benchmath"
)

// MinRunsForP is the number of runs below which no p value is given: with three runs a case, the U test cannot
// fall below 0.1, however far apart the cases are.
const MinRunsForP = 4

// compare summarises c and sets it against base.
func compare(base, c Result) Comparison {
	baseMean, mean := exactMean(base.Values), exactMean(c.Values)
	s := Summarize(c.Values)
	return Comparison{
		Name: c.Name, Unit: c.Unit, Base: base.Case, Case: c.Case,
		BaseMean: roundRat(baseMean), Mean: s.Mean,
		DeltaPercent: deltaPercent(baseMean, mean),
		Median:       s.Median, Low: s.Low, High: s.High,
		P: uTest(base.Values, c.Values),
	}
}

// A Summary describes the runs of one case, with at most six significant digits.
type Summary struct{ Mean, Median, Low, High float64 }

// Summarize summarises one or more values.
func Summarize(values []uint64) Summary {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return Summary{
		Mean:   roundRat(exactMean(values)),
		Median: roundRat(exactMean(sorted[(n-1)/2 : n/2+1])), // the middle one, or the two in the middle
		Low:    roundRat(exactMean(sorted[:1])),
		High:   roundRat(exactMean(sorted[n-1:])),
	}
}

// exactMean returns the mean of integers without rounding: picosecond sums of long runs exceed 2^53.
func exactMean(values []uint64) *big.Rat {
	var sum, v big.Int
	for _, x := range values {
		sum.Add(&sum, v.SetUint64(x))
	}
	return new(big.Rat).SetFrac(&sum, big.NewInt(int64(len(values))))
}

// exactMeanOf is exactMean of published figures, which may have a fractional part.
func exactMeanOf(values []float64) *big.Rat {
	sum := new(big.Rat)
	for _, x := range values {
		var v big.Rat
		if v.SetFloat64(x) != nil {
			sum.Add(sum, &v)
		}
	}
	return sum.Quo(sum, new(big.Rat).SetInt64(int64(len(values))))
}

// deltaPercent returns 100 * (x/base - 1), or nil where that has no meaning.
func deltaPercent(base, x *big.Rat) *float64 {
	if base.Sign() == 0 && x.Sign() != 0 {
		return nil
	}
	delta := new(big.Rat).Sub(x, base)
	if base.Sign() != 0 {
		delta.Quo(delta, base)
	}
	percent := roundRat(delta.Mul(delta, big.NewRat(100, 1)))
	return &percent
}

// uTest returns the two-sided p value of the Mann-Whitney U test between two cases, which is exact up to 50 runs a
// case (25 if values repeat), or nil for too few runs. The test depends on the order of the values only, so it is
// given their ranks: unlike the values, these are exact as float64.
func uTest(a, b []uint64) *float64 {
	if min(len(a), len(b)) < MinRunsForP {
		return nil
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
	ranks := func(values []uint64) *benchmath.Sample {
		rs := make([]float64, len(values))
		for i, v := range values {
			rank, _ := slices.BinarySearch(distinct, v)
			rs[i] = float64(rank)
		}
		return benchmath.NewSample(rs, &benchmath.DefaultThresholds)
	}
	p := round6(benchmath.AssumeNothing.Compare(ranks(a), ranks(b)).P)
	return &p
}

func roundRat(r *big.Rat) float64 {
	f, _ := r.Float64()
	return round6(f)
}

// round6 rounds to six significant digits: the numbers then print alike everywhere, and nobody reads more out of
// them than is in them.
func round6(x float64) float64 {
	f, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 5, 64), 64)
	if err != nil {
		panic("BUG: result: " + err.Error()) // FormatFloat's output parses
	}
	if f == 0 {
		return 0 // not -0
	}
	return f
}
