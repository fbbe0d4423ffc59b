package result

import (
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Chart is a picture: series of values over numbers (lines), or over labels (bars, intervals).
type Chart struct {
	Title  string
	X, Y   string // what the axes show, with units
	Kind   ChartKind
	Labels []string // of bars and intervals, from left to right
	Series []Series
}

// A ChartKind is a form of chart.
type ChartKind string

// The kinds.
const (
	Lines     ChartKind = "lines"
	Bars      ChartKind = "bars"
	Intervals ChartKind = "intervals"
)

// ChartKinds are the words for kinds.
func ChartKinds() []string { return []string{string(Lines), string(Bars), string(Intervals)} }

// A Series is values of one colour. X is for lines; Low and High, if there are any, for lines and intervals.
type Series struct {
	Name      string
	X, Y      []float64
	Low, High []float64
}

func (*Chart) isBlock() {}

// AddChart adds a chart.
func (r *Report) AddChart(c Chart) error {
	if len(c.Series) == 0 {
		return fmt.Errorf("chart %q has no series", c.Title)
	}
	for _, s := range c.Series {
		switch {
		case len(s.Y) == 0:
			return fmt.Errorf("series %q of chart %q has no values", s.Name, c.Title)
		case c.Kind == Lines && len(s.X) != len(s.Y):
			return fmt.Errorf("series %q of chart %q has %d values over %d numbers", s.Name, c.Title, len(s.Y), len(s.X))
		case c.Kind != Lines && len(s.Y) != len(c.Labels):
			return fmt.Errorf("series %q of chart %q has %d values, and there are %d labels", s.Name, c.Title, len(s.Y),
				len(c.Labels))
		}
		if n := len(s.Low); n != len(s.High) || n > 0 && n != len(s.Y) {
			return fmt.Errorf("series %q of chart %q has %d values, %d low and %d high ends", s.Name, c.Title, len(s.Y),
				len(s.Low), len(s.High))
		}
		for _, values := range [][]float64{s.X, s.Y, s.Low, s.High} {
			for i, x := range values {
				if err := checkCell(x); err != nil {
					return fmt.Errorf("series %q of chart %q: %w", s.Name, c.Title, err)
				}
				values[i] = round6(x)
			}
		}
	}
	r.pictures = append(r.pictures, &c)
	return r.add(&c)
}

// A picture is what WriteSVG draws.
type picture interface {
	size() (width, height vg.Length)
	paint(on draw.Canvas) error
}

// Pictures is how many pictures WriteSVG draws.
func (r *Report) Pictures() int { return len(r.pictures) }

const (
	chartWidth  = 18 * vg.Centimeter
	chartHeight = 10 * vg.Centimeter
	chartMargin = 5 * vg.Millimeter
)

// WriteSVG draws all charts and sequences, one below the other in the order of declaration.
func (r *Report) WriteSVG(w io.Writer) error {
	var width, height vg.Length
	for _, p := range r.pictures {
		x, y := p.size()
		width, height = max(width, x), height+y
	}
	canvas := vgsvg.New(width, height)
	page := draw.New(canvas)
	page.SetColor(color.White)
	page.Fill(page.Rectangle.Path())
	above := vg.Length(0)
	for _, p := range r.pictures {
		x, y := p.size()
		below := height - above - y
		on := draw.Crop(page, chartMargin, -(width - x + chartMargin), below+chartMargin, -above-chartMargin)
		if err := p.paint(on); err != nil {
			return err
		}
		above += y
	}
	_, err := canvas.WriteTo(w)
	return err
}

func (c *Chart) size() (width, height vg.Length) { return chartWidth, chartHeight }

func (c *Chart) paint(on draw.Canvas) error {
	p, err := c.plot()
	if err != nil {
		return fmt.Errorf("chart %q: %w", c.Title, err)
	}
	p.Draw(on)
	return nil
}

// palette is Okabe and Ito's, which those who see fewer colours can tell apart too.
var palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0x56, 0xb4, 0xe9, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x00, 0x00, 0x00, 0xff},
}

