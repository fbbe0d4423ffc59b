package host_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// enter evaluates an input.
func enter(h *host.Host, source string) (string, error) {
	in, err := h.Input("input", source)
	if err != nil {
		return "", err
	}
	values, err := in.Run(context.Background())
	return api.Inspect(values...), err
}

func TestInputKeepsLocals(t *testing.T) {
	h, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for _, c := range []struct{ source, want string }{
		{"local x = 1", ""},
		{"x + 1", "2"},
		{"local a, b = (function() return 1, 2 end)()", ""},
		{"a, b", "1\t2"},
		{"local function fact(n) return n < 2 and 1 or n * fact(n - 1) end", ""},
		{"fact(5)", "120"},
		{"local later", ""},
		{"later", "nil"},
		{"function set() later = 7 end", ""}, // no global is created inside a function, but for a declared one
		{"set()", ""},
		{"later", "7"},
		{"do local hidden = 1 end", ""},
		{"local print = 5", ""}, // would hide the function for good
		{"print == 5", "false"},
		{"local math = math; return math.pi > 3", "true"},
	} {
		if got, err := enter(h, c.source); err != nil || got != c.want {
			t.Errorf("%s: got %q %v, want %q", c.source, got, err, c.want)
		}
	}
	if _, err := enter(h, "hidden"); err == nil {
		t.Error("the local of an inner block has become a global")
	}
}

func TestInputKinds(t *testing.T) {
	h, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for _, c := range []struct {
		source                 string
		expression, incomplete bool
		fails                  string
	}{
		{"1 + 1", true, false, ""},
		{"f(1)", false, false, ""},
		{"f(1), 2", true, false, ""},
		{"x = 1", false, false, ""},
		{"", false, false, ""},
		{"-- note", false, false, ""},
		{"1 +", false, true, "unexpected end"},
		{"function f()", false, true, "unexpected end"},
		{"x = [[a", false, true, "unterminated multiline string"},
		{"--[[ a", false, true, ""},
		{"x = 'a", false, false, "unterminated string"},
		{"x = = 1", false, false, "syntax error near"},
		{"0x20000000000001", false, false, "2^53"},
	} {
		in, err := h.Input("input", c.source)
		var syntax *host.SyntaxError
		switch {
		case c.fails == "" && !c.incomplete:
			if err != nil || in.Expression != c.expression {
				t.Errorf("%q: %v %v", c.source, in, err)
			}
		case !errors.As(err, &syntax) || syntax.Incomplete != c.incomplete || !strings.Contains(err.Error(), c.fails):
			t.Errorf("%q: %v", c.source, err)
		}
	}
}

func TestHelp(t *testing.T) {
	nothing := func(*lua.LState) int { return 0 }
	module := &api.Module{Name: "soft", Doc: "Soft things.", Funcs: []api.Func{
		{Name: "fail", Doc: "Fails softly.", Params: []api.Param{api.P("text", api.String(), "why")}, Fn: nothing},
	}}
	var out bytes.Buffer
	h, err := host.New(host.Options{Modules: []*api.Module{module}, Preload: true, Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	h.EnableHelp(func() int { return 80 }, "and more\n")
	for _, c := range []struct{ source, want string }{
		{`help()`, "and more\n"},
		{`help()`, "soft"},
		{`help(soft)`, "Soft things."},
		{`help(soft.fail)`, "soft.fail(text)"},
		{`help "soft.fail"`, "Fails softly."},
		{`help(print)`, "Lua 5.1 reference manual"},
		{`function double(x, ...) return 2 * x end help(double)`, "function(x, ...), defined at input:1"},
		{`help({1})`, "a table: {1}"},
		{`help(5)`, "a number: 5"},
	} {
		out.Reset()
		if _, err := enter(h, c.source); err != nil || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: got %q %v, want %q", c.source, out.String(), err, c.want)
		}
	}
	if _, err := enter(h, `help "soft.fial"`); err == nil || !strings.Contains(err.Error(), `did you mean "soft.fail"?`) {
		t.Errorf("got %v", err)
	}
}
