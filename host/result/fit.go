package result

import (
	"fmt"
	"math/big"
	"slices"
)

// An Outcome is what was simulated at a point.
type Outcome struct {
	Values []int64 // of the constants, the fitted ones fitted
	Rows   []int64 // 0 for an experiment where a constant alone is moved: those are for the sample
	Unfit  *Unfit  // nil: every fitted row comes out
}

// An Unfit is a constant that cannot be fitted: its row does not come out anywhere in its range.
type Unfit struct {
	Fit           Fit
	Low, High     string // the ends of the range, or the two values between which the row jumps
	AtLow, AtHigh string // the row there
	Target        string
}

// Error makes it an error.
func (u *Unfit) Error() string {
	return fmt.Sprintf("constant %q cannot be fitted on row %q, which is %s: at %s the row is %s, at %s it is %s",
		u.Fit.Constant, u.Fit.Row, u.Target, u.Low, u.AtLow, u.High, u.AtHigh)
}

// Solve fits what the hypothesis of a point fits, and simulates every row. measure simulates one row; it is a function
// of the values alone.
//
// A fitted value is the whole number at which the row is nearest to the mean of the published runs, found by bisection,
// of which a guess from both ends mostly saves the greater part; a row that falls and rises again within the range may
// have others.
func (s *Study) Solve(p Point, measure func(values []int64, row int) int64) Outcome {
	return s.SolveFrom(nil, p, measure)
}

// SolveFrom is Solve with a start, nil for none, from which few steps lead to values at which the rows are as near as
// whole numbers make them; where they do not, it is Solve.
func (s *Study) SolveFrom(start *Start, p Point, measure func(values []int64, row int) int64) Outcome {
	v := &solver{
		Study: s, fits: s.Hypotheses[p.Hypothesis].Fit, values: append([]int64(nil), p.Values...),
		measure: measure, known: map[string]int64{},
	}
	v.missed = make([]*Unfit, len(v.fits))
	if start == nil || !v.approach(start) {
		v.fit(len(v.fits))
	}
	out := Outcome{Values: v.values}
	for _, u := range v.missed {
		if u != nil {
			out.Unfit = u
			return out
		}
	}
	for row := range s.Rows {
		x := int64(0)
		if p.Moved < 0 || s.Rows[row].Figure != nil {
			x = v.row(row)
		}
		out.Rows = append(out.Rows, x)
	}
	return out
}

type solver struct {
	*Study
	fits    []Fit
	values  []int64
	missed  []*Unfit // by fit, as of its last time
	measure func(values []int64, row int) int64
	known   map[string]int64
}

// row simulates a row, or remembers it.
func (v *solver) row(row int) int64 {
	key := fmt.Sprint(row, v.values)
	x, ok := v.known[key]
	if !ok {
		x = v.measure(v.values, row)
		v.known[key] = x
	}
	return x
}

// fit fits the first n constants. One that cannot be fitted gets the nearer end of its range: the search for a later
// one may pass there on its way.
func (v *solver) fit(n int) {
	if n == 0 {
		return
	}
	f := v.fits[n-1]
	c, row := v.Study.constant(f.Constant), v.Study.row(f.Row)
	target := exactMeanOf(v.Rows[row].Figure.Values)
	at := func(x int64) *big.Rat {
		v.values[c] = x
		v.fit(n - 1)
		return new(big.Rat).SetInt64(v.row(row))
	}
	low, high := v.Constants[c].Low, v.Constants[c].High
	atLow, atHigh := at(low), at(high)
	if v.unfit(n - 1) {
		high, atHigh = v.shrink(n, low, high, atLow, target, at)
	}
	v.missed[n-1] = nil
	comesOut := false
	if between(atLow, target, atHigh) {
		most := stepOf(low, high, atLow, atHigh, target)
		low, high, atLow, atHigh = neighbours(low, high, atLow, atHigh, target, at)
		comesOut = within(atLow, target, most) || within(atHigh, target, most)
	}
	if !comesOut {
		constant := &v.Constants[c]
		value := func(x *big.Rat) string { return formatStat(roundRat(x), v.unit(row)) }
		v.missed[n-1] = &Unfit{f, constant.text(low), constant.text(high), value(atLow), value(atHigh), value(target)}
	}
	if nearer(atHigh, atLow, target) || comesOut && !nearer(atLow, atHigh, target) {
		low = high
	}
	at(low)
}

