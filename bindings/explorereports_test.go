package bindings

import (
	"errors"
	"strings"
	"testing"
)

// reports are programs whose verdicts were once wrong, by what was wrong with them. Handlers acknowledge SGI 3 and 4.
var reports = []struct{ name, model, programs, want string }{
	{"masked poll of ISR_EL1", "arm", `
m:spawn(0, function(cpu) cpu:store(x, 1); sgi(cpu, 3) end)
m:spawn(1, function(cpu)
  cpu:mask_irq(true)
  if cpu:mrs("ISR_EL1"):bits(7) == 1 then cpu:dsb "sy"; m:assert(cpu:load(x) == 1, "stale") end
end)`, "found: stale"},
	{"masked poll of ISR_EL1, with barriers", "arm", `
m:spawn(0, function(cpu) cpu:store(x, 1); cpu:dsb "ishst"; sgi(cpu, 3) end)
m:spawn(1, function(cpu)
  cpu:mask_irq(true)
  if cpu:mrs("ISR_EL1"):bits(7) == 1 then cpu:dsb "sy"; m:assert(cpu:load(x) == 1, "stale") end
end)`, "verified: "},
	{"masked poll of ISR_EL1, a load by a branch only", "arm", `
m:spawn(0, function(cpu) cpu:store(x, 1); cpu:dsb "ishst"; sgi(cpu, 3) end)
m:spawn(1, function(cpu)
  cpu:mask_irq(true)
  if cpu:mrs("ISR_EL1"):bits(7) == 1 then m:assert(cpu:load(x) == 1, "stale") end
end)`, "found: stale"},
	{"a value that comes twice", "sc", twice, "found: early"},
	{"a value that comes twice", "tso", twice, "found: early"},
	{"a value that comes twice", "arm", twice, "found: early"},
	{"a value that is missed", "arm", missed, "found: only a timeout was left to wait for"},
	{"a value that is missed", "sc", missed, "found: only a timeout was left to wait for"},
	{"data and flag in one word", "arm", `
m:spawn(0, function(cpu) cpu:store(x, 1, nil, 4); cpu:store(x + 4, 1, nil, 4) end)
m:spawn(1, function(cpu)
  if cpu:load(x + 4, "acquire", 4) == 1 then m:assert(cpu:load(x, nil, 4) == 1, "stale") end
end)`, "found: stale"},
	{"data and flag in one word, read as one", "arm", `
m:spawn(0, function(cpu) cpu:store(x, 1, nil, 4); cpu:dmb "ishst"; cpu:store(x + 4, 1, nil, 4) end)
m:spawn(1, function(cpu)
  local both = cpu:load(x)
  m:assert(both ~= u64"0x1_0000_0000", "stale")
end)`, "verified: "},
	{"an SGI that is overtaken", "arm", `
m:spawn(0, function(cpu) sgi(cpu, 3); sgi(cpu, 4) end)
m:spawn(1, function(cpu) first = nil; cpu:exec(1) end)`, "found: 4 came first"},
	{"dsb for stores, then loads", "arm", `
m:spawn(0, function(cpu) cpu:store(x, 1); cpu:dsb "ishst"; a:set(cpu:load(y)) end)
m:spawn(1, function(cpu) cpu:store(y, 1); cpu:dsb "ishst"; b:set(cpu:load(x)) end)`, "verified: "},
	{"dmb for stores, then loads", "arm", `
m:spawn(0, function(cpu) cpu:store(x, 1); cpu:dmb "ishst"; a:set(cpu:load(y)) end)
m:spawn(1, function(cpu) cpu:store(y, 1); cpu:dmb "ishst"; b:set(cpu:load(x)) end)`, "found: both 0"},
	{"xchg as a full barrier", "arm", `
m:spawn(0, function(cpu) cpu:store(x, 1); cpu:swap(z, 1, "acquire_release"); a:set(cpu:load(y)) end)
m:spawn(1, function(cpu) cpu:store(y, 1); cpu:swap(z, 1, "acquire_release"); b:set(cpu:load(x)) end)`, "verified: "},
	{"a releasing swap is none", "arm", `
m:spawn(0, function(cpu) cpu:store(x, 1); cpu:swap(z, 1, "release"); a:set(cpu:load(y)) end)
m:spawn(1, function(cpu) cpu:store(y, 1); cpu:swap(z, 1, "release"); b:set(cpu:load(x)) end)`, "found: both 0"},
	{"published by an atomic, then an SGI", "arm", published, "found: stale"},
	{"published by an atomic, then an SGI", `arm", atomics = "performed`, published,
		"verified: 3 executions (arm, atomics performed)"},
	{"the release of SWPL covers its own write", "arm", later(`cpu:swap(y, 1, "release")`, "z"), "found: stale"},
	{"the release of SWPL covers its own write, which is read", "arm", later(`cpu:swap(y, 1, "release")`, "y"),
		"verified: "},
	{"the release of STLXR covers its own write", "arm", later(`cpu:ldxr(y); cpu:stxr(y, 1, "release")`, "z"),
		"found: stale"},
	{"the release of STLXR covers its own write, which is read", "arm",
		later(`cpu:ldxr(y); cpu:stxr(y, 1, "release")`, "y"), "verified: "},
	{"an equal value passes no atomic", "arm", equal(`cpu:swap(x, 1, "acquire")`), "verified: "},
	{"an equal value passes no atomic", "tso", equal(`cpu:swap(x, 1, "acquire")`), "verified: "},
	{"an equal value passes a load and a store", "arm", equal(`cpu:load(x, "acquire"); cpu:store(x, 1)`), "found: both 0"},
	{"a store by a load behind it", "arm", `
m:spawn(0, function(cpu) a:set(u64(1) - cpu:load(x)); cpu:store(y, 1) end)
m:spawn(1, function(cpu) b:set(u64(1) - cpu:load(y)); cpu:store(x, 1) end)`, "found: both 0"},
	{"an unlock by a plain store", "arm", csd(`cpu:store(y, 0)`), "found: the next argument"},
	{"an unlock by smp_wmb and a plain store", "arm", csd(`cpu:dmb "ishst"; cpu:store(y, 0)`), "found: the next argument"},
	{"an unlock by smp_store_release", "arm", csd(`cpu:store(y, 0, "release")`), "verified: "},
	{"a device register, DSB, ISB, a load", "arm", register(`cpu:dsb "sy"; cpu:isb()`), "verified: "},
	{"a device register, a load", "arm", register(``), "found: stale"},
	{"a device register, ISB, a load", "arm", register(`cpu:isb()`), "found: stale"},
	{"SEV after DSB", "arm", `
m:spawn(0, function(cpu) cpu:store(x, 1); cpu:dsb "ishst"; cpu:sev() end)
m:spawn(1, function(cpu) cpu:wfe(); m:assert(cpu:load(x) == 1, "stale") end)`, "verified: "},
	{"SEV without DSB", "arm", `
m:spawn(0, function(cpu) cpu:store(x, 1); cpu:sev() end)
m:spawn(1, function(cpu) cpu:wfe(); m:assert(cpu:load(x) == 1, "stale") end)`, "found: stale"},
	{"no SEV", "arm", `
m:spawn(0, function(cpu) cpu:store(x, 1) end)
m:spawn(1, function(cpu) cpu:wfe() end)`, "found: deadlock: CPU1 waits for an event"},
	{"a store-exclusive that fails is not forgotten", "arm", `
m:spawn(0, function(cpu) cpu:ldxr(x); m:assert(cpu:stxr(x, 1), "failed") end)`, "found: failed"},
	{"increments by exclusives", "arm", `
for i = 0, 1 do m:spawn(i, function(cpu)
  while true do local v = cpu:ldxr(x); if cpu:stxr(x, v + 1) then break end end
end) end`, "verified: "},
	{"private stores", "arm", `
for i = 0, 1 do
  local own = m:lines(4)
  m:spawn(i, function(cpu) for k = 0, 3 do cpu:store(own:addr(k), 1) end end)
end`, "verified: 1 executions (arm)"},
}

