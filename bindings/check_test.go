package bindings_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/hwscript/hwscript/bindings"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// runPlain runs a script with the modules that know no hardware as globals.
func runPlain(t *testing.T, source string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	h, err := host.New(host.Options{
		Modules: []*api.Module{bindings.U64Module, bindings.CheckModule}, Preload: true, Stdout: &out, Stderr: &out,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	err = h.Run(context.Background(), "test.lua", source)
	return out.String(), err
}

func TestCheckHolds(t *testing.T) {
	out, err := runPlain(t, `
		check.eq(1, 1)
		check.eq(nil, nil)
		check.eq("a", "a")
		check.eq(u64"16", 16)
		check.eq(16, u64"0x10")
		check.eq({1, {x = u64"0xffff_ffff_ffff_ffff"}}, {1, {x = u64"18446744073709551615"}})
		local a, b = {1}, {1} a.self, b.self = a, b
		check.eq(a, b)
		check.ok(true)
		check.ok(0)
		check.fails(function() error "no such CPU" end)
		check.fails(function() error "no such CPU" end, "^test.lua:13: no such (CPU|core)$")
		print(check.eq(1, 1), check.ok(1), check.fails(error))`)
	if err != nil || out != "true\ttrue\ttrue\n" {
		t.Errorf("got %q %v", out, err)
	}
}

func TestCheckFails(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`check.eq(1, 2)`, `check.eq: got 1, want 2`},
		{`check.eq(nil, "a", "the name")`, `check.eq: the name: got nil, want "a"`},
		{`check.eq(u64"16", 17)`, `check.eq: got 0x10, want 17`},
		{`check.eq(u64"0x20000000000001", u64"0x20000000000000")`,
			`check.eq: got 0x20_0000_0000_0001, want 0x20_0000_0000_0000`},
		{`check.eq({1, {x = 2}}, {1, {x = 3}})`, `check.eq: at [2]["x"]: got 2, want 3`},
		{`check.eq({}, {a = 1, b = 2})`, `check.eq: at ["a"]: got nil, want 1`},
		{`check.eq({1}, 1)`, `check.eq: got {1}, want 1`},
		{`check.ok(nil)`, `check.ok: got nil`},
		{`check.ok(1 > 2, "order")`, `check.ok: order: got false`},
		{`check.fails(function() end)`, `check.fails: no error was raised`},
		{`check.fails(function() error "a" end, "b")`, `check.fails: the message "test.lua:1: a" does not match "b"`},
		{`pcall(check.eq, 1, 2)`, `check.eq: got 1, want 2`},
	} {
		out, err := runPlain(t, c.source+` print "on"`)
		if host.ExitCode(err) != 1 || out != "test.lua:1: "+c.want+"\non\n" {
			t.Errorf("%s\n got %s%v\nwant %s", c.source, out, err, c.want)
		}
	}
	_, err := runPlain(t, `check.fails(print, "(")`)
	want := "test.lua:1: check.fails: argument 2 \"pattern\": expected regular expression " +
		"(error parsing regexp: missing closing ): `(`), got \"(\""
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestU64Module(t *testing.T) {
	out, err := runPlain(t, `print(u64"0xffff_8000_0000_0000", u64(5), u64(u64"7"), u64.max)
		print(u64.is(u64"1"), u64.is(1), u64)`)
	want := "0xffff_8000_0000_0000\t0x5\t0x7\t0xffff_ffff_ffff_ffff\ntrue\tfalse\tmodule u64\n"
	if err != nil || out != want {
		t.Errorf("got %s %v", out, err)
	}
	for _, c := range []struct{ source, want string }{
		{`u64"0xg"`, `u64: "0xg" is not a hexadecimal (0x), binary (0b) or decimal number`},
		{`u64(1.5)`, `u64: argument 1 "value": expected u64 or integer in 0..2^53-1 or string, got 1.5, ` +
			`which is not an integer`},
		{`u64(2^53)`, `u64: argument 1 "value": expected u64 or integer in 0..2^53-1 or string, got ` +
			`9007199254740992, which is beyond the exact range of Lua numbers: write u64"0x..."`},
		{`u64()`, `u64: argument 1 "value": expected u64 or integer in 0..2^53-1 or string, got nil`},
		{`u64.mx = 1`, `module u64 is read-only`},
	} {
		_, err := runPlain(t, c.source)
		if err == nil || err.Error() != "test.lua:1: "+c.want {
			t.Errorf("%s\n got %v\nwant test.lua:1: %s", c.source, err, c.want)
		}
	}
}
