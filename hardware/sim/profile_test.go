package sim

import (
	"fmt"
	"slices"
	"testing"
)

// TestProfile: times add up, recursion has a node for each depth, another source is left out, and what was entered
// before the profile is left without harm.
func TestProfile(t *testing.T) {
	p := NewProfile("CPU1", 100)
	p.Leave(103, "CPU1")
	p.Enter(110, "CPU1", "a")
	p.Enter(115, "CPU1", "b")
	p.Enter(117, "CPU2", "c")
	p.Leave(118, "CPU2")
	p.Enter(120, "CPU1", "a")
	p.Leave(121, "CPU1")
	p.Leave(125, "CPU1")
	p.Enter(126, "CPU1", "b")
	p.Leave(130, "CPU1")
	p.Leave(140, "CPU1")
	p.End(150)
	var got []string
	for i := range p.Nodes {
		got = append(got, fmt.Sprintf("%s %d %d", p.Path(i), p.Nodes[i].Self, p.Total(i)))
	}
	want := []string{"CPU1 20 50", "CPU1;a 16 30", "CPU1;a;b 13 14", "CPU1;a;b;a 1 1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
