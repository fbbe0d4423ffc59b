package bindings

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/result"
)

// TestEqualU64sAreOneKey stores under one u64 and looks under another that is equal, in every way that Lua has.
func TestEqualU64sAreOneKey(t *testing.T) {
	h := newInspected(t)
	if err := h.Run(t.Context(), "input", `
		local t = { [u64"1"] = "one" }
		t[u64"0xffff_ffff_ffff_ffff"] = "max"
		rawset(t, u64"2", "two")
		check.eq(t[u64"1"], "one")
		check.eq(t[u64.max], "max")
		check.eq(t[u64"0x1_0000" / 0x8000], "two")
		check.eq(rawget(t, u64"1"), "one")
		t[u64"1"] = nil
		check.eq(t[u64"1"], nil)
		local found = {}
		for k, v in pairs(t) do found[#found + 1] = v .. " " .. tostring(k) end
		table.sort(found)
		check.eq(found, { "max 0xffff_ffff_ffff_ffff", "two 0x2" })
		check.eq(rawequal(u64"3", u64"3"), true)
		check.eq(u64"3" == u64"3", true)
		check.eq(u64"3" ~= u64"3", false)
		check.eq(u64"3" == u64"4", false)`); err != nil {
		t.Error(err)
	}
}

// equalities are comparisons of u64s with numbers, each true, in every position that an expression can have.
const equalities = `
	local one, two, max = u64"1", u64"2", u64.max
	local calls = ""
	local function call(name, ...) calls = calls .. name return ... end
	local function vararg(...) return ... == 1, (...) ~= 2 end
	check.ok(one == 1)
	check.ok(1 == one)
	check.ok(not (one ~= 1))
	check.ok(one ~= 2 and 2 ~= one and two == 2)
	check.ok(one == 1 and two == 2 or false)
	check.ok(not (one == 2 or two == 1))
	check.eq(call("a", one, two) == call("b", 1, 3), true)
	check.eq(calls, "ab")
	check.eq(call("c") == nil, true)
	check.eq({ vararg(one, two) }, { true, true })
	check.eq({ [one == 1] = one == 1 }, { [true] = true })
	if one == 2 then check.ok(false) elseif two == 2 then calls = "taken" end
	check.eq(calls, "taken")
	local n = u64"0"
	while n ~= 3 do n = n + 1 end
	repeat n = n + 1 until n == 5
	check.eq(n, 5)
	check.eq((function() return n == 5 end)(), true)
	check.eq(max == 0, false)
	check.eq(max == u64"0xffff_ffff_ffff_ffff", true)
	check.eq(one == "1", false)
	check.eq(one == nil, false)
	check.eq(one == {}, false)
	check.eq(1 == 1 and 1 ~= 2 and "1" ~= 1, true)
	local mt = { __eq = function() return true end }
	check.eq(setmetatable({}, mt) == setmetatable({}, mt), true)
	check.eq(setmetatable({}, mt) == 1, false)
`

// TestU64EqualsNumber compares in each of the ways in which source text comes to the virtual machine, with and without
// limits, under which the text is rewritten further.
func TestU64EqualsNumber(t *testing.T) {
	for _, limits := range []host.Limits{{}, {Instructions: 1 << 30}} {
		h, err := NewHost(&Session{Report: &result.Report{Script: "test.lua"}}, host.Options{
			Preload: true, Limits: limits, FS: fstest.MapFS{"required.lua": {Data: []byte(equalities)}},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.Close() })
		for way, source := range map[string]string{
			"script":    equalities,
			"load":      "assert(load([==[" + equalities + "]==]))()",
			"require":   `require "required"`,
			"coroutine": "coroutine.wrap(function() " + equalities + " end)()",
			"program":   `hw.machine "virt":run(0, function() ` + equalities + ` end)`,
		} {
			if err := h.Run(t.Context(), way, source); err != nil {
				t.Errorf("%s: %v", way, err)
			}
		}
		input, err := h.Input("input", `u64"1" == 1, u64"1" ~= 1`)
		if err != nil {
			t.Fatal(err)
		}
		values, err := input.Run(t.Context())
		if err != nil || len(values) != 2 || values[0].String() != "true" || values[1].String() != "false" {
			t.Errorf("at the prompt: %v %v", values, err)
		}
	}
}

// TestU64EqualsNoSuchNumber compares with numbers that no u64 can be, or of which that is not known.
func TestU64EqualsNoSuchNumber(t *testing.T) {
	h := newInspected(t)
	for number, want := range map[string]string{
		"-1":   "expected u64 or integer in 0..2^53-1, got -1",
		"0.5":  "expected u64 or integer in 0..2^53-1, got 0.5, which is not an integer",
		"2^53": "beyond the exact range of Lua numbers: write u64",
		"1/0":  "got the number +Inf",
		"0/0":  "got the number NaN",
	} {
		for _, source := range []string{"u64\"1\"\n== " + number, number + "\n~= u64\"1\""} {
			_, err := h.Eval(t.Context(), "input", "\nlocal x =\n"+source)
			if err == nil || !strings.HasPrefix(err.Error(), "input:3: comparison of u64 0x1 with a number: ") ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v", source, err)
			}
		}
	}
}
