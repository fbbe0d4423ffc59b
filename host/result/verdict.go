package result

import (
	"cmp"
	"math/big"
	"slices"
)

// A Verdict is what published rows say of a hypothesis.
type Verdict string

// The verdicts.
const (
	// Excluded: the published interval has no value in common with anything that was simulated, whatever the constants.
	Excluded Verdict = "excluded"
	// Consistent: it has, and the row excludes a rival, or there is none.
	Consistent Verdict = "consistent"
	// CannotTell: the row says nothing of the hypothesis. It has no interval, being a single run; or the publication does
	// not tell it from its base; or it excludes none of the hypotheses; or the machines have assumed constants that the
	// study does not vary.
	CannotTell Verdict = "cannot tell"
)

// A Judged is a hypothesis and what the published rows say of it.
type Judged struct {
	Study   string        `json:"study"`
	Name    string        `json:"name"`
	Verdict Verdict       `json:"verdict"`
	Fitted  []FittedValue `json:"fitted"`
	Sample  int           `json:"sample"`  // points
	Reached int           `json:"reached"` // of them, those at which every fitted row comes out; the others are left out
	Rows    []Row         `json:"rows"`    // the published ones
}

// A FittedValue is what a constant had to be for a row to come out, with every other constant at its typical value.
type FittedValue struct {
	Constant string `json:"constant"`
	Row      string `json:"row"`
	Unit     string `json:"unit"`
	Value    int64  `json:"value"`
	Low      int64  `json:"low"` // the least and the greatest value at any point
	High     int64  `json:"high"`
	Moves    []Move `json:"moves,omitempty"` // of the value by the assumed constants, the largest first
}

// A Move is how far one assumed constant moves a row, or a fitted constant: the values with the assumed one at either
// end of its range, all others typical and the fitted ones fitted anew.
type Move struct {
	Constant string  `json:"constant"`
	AtLow    float64 `json:"at_low"`
	AtHigh   float64 `json:"at_high"`
	Unfit    bool    `json:"unfit,omitempty"` // at one end a fitted row does not come out: nobody knows

	by int64
}

// An Experiment is a row that nobody has published, and what each surviving hypothesis says of it.
type Experiment struct {
	Study     string       `json:"study"`
	Name      string       `json:"name"`
	Unit      string       `json:"unit"`
	Separates int          `json:"separates"` // pairs of hypotheses, whose intervals lie apart by more than the resolution
	Values    []Prediction `json:"values"`

	resolution int64
	gap        *big.Rat // what the nearest two intervals lie apart beyond the resolution, against the typical values
}

// A Prediction is what one hypothesis says of an experiment.
type Prediction struct {
	Hypothesis string  `json:"hypothesis"`
	Simulated  float64 `json:"simulated"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`

	spread spread
}

// A StudyBlock is the outcome of a study.
type StudyBlock struct {
	Study       *Study
	Hypotheses  []Judged
	Experiments []Experiment // those that separate best come first
}

// A spread is all values of one row under one hypothesis.
type spread struct{ typical, low, high, least, most int64 }

// conclusion is a study while it is drawn up.
type conclusion struct {
	*Study
	typical []Outcome // by hypothesis
	points  []Point   // around
	around  []Outcome // by point
	grounds []Grounds // by row: from constants that the study does not vary
	spreads [][]spread
	widths  []estimated // by row; of published ones
}

// Conclude adds what follows from the outcomes of the points of Typical and Around. grounds has for each row what is
// known of constants that the study does not list. A hypothesis of which a fitted row does not come out at typical
// values is an error.
func (r *Report) Conclude(s *Study, typical, around []Outcome, grounds []Grounds) (*StudyBlock, error) {
	c := &conclusion{Study: s, typical: typical, points: s.Around(), around: around, grounds: grounds}
	c.widths = make([]estimated, len(s.Rows))
	for i, row := range s.Rows {
		if row.Figure != nil {
			c.widths[i] = estimate(row.Figure.Values)
		}
	}
	for h := range s.Hypotheses {
		if err := s.Fits(h, typical[h]); err != nil {
			return nil, err
		}
		spreads := make([]spread, len(s.Rows))
		for row := range s.Rows {
			spreads[row] = c.spread(h, row)
		}
		c.spreads = append(c.spreads, spreads)
	}
	block := &StudyBlock{Study: s}
	for h := range s.Hypotheses {
		block.Hypotheses = append(block.Hypotheses, c.judge(h))
	}
	block.Experiments = c.experiments(block.Hypotheses)
	r.Hypotheses = append(r.Hypotheses, block.Hypotheses...)
	r.Experiments = append(r.Experiments, block.Experiments...)
	return block, r.add(block)
}

// of yields the outcomes of a hypothesis around the typical values, at which the fitted rows come out.
func (c *conclusion) of(h int, yield func(p *Point, o *Outcome)) {
	for i := range c.around {
		if c.points[i].Hypothesis == h && c.around[i].Unfit == nil {
			yield(&c.points[i], &c.around[i])
		}
	}
}