func (c *Chart) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.X, c.Y
	p.Title.Padding, p.Legend.Padding = 3*vg.Millimeter, vg.Millimeter
	// With the names to the right of their marks, a viewer's wider font runs over nothing.
	p.Legend.Top, p.Legend.Left, p.Legend.XOffs = true, true, 3*vg.Millimeter
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color = color.Gray{0xdd}
	p.Add(grid)
	for i, s := range c.Series {
		if err := c.draw(p, i, s, palette[i%len(palette)]); err != nil {
			return nil, err
		}
	}
	if c.Kind != Lines {
		p.NominalX(c.Labels...)
		p.X.Min, p.X.Max = -0.5, float64(len(c.Labels))-0.5
	}
	if c.Kind == Bars {
		p.Y.Min = min(p.Y.Min, 0)
	}
	room := (p.Y.Max - p.Y.Min) / 4 // for the legend
	p.Y.Max += room
	return p, nil
}

// draw draws a series. Bars and intervals of one label stand side by side.
func (c *Chart) draw(p *plot.Plot, i int, s Series, colour color.Color) error {
	const group = 0.7 // of the space between two labels
	offset := (float64(i) - float64(len(c.Series)-1)/2) * group / float64(len(c.Series))
	points := make(plotter.XYs, len(s.Y))
	for k, y := range s.Y {
		points[k] = plotter.XY{X: float64(k) + offset, Y: y}
		if c.Kind == Lines {
			points[k].X = s.X[k]
		}
	}
	switch c.Kind {
	case Lines:
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		line.Color, line.Width, line.Dashes = colour, vg.Points(1.5), dashes(i)
		dots.Color, dots.Shape = colour, draw.CircleGlyph{}
		p.Add(line)
		if err := s.errorBars(p, points, colour); err != nil {
			return err
		}
		p.Add(dots)
		p.Legend.Add(s.Name, line, dots)
	case Bars:
		plotSpace := chartWidth * 3 / 4
		width := plotSpace / vg.Length(len(c.Labels)*len(c.Series)) * group
		bars, err := plotter.NewBarChart(plotter.Values(s.Y), width)
		if err != nil {
			return err
		}
		bars.Color, bars.LineStyle.Width = colour, 0
		bars.Offset = width * vg.Length(float64(i)-float64(len(c.Series)-1)/2)
		p.Add(bars)
		p.Legend.Add(s.Name, bars)
	case Intervals:
		return s.intervals(p, points, colour)
	}
	return nil
}

func (s *Series) intervals(p *plot.Plot, points plotter.XYs, colour color.Color) error {
	dots, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	dots.Color, dots.Shape, dots.Radius = colour, draw.CircleGlyph{}, vg.Points(3)
	if err := s.errorBars(p, points, colour); err != nil {
		return err
	}
	p.Add(dots)
	p.Legend.Add(s.Name, dots)
	return nil
}

// errorBars draws a series' intervals, if it has any.
func (s *Series) errorBars(p *plot.Plot, points plotter.XYs, colour color.Color) error {
	if s.Low == nil {
		return nil
	}
	errs := make(plotter.YErrors, len(points))
	for k := range errs {
		errs[k].Low, errs[k].High = max(s.Y[k]-s.Low[k], 0), max(s.High[k]-s.Y[k], 0)
	}
	bars, err := plotter.NewYErrorBars(struct {
		plotter.XYer
		plotter.YErrorer
	}{points, errs})
	if err != nil {
		return err
	}
	bars.Color, bars.Width, bars.CapWidth = colour, vg.Points(1.5), vg.Points(8)
	p.Add(bars)
	return nil
}

// dashes are those of the i-th line: the first is solid, and each further one shorter, so that lines on one another are
// all seen.
func dashes(i int) []vg.Length {
	if i == 0 {
		return nil
	}
	return []vg.Length{vg.Points(max(12-3*float64(i), 3)), vg.Points(3)}
}
