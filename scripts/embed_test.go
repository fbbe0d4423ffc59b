package scripts

import (
	"io/fs"
	"testing"
)

func TestCanonical(t *testing.T) {
	for name, want := range map[string]string{
		"gic/ipi_latency": "gic/ipi_latency", "gic/ipi_latency.lua": "gic/ipi_latency",
		"scripts/gic/ipi_latency.lua": "gic/ipi_latency", "./scripts/gic/ipi_latency": "gic/ipi_latency",
		`scripts\gic\ipi_latency.lua`: "gic/ipi_latency",
	} {
		if got := Canonical(name); got != want {
			t.Errorf("Canonical(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestSummary(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"local x = 1\n-- Not a head.":   "",
		"-- One IPI.\n-- More of it.":   "One IPI.",
		"--! args -p runs=1\n--A.\nx()": "A.",
		"--! args -p runs=1\nx()":       "",
	} {
		if got := Summary([]byte(text)); got != want {
			t.Errorf("Summary(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestScenarios holds what `hwscript list` relies on.
func TestScenarios(t *testing.T) {
	for _, name := range Names() {
		text, canonical, ok := Source("scripts/" + name + ".lua")
		if !ok || canonical != name {
			t.Errorf("%s is not found under its path", name)
		}
		if Summary(text) == "" {
			t.Errorf("scripts/%s.lua: the first comment line must say what the scenario shows", name)
		}
	}
	if _, _, ok := Source("data/published"); ok {
		t.Error("data are taken for a scenario")
	}
	for _, name := range []string{"published.tsv", "sources.tsv"} {
		if _, err := fs.Stat(Data(), name); err != nil {
			t.Error(err)
		}
	}
}
