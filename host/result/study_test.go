package result

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The mechanisms of the synthetic machine: n stores, then a barrier that waits for nothing, for each store, or for one
// flush. The times are in ps; ack is what one acknowledgement, or the flush, takes.
var mechanisms = map[string]func(n, ack int64) int64{
	"none":   func(_, _ int64) int64 { return 0 },
	"serial": func(n, ack int64) int64 { return n * ack },
	"flush": func(n, ack int64) int64 {
		if n == 0 {
			return 0
		}
		return ack
	},
}

// storeRows are the rows of the synthetic machine: stores, and whether the barrier waits for them.
var storeRows = []struct {
	name   string
	stores int64
	waits  bool
}{
	{"fixed", 7, false}, {"7 stores", 7, true}, {"2 stores", 2, true}, {"0 stores", 0, true}, {"14 stores", 14, true},
}

// published is what a machine of a mechanism shows in ten runs, with noise of up to a half of width around it.
func publishedBy(mechanism string, row int, width int64, random *rand.Rand) []float64 {
	x := int64(1_000_000)
	if r := storeRows[row]; r.waits {
		x += mechanisms[mechanism](r.stores, map[string]int64{"serial": 5000, "flush": 35_000}[mechanism])
	}
	values := make([]float64, 10)
	for i := range values {
		values[i] = float64(x + random.Int64N(width+1) - width/2)
	}
	return values
}

// storeStudy asks which mechanism made the published rows; the others are experiments.
func storeStudy(truth string, published int, noise int64) *Study {
	random := rand.New(rand.NewPCG(1, 2))
	s := &Study{
		Name: "stores", Unit: "ps", Seed: 1, Sample: 32,
		Constants: []Constant{
			{Name: "ack", Unit: "ps", Low: 0, Typical: 10_000, High: 500_000, Origin: Assumed},
			{Name: "base", Unit: "ps", Low: 0, Typical: 900_000, High: 2_000_000, Origin: Assumed},
			{Name: "code", Low: 10, Typical: 20, High: 40, Origin: Assumed},
			{Name: "wire", Unit: "ps", Low: 50_000, Typical: 60_000, High: 90_000, Origin: Sourced},
		},
	}
	for i, r := range storeRows {
		row := StudyRow{Name: r.name}
		if i < published {
			row.Figure = &Figure{publishedBy(truth, i, noise, random), "a synthetic machine"}
		}
		s.Rows = append(s.Rows, row)
	}
	fit := []Fit{{"base", "fixed"}, {"ack", "7 stores"}}
	s.Hypotheses = []Hypothesis{{"serial", fit}, {"flush", fit}}
	return s
}

// simulateStores is measure for a hypothesis.
func simulateStores(s *Study, h int) func(values []int64, row int) int64 {
	return func(values []int64, row int) int64 {
		t := values[1] + values[3] + 380*values[2]
		if r := storeRows[row]; r.waits {
			t += mechanisms[s.Hypotheses[h].Name](r.stores, values[0])
		}
		return t
	}
}

func conclude(t *testing.T, s *Study) *StudyBlock {
	t.Helper()
	return concludeIn(t, new(Report), s)
}

