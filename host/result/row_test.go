package result

import (
	"math/big"
	"testing"
)

// TestRoles: a row has one role, and is never called predicted while a constant was fitted on it, or taken from it, or
// while one that nobody has measured moves it.
func TestRoles(t *testing.T) {
	one := []string{"c"}
	maybe := func(present bool) []string {
		if present {
			return one
		}
		return nil
	}
	seen := map[Role]int{}
	for bits := range 1 << 5 {
		g := Grounds{
			Given: maybe(bits&1 != 0), Fitted: maybe(bits&2 != 0), Assumed: maybe(bits&4 != 0),
			Indistinguishable: bits&8 != 0, Outside: bits&16 != 0,
		}
		role, constant := g.Role()
		seen[role]++
		if free := g.Given == nil && g.Fitted == nil && g.Assumed == nil; role == RolePredicted && !free {
			t.Errorf("%+v is called predicted", g)
		}
		if named := constant != ""; named != (role == RoleGiven || role == RoleFitted) {
			t.Errorf("%+v is %s, with the constant %q", g, role, constant)
		}
		if role == RoleFitted != (g.Fitted != nil && g.Given == nil) {
			t.Errorf("%+v is %s", g, role)
		}
	}
	want := map[Role]int{
		RoleGiven: 16, RoleFitted: 8, RoleUnexplained: 4, RoleIndistinguishable: 2, RoleInterval: 1, RolePredicted: 1,
	}
	for role, n := range want {
		if seen[role] != n {
			t.Errorf("%s: %d of 32 grounds, want %d", role, seen[role], n)
		}
	}
}

// TestDeviation: a deviation in percent stands beside predictions only.
func TestDeviation(t *testing.T) {
	figure := &Figure{[]float64{10, 11}, "s"}
	for _, g := range []Grounds{{}, {Fitted: []string{"c"}}, {Assumed: []string{"c"}}, {Given: []string{"c"}}} {
		b, err := new(Report).Compare("x", "ns", []Case{{"a", []uint64{12}, figure, g}})
		if err != nil {
			t.Fatal(err)
		}
		row := b.Cases[0].Published
		if has := row.DeviationPercent != nil; has != (row.Role == RolePredicted) {
			t.Errorf("%s: deviation %v", row.Role, row.DeviationPercent)
		}
	}
}

// TestIndistinguishable: what the publication's own runs do not tell apart is called so, even where it agrees.
func TestIndistinguishable(t *testing.T) {
	noisy, single := []float64{90, 95, 105, 110}, []float64{100}
	for _, tc := range []struct {
		name        string
		base, other []float64
		want        Role
	}{
		{"noise above the difference", noisy, []float64{92, 97, 107, 112}, RoleIndistinguishable},
		{"far apart", noisy, []float64{190, 195, 205, 210}, RolePredicted},
		{"a single run has no interval", noisy, single, RolePredicted},
		{"no spread and no difference", []float64{5, 5}, []float64{5, 5}, RoleIndistinguishable},
		{"no spread and a difference", []float64{5, 5}, []float64{6, 6}, RolePredicted},
	} {
		b, err := new(Report).Compare("x", "ns", []Case{
			{"base", []uint64{1}, &Figure{tc.base, "s"}, Grounds{}}, {"case", []uint64{1}, &Figure{tc.other, "s"}, Grounds{}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Cases[1].Published.Role; got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
		if tc.other[0] == 100 && b.Cases[1].Published.Published != nil {
			t.Errorf("a single run has the interval %+v", b.Cases[1].Published.Published)
		}
	}
}

// TestEstimate holds the intervals to values worked out elsewhere (t of 9 degrees of freedom is 2.26216; Welch's
// example has 11.155 degrees of freedom, rounded down to 11, of which t is 2.20099).
func TestEstimate(t *testing.T) {
	e := estimate([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	if lo, hi := roundRat(e.low()), roundRat(e.high()); lo != 3.33415 || hi != 7.66585 {
		t.Errorf("1 to 10: %v to %v, want 3.33415 to 7.66585", lo, hi)
	}
	if e := estimate([]float64{7}); e.half != nil || e.mean.Cmp(big.NewRat(7, 1)) != 0 {
		t.Errorf("one run: %+v", e)
	}
	d := difference(estimate([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), estimate([]float64{11, 11.5, 12, 12.5, 13}))
	// 6.5 -+ 2.20099 * root(0.916667 + 0.125).
	if lo, hi := roundRat(d.low()), roundRat(d.high()); lo != 4.25362 || hi != 8.74638 {
		t.Errorf("difference: %v to %v, want 4.25362 to 8.74638", lo, hi)
	}
}

func TestRoot(t *testing.T) {
	for _, x := range []*big.Rat{
		new(big.Rat), big.NewRat(1, 4), big.NewRat(2, 1), big.NewRat(1, 1<<40), big.NewRat(1<<62, 3), big.NewRat(9, 1),
	} {
		r := root(x)
		square := new(big.Rat).Mul(r, r)
		next := new(big.Rat).Mul(r, big.NewRat(1<<30+1, 1<<30))
		if square.Cmp(x) > 0 || x.Sign() > 0 && next.Mul(next, next).Cmp(x) <= 0 {
			t.Errorf("root(%v) = %v", x, r)
		}
	}
}
