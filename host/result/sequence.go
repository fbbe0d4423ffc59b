package result

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Sequence is a picture of events: a column for each of those who take part, downward in the order of the events, and
// an arrow from an event to one that reads what it has written.
type Sequence struct {
	Title   string
	Columns []string
	Events  []SequenceEvent
}

// A SequenceEvent stands in a column. From is the event whose writing it reads, negative for none.
type SequenceEvent struct {
	Column int
	Text   string
	From   int
}

func (*Sequence) isBlock() {}

// AddSequence adds a sequence.
func (r *Report) AddSequence(s Sequence) error {
	for i, e := range s.Events {
		if e.Column < 0 || e.Column >= len(s.Columns) || e.From >= len(s.Events) {
			return fmt.Errorf("event %d of sequence %q is in column %d of %d, and reads from event %d of %d", i+1, s.Title,
				e.Column+1, len(s.Columns), e.From+1, len(s.Events))
		}
	}
	r.pictures = append(r.pictures, &s)
	return r.add(&s)
}

// The measures of a sequence, in characters where a text is broken.
const (
	sequenceColumn = 6 * vg.Centimeter
	sequenceNumber = 8 * vg.Millimeter
	sequenceText   = 36
	sequenceFont   = 8
	sequenceLine   = 3.6 * vg.Millimeter
	sequenceGap    = 2 * vg.Millimeter
	sequenceDot    = vg.Millimeter
)

// lines are the text of an event, broken.
func (e *SequenceEvent) lines() []string { return breakWords(e.Text, sequenceText) }

// height is how far an event is from the next.
func (e *SequenceEvent) height() vg.Length {
	return sequenceLine*vg.Length(len(e.lines())) + sequenceGap
}

// title is broken to the width of the picture.
func (s *Sequence) title() []string {
	return breakWords(s.Title, sequenceText*max(len(s.Columns), 2))
}

func (s *Sequence) size() (width, height vg.Length) {
	width = max(chartWidth, 2*chartMargin+sequenceNumber+sequenceColumn*vg.Length(len(s.Columns)))
	height = 2*chartMargin + sequenceLine*vg.Length(len(s.title())+2)
	for i := range s.Events {
		height += s.Events[i].height()
	}
	return width, height
}

// style is how texts are written.
func (s *Sequence) style() draw.TextStyle {
	return draw.TextStyle{
		Color: color.Black, Font: font.From(plot.DefaultFont, sequenceFont), Handler: plot.DefaultTextHandler,
		YAlign: draw.YCenter,
	}
}

func (s *Sequence) paint(on draw.Canvas) error {
	style, left := s.style(), on.Min.X+sequenceNumber
	y := on.Max.Y - sequenceLine/2
	for _, line := range s.title() {
		on.FillText(style, vg.Point{X: on.Min.X, Y: y}, line)
		y -= sequenceLine
	}
	y -= sequenceLine / 2
	column := func(i int) vg.Length { return left + sequenceColumn*vg.Length(i) + sequenceDot }
	for i, name := range s.Columns {
		on.FillText(style, vg.Point{X: column(i), Y: y}, name)
	}
	y -= sequenceLine
	axis := draw.LineStyle{Color: color.Gray{Y: 0xc0}, Width: vg.Points(0.5)}
	for i := range s.Columns {
		on.StrokeLine2(axis, column(i), y+sequenceLine/2, column(i), on.Min.Y)
	}
	at := make([]vg.Point, len(s.Events))
	for i := range s.Events {
		e := &s.Events[i]
		at[i] = vg.Point{X: column(e.Column), Y: y}
		on.FillText(style, vg.Point{X: on.Min.X, Y: y}, fmt.Sprint(i+1))
		for k, line := range e.lines() {
			on.FillText(style, vg.Point{X: at[i].X + 2*sequenceDot, Y: y - sequenceLine*vg.Length(k)}, line)
		}
		y -= e.height()
	}
	for i, e := range s.Events {
		dot := draw.GlyphStyle{Color: palette[e.Column%len(palette)], Radius: sequenceDot, Shape: draw.CircleGlyph{}}
		on.DrawGlyph(dot, at[i])
	}
	for i, e := range s.Events {
		if e.From >= 0 && s.Events[e.From].Column != e.Column {
			arrow(on, at[e.From], at[i], palette[s.Events[e.From].Column%len(palette)])
		}
	}
	return nil
}

// arrow draws one from a dot to another.
func arrow(on draw.Canvas, from, to vg.Point, colour color.Color) {
	along := to.Sub(from)
	unit := along.Scale(1 / vg.Length(math.Hypot(float64(along.X), float64(along.Y))))
	across := vg.Point{X: -unit.Y, Y: unit.X}
	tip := to.Sub(unit.Scale(sequenceDot))
	back := tip.Sub(unit.Scale(2 * sequenceDot))
	line := draw.LineStyle{Color: colour, Width: vg.Points(0.8)}
	on.StrokeLine2(line, from.X, from.Y, back.X, back.Y)
	on.FillPolygon(colour, []vg.Point{
		tip, back.Add(across.Scale(0.8 * sequenceDot)), back.Sub(across.Scale(0.8 * sequenceDot)),
	})
}
