package host_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/bindings"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

// TestSharedLocals: closures share the locals of functions that go on, whatever error was caught above them, and keep
// those of functions that an error has ended. The values are Lua 5.1's.
func TestSharedLocals(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`local d; local f = function() d = 5 end; pcall(error, "x"); f(); print(d)`, "5"},
		{`local d; local f = function() d = 5 end; pcall(string.rep); f(); print(d)`, "5"},
		{`local d; local f = function() d = 5 end; xpcall(error, function() f() end); print(d) d = 6 f() print(d)`, "5\n5"},
		{`local d; local f = function() d = 5 end; check.fails(function() error "x" end); f(); print(d)`, "5"},
		{`local d; local f = function() d = 5 end
			pcall(function() pcall(error) error "y" end) f() print(d)`, "5"},
		{`local d; local f = function() d = 5 end
			pcall(coroutine.wrap(function() pcall(error) error "y" end)) f() print(d)`, "5"},
		{`coroutine.wrap(function() local d; local f = function() d = 5 end; pcall(error); f(); print(d) end)()`, "5"},
		{`go.thread(function() local d; local f = function() d = 5 end; pcall(error); f(); print(d) end)`, "5"},
		{`go.thread(function() local d; local f = function() d = 5 end; pcall(go.nested, error); f(); print(d) end)`, "5"},
		{`local d; local f = function() d = 5 end; pcall(go.thread, error); f(); print(d)`, "5"},
		{`local m = hw.machine("virt"); local d; local f = function() d = 5 end
			pcall(m.run, m, 0, function() error "x" end); f(); print(d)`, "5"},
		{`local d; local f = function() d = 5 end
			local function deep() return 1 + deep() end pcall(deep) f() print(d)`, "5"},
		{`local g; pcall(function() local e = 1; g = function() e = e + 1 return e end; error "x" end)
			local a, b, c = 7, 8, 9 print(g(), g(), a, b, c)`, "2\t3\t7\t8\t9"},
		{`local g; local function deep(n) local e = n; if n == 5 then g = function() e = e + 1 return e end end
			return 1 + deep(n + 1) end pcall(deep, 1) print(g(), g())`, "6\t7"},
		{`local g; local co = coroutine.create(function() local e = 1; g = function() e = e + 1 return e end; error "x" end)
			coroutine.resume(co) print(g(), g())`, "2\t3"},
		{`local g; local function deep(n) local e = n; if n == 5 then g = function() e = e + 1 return e end end
			return 1 + deep(n + 1) end
			go.thread(function() coroutine.resume(coroutine.create(deep), 1) print(g(), g()) end)`, "6\t7"},
	} {
		if got := printedBy(t, c.source); got != c.want+"\n" {
			t.Errorf("%s\nprinted %q, want %q", c.source, got, c.want)
		}
	}
}

// TestProtectedCalls: what is called under protection is none the wiser, although it runs on a stack of its own.
func TestProtectedCalls(t *testing.T) {
	const deep = "local function deep() return 1 + deep() end "
	for _, c := range []struct{ source, want string }{
		{"local function f() error('x', 3) end\nlocal function g()\npcall(function() f() end)\n" +
			"print(pcall(function()\nf() end))\nend g()", "false\tx"},
		{"local function f() error('x', 4) end\nlocal function g()\n" +
			"print(pcall(function()\nf() end))\nend g()", "false\ttest.lua:3: x"},
		{"print(pcall(\nstring.rep))", "false\ttest.lua:1: bad argument #1 to (anonymous) (string expected, got nil)"},
		{"print(pcall(pcall, error, 'x'))", "true\tfalse\tx"},
		{"print(pcall(pcall, string.rep))",
			"true\tfalse\ttest.lua:1: bad argument #1 to (anonymous) (string expected, got nil)"},
		{"print(pcall(coroutine.running), pcall(coroutine.yield))",
			"true\tfalse\ttest.lua:1: coroutine.yield: there is no coroutine to leave"},
		{`local co co = coroutine.create(function()
			print(pcall(function() return coroutine.running() == co, coroutine.status(co) end))
			coroutine.wrap(function() print(coroutine.status(co)) end)()
			print(pcall(function() coroutine.wrap(function() end)() return coroutine.running() == co end))
			coroutine.yield() end)
			coroutine.resume(co) print(coroutine.status(co), coroutine.running())`,
			"true\ttrue\trunning\nnormal\ntrue\ttrue\nsuspended\tnil"},
		{deep + "print(pcall(deep))", "false\ttest.lua:1: stack overflow"},
		{deep + "print(coroutine.resume(coroutine.create(deep)))", "false\ttest.lua:1: stack overflow"},
		{deep + "go.thread(function() print(pcall(deep)) end)", "false\ttest.lua:1: stack overflow"},
		{deep + "local m = hw.machine 'virt'\nm:run(0, function() print(pcall(deep)) end)",
			"false\ttest.lua:1: stack overflow"},
		{"print(#{pcall(unpack, {}, 1, 200000)})", "1"},
	} {
		if got := printedBy(t, c.source); got != c.want+"\n" {
			t.Errorf("%s\nprinted %q, want %q", c.source, got, c.want)
		}
	}
}