// stepOf is how far from its target a row may be that comes out: a thousandth, or what a unit of the constant moves it
// on average, if that is more. A row that jumps over its target does not come out.
func stepOf(low, high int64, atLow, atHigh, target *big.Rat) *big.Rat {
	step := new(big.Rat).Sub(atHigh, atLow)
	step.Abs(step.Quo(step, integer(max(high-low, 1))))
	if share := new(big.Rat).Quo(target, integer(1000)); share.Abs(share).Cmp(step) > 0 {
		return share
	}
	return step
}

func within(x, target, most *big.Rat) bool {
	gap := new(big.Rat).Sub(x, target)
	return gap.Abs(gap).Cmp(most) <= 0
}

// unfit reports whether one of the first n constants could not be fitted the last time.
func (v *solver) unfit(n int) bool {
	return slices.ContainsFunc(v.missed[:n], func(u *Unfit) bool { return u != nil })
}

// shrink finds the upper end of a part of the range of the n-th constant in which the earlier ones can be fitted, where
// they cannot at its high end: one beyond the target, if there is one.
func (v *solver) shrink(
	n int, low, high int64, atLow, target *big.Rat, at func(int64) *big.Rat,
) (end int64, atEnd *big.Rat) {
	end, atEnd = low, atLow
	for high-end > 1 && !between(atLow, target, atEnd) {
		middle := end + (high-end)/2
		if x := at(middle); v.unfit(n - 1) {
			high = middle
		} else {
			end, atEnd = middle, x
		}
	}
	return end, atEnd
}

func between(a, x, b *big.Rat) bool {
	return a.Cmp(x) <= 0 && x.Cmp(b) <= 0 || b.Cmp(x) <= 0 && x.Cmp(a) <= 0
}

// nearer reports whether a is nearer to x than b is.
func nearer(a, b, x *big.Rat) bool {
	da, db := new(big.Rat).Sub(a, x), new(big.Rat).Sub(b, x)
	return da.Abs(da).Cmp(db.Abs(db)) < 0
}

// neighbours narrows ends between whose values target lies down to two whole numbers, or to one.
func neighbours(
	low, high int64, atLow, atHigh, target *big.Rat, at func(int64) *big.Rat,
) (int64, int64, *big.Rat, *big.Rat) {
	rising := atLow.Cmp(atHigh) <= 0
	guesses := 0
	for high-low > 1 {
		middle := low + (high-low)/2
		if guesses++; guesses%3 != 0 { // at worst, every third step halves what is left
			middle = interpolate(low, high, atLow, atHigh, target)
		}
		x := at(middle)
		if (x.Cmp(target) < 0) == rising && x.Cmp(target) != 0 {
			low, atLow = middle, x
		} else {
			high, atHigh = middle, x
		}
	}
	return low, high, atLow, atHigh
}

// interpolate is where the line between the ends has the target, within the ends.
func interpolate(low, high int64, atLow, atHigh, target *big.Rat) int64 {
	rise := new(big.Rat).Sub(atHigh, atLow)
	if rise.Sign() == 0 {
		return low + (high-low)/2
	}
	share := new(big.Rat).Sub(target, atLow)
	share.Quo(share, rise)
	share.Mul(share, new(big.Rat).SetInt64(high-low))
	steps := new(big.Int).Quo(share.Num(), share.Denom()).Int64()
	return min(max(low+steps, low+1), high-1)
}
