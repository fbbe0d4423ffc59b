package bindings_test

import (
	"context"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// TestExploreKeys: what a table has at a loaded value is decided by the value, in whatever way it is looked up. Here
// the other CPU can store before it has loaded, and reads then what depends on that: an execution that is lost where
// the decision is not seen.
func TestExploreKeys(t *testing.T) {
	for _, look := range []string{
		`v:eq(1)`,
		`({ [u64(0)] = 1, [u64(1)] = 2 })[v] == 2`,
		`t[v] ~= nil`,
		`deep.at[v][1] == 2`,
		`(function(k) return t[k] end)(v) == 2`,
		`methods[v]()`,
		`(function() local s = {} s[v] = 2 return s[u64(1)] end)()`,
		`(function() local s = { [v] = 2 } return s[u64(1)] end)()`,
		`(function() local s = {} rawset(s, v, 2) return rawget(s, u64(1)) end)()`,
		`next({ [v] = 2 }) == u64(1)`,
		`t[v + 0]`,
	} {
		s := newStopper(t)
		got := s.eval(`return explore.run { name = "keys", machine = hw.machine("virt", { cpus = 2 }), program = function(m)
			local a, b = m:lines(1):addr(0), m:lines(1):addr(0)
			m:spawn(0, function(cpu)
				local t = { [u64(1)] = 2 }
				local deep = { at = { [u64(0)] = { 1 }, [u64(1)] = { 2 } } }
				local methods = { [u64(0)] = function() end, [u64(1)] = function() return true end }
				local v = cpu:load(a)
				if ` + look + ` then cpu:store(b, 1) end
			end)
			m:spawn(1, function(cpu)
				local w = cpu:load(b)
				cpu:store(a, 1)
				m:assert(w:eq(0), "b seen")
			end)
		end }.verdict`)
		if !strings.Contains(got, "found: b seen") {
			t.Errorf("%s: %s", look, got)
		}
	}
}

// A program that does something else for the same values cannot be explored: the access is named.
func TestExploreRefusesOutsideState(t *testing.T) {
	s := newStopper(t)
	calls := 0
	s.host.State().SetGlobal("count", s.host.State().NewFunction(func(L *lua.LState) int {
		calls++
		L.Push(lua.LNumber(calls % 2))
		return 1
	}))
	_, err := s.host.Eval(context.Background(), "test", `
explore.run { name = "x", machine = hw.machine("virt", { cpus = 2 }), program = function(m)
  local a = m:lines(3)
  m:spawn(0, function(cpu)
    cpu:load(a:addr(2))
    cpu:store(a:addr(count()), 1)
  end)
  m:spawn(1, function(cpu) cpu:load(a:addr(0)); cpu:store(a:addr(2), 1) end)
end }`)
	if err == nil || !strings.Contains(err.Error(), "depends on something that is not seen (CPU0 at test:6: ") {
		t.Error(err)
	}
}
