package bindings

import (
	"strings"
	"testing"
)

// ways are how a program can look at what it has loaded: each makes a decision, whether there is a store of 1 to y, of
// r0, which is 0 or 1. One that is followed finds the load buffering; one that is not would lose it without a word.
var ways = []struct{ name, code string }{
	{"comparison", `if r0 == 1 then one() end`},
	{"equal u64s", `if r0 == u64(1) then one() end`},
	{"order", `if r0 > u64(0) then one() end`},
	{"key", `if ({ [u64(1)] = true })[r0] then one() end`},
	{"key of a constructor", `if next({ [r0] = true }) == 1 then one() end`},
	{"key of a constructor, looked up", `if ({ [r0] = true })[u64(1)] then one() end`},
	{"key of an assignment", `local t = {}; t[r0] = true; if t[u64(1)] then one() end`},
	{"several assignments", `local t, u = {}; u, t[r0] = 1, true; if t[u64(1)] then one() end`},
	{"field of a field", `local t = { a = { [u64(1)] = { b = true }, [u64(0)] = {} } }; if t.a[r0].b then one() end`},
	{"method of a key", `local t = { [u64(1)] = { f = one }, [u64(0)] = { f = function() end } }; t[r0]:f()`},
	{"__index of a function", `if setmetatable({}, { __index = function(_, k) return k == 1 end })[r0] then one() end`},
	{"__index of a table", `if setmetatable({}, { __index = { [u64(1)] = true } })[r0] then one() end`},
	{"__newindex", `local t = setmetatable({}, { __newindex = function(_, k) if k == 1 then one() end end }); t[r0] = 1`},
	{"rawget", `if rawget({ [u64(1)] = true }, r0) then one() end`},
	{"rawset", `if rawset({}, r0, true)[u64(1)] then one() end`},
	{"rawequal", `if rawequal(r0, u64(1)) then one() end`},
	{"next after a key", `if next({ [u64(0)] = 1, [u64(1)] = 2 }, r0) == nil then one() end`},
	{"length of a text", `if #tostring(r0 * 15 + 1) == 4 then one() end`},
	{"length of a concatenation", `if #("" .. (r0 * 15 + 1)) == 4 then one() end`},
	{"length of a table", `local t = {}; for i = 1, r0:tonumber() do t[i] = i end; if #t == 1 then one() end`},
	{"length of a list with holes", `local t = { 1, 2 }; t[(r0 + 1):tonumber()] = nil; if #t == 1 then one() end`},
	{"text of a format", `if ("%d"):format(r0) == "1" then one() end`},
	{"text of %s", `if ("%s"):format(r0):find("1") then one() end`},
	{"text of a table's concat", `if table.concat({ r0, "" }):find("1") then one() end`},
	{"text in a pattern's table", `if ("k"):gsub("k", { k = tostring(r0) }):find("1") then one() end`},
	{"sort", `local t = { u64(1), r0 * 2 }; table.sort(t); if t[2] == 2 then one() end`},
	{"sort, with what came beside", `local t = { { u64(1), "a" }, { r0 * 2, "b" } }
		table.sort(t, function(a, b) return a[1] < b[1] end); if t[2][2] == "b" then one() end`},
	{"maximum", `if math.max(r0:tonumber(), 0) == 1 then one() end`},
	{"closure", `local f = function() return r0 end; if f() == 1 then one() end`},
	{"coroutine", `if coroutine.wrap(function(v) return coroutine.yield(v) == 1 end)(r0) == 1 then one() end`},
	{"coroutine that decides", `local c = coroutine.wrap(function(v) if v == 1 then one() end end); c(r0)`},
	{"coroutine that ends", `local c = coroutine.create(function(v) if v == 0 then coroutine.yield() end end)
		coroutine.resume(c, r0); if coroutine.status(c) == "dead" then one() end`},
	{"error of a value", `local _, e = pcall(error, r0); if e == 1 then one() end`},
	{"error of a text", `local _, e = pcall(function() error("v" .. r0, 0) end); if e == "v0x1" then one() end`},
	{"whether there is an error",
		`if not pcall(function() return ({ 1, 2, {} })[(r0 * 2 + 1):tonumber()] + 1 end) then one() end`},
	{"division by zero", `if pcall(function() return u64(1) / r0 end) then one() end`},
	{"remainder by zero", `if pcall(function() return u64(1) % r0 end) then one() end`},
	{"text of an error of an address", `local _, e = pcall(cpu.load, cpu, r0 * 8)
		if tostring(e):find("0x8") then one() end`},
	{"whether an address is memory", `if not pcall(cpu.load, cpu, z + r0 * (0 - z)) then one() end`},
	{"xpcall", `xpcall(function() error(r0) end, function(e) if e == 1 then one() end end)`},
	{"tonumber", `if r0:tonumber() == 1 then one() end`},
	{"tonumber of the library", `if tonumber(tostring(r0):sub(3), 16) == 1 then one() end`},
	{"select", `if select(r0:tonumber() + 1, nil, true) then one() end`},
	{"unpack", `if unpack({ nil, true }, r0:tonumber() + 1) then one() end`},
	{"number of values", `if select("#", unpack({}, 1, r0:tonumber())) == 1 then one() end`},
	{"loop", `for _ = 1, r0:tonumber() do one() end`},
	{"loop over u64s", `local i = u64(0); while i < r0 do one(); i = i + 1 end`},
	{"iteration", `for k in pairs({ [r0] = true }) do if k == 1 then one() end end`},
	{"order of iteration", `local t = { a = 1 }; t[r0 == 1 and "a" or "b"] = nil; t.c = 2
		for k in pairs(t) do if k == "c" then one() end; break end`},
	{"character", `local s = string.char(48 + r0:tonumber()); if s == "1" then one() end`},
	{"and", `local _ = r0 == 1 and one()`},
	{"size of an access", `if not pcall(cpu.load, cpu, z, "plain", r0 * 2 + 1) then one() end`},
	{"a set cell", `seen:set(r0); if seen:get() == 1 then one() end`},
	{"a cell's number", `if seen:add(r0:tonumber()) == 1 then one() end`},
	{"a cell's sum", `if seen:add(r0) == 1 then one() end`},
	{"a cell's type", `if r0 == 1 then seen:set("x") end; if type(seen:get()) == "string" then one() end`},
	{"assert", `if pcall(function() assert(r0 == 1) end) then one() end`},
	{"failing conversion",
		`if not pcall(function() return (r0 * u64"0x8000_0000_0000_0000"):tonumber() end) then one() end`},
	{"a shift out of range", `if not pcall(function() return u64(1):shl(r0:tonumber() * 65) end) then one() end`},
	{"a shift by a u64", `local ok, v = pcall(u64(1).shl, u64(1), r0 * 65); if not ok then one() end`},
	{"bits of two loads", `local t = { r0, r0 }; if t[1]:band(t[2]) == 1 then one() end`},
	{"loadstring", `if loadstring("return ...")(r0) == 1 then one() end`},
	{"loadstring of a text", `if loadstring("return " .. r0:tohex())() == 1 then one() end`},
	{"__eq", `local mt = { __eq = function() return r0 == 1 end }
		if setmetatable({}, mt) == setmetatable({}, mt) then one() end`},
	{"__add with a u64", `local t = setmetatable({}, { __add = function(_, v) return v == 1 end })
		if t + r0 then one() end`},
	{"__lt", `local mt = { __lt = function() return r0 == 1 end }
		if setmetatable({}, mt) < setmetatable({}, mt) then one() end`},
	{"__concat", `local t = setmetatable({}, { __concat = function(_, v) return v == 1 end }); if t .. r0 then one() end`},
	{"__call", `local t = setmetatable({}, { __call = function(_, v) return v == 1 end }); if t(r0) then one() end`},
	{"__tostring", `local t = setmetatable({}, { __tostring = function() return "v" .. r0 end })
		if tostring(t) == "v0x1" then one() end`},
	{"__unm", `local t = setmetatable({}, { __unm = function() return r0 == 1 end }); if -t then one() end`},
}

