package bindings

import (
	"strings"
	"testing"
)

// TestTopology: places, distances and nodes as the preset has them.
func TestTopology(t *testing.T) {
	output(t, `
		local m = hw.machine("kunpeng920")
		local c = m:cpu(53)                     -- 2 sockets of 2 dies of 6 clusters of 4 CPUs
		check.eq(c.cluster, 13); check.eq(c.die, 2); check.eq(c.socket, 1)
		check.eq(c:id(), 53, "methods beside the constants")
		check.eq(m:cpu(0).socket, 0, "each CPU has its own")
		check.fails(function() c.die = 1 end, "CPU.die is read-only")
		check.fails(function() return c.dye end, 'did you mean "die"')
		for cpu, distance in pairs { [0] = "own", [3] = "cluster", [4] = "die", [24] = "cross_die", [48] = "cross_socket" } do
			check.eq(m:distance(0, cpu), distance); check.eq(m:distance(cpu, 0), distance)
		end
		check.eq(m:lines(1):node(), 0)
		local far = m:lines(3, "far", { node = 3 })
		check.eq(far:node(), 3)
		check.eq(m:lines(1):node(), 0, "node 3 was for those lines only")
		check.eq(hw.machine("kunpeng920", { cpus = 48 }).spec.sockets, 1)
		check.eq(hw.machine("kunpeng920", { cpus = 49 }).spec.sockets, 2)`)
}

// TestNamedLines: traces, deadlocks and counterexamples call lines by their names.
func TestNamedLines(t *testing.T) {
	got := output(t, `
		local m = hw.machine("virt", { cpus = 2, jitter = false })
		local flag, data = m:lines(1, "flag"):addr(0), m:lines(3, "data")
		print(m:trace(function()
			m:run(0, function(cpu)
				cpu:store(flag, 1); cpu:store(data:addr(2), 2); cpu:load(data:addr(1) + 8)
			end)
		end))
		check.fails(function() m:run(1, function(cpu) cpu:wait(flag, 7) end) end, "flag")`)
	for _, want := range []string{"store flag <- 0x1", "store data[2] <- 0x2", "load data[1]+0x8 -> 0x0"} {
		if !strings.Contains(got, want) {
			t.Errorf("the trace lacks %q:\n%s", want, got)
		}
	}
	named := strings.NewReplacer("BARRIER", "",
		"m:lines(1):addr(0), m:lines(1):addr(0)", `m:lines(1, "data"):addr(0), m:lines(1, "flag"):addr(0)`)
	shown, err := exploreScript(t, &Session{}, named.Replace(messageScript))
	if err != nil || !strings.Contains(shown, "store data <- 0x1") || !strings.Contains(shown, "store flag <- 0x1") {
		t.Errorf("%v; the counterexample lacks the names:\n%s", err, shown)
	}
}
