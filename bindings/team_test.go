package bindings

import (
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/result"
)

// TestTeamCounts: however many hosts share the runs, each run is counted once, up to all of them.
func TestTeamCounts(t *testing.T) {
	const script = `bench.compare { name = "x", unit = "ns", runs = 5, body = function(n) return n end,
		{ "a", function() return 1 end }, { "b", function() return 2 end } }`
	for size := 1; size <= 3; size++ {
		var mu sync.Mutex
		var counted []int
		count := func(done, of int) {
			mu.Lock()
			defer mu.Unlock()
			if counted = append(counted, done); of != 10 {
				t.Errorf("%d of %d", done, of)
			}
		}
		team, ctx := NewTeam(t.Context(), size)
		var group sync.WaitGroup
		for member := range size {
			s := &Session{Report: &result.Report{}, Count: count, Team: team, Member: member}
			h, err := NewHost(s, host.Options{Seed: 1, Preload: true, Stdout: io.Discard})
			if err != nil {
				t.Fatal(err)
			}
			group.Go(func() {
				defer h.Close()
				err := h.Run(ctx, "team.lua", script)
				if team.Leave(err); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		slices.Sort(counted)
		if want := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}; !slices.Equal(counted, want) {
			t.Errorf("%d hosts: counted %v", size, counted)
		}
	}
}
