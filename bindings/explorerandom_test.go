package bindings

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/hardware/graph"
)

// straightLine is a random program of accesses to three locations, in Lua and as a thread of a graph.
type straightLine struct {
	lua strings.Builder
	ops []func(h *graph.Handle, last *graph.Value)
}

const randomBase = 0x1000

func location(n int) graph.Value { return graph.Constant(randomBase + uint64(64*n)) }

// add adds a random operation.
func (s *straightLine) add(r *rand.Rand) {
	at, v := r.IntN(3), 1+r.IntN(2)
	address, dependent := fmt.Sprintf("a%d", at), r.IntN(3) == 0
	where := func(last *graph.Value) graph.Value {
		if dependent {
			return location(at).With(location(at).Bits, *last)
		}
		return location(at)
	}
	if dependent {
		address = fmt.Sprintf("a%d + last * 0", at)
	}
	op := func(lua string, do func(h *graph.Handle, last *graph.Value)) {
		s.lua.WriteString(lua + "\n")
		s.ops = append(s.ops, do)
	}
	switch r.IntN(8) {
	case 0, 1, 2:
		op(fmt.Sprintf("last = cpu:load(%s)", address), func(h *graph.Handle, last *graph.Value) {
			*last = h.Read(where(last), 8, graph.Read)
		})
	case 3:
		op(fmt.Sprintf("cpu:store(%s, %d)", address, v), func(h *graph.Handle, last *graph.Value) {
			h.Write(where(last), 8, graph.Write, graph.Constant(uint64(v)))
		})
	case 4:
		op(fmt.Sprintf("cpu:store(%s, last:bxor(last) + %d)", address, v), func(h *graph.Handle, last *graph.Value) {
			h.Write(where(last), 8, graph.Write, graph.Value{}.With(uint64(v), *last))
		})
	case 5:
		op("if last == 9 then end", func(h *graph.Handle, last *graph.Value) { h.Branch(*last) })
	case 6:
		op(`cpu:dmb "ishst"`, func(h *graph.Handle, _ *graph.Value) {
			h.Fence(graph.Fence{Before: graph.Store | graph.DeviceOutput, After: graph.Store | graph.DeviceOutput})
		})
	case 7:
		op(fmt.Sprintf("last = cpu:swap(%s, %d)", address, v), func(h *graph.Handle, last *graph.Value) {
			*last = h.Update(where(last), 8, graph.Read, graph.Write|graph.Atomic,
				func(old uint64) (now, result uint64, write bool) { return uint64(v), old, true })
		})
	}
}

// TestExploreRandom: random programs have as many executions from Lua, on a machine, as the graph has that is told
// their dependencies.
func TestExploreRandom(t *testing.T) {
	most := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 11))
		threads := make([]straightLine, 2+r.IntN(2))
		script := `
local r = explore.run { name = "x", machine = hw.machine("virt", { cpus = 3 }), program = function(m)
  local a0, a1, a2 = m:lines(1):addr(0), m:lines(1):addr(0), m:lines(1):addr(0)
`
		p := &graph.Program{}
		for i := range threads {
			s := &threads[i]
			for range 3 + r.IntN(3) {
				s.add(r)
			}
			script += fmt.Sprintf("m:spawn(%d, function(cpu) local last = u64(0)\n%send)\n", i, s.lua.String())
			p.Threads = append(p.Threads, graph.Thread{Run: func(h *graph.Handle) {
				last := graph.Constant(0)
				for _, do := range s.ops {
					do(h, &last)
				}
			}})
		}
		want, err := graph.Explore(p, &graph.Arm, graph.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := exploreScript(t, &Session{}, script+"end, check = function() end }\nprint(r.executions)")
		if err != nil || strings.TrimSpace(got) != fmt.Sprint(want.Executions) {
			t.Errorf("%v, %s executions, %d from the graph:\n%s", err, strings.TrimSpace(got), want.Executions, script)
		}
		most = max(most, want.Executions)
	}
	if most < 100 {
		t.Errorf("at most %d executions", most)
	}
}