func (c *conclusion) spread(h, row int) spread {
	typical := c.typical[h].Rows[row]
	s := spread{typical: typical, low: typical, high: typical, least: typical, most: typical}
	var sample []int64
	c.of(h, func(p *Point, o *Outcome) {
		if p.Moved >= 0 && c.Rows[row].Figure == nil {
			return // see Outcome.Rows
		}
		x := o.Rows[row]
		s.least, s.most = min(s.least, x), max(s.most, x)
		if p.Moved < 0 {
			sample = append(sample, x)
		}
	})
	if n := len(sample); n > 0 {
		slices.Sort(sample)
		tail := n / 20 // on each side
		s.low, s.high = sample[tail], sample[n-1-tail]
	}
	return s
}

// judge draws up one hypothesis.
func (c *conclusion) judge(h int) Judged {
	j := Judged{Study: c.Name, Name: c.Hypotheses[h].Name, Fitted: []FittedValue{}, Sample: c.Sample, Rows: []Row{}}
	c.of(h, func(p *Point, _ *Outcome) {
		if p.Moved < 0 {
			j.Reached++
		}
	})
	for _, f := range c.Hypotheses[h].Fit {
		j.Fitted = append(j.Fitted, c.fitted(h, f))
	}
	verdicts := map[Verdict]int{}
	for row := range c.Rows {
		if c.Rows[row].Figure == nil {
			continue
		}
		r := c.judgeRow(h, row)
		verdicts[r.Verdict]++
		j.Rows = append(j.Rows, r)
	}
	switch {
	case verdicts[Excluded] > 0:
		j.Verdict = Excluded
	case verdicts[Consistent] > 0:
		j.Verdict = Consistent
	default:
		j.Verdict = CannotTell
	}
	return j
}

func (c *conclusion) fitted(h int, f Fit) FittedValue {
	i := c.constant(f.Constant)
	v := FittedValue{Constant: f.Constant, Row: f.Row, Unit: c.Constants[i].Unit, Value: c.typical[h].Values[i]}
	v.Low, v.High = v.Value, v.Value
	c.of(h, func(_ *Point, o *Outcome) {
		v.Low, v.High = min(v.Low, o.Values[i]), max(v.High, o.Values[i])
	})
	v.Moves = c.moves(h, func(o *Outcome) int64 { return o.Values[i] })
	return v
}

// judgeRow draws up one published row under one hypothesis.
func (c *conclusion) judgeRow(h, row int) Row {
	s, width := c.spreads[h][row], c.widths[row]
	r := Row{
		Name: c.Name, Case: c.Rows[row].Name, Unit: c.unit(row), Values: c.Rows[row].Figure.Values,
		Source: c.Rows[row].Figure.Source, Simulated: rounded(s.typical),
	}
	g := c.groundsOf(h, row, &r)
	tested := len(g.Fitted) == 0 && len(g.Given) == 0
	if tested && len(c.grounds[row].Assumed) > 0 {
		r.Verdict = CannotTell // nobody knows what the constants do that were not varied
	} else if tested {
		g.Outside = c.outside(h, row)
		r.Verdict = c.verdict(h, row, g)
		inside := width.mean.Cmp(integer(s.least)) >= 0 && width.mean.Cmp(integer(s.most)) <= 0
		low, high, least, most := rounded(s.low), rounded(s.high), rounded(s.least), rounded(s.most)
		r.Low, r.High, r.Least, r.Most, r.Inside = &low, &high, &least, &most, &inside
	}
	r.settle(g)
	if r.Role == RolePredicted {
		r.DeviationPercent = deltaPercent(width.mean, integer(s.typical))
	}
	return r
}

// groundsOf collects what a row's role follows from, and how far each assumed constant moves it.
func (c *conclusion) groundsOf(h, row int, r *Row) Grounds {
	g := c.grounds[row]
	g.Assumed, g.Fitted = slices.Clone(g.Assumed), slices.Clone(g.Fitted)
	for _, f := range c.Hypotheses[h].Fit {
		if f.Row == c.Rows[row].Name {
			g.Fitted = append(g.Fitted, f.Constant)
		}
	}
	for i := range c.Constants {
		if c.Constants[i].Row == c.Rows[row].Name {
			g.Given = append(g.Given, c.Constants[i].Name)
		}
	}
	r.Moves = c.moves(h, func(o *Outcome) int64 { return o.Rows[row] })
	for _, m := range r.Moves {
		g.Assumed = append(g.Assumed, m.Constant)
	}
	if base := c.base(row); base != row && c.Rows[base].Figure != nil && c.unit(base) == c.unit(row) {
		d := difference(c.widths[base], c.widths[row])
		g.Indistinguishable = d.coversZero()
	}
	return g
}

