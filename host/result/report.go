package result

import (
	"fmt"
	"math"
	"slices"
)

// Version is the number of the JSON shape; it changes when a reader of the old shape would go wrong.
const Version = 1

// A Report is everything one script has declared. The exported fields are the JSON form, in its order.
// The zero value is ready to use.
type Report struct {
	Format      int          `json:"format"` // always Version; set when the report is written
	Script      string       `json:"script"`
	Params      Params       `json:"params"`
	Seed        uint64       `json:"seed"`
	Results     []Result     `json:"results"`
	Comparisons []Comparison `json:"comparisons"`
	Published   []Row        `json:"published"`
	Hypotheses  []Judged     `json:"hypotheses"`
	Experiments []Experiment `json:"experiments"`
	Tables      []Table      `json:"tables"`

	// OnBlock, if set, is called with each block as soon as it is complete.
	OnBlock func(Block) error `json:"-"`

	blocks   []Block
	pictures []picture
}

// A Result is the simulated values of one case, one per run.
type Result struct {
	Name   string   `json:"name"`
	Case   string   `json:"case"`
	Unit   string   `json:"unit"`
	Values []uint64 `json:"values"`
}

// A Comparison sets one case against the base, which is the first case. All its numbers have at most six
// significant digits. Low and High are the smallest and the largest run.
type Comparison struct {
	Name     string  `json:"name"`
	Unit     string  `json:"unit"`
	Base     string  `json:"base"`
	Case     string  `json:"case"`
	BaseMean float64 `json:"base_mean"`
	Mean     float64 `json:"mean"`
	// DeltaPercent is the change of the mean against the base's; nil where the base's mean is 0 and the other is not.
	DeltaPercent *float64 `json:"delta_percent,omitempty"`
	Median       float64  `json:"median"`
	Low          float64  `json:"low"`
	High         float64  `json:"high"`
	// P is the U test's two-sided p value; nil where either case has fewer than MinRunsForP runs.
	P *float64 `json:"p,omitempty"`
}

// A Table is a title, column headings, and rows of cells: strings, int64, uint64 or float64.
type Table struct {
	Title   string   `json:"title"`
	Columns []string `json:"columns"`
	Rows    [][]any  `json:"rows"`
}

// A Note is a remark on what stands before it. It appears in the text form only.
type Note string

// A Case is the input of Report.Compare: a label, its runs, and the published figure, if there is one.
type Case struct {
	Label     string
	Values    []uint64
	Published *Figure
	Grounds   Grounds // of the figure's role, but for what the runs themselves say
}

// A Figure is what was published of a case: a value for each run, in the unit of the comparison, and where.
type Figure struct {
	Values []float64
	Source string
}

// A Block is one piece of the text form: *CompareBlock, *StudyBlock, *Chart, *Sequence, *Table or Note.
type Block interface{ isBlock() }

// A CompareBlock is the outcome of one Report.Compare, case by case; the first is the base.
type CompareBlock struct {
	Name, Unit string
	Cases      []CaseOutcome
}

// A CaseOutcome is what came out for one case. Numbers have at most six significant digits.
type CaseOutcome struct {
	Result
	Summary
	Comparison *Comparison // with the base; nil for the base itself
	Published  *Row        // nil: nothing was
	Difference *Difference // of the published figure; nil for the base, and where that is not known
}

// A Difference is that of a published figure from the one of its base, in percent of the latter.
type Difference struct {
	Percent float64
	Range   *Range // 95 %, by Welch's t; nil where one of them has a single run
}

func (*CompareBlock) isBlock() {}
func (*StudyBlock) isBlock()   {}
func (*Table) isBlock()        {}
func (Note) isBlock()          {}

// Blocks returns what was declared, in the order of declaration.
func (r *Report) Blocks() []Block { return r.blocks }

// CheckCompare says why a comparison of this name between cases of these labels cannot be added, if it cannot:
// names and labels identify a result in every format. Callers use it before they spend time on the runs.
func (r *Report) CheckCompare(name, unit string, labels []string) error {
	switch {
	case name == "":
		return fmt.Errorf("a comparison needs a name")
	case unit == "":
		return fmt.Errorf("comparison %q needs a unit", name)
	case len(labels) == 0:
		return fmt.Errorf("comparison %q has no cases", name)
	}
	if slices.ContainsFunc(r.Results, func(x Result) bool { return x.Name == name }) {
		return fmt.Errorf("a comparison named %q was made before; names must differ", name)
	}
	for i, label := range labels {
		if label == "" {
			return fmt.Errorf("case %d of comparison %q has no label", i+1, name)
		}
		if slices.Contains(labels[:i], label) {
			return fmt.Errorf("comparison %q has two cases labelled %q", name, label)
		}
	}
	return nil
}

