package repl_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/repl"
	lua "github.com/yuin/gopher-lua"
)

var failModule = &api.Module{Name: "soft", Funcs: []api.Func{{Name: "fail", Fn: func(L *lua.LState) int {
	host.Of(L).Fail("soft failure")
	return 0
}}}}

func run(ctx context.Context, h *host.Host, in io.Reader, out io.Writer) error {
	return repl.Run(ctx, repl.Options{Host: func() (*host.Host, error) { return h, nil }, In: in, Out: out})
}

func runPiped(t *testing.T, input string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	h, err := host.New(host.Options{Modules: []*api.Module{failModule}, Preload: true, Stdout: &out, Stderr: &out})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	err = run(context.Background(), h, strings.NewReader(input), &out)
	return out.String(), err
}

func TestPiped(t *testing.T) {
	for _, c := range []struct{ input, want string }{
		{"", ""},
		{"1 + 1\n", "2\n"},
		{"x = 5\nx", "5\n"},
		{"return 1, 'a', nil", "1\t\"a\"\tnil\n"},
		{"{b = 1, a = {2}}", "{a = {2}, b = 1}\n"},
		{"print 'p'", "p\n"},
		{"function f(n)\n  return n * 2\nend\nf(4)\n", "8\n"},
		{"1 +\n2", "3\n"},
		{"s = [[a\nb]]\ns", "a\nb\n"},
		{"-- a comment\n\n", ""},
	} {
		got, err := runPiped(t, c.input)
		if err != nil || got != c.want {
			t.Errorf("%q: got %q %v, want %q", c.input, got, err, c.want)
		}
	}
}

func TestPipedErrors(t *testing.T) {
	for _, c := range []struct{ input, out, want string }{
		{"1\nprnt(2)\n3", "1\n", `stdin:2: undefined global "prnt"; did you mean "print"?`},
		{"x = = 1\n3", "", `stdin:1:5: syntax error near "="`},
		{"1\nif x then", "1\n", `stdin:2: unexpected end of the source text; is an 'end' or a closing bracket missing?`},
		{"soft.fail()\n2\nsoft.fail() soft.fail()", "soft failure\n2\nsoft failure\nsoft failure\n", "3 checks failed"},
	} {
		out, err := runPiped(t, c.input)
		if err == nil || err.Error() != c.want || out != c.out || host.ExitCode(err) != 1 {
			t.Errorf("%q: got %q %v, want %q %s", c.input, out, err, c.out, c.want)
		}
	}
}

// TestNotATerminal expects no prompts when standard input or output is not a terminal, as in a test.
func TestNotATerminal(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	if _, err := write.WriteString("6 * 7\n"); err != nil {
		t.Fatal(err)
	}
	write.Close()
	h, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	var out bytes.Buffer
	if err := run(context.Background(), h, read, &out); err != nil || out.String() != "42\n" {
		t.Errorf("got %q %v", out.String(), err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	h, err := host.New(host.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	err = run(ctx, h, strings.NewReader("while true do end"), &bytes.Buffer{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