func (c *conclusion) base(row int) int {
	if name := c.Rows[row].Base; name != "" {
		return c.row(name)
	}
	return 0
}

// moves are how far the assumed constants move something, the largest moves first.
func (c *conclusion) moves(h int, of func(o *Outcome) int64) []Move {
	ends := map[int][]int64{}
	c.of(h, func(p *Point, o *Outcome) {
		if p.Moved >= 0 {
			ends[p.Moved] = append(ends[p.Moved], of(o))
		}
	})
	var moves []Move
	typical := of(&c.typical[h])
	for i := range c.Constants {
		if c.varies(h, i) && c.Constants[i].Origin == Assumed && len(ends[i]) < 2 {
			moves = append(moves, Move{
				Constant: c.Constants[i].Name, AtLow: rounded(typical), AtHigh: rounded(typical), Unfit: true,
			})
		} else if e := ends[i]; len(e) == 2 && (e[0] != typical || e[1] != typical) {
			moves = append(moves, Move{
				Constant: c.Constants[i].Name, AtLow: rounded(e[0]), AtHigh: rounded(e[1]),
				by: max(e[0], e[1], typical) - min(e[0], e[1], typical),
			})
		}
	}
	slices.SortStableFunc(moves, func(a, b Move) int { return cmp.Compare(b.by, a.by) })
	return moves
}

// outside reports whether the published interval of a row has nothing in common with what a hypothesis gives.
func (c *conclusion) outside(h, row int) bool {
	width, s := c.widths[row], c.spreads[h][row]
	return width.half != nil && (width.low().Cmp(integer(s.most)) > 0 || width.high().Cmp(integer(s.least)) < 0)
}

// verdict is what a row that was neither given nor fitted says of a hypothesis.
func (c *conclusion) verdict(h, row int, g Grounds) Verdict {
	switch {
	case g.Outside:
		return Excluded
	case c.widths[row].half == nil || g.Indistinguishable:
		return CannotTell
	}
	rivals, excluded := 0, 0
	for other := range c.Hypotheses {
		if other == h || c.fits(other, row) {
			continue
		}
		rivals++
		if c.outside(other, row) {
			excluded++
		}
	}
	if rivals > 0 && excluded == 0 {
		return CannotTell
	}
	return Consistent
}

func (c *conclusion) fits(h, row int) bool {
	return slices.ContainsFunc(c.Hypotheses[h].Fit, func(f Fit) bool { return f.Row == c.Rows[row].Name })
}

// experiments are the rows that were not published, in the order in which they separate the surviving hypotheses.
func (c *conclusion) experiments(judged []Judged) []Experiment {
	var list []Experiment
	for row := range c.Rows {
		if c.Rows[row].Figure != nil {
			continue
		}
		e := Experiment{
			Study: c.Name, Name: c.Rows[row].Name, Unit: c.unit(row), Values: []Prediction{}, resolution: c.Rows[row].Resolution,
		}
		for h := range judged {
			if s := c.spreads[h][row]; judged[h].Verdict != Excluded {
				e.Values = append(e.Values, Prediction{
					judged[h].Name, rounded(s.typical), rounded(s.low), rounded(s.high), s,
				})
			}
		}
		e.separate()
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b Experiment) int {
		return cmp.Or(cmp.Compare(b.Separates, a.Separates), b.gap.Cmp(a.gap))
	})
	return list
}

// separate counts the pairs of hypotheses that the experiment would tell apart, and finds how near the nearest come.
func (e *Experiment) separate() {
	e.gap = new(big.Rat)
	first := true
	for i, a := range e.Values {
		for _, b := range e.Values[:i] {
			gap := max(a.spread.low-b.spread.high, b.spread.low-a.spread.high) - e.resolution
			if gap > 0 {
				e.Separates++
			}
			share := integer(gap)
			if size := max(abs(a.spread.typical), abs(b.spread.typical)); size > 0 {
				share.Quo(share, integer(size))
			}
			if first || share.Cmp(e.gap) < 0 {
				e.gap, first = share, false
			}
		}
	}
}

// Fits returns an error if the fitted rows of a hypothesis do not come out at its typical values.
func (s *Study) Fits(h int, typical Outcome) error {
	if typical.Unfit == nil {
		return nil
	}
	return &UnfitError{s.Hypotheses[h].Name, typical.Unfit}
}

// An UnfitError is a hypothesis with a constant that cannot be fitted.
type UnfitError struct {
	Hypothesis string
	Unfit      *Unfit
}

func (e *UnfitError) Error() string { return "hypothesis \"" + e.Hypothesis + "\": " + e.Unfit.Error() }

func abs(x int64) int64 { return max(x, -x) }

func integer(x int64) *big.Rat { return new(big.Rat).SetInt64(x) }

func rounded(x int64) float64 { return roundRat(integer(x)) }
