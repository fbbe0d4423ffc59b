package host_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/host"
)

// TestEffects: the function f of each script, and what it does to what lies outside.
func TestEffects(t *testing.T) {
	for script, want := range map[string]string{
		`local n = 0; function f() n = n + 1 end`:                                                    "assigns n (f:1)",
		"n = 0\nfunction f()\n n = n + 1\n end":                                                      "assigns n (f:3)",
		`local n = 0; function f() local n = 0; n = n + 1; return n end`:                             "",
		`function f(x) x = 1; local y = x; y = 2; return y end`:                                      "",
		`function f(m) m.x = 1; m.linux.y = 2; m[1] = 3 end`:                                         "",
		`local t = {}; function f() t.x = 1 end`:                                                     "changes t (f:1)",
		`local t = {}; function f() t[#t + 1] = 1 end`:                                               "changes t (f:1)",
		`t = { u = {} }; function f() t.u.x = 1 end`:                                                 "changes t (f:1)",
		`local t = {}; function f() local u = t; u.x = 1 end`:                                        "changes t (f:1)",
		`local t = {}; function f() table.insert(t, 1) end`:                                          "changes t (f:1)",
		`local t = {}; function f() local u = {}; table.insert(u, t) end`:                            "",
		`local t = {{}}; function f() for _, u in ipairs(t) do u.x = 1 end end`:                      "changes t (f:1)",
		`local t = {}; function f() rawset(t, 1, 2) end`:                                             "changes t (f:1)",
		`local t = { 1 }; function f() local s = 0; for i = 1, #t do s = s + t[i] end; return s end`: "",
		`function f() print(1) end`:                                                                  "prints (f:1)",
		`function f() local p = print; p(1) end`:                                                     "prints (f:1)",
		`function f() pcall(print, 1) end`:                                                           "prints (f:1)",
		`local n; local function g() n = 1 end; function f() g() end`:                                "assigns n (f:1)",
		`local n; local function g() n = 1 end; function f(m) m:run(0, g) end`:                       "assigns n (f:1)",
		`local n; local function g() n = 1 end; function f() pcall(g) end`:                           "assigns n (f:1)",
		`local n; local t = { g = function() n = 1 end }; function f() t.g() end`:                    "assigns n (f:1)",
		`local n; local t = {}; function t:g() n = 1 end; function f() t:g() end`:                    "assigns n (f:1)",
		`local function g(t) t.x = 1 end; local u = {}; function f() g({}); g(u) end`:                "changes u (f:1)",
		`local function g(t) t.x = 1 end; function f() g({}) end`:                                    "",
		`local n; function f(m) m:run(0, function() n = 1 end) end`:                                  "assigns n (f:1)",
		`function f(m) local n = 0; m:run(0, function() n = n + 1 end); return n end`:                "",
		`local t = {}; function f(m) m:run(0, function() local u = t; u.x = 1 end) end`:              "changes t (f:1)",
		`local t = {}; function f(m) local u = t; m:run(0, function() u.x = 1 end) end`:              "changes t (f:1)",
		`local function g(n) if n > 0 then return g2(n - 1) end end; g2 = g; function f() g(3) end`:  "",
		`local a, t; function f() a = 1; t.x = a; print(a) end`: "assigns a (f:1), " +
			"changes t (f:1), prints (f:1)",
		`function f() local t = {}; for k, v in pairs({}) do t[k] = v end; return t end`: "",
	} {
		h, err := host.New(host.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Run(context.Background(), "f", script); err != nil {
			t.Fatalf("%s: %v", script, err)
		}
		var got []string
		for _, e := range h.Effects(h.Global("f").(*lua.LFunction)) {
			got = append(got, fmt.Sprint(e))
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%s:\n got %q\nwant %q", script, got, want)
		}
		h.Close()
	}
}
