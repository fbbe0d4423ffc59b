package bindings

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/result"
)

// sharingScript runs a script beside which there is a file counter.lua, and returns what it printed.
func sharingScript(t *testing.T, script string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	s := &Session{Report: &result.Report{}}
	files := fstest.MapFS{"counter.lua": {Data: []byte(`local n = 0
return { count = 0, inc = function() n = n + 1; return n end, get = function() return n end }`)}}
	h, err := NewHost(s, host.Options{Seed: 1, Preload: true, Stdout: &out, Stderr: &out, FS: files})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	err = h.Run(context.Background(), "t.lua", script)
	return out.String(), err
}

// sharings are ways in which the programs of CPU 0 and CPU 1 can share Lua state. Static: refused by the code alone,
// when the second program starts.
var sharings = []struct {
	name, setup, zero, one string // setup begins with what makes globals, up to ;;
	static                 bool
}{
	{"variable", `local n = 0`, `n = n + 1`, `n = n + 1`, true},
	{"variable that one only reads", `local n = 0`, `n = 1`, `if n == 1 then cpu:exec(1) end`, true},
	{"variable in a function that is called", `local n = 0; local function inc() n = n + 1 end`, `inc()`,
		`m:assert(n < 9)`, true},
	{"variable two functions away", `local n = 0; local function inc() n = n + 1 end; local function f() inc() end`,
		`f()`, `m:assert(n < 9)`, true},
	{"variable in a function inside", `local n = 0`, `(function() n = n + 1 end)()`, `m:assert(n < 9)`, true},
	{"global", `n = 0;;`, `n = n + 1`, `m:assert(n < 9)`, true},
	{"global function", `n = 0; function inc() n = n + 1 end;;`, `inc()`, `m:assert(n < 9)`, true},
	{"global by _G", `n = 0;;`, `_G.n = 1`, `m:assert(n < 9)`, false},
	{"global by rawset", `n = 0;; local G = _G`, `rawset(G, "n", 1)`, `m:assert(n < 9)`, false},
	{"global by load", `n = 0;;`, `load("n = n + 1")()`, `m:assert(n < 9)`, false},
	{"new key of _G", ``, `rawset(_G, "fresh", 1)`, `rawget(_G, "fresh")`, false},
	{"table", `local t = {}`, `t.x = 1`, `m:assert(t.y == nil)`, false},
	{"table inside a table", `local t = { a = { b = {} } }`, `t.a.b.x = 1`, `m:assert(t.a.b.y == nil)`, false},
	{"entry that is removed", `local t = { x = 1 }`, `t.x = nil`, `m:assert(t.y == nil)`, false},
	{"list by table.insert", `local t = {}`, `table.insert(t, 1)`, `m:assert(#t < 9)`, false},
	{"list by table.remove", `local t = { 1, 2 }`, `table.remove(t)`, `m:assert(#t < 9)`, false},
	{"list by table.sort", `local t = { 2, 1 }`, `table.sort(t)`, `m:assert(#t < 9)`, false},
	{"table as an argument", `local t = {}; local function f(x) x.n = 1 end; local function g(x) return x.n end`,
		`f(t)`, `g(t)`, false},
	{"table that a function returns", `local t = {}; local function f() return t end`, `f().x = 1`, `f()`, false},
	{"table by varargs", `local t = {}; local function f(...) select(1, ...).x = 1 end`, `f(t)`, `m:assert(t.y == nil)`,
		false},
	{"closure in a table", `local n = 0; local t = { inc = function() n = n + 1 end, get = function() return n end }`,
		`t.inc()`, `t.get()`, false},
	{"metatable", `local t = {}`, `setmetatable(t, { __index = { x = 1 } })`, `m:assert(t.y == nil)`, false},
	{"__newindex", `local log = {}; local t = setmetatable({}, { __newindex = function(_, k, v) log[k] = v end,
		__index = log })`, `t.x = 1`, `m:assert(t.y == nil)`, false},
	{"__index that counts", `local n = 0; local t = setmetatable({}, { __index = function() n = n + 1; return n end })`,
		`cpu:exec(t.x)`, `cpu:exec(t.x)`, false},
	{"__call", `local n = 0; local t = setmetatable({}, { __call = function() n = n + 1 end })`, `t()`, `t()`, false},
	{"coroutine", `local co = coroutine.create(function() while true do coroutine.yield(1) end end)`,
		`coroutine.resume(co)`, `coroutine.resume(co)`, false},
	{"coroutine.wrap", `local co = coroutine.wrap(function() while true do coroutine.yield(1) end end)`,
		`co()`, `co()`, false},
	{"variable in a coroutine's body", `local n = 0; local co = coroutine.wrap(function() n = n + 1 end)`, `co()`,
		`m:assert(n < 9)`, false},
	{"local of a coroutine", `local t = {}; local co = coroutine.wrap(function(x) coroutine.yield(); x.n = 1 end); co(t)`,
		`co()`, `m:assert(t.n == nil or t.n == 1)`, false},
	{"variable outside of explore.run", `outside = 0;; local n = 0`, `n = 1; outside = n`, `n = 1`, true},
	{"iterator", `local words = ("a b c d"):gmatch("%a")`, `words()`, `words()`, false},
	{"required module's field", `local counter = require "counter"`, `counter.count = 1`, `m:assert(counter.count < 9)`,
		false},
	{"required module's function", `local counter = require "counter"`, `counter.inc()`, `counter.get()`, false},
	{"module required in the programs", `require "counter"`, `require("counter").count = 1`,
		`m:assert(require("counter").count < 9)`, false},
	{"registry by name", `local registry = {}; local function at(name) return registry[name] end; registry.a = {}`,
		`at("a").x = 1`, `at("a")`, false},
	{"registry of another key", `registry = {};; local key = {}`, `registry[key] = 1`, `registry[key] = 1`, false},
	{"table that is a key", `local key = {}; local t = { [key] = 0 }`, `next(t).x = 1`, `next(t)`, false},
	{"string library", ``, `string.x = 1`, `m:assert(("x").x ~= 2)`, false},
	{"helper that was replaced", `local function f() end; local n = 0; local g = function() n = n + 1 end`, `f = g`,
		`f()`, true},
	{"method of an object", `local Counter = { n = 0 }; Counter.__index = Counter
		function Counter:inc() self.n = self.n + 1 end; local c = setmetatable({}, Counter)`, `c:inc()`, `c:inc()`, false},
	{"sort's order function", `local n = 0; local function less(a, b) n = n + 1; return a < b end`,
		`table.sort({ 2, 1 }, less)`, `m:assert(n < 9)`, true},
	{"condition of a wait", `local n = 0`,
		`cpu:wait(0x40000000, function(v) n = n + 1; return true end)`, `m:assert(n < 9)`, true},
}

