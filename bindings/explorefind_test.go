package bindings

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/result"
)

// A counterexample is drawn by print as by bench.table, no wider than 100 columns, and is a picture.
func TestExploreCounterexample(t *testing.T) {
	broken := strings.Replace(messageScript, "BARRIER", "", 1)
	s := &Session{}
	table, err := exploreScript(t, s, broken)
	if err != nil || s.Report.Pictures() != 1 {
		t.Fatal(err, s.Report.Pictures())
	}
	var svg bytes.Buffer
	if err := s.Report.WriteSVG(&svg); err != nil || !strings.Contains(svg.String(), "message: stale read") {
		t.Error(err)
	}
	const want = `message: stale read
step  CPU0                                     CPU1
   1  store 0x40080700 <- 0x1  (line 6)
   2                                           load acquire 0x40080700 -> 0x1, from 1  (line 8)
   3                                           load 0x400806c0 -> 0x0, initial  (line 9)
   4  store 0x400806c0 <- 0x1, late  (line 6)
`
	printed, err := exploreScript(t, &Session{}, strings.Replace(broken, "bench.table", "print", 1))
	if err != nil || !strings.HasSuffix(printed, "\n"+want) || !strings.HasSuffix(table, "\n"+want) {
		t.Errorf("%v\nprint: %s\nbench.table: %s", err, printed, table)
	}
	for _, line := range strings.Split(printed, "\n")[1:] {
		if utf8.RuneCountInString(line) > 100 {
			t.Errorf("too wide: %s", line)
		}
	}
}

// A token of a program that has changed is refused, whether its path leads nowhere or elsewhere.
func TestExploreRefusesTokens(t *testing.T) {
	broken := strings.Replace(messageScript, "BARRIER", "", 1)
	got, err := exploreScript(t, &Session{}, broken)
	if err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(strings.SplitN(got, "\n", 2)[0], "\t")
	for _, changed := range []string{
		strings.Replace(messageScript, "BARRIER", "cpu:load(flag);", 1),
		strings.Replace(broken, "cpu:store(data, 1)", "cpu:store(data, 3)", 1),
		strings.Replace(broken, "stale read", "old data", 1),
		strings.Replace(broken, `cpus = 2 })`, `cpus = 2 }), model = "sc"`, 1),
	} {
		s := &Session{}
		var params []string
		var seed uint64
		if err := s.ReadReplay(token, &params, &seed); err != nil {
			t.Fatal(err)
		}
		out, err := exploreScript(t, s, changed)
		const want = "explore.run: message has no execution of this token: the program, a parameter or an option has " +
			"changed since it was printed; explore again for a new one"
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s\n%v\n%s", changed, err, out)
		}
	}
}

// wideScript is four CPUs with more executions than are explored in one piece.
const wideScript = `
local r = explore.run {
  name = "wide", machine = hw.machine("virt", { cpus = 4 }), OPTIONS
  program = function(m)
    local a, seen = m:lines(3), m:shared()
    for c = 0, 3 do
      m:spawn(c, function(cpu)
        cpu:store(a:addr(c % 3), c + 1)
        local v = cpu:load(a:addr((c + 1) % 3))
        CELLS
        if c < 3 then cpu:store(a:addr((c + 2) % 3), c + 5) end
        if c == 3 then cpu:load(a:addr(2)) end
        m:assert(not (c == CPU and v:eq(7)), "odd")
      end)
    end
  end,
}
print(r.verdict, r.executions, r.failures, r.token)
if r.counterexample then print(r.counterexample) end`

