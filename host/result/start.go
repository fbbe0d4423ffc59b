package result

import "math/big"

// A Start is where the fits of one point of a study begin: at the solution of another, with how far a unit of each
// constant moves each row there. Points of a sample are near the typical one, so that a few steps from it do where
// fits within fits need many.
type Start struct {
	values []int64
	slopes [][]*big.Rat // by fit whose row, by fit whose constant
}

// StartAt is the start at an outcome of a hypothesis, nil if nothing is fitted there.
func (s *Study) StartAt(h int, o Outcome, measure func(values []int64, row int) int64) *Start {
	fits := s.Hypotheses[h].Fit
	if len(fits) == 0 || o.Unfit != nil {
		return nil
	}
	start := &Start{values: o.Values}
	for range fits {
		start.slopes = append(start.slopes, make([]*big.Rat, len(fits)))
	}
	for j, moved := range fits {
		c := s.constant(moved.Constant)
		const share = 32 // of the value: far enough to be seen, near enough to be straight
		step := max(o.Values[c]/share, 1)
		if o.Values[c]+step > s.Constants[c].High {
			step = -step
		}
		values := append([]int64(nil), o.Values...)
		values[c] += step
		for i, f := range fits {
			row := s.row(f.Row)
			start.slopes[i][j] = big.NewRat(measure(values, row)-o.Rows[row], step)
		}
	}
	return start
}

// approach fits all constants together by Broyden's method, from a start, and reports whether each row has come as near
// to its target as half of what a unit of the constants moves it. It gives up where that leads out of the ranges.
func (v *solver) approach(start *Start) bool {
	const most = 8
	for _, f := range v.fits {
		c := v.Study.constant(f.Constant)
		v.values[c] = start.values[c]
	}
	slopes := make([][]*big.Rat, len(v.fits))
	for i, row := range start.slopes {
		slopes[i] = append([]*big.Rat(nil), row...)
	}
	missing := v.missing()
	for range most {
		if v.near(missing, slopes) {
			return true
		}
		step, ok := stepFor(slopes, missing)
		if !ok || !v.move(step) {
			return false
		}
		left := v.missing()
		learn(slopes, step, missing, left)
		missing = left
	}
	return false
}

// missing is how far each fitted row is from its target.
func (v *solver) missing() []*big.Rat {
	gaps := make([]*big.Rat, len(v.fits))
	for i, f := range v.fits {
		row := v.Study.row(f.Row)
		gaps[i] = exactMeanOf(v.Rows[row].Figure.Values)
		gaps[i].Sub(gaps[i], integer(v.row(row)))
	}
	return gaps
}

func (v *solver) near(missing []*big.Rat, slopes [][]*big.Rat) bool {
	for i, gap := range missing {
		reach := new(big.Rat)
		for _, slope := range slopes[i] {
			reach.Add(reach, new(big.Rat).Abs(slope))
		}
		if twice := new(big.Rat).Add(gap, gap); twice.Abs(twice).Cmp(reach) > 0 {
			return false
		}
	}
	return true
}

// move changes the fitted constants by whole steps; false if one would leave its range, or none changes.
func (v *solver) move(step []int64) bool {
	changed := false
	for i, f := range v.fits {
		c := v.Study.constant(f.Constant)
		v.values[c] += step[i]
		changed = changed || step[i] != 0
		if v.values[c] < v.Constants[c].Low || v.values[c] > v.Constants[c].High {
			return false
		}
	}
	return changed
}

// stepFor solves slopes x step = missing by Gauss's elimination, and rounds the step; false if there is no solution, or
// none that a number holds.
func stepFor(slopes [][]*big.Rat, missing []*big.Rat) ([]int64, bool) {
	n := len(missing)
	rows := make([][]*big.Rat, n)
	for i := range rows {
		for _, x := range slopes[i] {
			rows[i] = append(rows[i], new(big.Rat).Set(x))
		}
		rows[i] = append(rows[i], new(big.Rat).Set(missing[i]))
	}
	for k := range rows {
		pivot := k
		for pivot < n && rows[pivot][k].Sign() == 0 {
			pivot++
		}
		if pivot == n {
			return nil, false
		}
		rows[k], rows[pivot] = rows[pivot], rows[k]
		for i := range rows {
			if i == k || rows[i][k].Sign() == 0 {
				continue
			}
			share := new(big.Rat).Quo(rows[i][k], rows[k][k])
			for j := k; j <= n; j++ {
				rows[i][j].Sub(rows[i][j], new(big.Rat).Mul(share, rows[k][j]))
			}
		}
	}
	step := make([]int64, n)
	for k := range step {
		x := new(big.Rat).Quo(rows[k][n], rows[k][k])
		whole, ok := roundInt(x)
		if !ok {
			return nil, false
		}
		step[k] = whole
	}
	return step, true
}

// roundInt is the nearest whole number, away from 0 if there are two; false if it is too large.
func roundInt(x *big.Rat) (int64, bool) {
	twice := new(big.Int).Lsh(x.Num(), 1)
	sign := int64(x.Sign())
	twice.Add(twice, new(big.Int).Mul(big.NewInt(sign), x.Denom()))
	twice.Quo(twice, new(big.Int).Lsh(x.Denom(), 1))
	return twice.Int64(), twice.IsInt64() && twice.BitLen() < 62
}

// learn makes the slopes explain the last step, and changes them across it as little as can be.
func learn(slopes [][]*big.Rat, step []int64, before, after []*big.Rat) {
	length := new(big.Rat)
	for _, d := range step {
		length.Add(length, new(big.Rat).Mul(integer(d), integer(d)))
	}
	for i, row := range slopes {
		surprise := new(big.Rat).Sub(before[i], after[i])
		for j, d := range step {
			surprise.Sub(surprise, new(big.Rat).Mul(row[j], integer(d)))
		}
		surprise.Quo(surprise, length)
		for j, d := range step {
			row[j] = new(big.Rat).Add(row[j], new(big.Rat).Mul(surprise, integer(d)))
		}
	}
}