const refusal = "simulated time does not order Lua variables and tables; use a cell m:shared(value)"

// TestSharingIsRefused: programs of two CPUs must not communicate through Lua, in whatever way.
func TestSharingIsRefused(t *testing.T) {
	for _, way := range sharings {
		globals, setup, found := strings.Cut(way.setup, ";;")
		if !found {
			globals, setup = "", way.setup
		}
		programs := setup + `
m:spawn(0, function(cpu) cpu:exec(10); ` + way.zero + `; cpu:isb(); cpu:exec(100) end)
m:spawn(1, function(cpu) cpu:exec(10); cpu:isb(); ` + way.one + `; cpu:exec(100) end)
`
		timed := globals + ` local m = hw.machine("virt", { cpus = 2, jitter = false })` + "\n" + programs + "m:run()"
		explored := globals + ` local m = hw.machine("virt", { cpus = 2 })
local r = explore.run { name = "x", machine = m, program = function(m)
` + programs + `end }
print(r.verdict)`
		for mode, script := range map[string]string{"timed": timed, "explored": explored} {
			out, err := sharingScript(t, script)
			if mode == "explored" && err != nil && strings.Contains(err.Error(), "outside (a coroutine in ") {
				continue // which no execution can begin with
			}
			if err == nil || !strings.Contains(err.Error(), refusal) {
				t.Errorf("%s, %s: %v\n%s", way.name, mode, err, out)
				continue
			}
			if static := strings.Contains(err.Error(), "is assigned by"); static != way.static {
				t.Errorf("%s, %s: refused in the wrong way: %v", way.name, mode, err)
			}
		}
	}
}

