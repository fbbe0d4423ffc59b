package bindings

import (
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

// TestExploreReports holds explore.run to the verdicts that the architecture says.
func TestExploreReports(t *testing.T) {
	for _, r := range reports {
		got, err := exploreScript(t, &Session{}, `
local first, a, b
local function sgi(cpu, id) cpu:msr("ICC_SGI1R_EL1", 0x2 + id * 2 ^ 24) end
local machine = hw.machine("virt", { cpus = 2 })
local r = explore.run { name = "x", model = "`+r.model+`", machine = machine, program = function(m)
  first = nil
  local x, y, z = m:lines(1):addr(0), m:lines(1):addr(0), m:lines(1):addr(0)
  a, b = m:shared(9), m:shared(9)
  m:cpu(1):on_irq(function(cpu)
    local id = cpu:mrs "ICC_IAR1_EL1"
    if not first then first = id end
    cpu:msr("ICC_EOIR1_EL1", id)
    cpu:msr("ICC_DIR_EL1", id)
  end)
`+r.programs+`
end, check = function(m)
  if a:get() == 0 and b:get() == 0 then return "both 0" end
  if first and first ~= 3 then return "4 came first" end
end }
print(r.verdict)`)
		if err != nil || !strings.HasPrefix(got, r.want) {
			t.Errorf("%s, %s: expected %s, got %v %s", r.name, r.model, r.want, err, got)
		}
	}
}
