package linux_test

import (
	"testing"

	"github.com/hwscript/hwscript/hardware/linux"
)

// TestCosts: each cost has a name and a text of its own and a range around its cycles; one that is set is exact.
func TestCosts(t *testing.T) {
	names := map[string]bool{}
	for _, c := range linux.DefaultCosts().List() {
		if names[c.Name] || c.Doc == "" || c.Set || !(0 <= c.Low && c.Low < c.Typical && c.Typical < c.High) {
			t.Errorf("%+v", c)
		}
		names[c.Name] = true
		costs := linux.DefaultCosts()
		if !costs.Set(c.Name, c.Typical+7) {
			t.Errorf("%s cannot be set", c.Name)
		}
		for i, d := range costs.List() {
			want := linux.DefaultCosts().List()[i]
			if d.Name == c.Name {
				want.Low, want.Typical, want.High, want.Set = c.Typical+7, c.Typical+7, c.Typical+7, true
			}
			if d != want {
				t.Errorf("%s set: %+v, want %+v", c.Name, d, want)
			}
		}
	}
	if costs := linux.DefaultCosts(); len(names) != 19 || costs.Set("call", 1) || costs != linux.DefaultCosts() {
		t.Errorf("%d costs, or one of another name", len(names))
	}
}