// TestSharingNamesBoth: the error says what is shared, by whom, and in which lines.
func TestSharingNamesBoth(t *testing.T) {
	_, err := sharingScript(t, `local m = hw.machine("virt", { cpus = 2 })
local inside = 0
m:spawn(0, function(cpu) inside = inside + 1 end)
m:spawn(1, function(cpu)
  if inside == 1 then return end
end)`)
	want := `t.lua:4: variable "inside" is assigned by the program of CPU0 (t.lua:3) and used by the program of CPU1 ` +
		`(t.lua:5): ` + refusal
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	_, err = sharingScript(t, `local m = hw.machine("virt", { cpus = 2, jitter = false })
local state = { flag = {} }
m:spawn(0, function(cpu) state.flag.up = true; cpu:exec(10) end)
m:spawn(1, function(cpu) cpu:exec(20); return state.flag.up end)
m:run()`)
	want = `t.lua:5: entry "up" of a table inside the table in variable "state" changed from nil to true, while the ` +
		`program of CPU0 and the program of CPU1 can both use it: ` + refusal
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

const timedMachine = `local m = hw.machine("virt", { cpus = 4, jitter = false })` + "\n"

// exploredMachine makes an exploration of the statements of a program function, with what stands before and a check.
func exploredMachine(before, program, check string) string {
	return before + `
local r = explore.run { name = "x", machine = hw.machine("virt", { cpus = 3 }), program = function(m)
` + program + `
end, check = function(m) ` + check + ` end }
print(r.verdict)`
}

const handlersOfTwo = `local n = 0; for i = 1, 2 do m:cpu(i):on_irq(function(cpu) n = n + 1 end) end`

// otherSharings share by way of what else runs than the two programs.
var otherSharings = map[string]string{
	"handler and program": timedMachine + `local done = false
m:cpu(1):on_irq(function(cpu) done = true end)
m:run(0, function(cpu) for _ = 1, 5 do if done then break end; cpu:exec(10) end end)`,
	"handlers of two CPUs":           timedMachine + handlersOfTwo,
	"handlers of two CPUs, explored": exploredMachine("", handlersOfTwo, ""),
	"remote function": timedMachine + `local n = 0
m:run(0, function(cpu) cpu:smp_call_function_single(1, function() n = n + 1 end); return n end)`,
	"remote function and a local": timedMachine + `m:run(0, function(cpu)
  local seen
  cpu:smp_call_function_single(1, function(callee) seen = callee:id() end)
  return seen
end)`,
	"remote function and a local, explored": exploredMachine("", `m:spawn(0, function(cpu)
  local seen
  cpu:smp_call_function_single(1, function(callee) seen = callee:id() end)
  m:assert(seen == 1)
end)`, ""),
	"remote function reads a local that changes": timedMachine + `m:run(0, function(cpu)
  local n = 0
  cpu:smp_call_function_single(1, function(callee) callee:exec(n) end, false)
  n = 5
  cpu:exec(100000)
end)`,
	"remote function reads a local that changes, explored": exploredMachine("", `m:spawn(0, function(cpu)
  local n = 0
  cpu:smp_call_function_single(1, function(callee) callee:exec(n) end, false)
  n = 5
  cpu:isb()
end)`, ""),
	"remote function and a table of the program": timedMachine + `m:run(0, function(cpu)
  local t = {}
  cpu:smp_call_function_single(1, function(callee) t.x = 1 end)
  return t.x
end)`,
	"remote function and a table of a protected call": timedMachine + `m:run(0, function(cpu)
  pcall(function()
    local t = {}
    pcall(function() cpu:smp_call_function_single(1, function(callee) t.x = 1 end) end)
    return t.x
  end)
end)`,
	"remote function and a coroutine of the program": timedMachine + `m:run(0, function(cpu)
  local next = coroutine.wrap(function() for i = 1, 9 do coroutine.yield(i) end end)
  cpu:smp_call_function_single(1, function(callee) next() end)
  return next()
end)`,
	"before the first step, explored": exploredMachine("", `local t = {}
m:spawn(0, function(cpu) t.x = 1; cpu:isb() end)
m:spawn(1, function(cpu) m:assert(t.y == nil) end)`, ""),
	"taken back after a print, explored": exploredMachine("", `local t = {}
m:spawn(0, function(cpu) t.x = 1; print("here"); t.x = nil; cpu:isb() end)
m:spawn(1, function(cpu) m:assert(t.y == nil) end)`, ""),
	"in xpcall's handler, explored": exploredMachine("", `local t = {}
m:spawn(0, function(cpu) xpcall(function() error(t) end, function(e) e.x = 1 end) end)
m:spawn(1, function(cpu) cpu:isb(); m:assert(t.y == nil) end)`, ""),
	"hidden by pcall, explored": exploredMachine("", `local t = {}
m:spawn(0, function(cpu) pcall(function() t.x = 1; cpu:isb() end); t.x = nil; cpu:isb() end)
m:spawn(1, function(cpu) cpu:isb(); m:assert(t.y == nil) end)`, ""),
	"remote closure from a maker": timedMachine + `m:run(0, function(cpu)
  local function make() local n = 0; return function() n = n + 1 end, function() return n end end
  local inc, get = make()
  cpu:smp_call_function_single(1, inc)
  return get()
end)`,
	"remote function and a local of a function that was called": timedMachine + `
local function measure(cpu) local t; cpu:smp_call_function_single(1, function(c) t = c:now() end); return t end
m:run(0, function(cpu) return measure(cpu) end)`,
	"two remote functions": timedMachine + `local n = 0; local function inc() n = n + 1 end
m:run(0, function(cpu) for i = 1, 3 do cpu:smp_call_function_single(i, inc, false) end end)`,
	"gic_ipi_send_mask": timedMachine + `local n = 0
m.linux.gic_ipi_send_mask = function(cpu, mask, intid)
  n = n + 1
  cpu:msr("ICC_SGI1R_EL1", 0x8 + intid * 2 ^ 24)
end
for i = 0, 1 do m:spawn(i, function(cpu) cpu:smp_call_function_single(2 + i) end) end
m:run()`,
	"program started by a program": timedMachine + `m:run(0, function(cpu)
  local n = 0
  m:spawn(1, function(other) n = n + 1; other:exec(10) end)
  cpu:exec(1000); cpu:isb(); cpu:exec(1000)
  return n
end)
m:run()`,
	"handler set by a program": timedMachine + `m:run(0, function(cpu)
  local t = {}
  m:cpu(1):on_irq(function(c) t.x = 1; c:msr("ICC_EOIR1_EL1", c:mrs("ICC_IAR1_EL1")) end)
  cpu:smp_call_function_single(1, nil, false)
  cpu:exec(100000)
  return t.x
end)`,
	"device and program": timedMachine + `local n = 0
local dev = m:device { name = "dev", base = 0x9000000, write = function() n = n + 1 end }
m:run(0, function(cpu) cpu:store(dev:addr(0), 1); return n end)`,
}

// TestSharingOfWhatElseRuns: handlers, functions called on other CPUs, replaced functions of the kernel, devices, and
// programs that programs start count like programs.
func TestSharingOfWhatElseRuns(t *testing.T) {
	for name, script := range otherSharings {
		if out, err := sharingScript(t, script); err == nil || !strings.Contains(err.Error(), refusal) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestSharingThatIsAllowed: what nobody changes, what only one CPU and the script use, and programs that are not alive
// together.
func TestSharingThatIsAllowed(t *testing.T) {
	for name, script := range map[string]string{
		"constants": timedMachine + `local p = { n = 3, list = { 1, 2 } }
for i = 0, 1 do m:spawn(i, function(cpu)
  local t = {}
  for k, v in ipairs(p.list) do t[k] = v + p.n; cpu:exec(10) end
end) end
m:run()`,
		"results of each": timedMachine + `local a, b
m:spawn(0, function(cpu) cpu:exec(10); a = cpu:now() end)
m:spawn(1, function(cpu) cpu:exec(20); b = cpu:now() end)
m:run()
check.eq({ a, b }, { 5000, 10000 })`,
		"one after another": timedMachine + `local n, t = 0, {}
for i = 0, 3 do m:run(i, function(cpu) n = n + 1; t[#t + 1] = i; cpu:exec(n) end) end
check.eq(n, 4); check.eq(t, { 0, 1, 2, 3 })`,
		"handler and script": timedMachine + `local n = 0
m:cpu(1):on_irq(function(cpu) n = n + 1; cpu:msr("ICC_EOIR1_EL1", cpu:mrs("ICC_IAR1_EL1")) end)
m:run(0, function(cpu) cpu:msr("ICC_SGI1R_EL1", 0x2 + 3 * 2 ^ 24); cpu:exec(10000) end)
m:run()
check.eq(n, 1)`,
		"handler and program of one CPU": timedMachine + `local n = 0
m:run(1, function(cpu)
  cpu:on_irq(function(c) n = n + 1; c:msr("ICC_EOIR1_EL1", c:mrs("ICC_IAR1_EL1")) end)
  cpu:msr("ICC_SGI1R_EL1", 0x2 + 3 * 2 ^ 24)
  while n == 0 do cpu:exec(10) end
end)`,
		"call to the own CPU": timedMachine + `m:spawn(1, function(cpu) cpu:exec(10) end)
check.eq(m:run(0, function(cpu) local n; cpu:smp_call_function_single(0, function() n = 5 end); return n end), 5)`,
		"script changes between runs": timedMachine + `local t = { n = 1 }
m:cpu(1):on_irq(function(c) c:exec(t.n); c:msr("ICC_EOIR1_EL1", c:mrs("ICC_IAR1_EL1")) end)
for i = 1, 3 do
  t.n = i
  m:run(0, function(cpu) cpu:msr("ICC_SGI1R_EL1", 0x2 + t.n * 2 ^ 24); local u = {}; u.x = 1 end)
end`,
		"remote function with constants": timedMachine + `m:run(0, function(cpu)
  local sum = {}
  for i = 1, 3 do
    local n = 10 * i
    cpu:smp_call_function_single(i, function(callee) callee:exec(n) end)
    sum[i] = n
  end
end)`,
		"devices share": timedMachine + `local v = u64(0)
local a = m:device { name = "a", base = 0x9000000, write = function(_, x) v = x end }
local b = m:device { name = "b", base = 0x9001000, read = function() return v end }
m:run(0, function(cpu)
  cpu:store(a:addr(0), 7); cpu:dsb "sy"; cpu:load(a:addr(0))
  check.eq(cpu:load(b:addr(0)), 7)
end)
check.eq(v, 7)`,
		"read by check": exploredMachine("local got", `got = nil; local a = m:lines(1):addr(0)
m:spawn(0, function(cpu) got = cpu:load(a) end)
m:spawn(1, function(cpu) cpu:store(a, 1) end)`, `m:assert(got == 0 or got == 1)`),
		"counted by check": exploredMachine("local runs, outcomes = 0, {}", `local got
m:spawn(0, function(cpu) got = cpu:now() end)`, `runs = runs + 1; outcomes[runs] = 1`),
		"built anew": exploredMachine("", `local log, n = {}, 0; local a = m:lines(1):addr(0)
m:spawn(0, function(cpu) for i = 1, 2 do n = n + 1; log[n] = cpu:load(a) end; m:assert(#log == 2) end)
m:spawn(1, function(cpu) cpu:store(a, 1) end)`, ""),
	} {
		out, err := sharingScript(t, script)
		if err != nil || strings.Contains(out, "failed") || strings.Contains(script, "explore.run") &&
			!strings.HasPrefix(out, "verified: ") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestExplorePutsBack: an execution begins with the Lua state that the program function has left, whatever programs and
// the check do to it.
func TestExplorePutsBack(t *testing.T) {
	const racing = `local a = m:lines(1):addr(0)
m:spawn(1, function(cpu) cpu:store(a, 1) end)
`
	for name, script := range map[string]string{
		"variable": exploredMachine("local n = 0", racing+`m:spawn(0, function(cpu)
  cpu:load(a); n = n + 1; m:assert(n == 1); cpu:load(a); n = n + 1; m:assert(n == 2)
end)`, "m:assert(n == 2)"),
		"variable that check reads": exploredMachine("local got, seen", racing+`got, seen = nil, nil
m:spawn(0, function(cpu) seen = cpu:load(a); if seen == 1 then got = 1 end end)`,
			`m:assert(got == (seen == 1 and 1 or nil))`),
		"table": exploredMachine("local t = { 5 }", racing+`m:spawn(0, function(cpu)
  cpu:load(a); t[#t + 1] = 1; t.x = 1; m:assert(#t == 2)
end)`, "m:assert(#t == 2 and t.x == 1)"),
		"order of entries": exploredMachine("local t = { a = 1, b = 2, c = 3 }", racing+`m:spawn(0, function(cpu)
  local keys = ""
  for k in pairs(t) do keys = keys .. k end
  m:assert(keys == "abc")
  cpu:load(a); t.a = nil; cpu:load(a); t.a = 1
end)`, ""),
		"metatable": exploredMachine("local t = {}", racing+`m:spawn(0, function(cpu)
  m:assert(getmetatable(t) == nil); cpu:load(a); setmetatable(t, { __index = { x = 1 } }); m:assert(t.x == 1)
end)`, ""),
		"global": exploredMachine("count = 0", racing+`m:spawn(0, function(cpu)
  cpu:load(a); count = count + 1; m:assert(count == 1)
end)`, ""),
		"global by _G": exploredMachine("count = 0", racing+`m:spawn(0, function(cpu)
  cpu:load(a); _G.count = _G.count + 1; m:assert(count == 1)
end)`, ""),
		"program function": exploredMachine("local n = 0", racing+`n = n + 1; local k = n
m:spawn(0, function(cpu) cpu:load(a); m:assert(k == 1) end)`, ""),
		"changed by check": exploredMachine("local n = 0", racing+`m:spawn(0, function(cpu)
  cpu:load(a); m:assert(n == 0)
end)`, "n = n + 1; m:assert(n == 1)"),
		"gic_ipi_send_mask": exploredMachine("local n = 0", racing+`
m.linux.gic_ipi_send_mask = function(cpu, mask, id)
  n = n + 1; m:assert(n == 1); cpu:msr("ICC_SGI1R_EL1", 0x4 + id * 2 ^ 24)
end
m:spawn(0, function(cpu) cpu:load(a); cpu:smp_call_function_single(2) end)`, ""),
		"iterator": exploredMachine(`local words = ("a b c d e f g h"):gmatch("%a")`,
			racing+`m:spawn(0, function(cpu)
  cpu:load(a); m:assert(words() == "a"); cpu:load(a); m:assert(words() == "b")
end)`, ""),
		"handler and program of one CPU": exploredMachine("", `local n = 0
m:cpu(1):on_irq(function(cpu)
  local id = cpu:mrs("ICC_IAR1_EL1")
  n = n + 1; m:assert(n == 1)
  cpu:msr("ICC_EOIR1_EL1", id); cpu:msr("ICC_DIR_EL1", id)
end)
m:spawn(0, function(cpu) cpu:msr("ICC_SGI1R_EL1", 0x2 + 3 * 2 ^ 24) end)
m:spawn(1, function(cpu) m:assert(n <= 1); cpu:exec(1); m:assert(n <= 1) end)`, ""),
	} {
		out, err := sharingScript(t, script)
		if err != nil || !strings.HasPrefix(out, "verified: ") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	_, err := sharingScript(t, exploredMachine(`local co = coroutine.wrap(function() local i = 0
  while true do i = i + 1; coroutine.yield(i) end end)`, racing+`m:spawn(0, function(cpu) cpu:load(a); co() end)`, ""))
	if err == nil || !strings.Contains(err.Error(), "this program depends on Lua state from outside (a coroutine") {
		t.Errorf("coroutine: %v", err)
	}
	_, err = sharingScript(t, exploredMachine(`local cell = hw.machine("virt"):shared(0)`, `local c = m:shared(0)
m:spawn(0, function(cpu) cpu:exec(math.random(5)) end)`, ""))
	if err == nil || !strings.Contains(err.Error(), "math.random in a program that is explored") {
		t.Errorf("math.random: %v", err)
	}
}

// TestShared: timed, each operation comes at its time; explored, in every order.
func TestShared(t *testing.T) {
	out, err := sharingScript(t, timedMachine+`local flag, seen = m:shared(), m:shared(u64"0xffffffffffffffff")
m:spawn(0, function(cpu) cpu:exec(2000); flag:set(true) end)
local at = m:run(1, function(cpu) while not flag:get() do cpu:exec(20) end; return cpu:now() end)
check.eq(at, 1000000, "not before it is set, and not long after")
check.eq(seen:add(2), u64(1))
check.eq(m:shared(1.5):add(2), 3.5)
print(flag, seen)
check.fails(function() m:shared({}) end, "expected a number, u64, string, boolean or nil")
check.fails(function() flag:set(print) end, "expected a number, u64, string, boolean or nil")
check.fails(function() flag:add(1) end, "Shared:add: expected numbers or u64 values without a fraction, got true")`)
	if err != nil || out != "shared true\tshared 0x1\n" {
		t.Errorf("%v\n%s", err, out)
	}
	for _, row := range []struct{ script, want string }{
		{exploredMachine("local n", `n = m:shared(0)
for i = 0, 1 do m:spawn(i, function(cpu) n:add(1) end) end`, `m:assert(n:get() == 2, "lost")`), "verified: "},
		{exploredMachine("local n", `n = m:shared(0)
for i = 0, 1 do m:spawn(i, function(cpu) n:set(n:get() + 1) end) end`, `m:assert(n:get() == 2, "lost")`),
			"found: lost"},
		{exploredMachine("", `local inside = m:shared(0)
for i = 0, 1 do m:spawn(i, function(cpu)
  inside:add(1); m:assert(inside:get() == 1, "both inside"); inside:add(-1)
end) end`, ""), "found: both inside"},
	} {
		out, err := sharingScript(t, row.script)
		if err != nil || !strings.HasPrefix(out, row.want) {
			t.Errorf("%v\n%s\nwant %s", err, out, row.want)
		}
	}
	_, err = sharingScript(t, `local m = hw.machine("virt", { cpus = 2 }); local n = m:shared(0)
explore.run { name = "x", machine = m, program = function(m) m:spawn(0, function(cpu) n:add(1) end) end }`)
	if err == nil || !strings.Contains(err.Error(), "a shared value that was made outside of the program function") {
		t.Error(err)
	}
}

// TestExploredProgramsSeeNoOrder: what would show the order of programs behind the explorer's back is refused, or says
// the same in every order; what a program installs is gone in the next execution.
func TestExploredProgramsSeeNoOrder(t *testing.T) {
	for _, use := range []string{
		"m:lines(1)", "m:shared(0)", "m:stats()", "m:remarks()", "m:trace(print)", "m:profile(print)", "m:irq_line(40)",
		"m:cpu(0):now()", "m:cpu(0):on_irq()", "m:spawn(2, print)", "m.linux.gic_ipi_send_mask",
		"m:device { name = 'x', base = 0x9000000 }",
	} {
		_, err := sharingScript(t, exploredMachine("", "m:spawn(1, function(cpu) cpu:isb(); local _ = "+use+" end)", ""))
		if err == nil || !strings.Contains(err.Error(), "used in a program that is explored") {
			t.Errorf("%s: %v", use, err)
		}
	}
	out, err := sharingScript(t, exploredMachine("", `local line, cell = m:irq_line(40), m:shared(0)
m:spawn(0, function(cpu) cpu:isb(); cell:set(5); cpu:isb() end)
m:spawn(1, function(cpu)
  cpu:isb()
  m:assert(tostring(m:cpu(0)) == "CPU 0 of virt"); m:assert(tostring(m) == "machine virt: 3 CPUs")
  m:assert(tostring(line) == "interrupt line IRQ40"); m:assert(tostring(cell) == "shared value")
end)`, ""))
	if err != nil || !strings.HasPrefix(out, "verified: ") {
		t.Errorf("%v\n%s", err, out)
	}
	_, err = sharingScript(t, exploredMachine(`local other = hw.machine("virt"); local cell = other:shared(0)`,
		"m:spawn(1, function(cpu) cpu:isb(); cell:add(1) end)", ""))
	if err == nil || !strings.Contains(err.Error(), "another machine used in the program of CPU1, which is explored") {
		t.Error(err)
	}
	// What an execution installs is not there when the next one begins.
	out, err = sharingScript(t, exploredMachine("", `m:assert(m.linux.gic_ipi_send_mask == nil, "left over")
m.linux.gic_ipi_send_mask = function() end
local a = m:lines(1):addr(0)
m:spawn(0, function(cpu) cpu:store(a, 1) end)
m:spawn(1, function(cpu) cpu:load(a) end)`, ""))
	if err != nil || !strings.HasPrefix(out, "verified: ") {
		t.Errorf("%v\n%s", err, out)
	}
}
