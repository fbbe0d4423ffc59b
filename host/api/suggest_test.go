package api_test

import (
	"testing"

	"github.com/hwscript/hwscript/host/api"
)

func TestSuggest(t *testing.T) {
	presets := []string{"virt", "kunpeng920", "virtual", "neoverse"}
	for _, c := range []struct{ word, want string }{
		{"virt", "virt"}, {"vrit", "virt"}, {"VIRT", "virt"}, {"kunpeng", "kunpeng920"}, {"kunpeng920", "kunpeng920"},
		{"kupneng92", "kunpeng920"}, {"virtuel", "virtual"}, {"x86", ""}, {"", ""}, {"n", ""},
	} {
		if got := api.Suggest(c.word, presets); got != c.want {
			t.Errorf("Suggest(%q) = %q, want %q", c.word, got, c.want)
		}
	}
	for _, c := range []struct {
		word, want string
		from       []string
	}{
		{"dsb_isht", "dsb_ishst", []string{"dsb_ish", "dsb_ishst", "dsb_ishld"}},
		{"ncpu", "ncpus", []string{"cpu", "ncpus"}},
	} {
		if got := api.Suggest(c.word, c.from); got != c.want {
			t.Errorf("Suggest(%q) = %q, want %q: the beginning is right, and a letter was left out", c.word, got, c.want)
		}
	}
	if got := api.Suggest("cat", []string{"rat", "bat", "hat"}); got != "bat" {
		t.Errorf("of equally near words %q was chosen, not the first in order", got)
	}
}
