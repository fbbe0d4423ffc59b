package host_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/host"
	lua "github.com/yuin/gopher-lua"
)

// rewritten makes random expressions of the operators that the checker rewrites, and of all that can stand around them.
type rewritten struct{ random *rand.Rand }

func (g *rewritten) pick(forms ...string) string { return forms[g.random.IntN(len(forms))] }

// expression returns an expression in which B stands for any value, S for a string or number.
func (g *rewritten) expression(depth int) string {
	form := g.pick("nil", "true", "1", "2", "0.5", "'1'", "'a'", "t", "same", "other", "x", "...", "f(3, 4)", "f()", "#t",
		"huge")
	if depth > 0 {
		form = g.pick("B == B", "B ~= B", "B == B", "B ~= B", "(B) == (B)", "not B", "B and B", "B or B", "S .. S .. S",
			"f(B, B)", "f((B))", "({ B, B })[1]", "({ k = B, [S] = B }).k", "(function(...) return B end)(B, B)",
			"f(B) == nil", "B == nil", "'a' ~= B", "S .. f(S, 2)",
			"f(S, 2) .. S", "S .. ...", "B == f(B, B)", "select('#', B, B)", "(... == B)")
	}
	var out strings.Builder
	for _, c := range form {
		switch c {
		case 'B':
			out.WriteString("(" + g.expression(depth-1) + ")")
		case 'S':
			out.WriteString(g.pick("1", "'a'", "2.5", "-1", "('b' .. 1)", "#t", "tostring(B)"))
		default:
			out.WriteRune(c)
		}
	}
	return strings.ReplaceAll(out.String(), "B", "("+g.pick("1", "t == same", "x ~= 'a'")+")")
}

// TestRewritingKeepsTheMeaning runs random expressions in the host and in a virtual machine of its own, to which they
// come as they are written. Without u64s both give the same values, in the same order of evaluation.
func TestRewritingKeepsTheMeaning(t *testing.T) {
	const prelude = `
		local log = ""
		local function f(...) log = log .. select("#", ...) return ... end
		local x, huge = 1, 1 / 0
		local mt = { __eq = function() log = log .. "e" return true end }
		local t, same, other = setmetatable({}, mt), setmetatable({}, mt), {}
		local function show(...)
			local text = ""
			for i = 1, select("#", ...) do
				local v = select(i, ...)
				text = text .. (type(v) == "table" and "table" or tostring(v)) .. " "
			end
			return text .. log
		end
		local function run(...)
			local taken = "else"
			if %s then taken = "then" end
			while %[1]s do taken = taken .. " while" break end
			return taken, %[1]s
		end
		return show(pcall(run, 1, "a", t))`
	var out bytes.Buffer
	hosts := []*host.Host{newHost(t, &out), limitedHost(t, &out, host.Limits{Instructions: 1 << 40})}
	g := rewritten{rand.New(rand.NewPCG(1, 2))}
	results := map[string]bool{}
	for i := range 1000 {
		source := fmt.Sprintf(prelude, g.expression(1+i%4))
		plain := lua.NewState()
		want := "no result"
		if err := plain.DoString(source); err != nil {
			t.Fatalf("%s: %v", source, err)
		} else {
			want = strings.ReplaceAll(plain.Get(-1).String(), "<string>", "input")
		}
		plain.Close()
		results[want] = true
		for _, h := range hosts {
			values, err := h.Eval(t.Context(), "input", source)
			if err != nil || len(values) != 1 || values[0].String() != want {
				t.Fatalf("%s\n got %v %v\nwant %s", source, values, err, want)
			}
		}
	}
	if len(results) < 250 {
		t.Errorf("%d different results only", len(results))
	}
}