const (
	published = `
m:spawn(0, function(cpu) cpu:swap(x, 1); sgi(cpu, 3) end)
m:spawn(1, function(cpu)
  cpu:mask_irq(true)
  if cpu:mrs("ISR_EL1"):bits(7) == 1 then cpu:dsb "sy"; m:assert(cpu:load(x) == 1, "stale") end
end)`
	twice = `
m:spawn(0, function(cpu) cpu:store(x, 1); cpu:store(x, 2); cpu:store(y, 1); cpu:store(x, 1) end)
m:spawn(1, function(cpu) cpu:wait(x, 1); m:assert(cpu:load(y) == 1, "early") end)`
	missed = `
m:spawn(0, function(cpu) cpu:store(x, 2); cpu:store(x, 1) end)
m:spawn(1, function(cpu) cpu:wait(x, function(v) return v >= u64(2) end, 1000) end)`
)

// later publishes x by an atomic to y, and z behind that; the other sees one of them.
func later(atomic, seen string) string {
	return `
m:spawn(0, function(cpu) cpu:store(x, 1); ` + atomic + `; cpu:store(z, 1) end)
m:spawn(1, function(cpu) if cpu:load(` + seen + `, "acquire") == 1 then m:assert(cpu:load(x) == 1, "stale") end end)`
}