// teamScript runs a script on some hosts, and returns what the first of them has printed.
func teamScript(t *testing.T, size int, script string) string {
	t.Helper()
	team, ctx := NewTeam(context.Background(), size)
	defer team.Close()
	outs := make([]bytes.Buffer, size)
	var group sync.WaitGroup
	for i := range size {
		s := &Session{Report: &result.Report{Script: "t"}, Team: team, Member: i}
		h, err := NewHost(s, host.Options{Preload: true, Stdout: &outs[i], Stderr: &outs[i], Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		group.Add(1)
		go func() {
			defer group.Done()
			defer h.Close()
			err := h.Run(ctx, "t", script)
			if team.Leave(err); err != nil {
				t.Error(err)
			}
		}()
	}
	group.Wait()
	return outs[0].String()
}

// The hosts of a script explore side by side, and say what one would say.
func TestExploreTeam(t *testing.T) {
	for _, c := range []struct{ cpu, options, want string }{
		{"4", "", "verified: "},
		{"0", "", "found: odd"},
		{"4", "max_executions = 4500,", "not exhaustive: "},
		{"0", `strategy = "random",`, "found: odd"},
		{"4", `strategy = "random", max_executions = 600,`, "not exhaustive: 600 executions at random, "},
		{"4", `strategy = "random", max_executions = 2500, --[[cells]]`, "not exhaustive: 2500 executions at random, "},
	} {
		if testing.Short() && c.cpu == "4" && !strings.Contains(c.options, "random") {
			continue // thousands of executions
		}
		cells := ""
		if strings.Contains(c.options, "cells") {
			cells = `cpu:dmb "ish"; seen:set("read " .. v)` // which hosts meet in different orders
		}
		script := strings.NewReplacer("CPU", c.cpu, "OPTIONS", c.options, "CELLS", cells).Replace(wideScript)
		one := teamScript(t, 1, script)
		if !strings.HasPrefix(one, c.want) {
			t.Errorf("%s: %s", c.options, one)
		}
		if two := teamScript(t, 2, script); two != one {
			t.Errorf("%s: two hosts say\n%s\none says\n%s", c.options, two, one)
		}
	}
}

// What is wrong with the program function is said once, by however many hosts: it is not called again.
func TestExploreTeamError(t *testing.T) {
	const script = `
print(select(2, pcall(explore.run, { name = "x", machine = hw.machine("virt", { cpus = 2 }), program = function(m)
  m:device { name = "box", base = 0x9000000, write = function() end, read = function() return 0 end }
  nothing()
end })))`
	for _, hosts := range []int{1, 2} {
		if got := teamScript(t, hosts, script); !strings.HasPrefix(got, "t:4: undefined global") {
			t.Errorf("%d hosts: %s", hosts, got)
		}
	}
}

// An exploration inside of another's program, program function or check is explored by one host: the others do not come
// there.
func TestExploreTeamNested(t *testing.T) {
	const inner = `explore.run { name = "in", machine = hw.machine("virt", { cpus = 1 }), program = function() end }`
	for _, where := range []string{
		"program = function(m) " + inner + "; m:spawn(0, function() end) end, check = function() end",
		"program = function(m) m:spawn(0, function() end) end, check = function() " + inner + " end",
		"program = function(m) m:spawn(0, function() " + inner + " end) end, check = function() end",
	} {
		script := `print(explore.run { name = "out", machine = hw.machine("virt", { cpus = 1 }), ` + where + ` }.verdict)`
		one := teamScript(t, 1, script)
		if !strings.HasPrefix(one, "verified: 1 executions") {
			t.Errorf("%s: %s", where, one)
		}
		if two := teamScript(t, 2, script); two != one {
			t.Errorf("%s: two hosts say\n%s\none says\n%s", where, two, one)
		}
	}
}

// Runs of a comparison that explore, each something else, do so for themselves.
func TestExploreTeamCompared(t *testing.T) {
	const script = `
local function case(good) return function() return good end end
local cases = { name = "t", runs = 1, unit = "ns", { "good", case(true) }, { "bad", case(false) } }
function cases.body(good)
  local r = explore.run { name = "in", machine = hw.machine("virt", { cpus = 1 }), program = function(m)
    m:spawn(0, function() m:assert(good, "bad") end)
  end }
  return r.verified and 1 or 2
end
local out = bench.compare(cases)
print(out.cases[2].mean, out.cases[1].mean)`
	one := teamScript(t, 1, script)
	if !strings.HasPrefix(one, "2\t1") {
		t.Error(one)
	}
	if two := teamScript(t, 2, script); two != one {
		t.Errorf("two hosts say\n%s\none says\n%s", two, one)
	}
}