func concludeIn(t *testing.T, r *Report, s *Study) *StudyBlock {
	t.Helper()
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	solve := func(points []Point) []Outcome {
		var out []Outcome
		for _, p := range points {
			out = append(out, s.Solve(p, simulateStores(s, p.Hypothesis)))
		}
		return out
	}
	b, err := r.Conclude(s, solve(s.Typical()), solve(s.Around()), make([]Grounds, len(s.Rows)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestVerdicts: data made by one mechanism excludes another that was fitted to it, and not the one that made it; noise
// above the difference says nothing.
func TestVerdicts(t *testing.T) {
	for _, tc := range []struct {
		truth         string
		noise         int64
		serial, flush Verdict
	}{
		{"flush", 2000, Excluded, Consistent},
		{"serial", 2000, Consistent, Excluded},
		{"serial", 200_000, CannotTell, CannotTell},
		{"flush", 200_000, CannotTell, CannotTell},
	} {
		b := conclude(t, storeStudy(tc.truth, 3, tc.noise))
		if s, f := b.Hypotheses[0].Verdict, b.Hypotheses[1].Verdict; s != tc.serial || f != tc.flush {
			t.Errorf("%s with noise %d: serial %s, flush %s, want %s and %s", tc.truth, tc.noise, s, f, tc.serial, tc.flush)
		}
	}
	alone := storeStudy("flush", 3, 2000)
	alone.Hypotheses = alone.Hypotheses[:1]
	if v := conclude(t, alone).Hypotheses[0].Verdict; v != Excluded {
		t.Errorf("serial alone, on data of flush: %s", v)
	}
}

// TestRolesOfStudies: nothing is called predicted while a constant was fitted on it, taken from it, or while a merely
// assumed one moves it; what is fitted or given is not tested.
func TestRolesOfStudies(t *testing.T) {
	s := storeStudy("serial", 3, 2000)
	s.Hypotheses = append(s.Hypotheses, Hypothesis{"none", nil})
	for h, want := range [][]Role{
		{RoleFitted, RoleFitted, RolePredicted}, {RoleFitted, RoleFitted, RoleUnexplained},
		{RoleInterval, RoleInterval, RoleInterval},
	} {
		for i, r := range conclude(t, s).Hypotheses[h].Rows {
			if r.Role != want[i] {
				t.Errorf("%s, %s: %s, want %s", s.Hypotheses[h].Name, r.Case, r.Role, want[i])
			}
			if tested := r.Role != RoleFitted; tested != (r.Verdict != "") || tested != (r.Low != nil) {
				t.Errorf("%s, %s is %s: verdict %q, interval %v", s.Hypotheses[h].Name, r.Case, r.Role, r.Verdict, r.Low)
			}
			if (r.DeviationPercent != nil) != (r.Role == RolePredicted) {
				t.Errorf("%s, %s is %s and deviates by %v", s.Hypotheses[h].Name, r.Case, r.Role, r.DeviationPercent)
			}
		}
	}
	s.Constants[3].Origin, s.Constants[3].Row = Given, "2 stores"
	if r := conclude(t, s).Hypotheses[0].Rows[2]; r.Role != RoleGiven || r.Constant != "wire" || r.Verdict != "" {
		t.Errorf("a row from which a constant was taken: %+v", r)
	}
	// What the study does not list, and the machine assumes, stands in the way of a prediction.
	s = storeStudy("serial", 3, 2000)
	typical := make([]Outcome, 2)
	for h, p := range s.Typical() {
		typical[h] = s.Solve(p, simulateStores(s, h))
	}
	around := make([]Outcome, len(s.Around()))
	for i, p := range s.Around() {
		around[i] = s.Solve(p, simulateStores(s, p.Hypothesis))
	}
	grounds := make([]Grounds, len(s.Rows))
	grounds[2].Assumed = []string{"dram"}
	b, err := new(Report).Conclude(s, typical, around, grounds)
	if err != nil || b.Hypotheses[0].Rows[2].Role != RoleUnjudged || b.Hypotheses[0].Rows[2].Verdict != CannotTell {
		t.Errorf("with an unlisted constant: %v, %v", b.Hypotheses[0].Rows[2].Role, err)
	}
}

// TestSingleRun: a row that was published as one run has no interval, and says nothing of a hypothesis.
func TestSingleRun(t *testing.T) {
	s := storeStudy("flush", 3, 0)
	s.Rows[2].Figure.Values = s.Rows[2].Figure.Values[:1]
	r := conclude(t, s).Hypotheses[0].Rows[2]
	if r.Published != nil || r.Verdict != CannotTell {
		t.Errorf("published %v, verdict %s", r.Published, r.Verdict)
	}
}

// TestExperiments: those come first that separate what survives.
func TestExperiments(t *testing.T) {
	b := conclude(t, storeStudy("serial", 2, 2000)) // both mechanisms can be fitted to these rows
	var names []string
	for _, e := range b.Experiments {
		names = append(names, e.Name)
	}
	if want := []string{"14 stores", "2 stores", "0 stores"}; !slices.Equal(names, want) {
		t.Errorf("experiments %q, want %q", names, want)
	}
	first, last := b.Experiments[0], b.Experiments[2]
	if first.Separates != 1 || last.Separates != 0 || len(first.Values) != 2 {
		t.Errorf("first %+v, last %+v", first, last)
	}
	b = conclude(t, storeStudy("serial", 3, 2000))
	if got := b.Experiments[0].Values; len(got) != 1 || got[0].Hypothesis != "serial" {
		t.Errorf("an excluded hypothesis still predicts: %+v", got)
	}
}

// TestStudyErrors: what is wrong with a study, said before anything is simulated.
func TestStudyErrors(t *testing.T) {
	for _, tc := range []struct {
		change func(s *Study)
		want   string
	}{
		{func(s *Study) { s.Hypotheses[0].Fit = []Fit{{"akc", "fixed"}} },
			`hypothesis "serial": fit: no constant "akc"; there is "ack", "base", "code", "wire"`},
		{func(s *Study) { s.Hypotheses[0].Fit = []Fit{{"ack", "fix"}} },
			`fit: no row "fix" for constant "ack"; there is "fixed",`},
		{func(s *Study) { s.Hypotheses[0].Fit = []Fit{{"ack", "fixed"}, {"ack", "7 stores"}} },
			`constant "ack" has two rows, "fixed" and "7 stores"`},
		{func(s *Study) { s.Hypotheses[0].Fit = []Fit{{"ack", "fixed"}, {"base", "fixed"}} },
			`row "fixed" has two constants, "ack" and "base"`},
		{func(s *Study) { s.Hypotheses[0].Fit = []Fit{{"ack", "14 stores"}} },
			`nothing was published of row "14 stores"`},
		{func(s *Study) { s.Constants[0].Low = 600_000 },
			`constant "ack": the low value 600 ns is above the high value 500 ns`},
		{func(s *Study) { s.Constants[0].Typical = 600_000 },
			`the typical value 600 ns is not between 0 ps and 500 ns`},
		{func(s *Study) { s.Constants[2].Low, s.Constants[2].High = 20, 20 },
			`constant "code" is assumed and has no range`},
		{func(s *Study) {
			s.Constants[3].Low, s.Constants[3].High = 60_000, 60_000
			s.Hypotheses[0].Fit = []Fit{{"wire", "fixed"}}
		}, `constant "wire" has no range in which to fit it`},
		{func(s *Study) { s.Constants[3].Origin = Given }, `a given one names the row`},
		{func(s *Study) { s.Constants[3].Row = "fixed" }, `a given one names the row`},
		{func(s *Study) { s.Constants[3].Origin, s.Constants[3].Row = Given, "x" }, `given by no row "x"; there is`},
		{func(s *Study) { s.Rows[1].Name = "fixed" }, `"fixed" stands there twice`},
		{func(s *Study) { s.Rows[1].Base = "x" }, `row "7 stores": base: no row "x"`},
		{func(s *Study) { s.Hypotheses[1].Name = "serial" }, `two hypotheses are named "serial"`},
		{func(s *Study) { s.Hypotheses = nil }, `0 hypotheses`},
	} {
		s := storeStudy("serial", 3, 0)
		tc.change(s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
}

// TestUnfit: a fit whose root is not in the range says what the row is at both ends.
func TestUnfit(t *testing.T) {
	s := storeStudy("serial", 3, 0)
	s.Constants[0].High = 10_000
	s.Constants[0].Low = 9000
	out := s.Solve(s.Typical()[0], simulateStores(s, 0))
	want := `hypothesis "serial": constant "ack" cannot be fitted on row "7 stores", which is 1.03500 us: at 9 ns the ` +
		`row is 1.06300 us, at 10 ns it is 1.07000 us`
	if err := s.Fits(0, out); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if _, err := new(Report).Conclude(s, []Outcome{out, out}, nil, nil); err == nil {
		t.Error("a hypothesis whose row does not come out is judged")
	}
}

// TestNearest holds the search to trying every value.
func TestNearest(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		n := 2 + random.IntN(60)
		values := make([]int64, n)
		for i := range values {
			if values[i] = random.Int64N(7); i > 0 {
				values[i] += values[i-1]
			}
		}
		if random.IntN(2) == 0 {
			slices.Reverse(values)
		}
		low, high := min(values[0], values[n-1]), max(values[0], values[n-1])
		target := big.NewRat(low*3+random.Int64N((high-low)*3+1), 3)
		calls := 0
		at := func(x int64) *big.Rat { calls++; return integer(values[x]) }
		got, next, atGot, atNext := neighbours(0, int64(n-1), at(0), at(int64(n-1)), target, at)
		if nearer(atNext, atGot, target) {
			got = next
		}
		for x := range values {
			if nearer(integer(values[x]), integer(values[got]), target) {
				t.Fatalf("%v for %v: %d, and %d is nearer", target, values, got, x)
			}
		}
		if calls > 2+3*7 { // three steps for each halving of up to 61
			t.Fatalf("%d calls for %d values", calls, n)
		}
	}
	calls := 0
	line := func(x int64) *big.Rat { calls++; return integer(7*x + 3) }
	const high = 1 << 40
	_, got, _, _ := neighbours(0, high, line(0), line(high), integer(7*123_456_789+3), line)
	if got != 123_456_789 || calls > 5 {
		t.Errorf("on a line: %d after %d calls", got, calls)
	}
}

// TestJump: a row that jumps over its target does not come out, and both sides are told; one whose steps are as large
// everywhere comes out as near as it can.
func TestJump(t *testing.T) {
	s := storeStudy("serial", 3, 0)
	s.Hypotheses[0].Fit = []Fit{{"base", "fixed"}}
	s.Rows[1].Figure.Values = []float64{1_000_000}
	solve := func(poll int64) Outcome {
		return s.Solve(s.Typical()[0], func(values []int64, row int) int64 { return (values[1] + poll - 1) / poll * poll })
	}
	if out := solve(1500); out.Unfit != nil {
		t.Errorf("steps of 1.5 ns: %v", out.Unfit)
	}
	want := `constant "base" cannot be fitted on row "fixed", which is 1.00000 us: at 900 ns the row is 900.000 ns, ` +
		`at 900.001 ns it is 1.20000 us`
	if out := solve(300_000); out.Unfit == nil || out.Unfit.Error() != want {
		t.Errorf("steps of 300 ns: %v, want %s", out.Unfit, want)
	}
}

// TestSample: the points lie within the ranges, half of them below the typical value, spread evenly in each dimension;
// the same for a seed, others for another.
func TestSample(t *testing.T) {
	const n = 240
	for dimension := range 30 {
		var bins [8]int
		for i := range n {
			bins[halton(1, dimension, i)>>29]++
		}
		for _, count := range bins {
			if count < n/8-14 || count > n/8+14 {
				t.Errorf("dimension %d: %v points in each eighth", dimension, bins)
				break
			}
		}
	}
	c := Constant{Low: -10, Typical: 0, High: 1000}
	for fraction, want := range map[uint32]int64{
		0: -10, 1 << 30: -5, 1<<31 - 1: -1, 1 << 31: 0, 3 << 30: 500, 1<<32 - 1: 999,
	} {
		if got := c.at(fraction); got != want {
			t.Errorf("at %#x: %d, want %d", fraction, got, want)
		}
	}
	first := halton(1, 3, 5)
	if other, again := halton(2, 3, 5), halton(1, 3, 5); first == other || first != again {
		t.Error("the sample does not follow the seed")
	}
	// These bytes are part of every golden file: they must not depend on the processor.
	if got := []uint32{halton(1, 0, 1), halton(1, 1, 2), halton(7, 20, 63)}; !slices.Equal(got, sampleOfSeed) {
		t.Errorf("sample %#x, want %#x", got, sampleOfSeed)
	}
}

var sampleOfSeed = []uint32{0xe4785d18, 0x38a32883, 0x6528c4a}

// TestSolveFrom holds fits that begin at the typical solution to those that begin with the whole ranges: every fitted
// row comes out as near as a whole number makes it, with a fraction of the simulations.
func TestSolveFrom(t *testing.T) {
	for _, truth := range []string{"serial", "flush"} {
		s := storeStudy(truth, 3, 2000)
		starts := make([]*Start, len(s.Hypotheses))
		for h, p := range s.Typical() {
			starts[h] = s.StartAt(h, s.Solve(p, simulateStores(s, h)), simulateStores(s, h))
		}
		calls := [2]int{}
		counted := func(n, h int) func(values []int64, row int) int64 {
			measure := simulateStores(s, h)
			return func(values []int64, row int) int64 { calls[n]++; return measure(values, row) }
		}
		for _, p := range s.Around() {
			h := p.Hypothesis
			whole, from := s.Solve(p, counted(0, h)), s.SolveFrom(starts[h], p, counted(1, h))
			if (whole.Unfit == nil) != (from.Unfit == nil) {
				t.Fatalf("%+v: %v from the ranges, %v from the start", p, whole.Unfit, from.Unfit)
			}
			if whole.Unfit != nil {
				continue
			}
			for i := range whole.Rows {
				if d := abs(whole.Rows[i] - from.Rows[i]); d > 14 {
					t.Errorf("%+v, row %d: %d from the ranges, %d from the start", p, i, whole.Rows[i], from.Rows[i])
				}
			}
		}
		if 2*calls[1] > calls[0] {
			t.Errorf("%s: %d simulations from the ranges, %d from the start", truth, calls[0], calls[1])
		}
	}
}

// TestSolveFromAfar: a start from which no step leads anywhere is as good as none.
func TestSolveFromAfar(t *testing.T) {
	s := storeStudy("serial", 3, 0)
	p := s.Typical()[0]
	want := s.Solve(p, simulateStores(s, 0))
	from := func(a, b, c, d int64) *Start {
		return &Start{[]int64{0, 0, 20, 60_000}, [][]*big.Rat{{integer(a), integer(b)}, {integer(c), integer(d)}}}
	}
	flat, out := from(0, 0, 0, 0), from(1, -1, 1, 1)
	for _, start := range []*Start{nil, flat, out} {
		if got := s.SolveFrom(start, p, simulateStores(s, 0)); !slices.Equal(got.Values, want.Values) {
			t.Errorf("%+v: %v, want %v", start, got.Values, want.Values)
		}
	}
}

// TestShrink: where an earlier constant cannot be fitted at the high end of a later one, the later one is sought where
// it can be.
func TestShrink(t *testing.T) {
	s := storeStudy("serial", 3, 0)
	s.Constants[0].High = 500_000_000 // 7 acknowledgements of that length are more than the whole row
	s.Hypotheses[0].Fit = []Fit{{"base", "7 stores"}, {"ack", "fixed"}}
	s.Rows[0].Figure.Values, s.Rows[1].Figure.Values = []float64{1_035_000}, []float64{1_000_000}
	// Both rows wait here, so that ack trades against base.
	measure := func(values []int64, row int) int64 {
		n := map[int]int64{0: 8, 1: 1}[row]
		return values[1] + n*values[0]
	}
	out := s.Solve(s.Typical()[0], measure)
	if want := []int64{5000, 995_000}; out.Unfit != nil || !slices.Equal(out.Values[:2], want) {
		t.Errorf("values %v, %v; want %v", out.Values, out.Unfit, want)
	}
	s.Rows[0].Figure.Values = []float64{90_000_000}
	want := `constant "ack" cannot be fitted on row "fixed", which is 90.0000 us: at 0 ps the row is 1.00000 us, ` +
		`at 1 us it is 8.00000 us`
	if out = s.Solve(s.Typical()[0], measure); out.Unfit == nil || out.Unfit.Error() != want {
		t.Errorf("got  %v\nwant %s", out.Unfit, want)
	}
}

// TestResolution: what a measurement cannot tell apart is not separated by it.
func TestResolution(t *testing.T) {
	for resolution, want := range map[int64]int{0: 1, 34_000: 1, 36_000: 0} {
		s := storeStudy("serial", 2, 2000) // 14 stores: 1070 and 1035 ns
		s.Rows[4].Resolution = resolution
		for _, e := range conclude(t, s).Experiments {
			if e.Name == "14 stores" && e.Separates != want {
				t.Errorf("resolution %d: separates %d pairs, want %d", resolution, e.Separates, want)
			}
		}
	}
}

// TestJudged: a comparison takes role and interval of a figure from a study, if the cases are what the hypothesis is
// about; without a study the word interval is refused.
func TestJudged(t *testing.T) {
	s := storeStudy("serial", 3, 2000)
	s.Hypotheses = append(s.Hypotheses, Hypothesis{"none", nil})
	r := new(Report)
	concludeIn(t, r, s)
	row := s.Rows[2]
	compare := func(h int, value uint64, figure *Figure) (*Row, error) {
		c := Case{row.Name, []uint64{value}, figure, Grounds{Assumed: []string{"c"}, Judged: &r.Hypotheses[h]}}
		b, err := new(Report).Compare("x", "ps", []Case{c})
		if err != nil {
			return nil, err
		}
		return b.Cases[0].Published, nil
	}
	for h, want := range []Role{RolePredicted, RoleUnexplained, RoleInterval} {
		judged := r.Hypotheses[h].Rows[2]
		got, err := compare(h, uint64(judged.Simulated), row.Figure)
		if err != nil {
			t.Fatal(err)
		}
		if got.Role != want || *got.Least != *judged.Least || *got.Most != *judged.Most ||
			got.Hypothesis != s.Hypotheses[h].Name || (got.DeviationPercent != nil) != (want == RolePredicted) {
			t.Errorf("%s: %+v", s.Hypotheses[h].Name, got)
		}
	}
	if _, err := compare(0, 5_000_000, row.Figure); err == nil || !strings.Contains(err.Error(), "another machine") {
		t.Errorf("a case of another machine: %v", err)
	}
	if _, err := compare(0, 1_010_000, &Figure{[]float64{1, 2}, "s"}); err == nil ||
		!strings.Contains(err.Error(), "another figure") {
		t.Errorf("another figure: %v", err)
	}
	c := Case{"13 stores", []uint64{1}, row.Figure, Grounds{Judged: &r.Hypotheses[0]}}
	if _, err := new(Report).Compare("x", "ps", []Case{c}); err == nil || !strings.Contains(err.Error(), "no such row") {
		t.Errorf("another row: %v", err)
	}
	c = Case{row.Name, []uint64{1_010_000}, row.Figure, Grounds{Assumed: []string{"c"}}}
	b, err := new(Report).Compare("x", "ps", []Case{c})
	if err != nil || b.Cases[0].Published.Role != RoleUnjudged {
		t.Errorf("without a study: %+v, %v", b.Cases[0].Published, err)
	}
}