// Compare adds the results of the cases and compares each with the first one.
func (r *Report) Compare(name, unit string, cases []Case) (*CompareBlock, error) {
	labels := make([]string, len(cases))
	for i, c := range cases {
		labels[i] = c.Label
		if len(c.Values) == 0 || c.Published != nil && len(c.Published.Values) == 0 {
			return nil, fmt.Errorf("case %q of comparison %q has no runs", c.Label, name)
		}
	}
	if err := r.CheckCompare(name, unit, labels); err != nil {
		return nil, err
	}
	block := &CompareBlock{Name: name, Unit: unit}
	for _, c := range cases {
		res := Result{Name: name, Case: c.Label, Unit: unit, Values: c.Values}
		out := CaseOutcome{Result: res, Summary: Summarize(c.Values)}
		r.Results = append(r.Results, res)
		if len(block.Cases) > 0 {
			cmp := compare(block.Cases[0].Result, res)
			out.Comparison = &cmp
			r.Comparisons = append(r.Comparisons, cmp)
		}
		if c.Published != nil {
			if err := out.setBeside(c, block); err != nil {
				return nil, err
			}
			r.Published = append(r.Published, *out.Published)
		}
		block.Cases = append(block.Cases, out)
	}
	return block, r.add(block)
}

// setBeside puts the published figure of a case beside its result. The block holds the cases before it.
func (out *CaseOutcome) setBeside(c Case, block *CompareBlock) error {
	out.Published = &Row{
		Name: out.Name, Case: out.Case, Unit: out.Unit, Values: c.Published.Values, Source: c.Published.Source,
		Simulated: out.Mean,
	}
	grounds, mean := c.Grounds, exactMeanOf(c.Published.Values)
	if len(block.Cases) > 0 && block.Cases[0].Published != nil {
		base := estimate(block.Cases[0].Published.Values)
		d := difference(base, estimate(c.Published.Values))
		grounds.Indistinguishable = d.coversZero()
		out.Difference = d.percentOf(base.mean)
	}
	out.Published.settle(grounds)
	if grounds.Judged != nil {
		if err := out.Published.adopt(grounds.Judged); err != nil {
			return err
		}
	}
	if out.Published.Role == RolePredicted {
		out.Published.DeviationPercent = deltaPercent(mean, exactMean(out.Values))
	}
	return nil
}

// adopt takes over what a study says of a row of the same figure, if what was simulated here is what the hypothesis
// gives: it may lie outside its values by no more than half of the published interval.
func (r *Row) adopt(h *Judged) error {
	i := slices.IndexFunc(h.Rows, func(row Row) bool { return row.Case == r.Case })
	if i < 0 {
		return fmt.Errorf("case %q: hypothesis %q of study %q has no such row", r.Case, h.Name, h.Study)
	}
	row := &h.Rows[i]
	if row.Unit != r.Unit || !slices.Equal(row.Values, r.Values) {
		return fmt.Errorf("case %q: study %q has another figure for it", r.Case, h.Study)
	}
	least, most, slack := row.Simulated, row.Simulated, 0.0
	if row.Least != nil {
		least, most = *row.Least, *row.Most
	}
	if row.Published != nil {
		slack = (row.Published.High - row.Published.Low) / 2
	}
	if r.Simulated < least-slack || r.Simulated > most+slack {
		return fmt.Errorf("case %q is %s here, and %s to %s under hypothesis %q of study %q: another machine", r.Case,
			formatStat(r.Simulated, r.Unit), formatStat(least, r.Unit), formatStat(most, r.Unit), h.Name, h.Study)
	}
	r.Study, r.Hypothesis = h.Study, h.Name
	r.Role, r.Constant, r.Assumed = row.Role, row.Constant, row.Assumed
	r.Low, r.High, r.Least, r.Most, r.Inside = row.Low, row.High, row.Least, row.Most, row.Inside
	return nil
}

// AddTable adds a table. Every row must have one cell for each column; fractions are rounded to six significant
// digits.
func (r *Report) AddTable(t Table) error {
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("row %d of table %q has %d cells, and there are %d columns",
				i+1, t.Title, len(row), len(t.Columns))
		}
		for j, cell := range row {
			if err := checkCell(cell); err != nil {
				return fmt.Errorf("row %d, column %q of table %q: %w", i+1, t.Columns[j], t.Title, err)
			}
			if f, ok := cell.(float64); ok {
				row[j] = round6(f)
			}
		}
	}
	r.Tables = append(r.Tables, t)
	return r.add(&t)
}

// checkCell refuses what one of the formats could not carry: other types, and numbers that JSON has no form for.
func checkCell(cell any) error {
	switch v := cell.(type) {
	case string, int64, uint64:
		return nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%v is not a number", v)
		}
		return nil
	default:
		return fmt.Errorf("a cell is a string, int64, uint64 or float64, not %T", cell)
	}
}

// AddNote adds a note.
func (r *Report) AddNote(text string) error { return r.add(Note(text)) }

// Reset forgets what was declared, and keeps what the report is about.
func (r *Report) Reset() {
	*r = Report{Script: r.Script, Params: r.Params, Seed: r.Seed, OnBlock: r.OnBlock}
}

func (r *Report) add(b Block) error {
	r.blocks = append(r.blocks, b)
	if r.OnBlock == nil {
		return nil
	}
	return r.OnBlock(b)
}
