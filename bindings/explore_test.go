package bindings

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/result"
)

// exploreScript runs a script and returns what it printed, its results as text, and its error.
func exploreScript(t testing.TB, s *Session, script string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	s.Report = &result.Report{Script: "t"}
	text := result.NewTextWriter(&out, s.Report)
	s.Report.OnBlock = text.Block
	h, err := NewHost(s, host.Options{Preload: true, Stdout: text, Stderr: &out, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	err = h.Run(context.Background(), "t", script)
	return out.String(), err
}

// messageScript is a message whose barrier is missing.
const messageScript = `
local r = explore.run {
  name = "message", machine = hw.machine("virt", { cpus = 2 }),
  program = function(m)
    local data, flag = m:lines(1):addr(0), m:lines(1):addr(0)
    m:spawn(0, function(cpu) cpu:store(data, 1); BARRIER cpu:store(flag, 1) end)
    m:spawn(1, function(cpu)
      cpu:wait(flag, 1)
      m:assert(cpu:load(data):eq(1), "stale read")
    end)
  end,
}
print(r.verdict, r.token)
if r.counterexample then bench.table(r.counterexample) end`

func TestExploreFindsAndReplays(t *testing.T) {
	fixed, err := exploreScript(t, &Session{}, strings.Replace(messageScript, "BARRIER", `cpu:dmb "ishst"`, 1))
	if err != nil || !strings.HasPrefix(fixed, "verified: ") {
		t.Fatalf("%v\n%s", err, fixed)
	}
	broken := strings.Replace(messageScript, "BARRIER", "", 1)
	got, err := exploreScript(t, &Session{}, broken)
	if err != nil || !strings.HasPrefix(got, "found: stale read\t") {
		t.Fatalf("%v\n%s", err, got)
	}
	verdict, shown, _ := strings.Cut(got, "\n")
	_, token, _ := strings.Cut(verdict, "\t")
	s := &Session{}
	var params []string
	var seed uint64
	if err := s.ReadReplay(token, &params, &seed); err != nil || seed != 1 || params != nil {
		t.Fatal(err, seed, params)
	}
	again, err := exploreScript(t, s, broken)
	if !errors.Is(err, ErrReplayed) || strings.TrimSpace(again) != strings.TrimSpace(shown) {
		t.Errorf("%v\n%s\nfound first:\n%s", err, again, shown)
	}
	if err := s.ReadReplay("x"+token, &params, &seed); err == nil {
		t.Error("a damaged token is taken")
	}
}

// What goes wrong by the script's mistake is an error; what the modelled software does wrong is a finding.
func TestExploreTellsMistakesFromFindings(t *testing.T) {
	const run = `print(explore.run { name = "x", machine = hw.machine("virt", { cpus = 2 }), program = function(m)
  local a = m:lines(1):addr(0)
  %s
end }.verdict)`
	for _, c := range []struct{ program, want string }{
		{`m:spawn(0, function(cpu) cpu:load(a) end)`, "nothing was checked: 1 executions"},
		{`m:spawn(0, function(cpu) m:assert(cpu:load(a) == 0) end)`,
			"verified: 1 executions (arm)"},
		{`m:spawn(0, function(cpu)
      cpu:msr("PMCNTENSET_EL0", 0x80000000) cpu:msr("PMCR_EL0", 1)
      local cycles = cpu:mrs("PMCCNTR_EL0")
      m:assert(cpu:mrs("PMCCNTR_EL0") ~= cycles, "it stands still")
    end)`, "verified: 1 executions (arm)"},
		{`m:spawn(0, function(cpu) cpu:wait(a, 1) end)`, "found: deadlock: CPU0 waits for a write to "},
		{`m:spawn(0, function(cpu) cpu:wait(a, 1, 100) end)`, "found: only a timeout was left to wait for"},
		{`m:spawn(0, function(cpu) for i = 1, 1e9 do if cpu:load(a):eq(1) then break end end end)`, "not exhaustive: "},
		{`m:spawn(0, function(cpu) cpu:msr("ICC_EOIR1_EL1", 3) end)`,
			"found: illegal device state: CPU0 wrote EOIR while no interrupt of that group has the running priority, INTID 3"},
		{`m:assert(false, "at once")`, "found: at once"},
		{`pcall(m.assert, m, false, "at once")`, "found: at once"},
		{`m:spawn(0, function(cpu) cpu:load(1) end)`, "error: t:3: CPU0: access of 8 bytes at 0x1 is not aligned"},
		{`m:run()`, "error: t:3: Machine:run: explore.run drives the machine"},
		{`nothing()`, "error: t:3: "},
		{`m:spawn(0, function(cpu) m:run() end)`, "error: t:3: Machine:run: "},
	} {
		got, err := exploreScript(t, &Session{}, strings.Replace(run, "%s", c.program, 1))
		if err != nil {
			got = "error: " + err.Error()
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s\n\tgave %q\n\twant %q", c.program, got, c.want)
		}
	}
}

// An assertion that fails in check is a finding, whatever catches the error.
func TestExploreCheckCatchesAssertions(t *testing.T) {
	for _, check := range []string{
		`pcall(m.assert, m, false, "caught")`,
		`pcall(function() m:assert(false, "caught") end)`,
		`xpcall(function() m:assert(false, "caught") end, function() end)`,
		`coroutine.resume(coroutine.create(function() m:assert(false, "caught") end))`,
		`pcall(m.assert, m, false, "caught"); m:assert(false, "later")`,
		`pcall(m.assert, m, false, "caught"); return "later"`,
		`pcall(m.assert, m, false, "caught"); error("later")`,
		`pcall(m.assert, m, true); return "caught"`,
	} {
		got, err := exploreScript(t, &Session{}, `
print(explore.run {
  name = "x", machine = hw.machine("virt", { cpus = 1 }),
  program = function(m) m:spawn(0, function() end) end, check = function(m) `+check+` end,
}.verdict)`)
		if err != nil || strings.TrimSpace(got) != "found: caught" {
			t.Errorf("%s: %q, %v", check, got, err)
		}
	}
}

// BenchmarkExploreLua is the SGI program of scripts/explore/sgi_barrier.lua with more to order.
func BenchmarkExploreLua(b *testing.B) {
	const executions = 4200
	script := fmt.Sprintf(`
local r = explore.run {
  name = "x", machine = hw.machine("virt", { cpus = 2 }),
  program = function(m)
    local x, y, z = m:lines(1):addr(0), m:lines(1):addr(0), m:lines(1):addr(0)
    m:cpu(1):on_irq(function(cpu)
      local intid = cpu:mrs "ICC_IAR1_EL1"
      for _, a in ipairs { x, y, z, z } do cpu:load(a) end
      cpu:msr("ICC_EOIR1_EL1", intid)
      cpu:msr("ICC_DIR_EL1", intid)
    end)
    m:spawn(1, function(cpu) for _, a in ipairs { x, y, z, z, x, y } do cpu:load(a) end end)
    m:spawn(0, function(cpu)
      cpu:store(x, 1)
      cpu:store(y, 1)
      cpu:msr("ICC_SGI1R_EL1", 0x2 + 3 * 2 ^ 24)
      cpu:store(x, 2)
      cpu:store(z, 1)
      cpu:store(z, 2)
    end)
  end,
}
assert(r.executions == %d, r.verdict)`, executions)
	for b.Loop() {
		if out, err := exploreScript(b, &Session{}, script); err != nil {
			b.Fatal(err, out)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/executions, "ns/execution")
}
