package result

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestWriteSVG: the pictures stand in one file in the order of declaration, with all that they name, and come out the
// same each time.
func TestWriteSVG(t *testing.T) {
	r := new(Report)
	for _, c := range []Chart{
		{Title: "first", X: "stores", Y: "time (ns)", Series: []Series{
			{Name: "line", X: []float64{0, 7}, Y: []float64{1, 2}},
		}},
		{Title: "second", Kind: Bars, Labels: []string{"left", "right"}, Series: []Series{{Name: "bar", Y: []float64{3, 4}}}},
		{Title: "third", Kind: Intervals, Labels: []string{"up", "down"}, Series: []Series{
			{Name: "range", Y: []float64{3, 4}, Low: []float64{2, 4}, High: []float64{5, 5}}, {Name: "dot", Y: []float64{3, 3}},
		}},
	} {
		if c.Kind == "" {
			c.Kind = Lines
		}
		if err := r.AddChart(c); err != nil {
			t.Fatal(err)
		}
	}
	var first, second bytes.Buffer
	if err := errors.Join(r.WriteSVG(&first), r.WriteSVG(&second)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two drawings differ")
	}
	var text strings.Builder
	for d := xml.NewDecoder(&first); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := token.(xml.CharData); ok {
			text.Write(data)
		}
	}
	drawn, last := text.String(), -1
	for _, title := range []string{"first", "second", "third"} {
		at := strings.Index(drawn, title)
		if at <= last {
			t.Errorf("%q stands at %d, behind what was declared later", title, at)
		}
		last = at
	}
	for _, want := range []string{"stores", "time (ns)", "line", "left", "right", "bar", "up", "down", "range", "dot"} {
		if !strings.Contains(drawn, want) {
			t.Errorf("%q is not in the drawing", want)
		}
	}
	if r.Pictures() != 3 {
		t.Errorf("%d pictures", r.Pictures())
	}
	if r.Reset(); r.Pictures() != 0 {
		t.Error("Reset keeps charts")
	}
}

func TestChartErrors(t *testing.T) {
	two := []float64{1, 2}
	for _, tc := range []struct {
		chart Chart
		want  string
	}{
		{Chart{Title: "c", Kind: Lines}, `chart "c" has no series`},
		{Chart{Kind: Lines, Series: []Series{{Name: "s"}}}, `series "s" of chart "" has no values`},
		{Chart{Kind: Lines, Series: []Series{{Y: two}}}, `has 2 values over 0 numbers`},
		{Chart{Kind: Bars, Labels: []string{"a"}, Series: []Series{{Y: two}}}, `has 2 values, and there are 1 labels`},
		{Chart{Kind: Lines, Series: []Series{{X: two, Y: two, Low: two}}}, `has 2 values, 2 low and 0 high ends`},
	} {
		if err := new(Report).AddChart(tc.chart); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
}
