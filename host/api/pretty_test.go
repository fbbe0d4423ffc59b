package api_test

import (
	"strings"
	"testing"

	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

func TestPretty(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	api.Attach(L)
	for _, c := range []struct {
		code  string
		width int
		want  string
	}{
		{`return 1, "a\tb", nil, true`, 80, "1\t\"a\\tb\"\tnil\ttrue"},
		{`return {}`, 80, "{}"},
		{`return {3, 1, z = 1, a = {b = 2}, [7] = 0, [true] = 1}`, 80, "{3, 1, [7] = 0, a = {b = 2}, z = 1, [true] = 1}"},
		{`return {name = "x", list = {1, 2, 3}, sub = {first = "aaaaaaaaaa", second = "bbbbbbbbbb"}}`, 40, `{
  list = {1, 2, 3},
  name = "x",
  sub = {
    first = "aaaaaaaaaa",
    second = "bbbbbbbbbb",
  },
}`},
		{`local t = {} for i = 1, 12 do t[i] = 1000 + i end return t`, 40, `{
  1001, 1002, 1003, 1004, 1005, 1006,
  1007, 1008, 1009, 1010, 1011, 1012,
}`},
		{`return {{a = "xxxxxxxxxx", b = "yyyyyyyyyy", c = "zzzzzzzzzz"}}`, 40, `{
  {
    a = "xxxxxxxxxx", b = "yyyyyyyyyy",
    c = "zzzzzzzzzz",
  },
}`},
		{`return {1, 2, [1.5] = 3, [0] = 4, [-1] = 5, [4] = 6}`, 80, "{1, 2, [-1] = 5, [0] = 4, [1.5] = 3, [4] = 6}"},
		{`local t = {} t.t = t return t`, 80, "{t = {...the same table...}}"},
		{`return {{{{{{1}}}}}}`, 80, "{{{{{...}}}}}"},
		{`return "two\nlines\n"`, 80, "two\nlines"},
		{`return "a\n\27[31m"`, 80, `"a\n\x1b[31m"`},
		{`return {"two\nlines"}`, 80, `{"two\nlines"}`},
		{`return print, {}`, 80, "function\t{}"},
	} {
		if err := L.DoString(c.code); err != nil {
			t.Fatal(err)
		}
		var values []lua.LValue
		for i := 1; i <= L.GetTop(); i++ {
			values = append(values, L.Get(i))
		}
		L.SetTop(0)
		if got := api.Pretty(c.width, values...); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.code, got, c.want)
		}
	}
}

func TestPrettyIsLimited(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	api.Attach(L)
	const code = `t = {} for i = 1, 1000 do t[i] = {} for j = 1, 1000 do t[i][j] = j end end return t`
	if err := L.DoString(code); err != nil {
		t.Fatal(err)
	}
	got := api.Pretty(80, L.Get(-1))
	if lines := strings.Count(got, "\n"); lines > 500 || !strings.Contains(got, "more") {
		t.Errorf("%d lines", lines)
	}
}

// TestInspectCounts: of a table of up to 10,000 entries it is said how many are left out.
func TestInspectCounts(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	api.Attach(L)
	for _, c := range []struct{ code, end string }{
		{`local t = {} for i = 1, 100 do t[i] = 0 end return t`, ", 0}"},
		{`local t = {} for i = 1, 101 do t[i] = 0 end return t`, ", ... 1 more}"},
		{`local t = {} for i = 1, 10000 do t[i] = 0 end return t`, ", ... 9900 more}"},
		{`local t = {} for i = 1, 10001 do t[i] = 0 end return t`, ", ... more}"},
		{`local t = {} for i = 1, 10000 do t["k" .. i] = 0 end return t`, ", ... 9900 more}"},
		{`local t = {} for i = 1, 10001 do t["k" .. i] = 0 end return t`, ", ... more}"},
	} {
		if err := L.DoString(c.code); err != nil {
			t.Fatal(err)
		}
		if got := api.Inspect(L.Get(-1)); !strings.HasSuffix(got, c.end) {
			t.Errorf("%s: ends with %q", c.code, got[len(got)-30:])
		}
	}
}
