package sim

import (
	"fmt"
	"slices"
	"testing"
)

// TestProfile: times add up, recursion has a node for each depth, another source is left out if only one is wanted, and
// what was entered before the profile is left without harm.
func TestProfile(t *testing.T) {
	for only, want := range map[string][]string{
		"CPU1": {"CPU1 20 50", "CPU1;a 16 30", "CPU1;a;b 13 14", "CPU1;a;b;a 1 1"},
		"":     {"CPU1 20 50", "CPU1;a 16 30", "CPU1;a;b 13 14", "CPU2 0 1", "CPU2;c 1 1", "CPU1;a;b;a 1 1"},
	} {
		e, p := NewEngine(), &Profile{Only: only}
		e.Attach(p)
		p.Begin("CPU1", 100)
		for _, r := range []Record{
			{At: 103, Source: "CPU1", Kind: Leave}, {At: 110, Source: "CPU1", Kind: Enter, Symbol: "a"},
			{At: 115, Source: "CPU1", Kind: Enter, Symbol: "b"}, {At: 117, Source: "CPU2", Kind: Enter, Symbol: "c"},
			{At: 118, Source: "CPU2", Kind: Leave}, {At: 119, Source: "CPU1", Kind: Step, Text: "isb"},
			{At: 120, Source: "CPU1", Kind: Enter, Symbol: "a"}, {At: 121, Source: "CPU1", Kind: Leave},
			{At: 125, Source: "CPU1", Kind: Leave}, {At: 126, Source: "CPU1", Kind: Enter, Symbol: "b"},
			{At: 130, Source: "CPU1", Kind: Leave}, {At: 140, Source: "CPU1", Kind: Leave},
		} {
			e.Record(r)
		}
		p.End("CPU1", 150)
		p.End("CPU3", 150)
		var got []string
		for i := range p.Nodes {
			got = append(got, fmt.Sprintf("%s %d %d", p.Path(i), p.Nodes[i].Self, p.Total(i)))
		}
		if !slices.Equal(got, want) {
			t.Errorf("only %q: got %q, want %q", only, got, want)
		}
		if !p.Recursive(len(p.Nodes)-1) || p.Recursive(2) || p.Recursive(0) {
			t.Errorf("only %q: recursion is seen elsewhere than in a;b;a", only)
		}
	}
}

// TestAttach: each tracer has the kinds that it wants, while it is attached.
func TestAttach(t *testing.T) {
	e := NewEngine()
	var text []string
	note := func(name string) TextTracer {
		return func(at Time, source, what string) { text = append(text, fmt.Sprint(name, at, source, what)) }
	}
	e.Trace(1, "CPU0", "nobody")
	e.Attach(&Profile{})
	if e.Tracing || !e.Wants(Enter) || e.Wants(Send) {
		t.Error("a profile wants functions only")
	}
	e.Attach(note("a"))
	e.Trace(2, "CPU0", "isb %d", 7)
	e.Attach(note("b"))
	e.Trace(3, "CPU0", "isb")
	e.Record(Record{At: 3, Kind: Enter, Symbol: "f"})
	e.Detach()
	e.Detach()
	e.Trace(4, "CPU0", "isb")
	e.Detach()
	if want := []string{"a2 psCPU0isb 7", "a3 psCPU0isb", "b3 psCPU0isb"}; !slices.Equal(text, want) || e.Wants(Enter) {
		t.Errorf("got %q, want %q", text, want)
	}
}