func TestExploreWays(t *testing.T) {
	for _, w := range ways {
		got, err := exploreScript(t, &Session{}, `
local r0, r1, seen
local r = explore.run { name = "x", machine = hw.machine("virt", { cpus = 2 }), program = function(m)
  r0, r1, seen = nil, nil, m:shared(0)
  local x, y, z = m:lines(1):addr(0), m:lines(1):addr(0), m:lines(1):addr(0)
  m:spawn(0, function(cpu)
    local function one() cpu:store(y, 1); return 1 end
    r0 = cpu:load(x)
    `+w.code+`
  end)
  m:spawn(1, function(cpu) r1 = cpu:load(y); cpu:store(x, 1) end)
end, check = function(m) if r0 == 1 and r1 == 1 then return "weak" end end }
print(r.verdict)`)
		if err != nil || !strings.HasPrefix(got, "found: weak") {
			t.Errorf("%s: %v %s", w.name, err, got)
		}
	}
}

// functions are given to be called at other times or by others: conditions of waits, and calls. They see what was
// loaded and what variables hold as it was where they were given. All must be found but for the last.
var functions = []struct{ name, zero, one, weak string }{
	{"a load, open",
		`r0 = cpu:load(x); r2 = cpu:wait(z, function(v) return v == 2 or r0 == 1 end); cpu:store(y, 1)`,
		`r1 = cpu:load(y); cpu:store(x, 1); cpu:store(z, 2)`, `r0 == 1 and r1 == 1 and r2 == 0`},
	{"a load, in a table", `local t = { { cpu:load(x) } }; r0 = t[1][1]
		r2 = cpu:wait(z, function(v) return v == 2 or t[1][1] == 1 end); cpu:store(y, 1)`,
		`r1 = cpu:load(y); cpu:store(x, 1); cpu:store(z, 2)`, `r0 == 1 and r1 == 1 and r2 == 0`},
	{"a variable that changes later", `local goal = u64(1); cpu:wait(x, function(v) return v == goal end); goal = u64(2)
		r0 = cpu:load(y)`, `first()`, `r0 == 0`},
	{"a table that changes later", `local t = { goal = 1 }; cpu:wait(x, function(v) return v == t.goal end); t.goal = 2
		r0 = cpu:load(y)`, `first()`, `r0 == 0`},
	{"a function that changes later", `local f = function(v) return v == 1 end
		cpu:wait(x, function(v) return f(v) end); f = function() return false end
		r0 = cpu:load(y)`, `first()`, `r0 == 0`},
	{"a global that changes later", `goal = u64(1); cpu:wait(x, function(v) return v == goal end); goal = u64(2)
		r0 = cpu:load(y)`, `first()`, `r0 == 0`},
	{"a call that stores what was loaded",
		`local v = cpu:load(x); cpu:smp_call_function_single(1, function(c) c:store(y, v + 1) end)`,
		`cpu:store(x, 1); r0 = cpu:load(y)`, `r0 == 2`},
	{"a call that decides by what was loaded",
		`local v = cpu:load(x); cpu:smp_call_function_single(1, function(c) if v == 1 then c:store(y, 2) end end)`,
		`cpu:store(x, 1); r0 = cpu:load(y)`, `r0 == 2`},
	{"a call behind a load", `r0 = cpu:load(x); cpu:smp_call_function_single(1, function(c) c:store(y, 1) end)`,
		`cpu:store(x, 1); r1 = cpu:load(y)`, `r0 == 1 and r1 == 1`},
	// The queue is pushed to by a release, which the load comes before.
	{"a call that stores to what was loaded, verified",
		`r0 = cpu:load(x); cpu:smp_call_function_single(1, function(c) c:store(x, 1) end, false)`, ``, `r0 == 1`},
}

func TestExploreFunctions(t *testing.T) {
	for _, c := range functions {
		got, err := exploreScript(t, &Session{}, `
local r0, r1, r2
goal = 0
local r = explore.run { name = "x", machine = hw.machine("virt", { cpus = 2 }), program = function(m)
  local x, y, z = m:lines(1):addr(0), m:lines(1):addr(0), m:lines(1):addr(0)
  m:spawn(0, function(cpu) `+c.zero+` end)
  m:spawn(1, function(cpu)
    local function first() -- is seen by a wait for 1 that ends before y is written
      cpu:store(x, 1); cpu:dmb "ish"; cpu:store(y, 1); cpu:dmb "ish"; cpu:store(x, 3); cpu:store(x, 1)
    end
    `+c.one+`
  end)
end, check = function(m) if `+c.weak+` then return "weak" end end }
print(r.verdict)`)
		want := "found: weak"
		if strings.HasSuffix(c.name, "verified") {
			want = "verified: "
		}
		if err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %v %s", c.name, err, got)
		}
	}
}
