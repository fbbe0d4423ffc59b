package host_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// stringCase is an expression and what Lua 5.1 makes of it, as api.Inspect shows it.
type stringCase struct{ source, want string }

func testStrings(t *testing.T, cases []stringCase) {
	t.Helper()
	for _, c := range cases {
		h := newHost(t, new(bytes.Buffer))
		values, err := h.Eval(context.Background(), "test.lua", c.source)
		if got := api.Inspect(values...); err != nil || got != c.want {
			t.Errorf("%s\n got %s %v\nwant %s", c.source, got, err, c.want)
		}
	}
}

func TestPatterns(t *testing.T) {
	testStrings(t, []stringCase{
		// Positions and plain searches.
		{`("hello"):find("l")`, `3	3`},
		{`("hello"):find("l", 4), ("hello"):find("l", -2), ("hello"):find("l", 99)`, `4	4	nil`},
		{`("hello"):find("", 3)`, `3	2`},
		{`("hello"):find("", 99)`, `6	5`},
		{`("a.b"):find(".", 1, true)`, `2	2`},
		{`("a+b"):find("+", 1, true)`, `2	2`},
		{`("hello"):find("(l)(l)")`, `3	4	"l"	"l"`},
		{`("hello"):find("()ll()")`, `3	4	3	5`},
		// Classes and sets.
		{`("x1_ y"):match("[%w_]+")`, `"x1_"`},
		{`("x1_ y"):match("[^%w]+")`, `"_ "`},
		{`("a-b]c"):match("[]-]+")`, `"-"`},
		{`("a-b]c"):match("[b%]]+")`, `"b]"`},
		{`("a-z"):gsub("[a-]", "x")`, `"xxz"	2`},
		{`("\0\1"):find("%z"), ("\0\1"):find("[%z]\1")`, `1	1	2`},
		{`("ABC abc"):gsub("%u", "x"), ("ABC abc"):gsub("%U", "x")`, `"xxx abc"	"ABCxxxx"	4`},
		{`("a.b%c"):gsub("%.", "%%"), ("a.b%c"):gsub("%%", ".")`, `"a%b%c"	"a.b.c"	1`},
		{`("é"):gsub("%a", "x")`, `"é"	0`},
		// Repetition.
		{`("aaab"):match("a*b"), ("b"):match("a*b"), ("b"):match("a+b")`, `"aaab"	"b"	nil`},
		{`("<a><b>"):match("<(.-)>"), ("<a><b>"):match("<(.*)>")`, `"a"	"a><b"`},
		{`("color colour"):gsub("colou?r", "x")`, `"x x"	2`},
		{`("aaa"):find("^a-$"), ("aaa"):match("a-")`, `1	""`},
		// Anchors.
		{`("hello"):match("^h"), ("hello"):match("^e"), ("hello"):match("o$"), ("a$b"):match("$b")`, `"h"	nil	"o"	"$b"`},
		{`("aaa"):gsub("^a", "x")`, `"xaa"	1`},
		{`("^a"):gsub("%^", "x")`, `"xa"	1`},
		// Captures.
		{`("k = v"):match("(%w+) = (%w+)")`, `"k"	"v"`},
		{`("[[x]]"):match("%[(%[)(.-)%]%]")`, `"["	"x"`},
		{`("abab"):match("(ab)%1"), ("abac"):match("(ab)%1")`, `"ab"	nil`},
		{`("'q' x"):match("(['\"])(.-)%1")`, `"'"	"q"`},
		{`("abc"):match("((a)(b))")`, `"ab"	"a"	"b"`},
		// %b and %f.
		{`("f(a(b)c) d"):match("%b()")`, `"(a(b)c)"`},
		{`("(()"):find("%b()")`, `2	3`},
		{`("THE (quick) fox"):find("%f[%a]%a+%f[%A]", 2)`, `6	10`},
		{`("foo.bar"):gsub("%f[%w]%w+", string.upper)`, `"FOO.BAR"	2`},
	})
}

func TestStringFunctions(t *testing.T) {
	testStrings(t, []stringCase{
		// gsub.
		{`("hello world"):gsub("o", "0", 1)`, `"hell0 world"	1`},
		{`("hello"):gsub("", "-")`, `"-h-e-l-l-o-"	6`},
		{`("abc"):gsub("%w", "%0%0"), ("abc"):gsub("(a)(b)", "%2%1")`, `"aabbcc"	"bac"	1`},
		{`("$x $y"):gsub("%$(%w+)", {x = 1})`, `"1 $y"	2`},
		{`("abc"):gsub(".", function(c) if c == "b" then return false end return c .. c end)`, `"aabcc"	3`},
		{`("abc"):gsub("b", "%%")`, `"a%c"	1`},
		{`("abc d"):gsub("%w*", "x")`, `"xx xx"	4`},
		{`("abc"):gsub("x", "y")`, `"abc"	0`},
		{`("abc"):gsub("b", 7, 0)`, `"abc"	0`},
		// gmatch.
		{`(function() local t = {} for k, v in ("a=1, b=2"):gmatch("(%w+)=(%w+)") do t[k] = v end return t end)()`,
			`{a = "1", b = "2"}`},
		{`(function() local n = 0 for _ in ("abc"):gmatch("") do n = n + 1 end return n end)()`, `4`},
		{`("^a^a"):gmatch("^a")()`, `"^a"`},
		// The rest of the library.
		{`("ab"):rep(3), ("ab"):rep(0), ("ab"):rep(-1), (""):rep(2^40)`, `"ababab"	""	""	""`},
		{`("aBé"):upper(), ("AbÉ"):lower(), ("abc"):reverse()`, `"ABé"	"abÉ"	"cba"`},
		// Errors.
		{`pcall(string.find, "x", "[a")`, `false	"test.lua:1: malformed pattern (missing ']')"`},
		{`pcall(string.find, "x", "%")`, `false	"test.lua:1: malformed pattern (ends with '%')"`},
		{`pcall(string.find, "x", "(x")`, `false	"test.lua:1: unfinished capture"`},
		{`pcall(string.find, "x", "(x))")`, `false	"test.lua:1: invalid pattern capture"`},
		{`pcall(string.find, "x", "%1")`, `false	"test.lua:1: invalid capture index"`},
		{`pcall(string.find, "x", "%b")`, `false	"test.lua:1: malformed pattern (missing arguments to '%b')"`},
		{`pcall(string.find, "x", "%f")`, `false	"test.lua:1: missing '[' after '%f' in pattern"`},
		{`pcall(string.gsub, "x", "x", "%2")`, `false	"test.lua:1: invalid capture index"`},
		{`pcall(string.gsub, "x", "x", function() return {} end)`,
			`false	"test.lua:1: string.gsub: a table cannot take the place of a match"`},
	})
}

// FuzzPattern expects any pattern to match, not to match, or to be refused, within its budget.
func FuzzPattern(f *testing.F) {
	for _, pattern := range []string{
		"a*b", "[%w_]+", "(a(b))%1", "%b()", "%f[%a]", "^$", "[^]]-", "%", "[", "(()", "a-?+*",
	} {
		f.Add("some (text) ab", pattern)
	}
	h, err := host.New(host.Options{Limits: host.Limits{Instructions: 100_000}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text, pattern string) {
		h.State().SetGlobal("text", lua.LString(text))
		h.State().SetGlobal("pattern", lua.LString(pattern))
		_, err := h.Eval(context.Background(), "test.lua",
			`text:find(pattern), text:gsub(pattern, "%0"), text:gmatch(pattern)()`)
		mustBeScripts(t, err)
	})
}