// printedBy runs a script that works.
func printedBy(t *testing.T, source string) string {
	t.Helper()
	var out bytes.Buffer
	h, err := bindings.NewHost(&bindings.Session{Report: &result.Report{}}, host.Options{
		Modules: []*api.Module{goModule}, Preload: true, Stdout: &out, Stderr: &out,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if err := h.Run(context.Background(), "test.lua", source); err != nil {
		t.Errorf("%v in\n%s", err, source)
	}
	return out.String()
}

// TestSharedLocalsRandom runs random programs of nested calls, protected, on coroutines, threads and machines, whose
// closures set and read the locals of all that surrounds them. What they print was worked out as they were written.
func TestSharedLocalsRandom(t *testing.T) {
	for seed := range uint64(150) {
		g := &sharing{r: rand.New(rand.NewPCG(seed, 7))}
		g.line("local kept, m = {}, hw.machine('virt', {cpus = 1})")
		g.block(nil, 0, false)
		g.line("for _, get in ipairs(kept) do print(get()) end")
		for _, v := range g.kept {
			fmt.Fprintln(&g.want, v.value)
		}
		if got := printedBy(t, g.source.String()); got != g.want.String() {
			t.Fatalf("seed %d\n%s\nprinted\n%s\nwant\n%s", seed, g.source.String(), got, g.want.String())
		}
	}
}

// sharing writes a random program and what it prints.
type sharing struct {
	r      *rand.Rand
	source strings.Builder
	want   strings.Builder
	names  int
	kept   []*variable
}

// variable is a local with closures set and get beside it.
type variable struct{ name, value int }

func (g *sharing) line(format string, args ...any) { fmt.Fprintf(&g.source, format+"\n", args...) }

// block writes statements that see vars. It reports whether they end in an error, which they may if fails is set.
func (g *sharing) block(vars []*variable, depth int, fails bool) bool {
	for range 2 + g.r.IntN(4) {
		if len(vars) == 0 || g.r.IntN(4) == 0 {
			g.names++
			v := &variable{g.names, g.r.IntN(100)}
			vars = append(vars[:len(vars):len(vars)], v)
			g.line("local v%d = %d local function set%d(x) v%d = x end local function get%d() return v%d end",
				v.name, v.value, v.name, v.name, v.name, v.name)
		}
		v := vars[g.r.IntN(len(vars))]
		switch g.r.IntN(6) {
		case 0:
			v.value = g.r.IntN(100)
			g.line("set%d(%d)", v.name, v.value)
		case 1:
			v.value = g.r.IntN(100)
			g.line("v%d = %d", v.name, v.value)
		case 2:
			g.line("kept[#kept + 1] = get%d", v.name)
			g.kept = append(g.kept, v)
		default:
			if depth < 5 && g.nest(vars, depth+1, fails) {
				return true
			}
		}
		g.line("print(v%d, get%d())", v.name, v.name)
		fmt.Fprintf(&g.want, "%d\t%d\n", v.value, v.value)
	}
	if fails && g.r.IntN(2) == 0 {
		g.line("do %s end", []string{
			`error "x"`, `error({})`, `string.rep()`, `local n = nil; n()`, `hw.machine("none")`,
			`local function deep() return 1 + deep() end deep()`,
		}[g.r.IntN(6)])
		return true
	}
	return false
}

// nest writes a nested call.
func (g *sharing) nest(vars []*variable, depth int, fails bool) bool {
	inner := func(begin, end string, fails bool) bool {
		g.line("%s", begin)
		failed := g.block(vars, depth, fails)
		g.line("%s", end)
		return failed
	}
	switch g.r.IntN(9) {
	case 0:
		return inner("do local function f()", "end f() end", fails)
	case 1:
		return inner("go.call(function()", "end)", fails)
	case 2:
		inner("pcall(function()", "end)", true)
	case 3:
		inner("xpcall(function()", "end, function() end)", true)
	case 4:
		inner("check.fails(function() (function()", "end)() error 'x' end)", true)
	case 5:
		inner("coroutine.resume(coroutine.create(function()", "end))", true)
	case 6:
		inner("pcall(go.thread, function()", "end)", true)
	case 7:
		inner("go.thread(function() pcall(go.nested, function()", "end) end)", true)
	case 8:
		inner("pcall(function() hw.machine('virt', {cpus = 1}):run(0, function()", "end) end)", true)
	}
	return false
}
