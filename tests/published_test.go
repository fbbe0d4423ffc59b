package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/host/result"
)

// TestPublishedRoles: in JSON every published row of the scenario has its role, and an interval where it was tested;
// none is called predicted while a constant was fitted on it.
func TestPublishedRoles(t *testing.T) {
	t.Chdir(root)
	text, err := runScript("scripts/gic/ipi_latency.lua",
		[]string{"--format", "json", "-p", "iters=1", "-p", "runs=2", "-p", "sample=1"})
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Published  []result.Row
		Hypotheses []result.Judged
	}
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	want := map[string]result.Role{"wmb()": result.RoleFitted, "dsb(ishst)": result.RoleUnexplained}
	if len(report.Published) != len(want) || strings.Count(string(text), `"source"`) != 2+2*5 {
		t.Fatalf("%d published rows", len(report.Published))
	}
	for _, r := range report.Published {
		if r.Role != want[r.Case] || r.Hypothesis != "none" {
			t.Errorf("%s is %s under %q, want %s under none", r.Case, r.Role, r.Hypothesis, want[r.Case])
		}
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range report.Hypotheses {
		for _, f := range h.Fitted {
			row := regexp.MustCompile(fmt.Sprintf("(?m)^\\| `%s` .* %.1f ns \\|$", h.Name, float64(f.Value)/1000))
			if f.Row == "dsb(ishst)" && !row.Match(readme) {
				t.Errorf("README.md has no row %s", row)
			}
		}
		if (h.Verdict == result.Excluded) != (h.Name == "none") {
			t.Errorf("hypothesis %s: %s", h.Name, h.Verdict)
		}
		for _, r := range h.Rows {
			fitted := slices.ContainsFunc(h.Fitted, func(f result.FittedValue) bool { return f.Row == r.Case })
			if fitted != (r.Role == result.RoleFitted) || fitted == (r.Least != nil) || r.DeviationPercent != nil {
				t.Errorf("%s, %s: fitted %v, and the row is %+v", h.Name, r.Case, fitted, r)
			}
		}
	}
}
