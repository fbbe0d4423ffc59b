package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hwscript/hwscript/hardware/graph"
)

// A Counterexample is an execution as a reader is shown it: one event a row, in an order that agrees with what the
// model orders, and a column for each CPU and each device that has a part in it.
type Counterexample struct {
	Columns []string
	Rows    []Row
	Left    int // events that were left out, see [graph.Step.Private] and [Recorder.Hidden]
}

// A Row is an event, or a remark of a program between two.
type Row struct {
	Column int
	Text   string
	Place  string // in the script, "" if it is not known
	From   int    // the row that wrote what this one reads, or one of those below
	Late   bool   // an operation that its program does later has come before
}

// Rows that are not there.
const (
	Initial = -1 // what is read is the initial value
	Nothing = -2 // nothing is read, or what a row that was left out has written
)

// A Recorder hears what CPUs and devices say of themselves while an execution is shown to it.
type Recorder struct {
	Threads []string               // the name of each; others, behind them, show what they say only
	Hidden  func(text string) bool // a remark that does not matter between CPUs
	Name    func(at uint64) string // of a location
	remarks [][][]remark           // by thread, and by operation beginning with none
	open    []remark
}

type remark struct{ source, text, place string }

// Remark notes what somebody says.
func (r *Recorder) Remark(source, text, place string) {
	r.open = append(r.open, remark{source, text, place})
}

// Begin is graph.Watcher.
func (r *Recorder) Begin() {
	r.remarks, r.open = nil, r.open[:0]
}

// Done is graph.Watcher: what was said since belongs to the operation.
func (r *Recorder) Done(thread, op int) {
	for len(r.remarks) <= thread {
		r.remarks = append(r.remarks, nil)
	}
	for len(r.remarks[thread]) < op+2 {
		r.remarks[thread] = append(r.remarks[thread], nil)
	}
	r.remarks[thread][op+1] = slices.Clone(r.open)
	r.open = r.open[:0]
}

// said are the remarks at an operation: those of the operation itself, and others.
func (r *Recorder) said(thread, op int) []remark {
	if thread >= len(r.remarks) || op+1 >= len(r.remarks[thread]) {
		return nil
	}
	return r.remarks[thread][op+1]
}

// Counterexample lays an execution out that has been shown to the recorder.
func (r *Recorder) Counterexample(steps []graph.Step) *Counterexample {
	l := &layout{Recorder: r, steps: steps, row: make([]int, len(steps)), begun: make([]bool, len(r.remarks))}
	for i := range steps {
		l.step(i)
	}
	for t := range r.remarks {
		l.begin(t) // what it says without an operation
	}
	for i := range l.rows {
		if from := l.rows[i].From; from >= 0 {
			l.rows[i].From = l.row[from]
		}
	}
	return l.columns()
}

// layout is a counterexample in the making. Rows name their columns by source, and what they read by step.
type layout struct {
	*Recorder
	steps   []graph.Step
	row     []int // of each step
	begun   []bool
	rows    []Row
	sources []string // of the rows
	left    int
}

func (l *layout) add(source string, row Row) {
	l.rows, l.sources = append(l.rows, row), append(l.sources, source)
}

// begin says what a thread says before its first operation.
func (l *layout) begin(t int) {
	if !l.begun[t] {
		l.begun[t] = true
		l.others(l.said(t, -1))
	}
}

// others adds remarks that are no operation's own.
func (l *layout) others(list []remark) {
	for _, m := range list {
		if l.Hidden != nil && l.Hidden(m.text) {
			l.left++
			continue
		}
		l.add(m.source, Row{Text: m.text, Place: m.place, From: Nothing})
	}
}

