package result

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"
)

// The figures of seed 000 (irqchip/gic-v3: Use dsb(ishst) to order writes with ICC_SGI1R_EL1 accesses).
var (
	publishedWmb = []float64{
		126757449, 126784249, 126177703, 127022281, 126184883, 127374585, 125778089, 126974441, 127357625, 126228184,
	}
	publishedIshst = []float64{
		124467401, 123474209, 123558497, 122993951, 122984223, 123323609, 124507583, 123386963, 123340664, 123285324,
	}
)

// shifted returns published figures moved by a constant, in place of simulated ones.
func shifted(values []float64, by int64) []uint64 {
	out := make([]uint64, len(values))
	for i, v := range values {
		out[i] = uint64(int64(v) + by)
	}
	return out
}

func sampleReport(t *testing.T) *Report {
	t.Helper()
	r := &Report{Script: "gic/ipi_latency", Seed: 1, Params: Params{
		{"machine", "kunpeng920"}, {"iters", int64(1000)}, {"barriers", []string{"dsb_st", "dsb_ishst"}},
		{"scale", 1.5}, {"verbose", false}, {"title", "a <b> & c"},
	}}
	source := "Barry Song, Linux commit 80e4e1f47288"
	_, err := r.Compare("ipi_latency", "ns", []Case{
		{"wmb()", shifted(publishedWmb, 70_000), &Figure{publishedWmb, source},
			Grounds{Fitted: []string{"sgi_transport"}}},
		{"dsb(ishst)", shifted(publishedIshst, -310_000), &Figure{publishedIshst, source},
			Grounds{Assumed: []string{"outer_ack", "dram"}}},
		{"dmb ish/8-12", shifted(publishedIshst, 1), nil, Grounds{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Compare("lines moved", "lines", []Case{
		{"before", []uint64{12, 13, 13}, nil, Grounds{}}, {"after", []uint64{0, 0, 0}, nil, Grounds{}},
	}); err != nil {
		t.Fatal(err)
	}
	if err := r.AddTable(Table{
		Title:   "Where the time of one remote call goes",
		Columns: []string{"part", "mean", "transfers", "share"},
		Rows: [][]any{
			{"line transfers", FormatPs(512_300), int64(7), 38.8},
			{"SGI, \"wire\"", FormatPs(250_000), "-", 100.0 / 3},
			{"nothing", FormatPs(0), uint64(math.MaxUint64), int64(-1)},
		},
	}); err != nil {
		t.Fatal(err)
	}
	if err := r.AddNote("The parts add up to the whole."); err != nil {
		t.Fatal(err)
	}
	return r
}

// studyReport is a study that excludes one hypothesis and leaves two that experiments would tell apart.
func studyReport(t *testing.T) *Report {
	t.Helper()
	r := &Report{Script: "stores", Seed: 1}
	s := storeStudy("serial", 2, 2000)
	s.Rows[3].Figure = &Figure{[]float64{1e6}, "another, in a single run"}
	s.Hypotheses = append(s.Hypotheses, Hypothesis{"none", s.Hypotheses[0].Fit[:1]})
	concludeIn(t, r, s)
	return r
}

// TestGolden compares every format byte by byte. HWSCRIPT_UPDATE=1 rewrites the files: read the diff, and say in the
// commit why it changed.
func TestGolden(t *testing.T) {
	for name, write := range map[string]func(*Report, io.Writer) error{
		"report.txt":   writeText,
		"report.json":  (*Report).WriteJSON,
		"report.csv":   (*Report).WriteCSV,
		"report.bench": (*Report).WriteBenchfmt,
		"study.txt":    writeText,
		"study.json":   (*Report).WriteJSON,
		"study.csv":    (*Report).WriteCSV,
	} {
		t.Run(name, func(t *testing.T) {
			var got, again bytes.Buffer
			report := sampleReport(t)
			if strings.HasPrefix(name, "study") {
				report = studyReport(t)
			}
			for _, w := range []io.Writer{&got, &again} {
				if err := write(report, w); err != nil {
					t.Fatal(err)
				}
			}
			if got.String() != again.String() {
				t.Error("the second writing differs from the first")
			}
			path := filepath.Join("testdata", name)
			if os.Getenv("HWSCRIPT_UPDATE") != "" {
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		})
	}
}

func writeText(r *Report, w io.Writer) error {
	text := NewTextWriter(w, r)
	if _, err := io.WriteString(text, "printed before\n"); err != nil {
		return err
	}
	for _, b := range r.Blocks() {
		if err := text.Block(b); err != nil {
			return err
		}
	}
	_, err := io.WriteString(text, "printed after\n")
	return err
}

func TestEmptyReport(t *testing.T) {
	var out bytes.Buffer
	if err := new(Report).WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	want := `{"format":1,"script":"","params":{},"seed":0,"results":[],"comparisons":[],"published":[],` +
		`"hypotheses":[],"experiments":[],"tables":[]}`
	var compact bytes.Buffer
	if err := json.Compact(&compact, out.Bytes()); err != nil || compact.String() != want {
		t.Errorf("got %s, %v\nwant %s", compact.String(), err, want)
	}
	if new(Report).Format != 0 {
		t.Error("writing changed the report")
	}
}

// TestBenchfmt reads the output as benchstat does.
func TestBenchfmt(t *testing.T) {
	var out bytes.Buffer
	if err := sampleReport(t).WriteBenchfmt(&out); err != nil {
		t.Fatal(err)
	}
	runs := make(map[string]int)
	for r := benchfmt.NewReader(&out, "out"); r.Scan(); {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			if rec.GetConfig("seed") != "1" || rec.GetConfig("machine") != "kunpeng920" {
				t.Errorf("configuration is missing: %v", rec.Config)
			}
			_, parts := rec.Name.Parts()
			if len(parts) != 1 {
				t.Errorf("%s has parts %q, want the case only", rec.Name, parts)
			}
			runs[string(parts[0])+" "+rec.Values[0].Unit]++
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	want := map[string]int{
		"/case=wmb() sim-sec": 10, "/case=dsb(ishst) sim-sec": 10, "/case=dmb_ish_8_12 sim-sec": 10,
		"/case=before sim-lines": 3, "/case=after sim-lines": 3,
	}
	if diff := cmp.Diff(want, runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

func TestBenchNamesStayDistinct(t *testing.T) {
	r := new(Report)
	cases := []Case{
		{Label: "a b", Values: []uint64{1}}, {Label: "a/b", Values: []uint64{2}}, {Label: "n-8", Values: []uint64{3}},
		{Label: "n-", Values: []uint64{4}},
	}
	if _, err := r.Compare("x", "ns", cases); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := r.WriteBenchfmt(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"BenchmarkX/case=a_b 1 1 sim-ns\n", "BenchmarkX/case=a_b#01 1 2 sim-ns\n",
		"BenchmarkX/case=n_8 1 3 sim-ns\n", // not a number of processors
		"BenchmarkX/case=n- 1 4 sim-ns\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in:\n%s", want, out.String())
		}
	}
}

func TestStatistics(t *testing.T) {
	const big = 1 << 63 // beyond what float64 holds exactly
	c := compare(
		Result{Case: "a", Values: []uint64{big, big + 1, big + 2, big + 3}},
		Result{Case: "b", Values: []uint64{big + 7, big + 4, big + 6, big + 5}})
	if c.P == nil || *c.P != 0.0285714 { // 2 / binomial(8, 4): the cases are disjoint
		t.Errorf("p = %v, want 0.0285714", c.P)
	}
	if *c.DeltaPercent == 0 {
		t.Error("a difference of 4 in 2^63 vanished")
	}
	same := Result{Values: []uint64{5, 5, 5, 5}}
	if c := compare(same, same); *c.P != 1 || *c.DeltaPercent != 0 || c.Low != 5 || c.High != 5 {
		t.Errorf("equal cases: %+v", c)
	}
	three := Result{Values: []uint64{1, 2, 3}}
	if c := compare(three, same); c.P != nil {
		t.Errorf("p = %v with three runs, want none", *c.P)
	}
	zero := Result{Values: []uint64{0}}
	if c := compare(zero, three); c.DeltaPercent != nil {
		t.Errorf("delta against 0 = %v, want none", *c.DeltaPercent)
	}
	if c := compare(zero, zero); *c.DeltaPercent != 0 {
		t.Errorf("delta of 0 against 0 = %v, want 0", *c.DeltaPercent)
	}
	for _, tc := range []struct {
		values []uint64
		median float64
	}{
		{[]uint64{9}, 9}, {[]uint64{4, 1}, 2.5}, {[]uint64{3, 1, 2}, 2}, {[]uint64{4, 1, 3, 2}, 2.5},
	} {
		if got := Summarize(tc.values).Median; got != tc.median {
			t.Errorf("median of %v = %v, want %v", tc.values, got, tc.median)
		}
	}
}

func TestFormatPs(t *testing.T) {
	for ps, want := range map[int64]string{
		0: "0 ps", 1: "1 ps", 999: "999 ps", 1000: "1 ns", 1500: "1.5 ns", 1_320_123: "1.320123 us",
		126_663_949_000: "126.663949 ms", 1_000_000_000_001: "1.000000000001 s", -2500: "-2.5 ns",
		math.MaxInt64: "9223372.036854775807 s", math.MinInt64: "-9223372.036854775808 s",
	} {
		if got := FormatPs(ps); got != want {
			t.Errorf("FormatPs(%d) = %q, want %q", ps, got, want)
		}
	}
}

func TestFormatStat(t *testing.T) {
	for _, tc := range []struct {
		x    float64
		unit string
		want string
	}{
		{126663949, "ns", "126.664 ms"}, {999999.7, "ps", "1.00000 us"}, {1500, "ns", "1.50000 us"},
		{0, "ns", "0 ns"}, {0.25, "ps", "0.250000 ps"}, {72, "s", "72.0000 s"},
		{675480.4, "IOPS", "675480 IOPS"}, {58098548, "commands", "58098500 commands"}, {38.14, "percent", "38.14 percent"},
		{5815200, "mcycles", "5815.20 cycles"}, {-250, "mcycles", "-0.250000 cycles"}, {0, "mcycles", "0 cycles"},
	} {
		if got := formatStat(round6(tc.x), tc.unit); got != tc.want {
			t.Errorf("formatStat(%v, %s) = %q, want %q", tc.x, tc.unit, got, tc.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	one := []uint64{1}
	for _, tc := range []struct {
		name, unit string
		cases      []Case
		want       string
	}{
		{"", "ns", []Case{{"a", one, nil, Grounds{}}}, "needs a name"},
		{"x", "", []Case{{"a", one, nil, Grounds{}}}, "needs a unit"},
		{"x", "ns", nil, "has no cases"},
		{"x", "ns", []Case{{"", one, nil, Grounds{}}}, "case 1 of comparison \"x\" has no label"},
		{"x", "ns", []Case{{"a", one, nil, Grounds{}}, {"a", one, nil, Grounds{}}}, "two cases labelled \"a\""},
		{"x", "ns", []Case{{"a", nil, nil, Grounds{}}}, "has no runs"},
		{"taken", "ns", []Case{{"a", one, nil, Grounds{}}}, "was made before"},
	} {
		r := &Report{Results: []Result{{Name: "taken"}}}
		if _, err := r.Compare(tc.name, tc.unit, tc.cases); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: error %v, want %q", tc.name, err, tc.want)
		}
	}
	for _, tc := range []struct {
		row  []any
		want string
	}{
		{[]any{"a"}, "row 1 of table \"t\" has 1 cells, and there are 2 columns"},
		{[]any{"a", math.NaN()}, "NaN is not a number"},
		{[]any{"a", true}, "not bool"},
	} {
		err := new(Report).AddTable(Table{"t", []string{"x", "y"}, [][]any{tc.row}})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: error %v, want %q", tc.row, err, tc.want)
		}
	}
}
