package host_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hwscript/hwscript/host"
)

// mustBeScripts fails the test unless err, if there is one, is a script's fault.
func mustBeScripts(t *testing.T, err error) {
	t.Helper()
	var internal *host.InternalError
	switch {
	case err == nil:
	case errors.As(err, &internal):
		t.Errorf("%v\n%s", err, internal.Stack)
	case strings.Contains(err.Error(), "virtual machine failed"), strings.Contains(err.Error(), "compiler failed"):
		t.Error(err)
	}
}

// FuzzHost runs generated scripts, twice: each must end within its limits, the same way both times, and leave the host
// usable.
func FuzzHost(f *testing.F) {
	f.Add([]byte("a script is made of this"))
	for i := range 16 {
		seed := make([]byte, 200)
		for j := range seed {
			seed[j] = byte(i*j*j + 31*j + 7*i)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g := &generator{data: data}
		g.block(0)
		source := g.out.String()
		var first string
		for range 2 {
			var out bytes.Buffer
			h := limitedHost(t, &out, host.Limits{Instructions: 20_000, Memory: 1 << 30})
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			err := h.Run(ctx, "test.lua", source)
			cancel()
			mustBeScripts(t, err)
			if errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("held up the host:\n%s", source)
			}
			if values, err := h.Eval(context.Background(), "after", "6 * 7"); err != nil || values[0].String() != "42" {
				t.Errorf("not usable afterwards: %v %v\n%s", values, err, source)
			}
			outcome := out.String()
			if err != nil {
				outcome += err.Error()
			}
			if first != "" && outcome != first {
				t.Errorf("ended differently\n%s\n---\n%s\n---\n%s", first, outcome, source)
			}
			first = outcome
			h.Close()
		}
	})
}

// generator writes a script of what bytes choose. When they are used up, only short things are chosen.
type generator struct {
	data []byte
	out  strings.Builder
}

func (g *generator) choose(n int) int {
	if len(g.data) == 0 {
		return 0
	}
	b := g.data[0]
	g.data = g.data[1:]
	return int(b) % n
}

// pick writes one of the texts. In it, E stands for an expression, B for a block, V for a variable and N for a number.
func (g *generator) pick(depth int, texts []string) {
	const deepest = 6
	text := texts[0]
	if depth < deepest {
		text = texts[g.choose(len(texts))]
	}
	for _, c := range text {
		switch c {
		case 'E':
			g.pick(depth+1, expressions)
		case 'B':
			g.block(depth + 1)
		case 'V':
			g.out.WriteString([]string{"a", "b", "t", "f", "co"}[g.choose(5)])
		case 'N':
			numbers := [...]string{"0", "1", "2", "3", "-1", "7", "100", "1048576", "67108864", "1099511627776"}
			g.out.WriteString(numbers[g.choose(len(numbers))])
		default:
			g.out.WriteRune(c)
		}
	}
}

func (g *generator) block(depth int) {
	if depth == 0 {
		g.out.WriteString("local a, b, t, f, co = 1, 'b', {3, 1, 2}, print, coroutine.create(function(...) return ... end)\n")
	}
	for range 1 + g.choose(4) {
		g.pick(depth, statements)
		g.out.WriteByte('\n')
	}
}

// The texts for pick; those that end the recursion come first.
var expressions = []string{
	"N", "V", "'xyz'", "nil", "{}", "{E, E, k = E, [E] = E}", "E .. E", "E + E", "E == E", "E < E", "E % E", "#E", "-E",
	"not E", "(E and E or E)", "V[E]", "V.k", "V(E)", "V:k(E)", "(function(...) B end)", "pcall(E, E)", "pcall(V, E, E)",
	"xpcall(V, E)", "tostring(E)", "select(E, E, E)", "setmetatable({}, {__index = E, __newindex = E, __call = E})",
	"setmetatable({}, {__concat = E, __eq = E, __lt = E, __tostring = E})", "getmetatable(E)", "rawget(V, E)",
	"coroutine.wrap(E)", "coroutine.create(E)", "coroutine.resume(E, E)", "coroutine.status(E)", "coroutine.yield(E)",
	"string.rep(E, E)", "string.find(E, E, E)", "string.gsub(E, E, E)", "string.format(E, E, E)", "string.match(E, E)",
	"string.byte(E, E, E)", "string.char(E, E)", "string.sub(E, E, E)", "string.upper(E)", "string.gmatch(E, E)()",
	"table.concat(E, E, E, E)", "table.remove(V, E)", "table.getn(V)", "unpack(E, E, E)", "next(V, E)", "load(E)",
	"math.random(E, E)", "math.floor(E)", "go.call(E)", "go.thread(E)", "require(E)", "tonumber(E, E)", "error(E, E)",
}

var statements = []string{
	"V = E", "V[E] = E", "V.k, V = E, E", "local V = E", "f(E, E)", "print(E)", "if E then B end", "while E do B end",
	"for i = E, E, E do B end", "for k, v in pairs(V) do B end", "for k in E do B end", "repeat B until E",
	"local function f(...) B end", "do B return E end", "table.sort(V, E)", "table.insert(V, E, E)", "rawset(V, E, E)",
	"function V.k(...) B end", "do local V V = E end", "V, V = V, V", "pcall(function() B end)", "table.insert(V, E)",
	"co = coroutine.create(function(...) B end)", "coroutine.resume(co, E)", "_G[E] = E", "go.fail()", "do break end",
}