// step adds the rows of a step.
func (l *layout) step(i int) {
	s := &l.steps[i]
	l.begin(s.Thread)
	l.row[i] = Nothing
	said := l.said(s.Thread, s.Op)
	if s.Kind == graph.StepSynchronize || s.Kind == graph.StepPoint || s.Thread >= len(l.Threads) {
		l.others(said)
		return
	}
	own, rest := l.own(s, said)
	switch {
	case s.Private || l.Hidden != nil && l.Hidden(own.text):
		l.left++
	default:
		l.row[i] = len(l.rows)
		l.add(l.Threads[s.Thread], Row{Text: own.text, Place: own.place, From: s.From, Late: s.Late})
	}
	if s.Kind != graph.StepEnd {
		l.others(rest)
	}
}

// own is what a thread says of its operation, and the rest of what is said there.
func (l *layout) own(s *graph.Step, said []remark) (own remark, rest []remark) {
	k := slices.IndexFunc(said, func(m remark) bool { return m.source == l.Threads[s.Thread] })
	if k < 0 {
		own.text, rest = l.plain(s), said
	} else {
		own, rest = said[k], slices.Delete(slices.Clone(said), k, k+1)
	}
	switch {
	case s.Forever:
		own.text = "waits for ever for " + l.name(s.At)
	case s.Kind == graph.StepBegin:
		own.text += ", of which this is the read"
	case s.Kind == graph.StepEnd:
		own.text += ", of which this is the write"
	case s.Expired:
		own.text += ", the deadline has passed"
	}
	return own, rest
}

func (l *layout) name(at uint64) string {
	if l.Name != nil {
		if name := l.Name(at); name != "" {
			return name
		}
	}
	return fmt.Sprintf("0x%x", at)
}

// plain is an operation of which nobody says anything.
func (l *layout) plain(s *graph.Step) string {
	switch s.Kind {
	case graph.StepRead:
		return fmt.Sprintf("load %s -> 0x%x", l.name(s.At), s.Read)
	case graph.StepWrite:
		return fmt.Sprintf("store %s <- 0x%x", l.name(s.At), s.Written)
	case graph.StepFence:
		return "barrier"
	case graph.StepTake:
		return "takes an interrupt"
	case graph.StepFailed:
		return "store exclusive: failed"
	}
	return fmt.Sprintf("atomic %s -> 0x%x <- 0x%x", l.name(s.At), s.Read, s.Written)
}

// columns are one for each source: threads in their order, then devices by name.
func (l *layout) columns() *Counterexample {
	c := &Counterexample{Rows: l.rows, Left: l.left}
	for _, t := range l.Threads {
		if slices.Contains(l.sources, t) {
			c.Columns = append(c.Columns, t)
		}
	}
	threads := len(c.Columns)
	for _, s := range l.sources {
		if !slices.Contains(c.Columns, s) {
			c.Columns = append(c.Columns, s)
		}
	}
	slices.SortFunc(c.Columns[threads:], strings.Compare)
	for i := range c.Rows {
		c.Rows[i].Column = slices.Index(c.Columns, l.sources[i])
	}
	return c
}

// Cell is a row in words: what, from which row it reads, where in the script, and whether it is late.
func (c *Counterexample) Cell(row int) string {
	r := &c.Rows[row]
	text := r.Text
	switch {
	case r.From == Initial:
		text += ", initial"
	case r.From >= 0 && c.Rows[r.From].Column != r.Column:
		text += fmt.Sprintf(", from %d", r.From+1)
	}
	if r.Late {
		text += ", late"
	}
	if r.Place != "" {
		text += "  (" + r.Place + ")"
	}
	return text
}

// Title says what is wrong, and how much is not shown.
func (c *Counterexample) Title(name, finding string) string {
	text := name + ": " + finding
	if c.Left > 0 {
		text += fmt.Sprintf(" (%d events that do not matter are left out)", c.Left)
	}
	return text
}

// Cells are the rows of a table: the number of the row, then a cell for each column.
func (c *Counterexample) Cells() (table [][]string) {
	for i := range c.Rows {
		cells := make([]string, 1+len(c.Columns))
		cells[0] = fmt.Sprint(i + 1)
		cells[1+c.Rows[i].Column] = c.Cell(i)
		table = append(table, cells)
	}
	return table
}
