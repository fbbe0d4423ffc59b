package repl

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/bindings"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/result"
)

// newHost makes a host with all modules, and runs code on it.
func newHost(t testing.TB, code string) *host.Host {
	t.Helper()
	session := &bindings.Session{Report: &result.Report{}, Interactive: true}
	h, err := bindings.NewHost(session, host.Options{Preload: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	if err := h.Run(context.Background(), "test", code); err != nil {
		t.Fatal(err)
	}
	return h
}

var completions = []struct {
	before, after string
	want          string // words among those found, those with ! not; behind an equals sign, no others
}{
	{"mach", "", "= machines"},
	{"m", "", "m machines math !_hidden"},
	{"_h", "", "= _hidden"},
	{"func", "", "= function"},
	{"x = hw.", "", "machine presets"},
	{"hw.mach", "", "= machine"},
	{"m:", "", "run spawn continue cpu describe !ncpus"},
	{"m.", "", "ncpus spec linux !run"},
	{"m.nc", "us", "= ncpus"},
	{"m.spec.cl", "", "clusters clock_hz"},
	{"print(m:des", ")", "= describe"},
	{"m:cpu(3):loa", "", "= load"},
	{"machines.small:desc", "", "= describe"},
	{"machines[2]:desc", "", "= describe"},
	{"machines[x]:desc", "", "="},
	{"machines.sm", "", "= small"},
	{"makers[1](\"kun", "", "= kunpeng920\""},
	{"m.gicr[1].GICR_WAK", "", "= GICR_WAKER"},
	{"m.gicr[x].ba", "", "= base"},
	{"m.gicr[x].GICR_WAK", "", "="},
	{"object.", "", "own inherited"},
	{"object:", "", "= inherited"},
	{"('x'):up", "", "= upper"},
	{"s = 'x'; s:up", "", "= upper"},
	{"string.for", "", "= format"},
	{"hw.machine(\"kun", "", "= kunpeng920\""},
	{"x = \"hw.\nm:des", "", "= describe"}, // a line end closes a string that is not closed
	{"hw.machine('kun", "'", "= kunpeng920"},
	{"hw.machine \"", "", "arm80 kunpeng920 virt"},
	{"hw.machine(\"virt\", { cp", "", "= cpus"},
	{"hw.machine(\"virt\", { cpus = 4, linux = { ipi_b", "", "= ipi_barrier"},
	{"hw.machine(\"virt\", { linux = { ipi_barrier = \"dsb_is", "", "= dsb_ish dsb_ishld dsb_ishst"},
	{"hw.machine({ lat", "", "= latency"},
	{"m:run(0, function(cpu)\n  cpu:loa", "", "= load"},
	{"m:run(0, function(cpu)\n  cpu:dsb \"ish", "", "ish ishst ishld"},
	{"m:run(0, function(cpu)\n  cpu:mrs(\"ICC_IAR", "", "ICC_IAR0_EL1 ICC_IAR1_EL1"},
	{"local n = hw.machine(\"virt\")\nn:desc", "", "= describe"},
	{"local n = m\nlocal c = n:cpu(1)\nc:sto", "", "= store"},
	{"n = hw.machine(function() n:desc", "", "="}, // not assigned yet
	{"n = hw.machine(function() k = n end)\nk:desc", "", "="},
	{"n = m.gicr[n.ba", "", "="},
	{"require \"be", "", "= bench\""},
	{"require(\"bench\").par", "", "= params"},
	{"help \"hw.ma", "", "= hw.machine\""},
	{"help(\"GICD_CTL", "\")", "= GICD_CTLR GICD_CTLR_NS"},
	{"?hw.ma", "", "= hw.machine"},
	{"?m:desc", "", "= m:describe"},
	{"?gicd_ctl", "", "= GICD_CTLR GICD_CTLR_NS"},
	{":re", "", "= :reset"},
	{":lo", "", "= :load"},
	{":load complete_t", "", "= complete_test.go"},
	{":load ../repl/complete_t", "", "= ../repl/complete_test.go"},
	{":time x", "", "="},
	{"x = 1 -- m", "", "="},
	{"x = [[m", "", "="},
	{"\"m", "", "="},
	{"undefined.", "", "="},
	{"undefined(1).x:", "", "="},
	{"5.", "", "="},
	{"m..", "", "m machines"},
	{"nothing_like_it", "", "="},
}

func TestComplete(t *testing.T) {
	h := newHost(t, `
m = hw.machine("kunpeng920")
machines = { small = hw.machine("virt", { cpus = 4 }), [2] = m }
makers = { hw.machine }
object = setmetatable({ own = 1 }, { __index = { inherited = function() end } })
_hidden = 1`)
	for _, c := range completions {
		got := complete(h, c.before, c.after)
		list, exact := strings.CutPrefix(c.want, "=")
		want := strings.Fields(list)
		for _, w := range want {
			if name, not := strings.CutPrefix(w, "!"); slices.Contains(got.words, name) == not {
				t.Errorf("%q: %s in %q", c.before, w, got.words)
			}
		}
		if exact && len(got.words) != len(want) {
			t.Errorf("%q: found %q", c.before, got.words)
		}
		if !strings.HasSuffix(c.before, got.partial) {
			t.Errorf("%q: the partial word %q does not stand there", c.before, got.partial)
		}
	}
	if got := complete(h, "m:run(0, function(cpu)\n  ", ""); len(got.words) != 1 || got.words[0] != indentation {
		t.Errorf("at the beginning of a line: %q", got.words)
	}
}

// TestCompleteAnything expects completion to survive whatever has been typed, cut anywhere.
func TestCompleteAnything(t *testing.T) {
	h := newHost(t, `m = hw.machine("virt", { cpus = 4 })`)
	text, err := os.ReadFile("testdata/typed.lua")
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(text) + 1 {
		complete(h, string(text[:i]), string(text[i:]))
	}
}

func FuzzComplete(f *testing.F) {
	h := newHost(f, `m = hw.machine("virt", { cpus = 4 })`)
	f.Add(`m:run(0, function(cpu) cpu:dsb "`)
	f.Add("x = { [[a]], f{ y = (m).gicd[1]")
	f.Fuzz(func(t *testing.T, text string) {
		c := complete(h, text, "")
		if !strings.HasSuffix(text, c.partial) {
			t.Errorf("%q: the partial word %q does not stand there", text, c.partial)
		}
	})
}

// BenchmarkComplete completes with a machine of 96 CPUs. It has to be done in 10 ms.
func BenchmarkComplete(b *testing.B) {
	h := newHost(b, `m = hw.machine("kunpeng920"); machines = { m }`)
	for _, text := range []string{"m:", "m.spec.", "mach", `m:run(0, function(cpu) cpu:mrs("ICC_`, `hw.machine("kun`} {
		b.Run(strings.ReplaceAll(text, " ", "_"), func(b *testing.B) {
			for b.Loop() {
				if len(complete(h, text, "").words) == 0 {
					b.Fatal("found nothing")
				}
			}
		})
	}
}
