package result

import (
	"fmt"
	"slices"
)

// A Study asks which of several hypotheses about a mechanism published rows exclude, and what to measure to tell apart
// those that they leave. A hypothesis has constants, some of them fitted on a row each; the others are known as ranges.
// What it says of a row is therefore an interval: of what is simulated at points all over the ranges, with the fitted
// constants fitted anew at each of them.
type Study struct {
	Name       string
	Unit       string
	Seed       uint64
	Sample     int // points of the sample
	Rows       []StudyRow
	Constants  []Constant
	Hypotheses []Hypothesis
}

// A StudyRow is something that can be simulated, and may have been published.
type StudyRow struct {
	Name   string
	Unit   string  // "": that of the study
	Figure *Figure // nil: nothing was published; to measure it is an experiment
	Base   string  // the row from which the publication should be able to tell it; "": the first one

	// Resolution is what a measurement of the row can tell apart, in its unit: hypotheses nearer than that are not
	// separated by it.
	Resolution int64
}

// A Constant is a number of the model and its range. One whose unit is ps is a time.
type Constant struct {
	Name               string
	Unit               string
	Low, Typical, High int64
	Origin             Origin
	Row                string // of a given one: the row that it was taken from
}

// An Origin says how far a constant can be trusted.
type Origin string

// The origins.
const (
	Assumed Origin = "assumed"
	Sourced Origin = "sourced"
	Fitted  Origin = "fitted" // on a row that is not of this study, or by this study
	Given   Origin = "given"
)

// Origins are the words for origins.
func Origins() []string {
	return []string{string(Assumed), string(Sourced), string(Fitted), string(Given)}
}

// A Hypothesis is a form of the model, and which of its constants are fitted on which row. An earlier one is fitted
// anew for each value that is tried for a later one.
type Hypothesis struct {
	Name string
	Fit  []Fit
}

// A Fit says that a constant is chosen so that a row comes out.
type Fit struct{ Constant, Row string }

// Check says what is wrong with a study, if anything is.
func (s *Study) Check() error {
	rows, constants := make([]string, len(s.Rows)), make([]string, len(s.Constants))
	for i, r := range s.Rows {
		rows[i] = r.Name
	}
	for i, c := range s.Constants {
		constants[i] = c.Name
	}
	for _, list := range [][]string{rows, constants} {
		for i, name := range list {
			if slices.Contains(list[:i], name) {
				return fmt.Errorf("%q stands there twice", name)
			}
		}
	}
	if len(s.Rows) == 0 || len(s.Hypotheses) == 0 {
		return fmt.Errorf("there are %d rows and %d hypotheses", len(s.Rows), len(s.Hypotheses))
	}
	for _, r := range s.Rows {
		if r.Base != "" && !slices.Contains(rows, r.Base) {
			return fmt.Errorf("row %q: base: no row %q%s", r.Name, r.Base, candidates(rows))
		}
	}
	for _, c := range s.Constants {
		if err := c.check(rows); err != nil {
			return err
		}
	}
	for i, h := range s.Hypotheses {
		same := func(other Hypothesis) bool { return other.Name == h.Name }
		if slices.ContainsFunc(s.Hypotheses[:i], same) {
			return fmt.Errorf("two hypotheses are named %q", h.Name)
		}
		if err := s.checkFits(h, rows, constants); err != nil {
			return fmt.Errorf("hypothesis %q: %w", h.Name, err)
		}
	}
	return nil
}

func (c *Constant) check(rows []string) error {
	switch {
	case c.Low > c.High:
		return fmt.Errorf("constant %q: the low value %s is above the high value %s", c.Name, c.text(c.Low), c.text(c.High))
	case c.Typical < c.Low || c.Typical > c.High:
		return fmt.Errorf("constant %q: the typical value %s is not between %s and %s", c.Name, c.text(c.Typical),
			c.text(c.Low), c.text(c.High))
	case c.Origin == Assumed && c.Low == c.High:
		return fmt.Errorf("constant %q is assumed and has no range: nobody knows it to be exactly %s", c.Name,
			c.text(c.Low))
	case (c.Row != "") != (c.Origin == Given):
		return fmt.Errorf("constant %q: a given one names the row that it was taken from, any other one none", c.Name)
	case c.Row != "" && !slices.Contains(rows, c.Row):
		return fmt.Errorf("constant %q is given by no row %q%s", c.Name, c.Row, candidates(rows))
	}
	return nil
}

func (s *Study) checkFits(h Hypothesis, rows, constants []string) error {
	for i, f := range h.Fit {
		row, constant := slices.Index(rows, f.Row), slices.Index(constants, f.Constant)
		switch {
		case constant < 0:
			return fmt.Errorf("fit: no constant %q%s", f.Constant, candidates(constants))
		case row < 0:
			return fmt.Errorf("fit: no row %q for constant %q%s", f.Row, f.Constant, candidates(rows))
		case s.Rows[row].Figure == nil:
			return fmt.Errorf("fit: nothing was published of row %q, on which constant %q is to be fitted", f.Row, f.Constant)
		case s.Constants[constant].Low == s.Constants[constant].High:
			return fmt.Errorf("fit: constant %q has no range in which to fit it", f.Constant)
		}
		for _, other := range h.Fit[:i] {
			switch {
			case other.Constant == f.Constant:
				return fmt.Errorf("fit: constant %q has two rows, %q and %q: it is fitted on one", f.Constant, other.Row, f.Row)
			case other.Row == f.Row:
				return fmt.Errorf("fit: row %q has two constants, %q and %q: one number cannot tell two", f.Row,
					other.Constant, f.Constant)
			}
		}
	}
	return nil
}

// candidates lists the names that there are.
func candidates(names []string) string {
	if len(names) == 0 {
		return "; there is none"
	}
	text := "; there is "
	for i, name := range names {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%q", name)
	}
	return text
}

// text writes a value of the constant.
func (c *Constant) text(v int64) string {
	if c.Unit == "ps" {
		return FormatPs(v)
	}
	return fmt.Sprint(v)
}

// constant and row find their numbers by name, which Check has found to exist.
func (s *Study) constant(name string) int {
	return slices.IndexFunc(s.Constants, func(c Constant) bool { return c.Name == name })
}

func (s *Study) row(name string) int {
	return slices.IndexFunc(s.Rows, func(r StudyRow) bool { return r.Name == name })
}

func (s *Study) unit(row int) string {
	if u := s.Rows[row].Unit; u != "" {
		return u
	}
	return s.Unit
}

// CheckStudy says why a study of this name cannot be added, if it cannot.
func (r *Report) CheckStudy(name string) error {
	if name == "" {
		return fmt.Errorf("a study needs a name")
	}
	if slices.ContainsFunc(r.Hypotheses, func(h Judged) bool { return h.Study == name }) {
		return fmt.Errorf("a study named %q was made before; names must differ", name)
	}
	return nil
}