// equal is an update of x to 1 beside a store of 0, which x has anyway: if that comes before the update, so does y.
func equal(update string) string {
	return `
m:spawn(0, function(cpu) ` + update + `; a:set(cpu:load(y)) end)
m:spawn(1, function(cpu) cpu:store(y, 1); cpu:dmb "ish"; cpu:store(x, 0); b:set(u64(1) - cpu:load(x)) end)`
}

// csd is a call whose argument is x and whose lock is y.
func csd(unlock string) string {
	return `
m:spawn(0, function(cpu)
  cpu:store(x, 1); cpu:store(y, 1); cpu:store(z, 1, "release")
  cpu:wait(y, 0); cpu:store(x, 2)
end)
m:spawn(1, function(cpu)
  cpu:wait(z, 1)
  local v = cpu:load(x)
  ` + unlock + `
  m:assert(v == 1, "the next argument")
end)`
}

// register is a device that says that x is written.
func register(barrier string) string {
	return `
local full = 0
local box = m:device { name = "box", base = 0x9000000, read = function() return full end,
  write = function(_, v) full = v:tonumber() end }
m:spawn(0, function(cpu) cpu:store(x, 1); cpu:dmb "oshst"; cpu:store(box:addr(0), 1, nil, 4) end)
m:spawn(1, function(cpu)
  local full = cpu:load(box:addr(0), nil, 4); ` + barrier + `; local v = cpu:load(x)
  m:assert(full == 0 or v == 1, "stale")
end)`
}

// TestExploreReports holds explore.run to the verdicts that the architecture says, and repeats what it finds.
func TestExploreReports(t *testing.T) {
	for _, r := range reports {
		script := `
local first, a, b
local function sgi(cpu, id) cpu:msr("ICC_SGI1R_EL1", 0x2 + id * 2 ^ 24) end
local machine = hw.machine("virt", { cpus = 2 })
local r = explore.run { name = "x", model = "` + r.model + `", machine = machine, program = function(m)
  first = nil
  local x, y, z = m:lines(1):addr(0), m:lines(1):addr(0), m:lines(1):addr(0)
  a, b = m:shared(9), m:shared(9)
  m:cpu(1):on_irq(function(cpu)
    local id = cpu:mrs "ICC_IAR1_EL1"
    if not first then first = id end
    cpu:msr("ICC_EOIR1_EL1", id)
    cpu:msr("ICC_DIR_EL1", id)
  end)
` + r.programs + `
end, check = function(m)
  if a:get() == 0 and b:get() == 0 then return "both 0" end
  if first and first ~= 3 then return "4 came first" end
end }
print(r.verdict, r.token); if r.counterexample then bench.table(r.counterexample) end`
		got, err := exploreScript(t, &Session{}, script)
		if err != nil || !strings.HasPrefix(got, r.want) {
			t.Errorf("%s, %s: expected %s, got %v %s", r.name, r.model, r.want, err, got)
			continue
		}
		verdict, shown, _ := strings.Cut(got, "\n")
		if !strings.HasPrefix(verdict, "found: ") {
			continue
		}
		s := &Session{}
		var params []string
		var seed uint64
		_, token, _ := strings.Cut(verdict, "\t")
		if err := s.ReadReplay(token, &params, &seed); err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
		again, err := exploreScript(t, s, script)
		if !errors.Is(err, ErrReplayed) || strings.TrimSpace(again) != strings.TrimSpace(shown) {
			t.Errorf("%s: repeated: %v\n%s\nfound first:\n%s", r.name, err, again, shown)
		}
	}
}
