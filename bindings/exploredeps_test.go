package bindings

import (
	"strings"
	"testing"
)

// dependencies are programs whose outcomes follow from dependencies that only values show. Each thread leaves in r0, r1
// what it has read; weak is the outcome that is asked for.
var dependencies = []struct{ name, zero, one, weak, want string }{
	// Load buffering: a dependency on either side is not enough, one on both forbids it.
	{"LB", `r0 = cpu:load(x); cpu:store(y, 1)`, `r1 = cpu:load(y); cpu:store(x, 1)`, `r0 == 1 and r1 == 1`, "found"},
	{"LB+data+po", `r0 = cpu:load(x); cpu:store(y, r0:bxor(r0) + 1)`, `r1 = cpu:load(y); cpu:store(x, 1)`,
		`r0 == 1 and r1 == 1`, "found"},
	{"LB+datas", `r0 = cpu:load(x); cpu:store(y, r0:bxor(r0) + 1)`, `r1 = cpu:load(y); cpu:store(x, r1 * 0 + 1)`,
		`r0 == 1 and r1 == 1`, "verified"},
	{"LB+datas, thin air", `r0 = cpu:load(x); cpu:store(y, r0)`, `r1 = cpu:load(y); cpu:store(x, r1)`,
		`r0 == 1 or r1 == 1`, "verified"},
	{"LB+ctrl+data", `r0 = cpu:load(x); if r0 == 7 then end; cpu:store(y, 1)`,
		`r1 = cpu:load(y); cpu:store(x, r1 - r1 + 1)`, `r0 == 1 and r1 == 1`, "verified"},
	{"LB+ctrl of a method", `r0 = cpu:load(x); if r0:eq(7) then end; cpu:store(y, 1)`,
		`r1 = cpu:load(y); cpu:store(x, r1:band(0):bor(1))`, `r0 == 1 and r1 == 1`, "verified"},
	{"LB+order+data", `r0 = cpu:load(x); local _ = r0 < u64(9); cpu:store(y, 1)`,
		`r1 = cpu:load(y); cpu:store(x, r1:shr(64) + 1)`, `r0 == 1 and r1 == 1`, "verified"},
	{"LB+tonumber+data", `r0 = cpu:load(x); local _ = r0:tonumber(); cpu:store(y, 1)`,
		`r1 = cpu:load(y); cpu:store(x, r1:bits(63, 60):bnot():bits(0))`, `r0 == 1 and r1 == 1`, "verified"},
	{"LB+tostring+addr", `r0 = cpu:load(x); local _ = tostring(r0); cpu:store(y, 1)`,
		`r1 = cpu:load(y); cpu:store(x + r1:bxor(r1), 1)`, `r0 == 1 and r1 == 1`, "verified"},
	{"LB+text+text", `r0 = cpu:load(x); local _ = "v" .. r0; cpu:store(y, 1)`,
		`r1 = cpu:load(y); local _ = ("%d"):format(r1); cpu:store(x, 1)`, `r0 == 1 and r1 == 1`, "verified"},
	{"LB+assert+rawequal", `r0 = cpu:load(x); m:assert(r0 ~= 9); cpu:store(y, 1)`,
		`r1 = cpu:load(y); local _ = rawequal(r1, 0); cpu:store(x, 1)`, `r0 == 1 and r1 == 1`, "verified"},
	{"LB+msr's data", `r0 = cpu:load(x); cpu:mask_irq(false); cpu:store(y, 1)`, `r1 = cpu:load(y); cpu:store(x, 1)`,
		`r0 == 1 and r1 == 1`, "found"},
	// What is no look at the value is no dependency.
	{"LB, types", `r0 = cpu:load(x); if type(r0) == "userdata" and u64.is(r0) and r0 then cpu:store(y, 1) end`,
		`r1 = cpu:load(y); cpu:store(x, 1)`, `r0 == 1 and r1 == 1`, "found"},
	{"LB, compared with what is no number", `r0 = cpu:load(x); if r0 ~= nil and r0 ~= "x" then cpu:store(y, 1) end`,
		`r1 = cpu:load(y); cpu:store(x, 1)`, `r0 == 1 and r1 == 1`, "found"},
	{"LB, handed on", `r0 = cpu:load(x)
		local t = { r0 }; table.insert(t, r0); pcall(select, 1, r0); local u = coroutine.wrap(function(v) return v end)(r0)
		assert(u); for _, v in ipairs(t) do r0 = v end; cpu:store(y, 1)`,
		`r1 = cpu:load(y); cpu:store(x, 1)`, `r0 == 1 and r1 == 1`, "found"},
	{"LB, data through tables and coroutines", `r0 = cpu:load(x)
		local t = { r0 }; local u = coroutine.wrap(function(v) return v end)(t[1]); cpu:store(y, u * 0 + 1)`,
		`r1 = cpu:load(y); cpu:store(x, unpack({ r1:sub(r1) }) + 1)`, `r0 == 1 and r1 == 1`, "verified"},
	{"LB, a value of the program's own", `r0 = cpu:load(x); local one = u64(1); if one == 1 then cpu:store(y, one) end`,
		`r1 = cpu:load(y); cpu:store(x, 1)`, `r0 == 1 and r1 == 1`, "found"},
	{"LB, print", `r0 = cpu:load(x); if false then print(r0) end; cpu:store(y, 1)`, `r1 = cpu:load(y); cpu:store(x, 1)`,
		`r0 == 1 and r1 == 1`, "found"},
	{"LB, kept in a cell", `r0 = cpu:load(x); seen:set(r0); cpu:store(y, 1)`,
		`r1 = cpu:load(y); cpu:store(x, r1:bxor(r1) + 1)`, `seen:get() == 1 and r1 == 1`, "found"},
	{"LB, added to a cell", `r0 = cpu:load(x); seen:add(r0); cpu:store(y, 1)`,
		`r1 = cpu:load(y); cpu:store(x, r1:bxor(r1) + 1)`, `seen:get() == 1 and r1 == 1`, "found"},
	{"LB, both added to a cell", `r0 = cpu:load(x); seen:add(r0); cpu:store(y, 1)`,
		`r1 = cpu:load(y); seen:add(r1); cpu:store(x, 1)`, `seen:get() == 2`, "found"},
	{"LB+data through a sum", `r0 = cpu:load(x); cpu:store(y, seen:add(r0) * 0 + 1)`,
		`r1 = cpu:load(y); cpu:store(x, r1:bxor(r1) + 1)`, `r0 == 1 and r1 == 1`, "verified"},
	{"LB+a cell that is looked at", `r0 = cpu:load(x); seen:set(r0); if seen:get() == 7 then end; cpu:store(y, 1)`,
		`r1 = cpu:load(y); cpu:store(x, r1:bxor(r1) + 1)`, `r0 == 1 and r1 == 1`, "verified"},
	{"LB+swap's operand+data", `r0 = cpu:load(x); cpu:swap(y, r0:bxor(r0) + 1)`,
		`r1 = cpu:load(y); cpu:store(x, r1:bxor(r1) + 1)`, `r0 == 1 and r1 == 1`, "verified"},
	{"LB+cas's comparison+data", `r0 = cpu:load(x); cpu:cas(y, r0:bxor(r0), 1)`,
		`r1 = cpu:load(y); cpu:store(x, r1:bxor(r1) + 1)`, `r0 == 1 and r1 == 1`, "verified"},
	{"LB+declared", `r0 = cpu:load(x); cpu:depend "data"; cpu:store(y, 1)`,
		`r1 = cpu:load(y); cpu:depend "ctrl"; cpu:store(x, 1)`, `r0 == 1 and r1 == 1`, "verified"},

	// Message passing: an address orders loads, a branch does only with ISB.
	{"MP+dmb+po", mpWriter, `r0 = cpu:load(y); r1 = cpu:load(x)`, `r0 == 1 and r1 == 0`, "found"},
	{"MP+dmb+addr", mpWriter, `r0 = cpu:load(y); r1 = cpu:load(x + r0:bxor(r0))`, `r0 == 1 and r1 == 0`, "verified"},
	{"MP+dmb+addr of another", mpWriter, `r0 = cpu:load(y); local z = u64(0); r1 = cpu:load(x + z)`,
		`r0 == 1 and r1 == 0`, "found"},
	{"MP+dmb+ctrl", mpWriter, `r0 = cpu:load(y); if r0 == 1 then end; r1 = cpu:load(x)`, `r0 == 1 and r1 == 0`, "found"},
	{"MP+dmb+ctrl that decides", mpWriter, `r0 = cpu:load(y); if r0:eq(1) then r1 = cpu:load(x) end`,
		`r0 == 1 and r1 == 0`, "found"},
	{"MP+dmb+ctrlisb", mpWriter, `r0 = cpu:load(y); if r0 == 1 then end; cpu:isb(); r1 = cpu:load(x)`,
		`r0 == 1 and r1 == 0`, "verified"},
	{"MP+dmb+isb", mpWriter, `r0 = cpu:load(y); cpu:isb(); r1 = cpu:load(x); if r0 == 1 then end`,
		`r0 == 1 and r1 == 0`, "found"},
	{"MP+dmb+acquire", mpWriter, `r0 = cpu:load(y, "acquire"); r1 = cpu:load(x)`, `r0 == 1 and r1 == 0`, "verified"},
	{"MP+po+addr", `cpu:store(x, 1); cpu:store(y, 1)`, `r0 = cpu:load(y); r1 = cpu:load(x + r0 * 0)`,
		`r0 == 1 and r1 == 0`, "found"},
	{"MP+dmb+wait", mpWriter, `r0 = cpu:wait(y, 1); r1 = cpu:load(x)`, `r0 == 1 and r1 == 0`, "verified"},
	{"MP+dmb+condition", mpWriter, `r0 = cpu:wait(y, function(v) return v == 1 end); r1 = cpu:load(x)`,
		`r0 == 1 and r1 == 0`, "verified"},
}

const mpWriter = `cpu:store(x, 1); cpu:dmb "ishst"; cpu:store(y, 1)`

// TestExploreDependencies: both sides of each, since a dependency too few is a false alarm, one too many a false
// "verified".
func TestExploreDependencies(t *testing.T) {
	for _, d := range dependencies {
		got, err := exploreScript(t, &Session{}, `
local r0, r1, seen
local r = explore.run { name = "x", machine = hw.machine("virt", { cpus = 2 }), program = function(m)
  r0, r1, seen = nil, nil, m:shared(0)
  local x, y = m:lines(1):addr(0), m:lines(1):addr(0)
  m:spawn(0, function(cpu) `+d.zero+` end)
  m:spawn(1, function(cpu) `+d.one+` end)
end, check = function(m) if `+d.weak+` then return "weak" end end }
print(r.verdict)`)
		if err != nil || !strings.HasPrefix(got, d.want+": ") {
			t.Errorf("%s: expected %s, got %v %s", d.name, d.want, err, got)
		}
	}
}
