package result

import (
	"math/big"
	"slices"
)

// A Role says what a published row can say about a model. It is computed from what was fitted, given and assumed
// (Grounds), and never written by hand.
type Role string

// The roles. A row has the first that applies, in this order.
const (
	RoleGiven             Role = "given"             // an input: a constant was taken from this row
	RoleFitted            Role = "fitted"            // a constant was chosen so that this row comes out
	RoleUnexplained       Role = "unexplained"       // the published value lies outside the simulated interval
	RoleIndistinguishable Role = "indistinguishable" // the published 95 % interval of the difference to the base covers 0
	RoleInterval          Role = "interval"          // a merely assumed constant moves it
	RolePredicted         Role = "predicted"         // every constant that moves it is sourced, or fitted on another row

	// RoleUnjudged stands in place of an interval that nobody knows: a merely assumed constant moves the row, and was not
	// varied.
	RoleUnjudged Role = "unjudged"
)

// A Row is a published figure beside what was simulated for it. It serves comparisons and hypotheses alike. Numbers
// have at most six significant digits.
type Row struct {
	Name   string    `json:"name"`
	Case   string    `json:"case"`
	Unit   string    `json:"unit"`
	Values []float64 `json:"values"` // as published, one per run
	Source string    `json:"source"`

	Role     Role   `json:"role"`
	Constant string `json:"constant,omitempty"` // that was fitted on this row, or given by it

	// Assumed are the constants that move the row, as far as is known, and that nobody has measured.
	Assumed []string `json:"assumed,omitempty"`

	Mean      float64  `json:"mean"`                // of the published values
	Published *Range   `json:"published,omitempty"` // 95 % interval of that mean; nil for a single run
	Simulated float64  `json:"simulated"`           // with every constant at its typical value
	Low       *float64 `json:"low,omitempty"`       // the simulated interval, 5 % to 95 % of a sample, if there was one
	High      *float64 `json:"high,omitempty"`
	Least     *float64 `json:"least,omitempty"` // and its extremes
	Most      *float64 `json:"most,omitempty"`
	Inside    *bool    `json:"inside,omitempty"` // whether the published mean lies between the extremes

	// Study and Hypothesis are, in a comparison, where role and interval come from.
	Study      string `json:"study,omitempty"`
	Hypothesis string `json:"hypothesis,omitempty"`

	Verdict Verdict `json:"verdict,omitempty"` // on a hypothesis, by this row alone
	Moves   []Move  `json:"moves,omitempty"`   // by the assumed constants, the largest first

	// DeviationPercent is that of the simulated mean from the published one. Only a predicted row has it: beside any
	// other it would look like agreement.
	DeviationPercent *float64 `json:"deviation_percent,omitempty"`
}

// A Range is an interval.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Grounds are what the role of a row follows from.
type Grounds struct {
	Given   []string // constants taken from this row
	Fitted  []string // constants fitted on this row
	Assumed []string // constants that move the row and are neither sourced nor fitted

	// Indistinguishable: the publication's own runs do not tell the row from its base.
	Indistinguishable bool

	Outside bool // the published interval and the simulated extremes have no value in common

	// Judged, in a comparison, is a hypothesis that has a row of the figure: role and interval are those.
	Judged *Judged
}

// Role returns the role of a row whose interval is known, and the constant that it names.
func (g Grounds) Role() (role Role, constant string) {
	switch {
	case len(g.Given) > 0:
		return RoleGiven, g.Given[0]
	case len(g.Fitted) > 0:
		return RoleFitted, g.Fitted[0]
	case g.Outside:
		return RoleUnexplained, ""
	case g.Indistinguishable:
		return RoleIndistinguishable, ""
	case len(g.Assumed) > 0:
		return RoleInterval, ""
	}
	return RolePredicted, ""
}

// settle computes what follows from the row's values and its grounds.
func (r *Row) settle(g Grounds) {
	r.Role, r.Constant = g.Role()
	if r.Role == RoleInterval && r.Low == nil {
		r.Role = RoleUnjudged
	}
	r.Assumed = slices.Clone(g.Assumed)
	e := estimate(r.Values)
	r.Mean = roundRat(e.mean)
	if e.half != nil {
		r.Published = &Range{roundRat(e.low()), roundRat(e.high())}
	}
}

// An estimated is a mean and half of its 95 % interval.
type estimated struct {
	mean *big.Rat
	half *big.Rat // nil: a single run says nothing of its spread
	// variance of the mean, and the runs that it comes from, for differences.
	variance *big.Rat
	runs     int64
}

func (e estimated) low() *big.Rat  { return new(big.Rat).Sub(e.mean, e.half) }
func (e estimated) high() *big.Rat { return new(big.Rat).Add(e.mean, e.half) }

// estimate is Student's t interval of the mean of published runs. It is exact but for the quantile and the root, which
// are rounded: see quantile and root.
func estimate(values []float64) estimated {
	n := int64(len(values))
	e := estimated{mean: exactMeanOf(values), runs: n}
	if n < 2 {
		return e
	}
	sum := new(big.Rat)
	for _, v := range values {
		d := new(big.Rat).SetFloat64(v)
		d.Sub(d, e.mean)
		sum.Add(sum, d.Mul(d, d))
	}
	e.variance = sum.Quo(sum, new(big.Rat).SetInt64(n*(n-1)))
	e.half = new(big.Rat).Mul(quantile(n-1), root(e.variance))
	return e
}

// difference is Welch's t interval of x - base, with the degrees of freedom rounded down; half is nil where either has
// a single run.
func difference(base, x estimated) estimated {
	d := estimated{mean: new(big.Rat).Sub(x.mean, base.mean)}
	if base.half == nil || x.half == nil {
		return d
	}
	d.variance = new(big.Rat).Add(base.variance, x.variance)
	if d.variance.Sign() == 0 {
		d.half = new(big.Rat)
		return d
	}
	square := func(v *big.Rat, n int64) *big.Rat {
		s := new(big.Rat).Mul(v, v)
		return s.Quo(s, new(big.Rat).SetInt64(n-1))
	}
	freedom := square(d.variance, 2)
	freedom.Quo(freedom, new(big.Rat).Add(square(base.variance, base.runs), square(x.variance, x.runs)))
	whole := new(big.Int).Quo(freedom.Num(), freedom.Denom())
	d.half = new(big.Rat).Mul(quantile(max(whole.Int64(), 1)), root(d.variance))
	return d
}

// coversZero reports whether an interval is known and has 0 in it.
func (e estimated) coversZero() bool {
	return e.half != nil && e.low().Sign() <= 0 && e.high().Sign() >= 0
}

// percentOf is a difference in percent of the base's mean; nil if that is 0.
func (e estimated) percentOf(base *big.Rat) *Difference {
	if base.Sign() == 0 {
		return nil
	}
	percent := func(x *big.Rat) float64 {
		p := new(big.Rat).Quo(x, new(big.Rat).Abs(base))
		return roundRat(p.Mul(p, big.NewRat(100, 1)))
	}
	d := &Difference{Percent: percent(e.mean)}
	if e.half != nil {
		d.Range = &Range{percent(e.low()), percent(e.high())}
	}
	return d
}
