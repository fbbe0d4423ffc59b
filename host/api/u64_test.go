package api_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

func TestU64(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`u64"0"`, "0x0"},
		{`u64"0xffff"`, "0xffff"},
		{`u64"0x10000"`, "0x1_0000"},
		{`u64"0xffff_8000_0000_0001"`, "0xffff_8000_0000_0001"},
		{`u64"0b1010"`, "0xa"},
		{`u64"18446744073709551615"`, "0xffff_ffff_ffff_ffff"},
		{`u64"0xf0":band(0x3c)`, "0x30"},
		{`u64"0xf0":bor(u64"0x0f")`, "0xff"},
		{`u64"0xff":bxor(0x0f)`, "0xf0"},
		{`u64"0":bnot()`, "0xffff_ffff_ffff_ffff"},
		{`u64"1":shl(63)`, "0x8000_0000_0000_0000"},
		{`u64"1":shl(64)`, "0x0"},
		{`u64"0x8000000000000000":shr(63)`, "0x1"},
		{`u64"0xffff_8000_0000_0001":bits(63, 48)`, "0xffff"},
		{`u64"0xffff_8000_0000_0001":bits(63, 0)`, "0xffff_8000_0000_0001"},
		{`u64"0x1234":bits(11, 8)`, "0x2"},
		{`u64"0x4":bits(2)`, "0x1"},
		{`u64"5":eq(5)`, "true"},
		{`u64"5":eq(u64"6")`, "false"},
		{`u64"0xffffffffffffffff":add(1)`, "0x0"},
		{`u64"0":sub(1)`, "0xffff_ffff_ffff_ffff"},
		{`u64"3":mul(5)`, "0xf"},
		{`u64"5" + 1`, "0x6"},
		{`1 + u64"5"`, "0x6"},
		{`u64"5" - u64"6"`, "0xffff_ffff_ffff_ffff"},
		{`u64"5" * 3`, "0xf"},
		{`u64"7" / 2`, "0x3"},
		{`u64"7" % 4`, "0x3"},
		{`u64"5" == u64"0x5"`, "true"},
		{`u64"5" == 5`, "true"},
		{`u64"0x8000000000000000" > u64"1"`, "true"},
		{`u64"2" <= u64"1"`, "false"},
		{`"at " .. u64"0x10" .. "!"`, "at 0x10!"},
		{`u64"0xff":tohex()`, "ff"},
		{`u64"0xff":tohex(4)`, "00ff"},
		{`u64"0xff0000":tostring()`, "0xff_0000"},
		{`u64"0x1fffffffffffff":tonumber()`, "9007199254740991"},
		{`tonumber(u64"7")`, "7"},
		{`string.format("%d %x %016X %u", u64"18446744073709551615", u64"255", u64"255", u64"3")`,
			"18446744073709551615 ff 00000000000000FF 3"},
		{`string.format("%x %u", 2^63, 2^40)`, "8000000000000000 1099511627776"},
		{`table.concat({u64"1", 2, "x"}, ",")`, "0x1,2,x"},
	} {
		got, err := run(t, "print("+c.expr+")")
		if err != nil || got != c.want {
			t.Errorf("%s: got %s %v, want %s", c.expr, got, err, c.want)
		}
	}
}

func TestU64Errors(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`u64"12x"`, `"12x" is not a hexadecimal (0x), binary (0b) or decimal number`},
		{`u64""`, `"" is not a hexadecimal (0x), binary (0b) or decimal number`},
		{`u64"0x"`, `"0x" is not a hexadecimal (0x), binary (0b) or decimal number`},
		{`u64"-1"`, `"-1" is not a hexadecimal (0x), binary (0b) or decimal number`},
		{`u64"0x1__0"`, `"0x1__0" has an underscore that separates no digits`},
		{`u64"0x1_0000_0000_0000_0000"`, `"0x1_0000_0000_0000_0000" does not fit in 64 bits`},
		{`u64"1":shl(65)`, `u64:shl: argument 1 "count": expected integer in 0..64, got 65`},
		{`u64"1":bits(3, 4)`, `u64:bits: argument 2 "lo": expected bit in 0..3, not above hi, got 4`},
		{`u64"0x20000000000000":tonumber()`,
			`u64:tonumber: 0x20_0000_0000_0000 is beyond the exact range of Lua numbers, 0..2^53-1`},
		{`print(u64"1" / 0)`, `u64 division by zero`},
		{`print(u64"1" + 0.5)`,
			`u64 __add: argument 2 "b": expected u64 or integer in 0..2^53-1, got 0.5, which is not an integer`},
		{`print(u64"1" + "1")`, `u64 __add: argument 2 "b": expected u64 or integer in 0..2^53-1, got "1"`},
		{`print(u64"1" < 2)`, `attempt to compare userdata with number`},
		{`u64"1".eq(2)`, `u64:eq: called with a dot; write object:eq(...), with a colon, on a u64 (got 2)`},
		{`u64"1":ban(2)`, `u64 has no method or field "ban"; did you mean "band"?`},
	} {
		_, err := run(t, c.source)
		if err == nil || err.Error() != "test.lua:1: "+c.want {
			t.Errorf("%s\n got %v\nwant test.lua:1: %s", c.source, err, c.want)
		}
	}
}

// TestU64Unchanged sends random 64-bit values through a U64 parameter, as u64 objects and as numbers where those are
// exact, and expects each back whole.
func TestU64Unchanged(t *testing.T) {
	L, method, object := bareMethod(t, "mark")
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		v := random.Uint64() >> random.UintN(64)
		args := []lua.LValue{api.U64Value(v)}
		if v < 1<<53 {
			args = append(args, lua.LNumber(v))
		}
		for _, arg := range args {
			L.Push(method)
			L.Push(object)
			L.Push(arg)
			L.Call(2, 1)
			got, ok := api.ToU64(L.Get(-1))
			L.Pop(1)
			if seen := object.Value.(*lamp).seen; !ok || got != v || seen != v {
				t.Fatalf("%#x as %s arrived as %#x and came back as %#x", v, arg.Type(), seen, got)
			}
		}
		if back, err := api.ParseU64(api.U64Value(v).String()); err != nil || back != v {
			t.Fatalf("%#x is written %s and read back as %#x (%v)", v, api.U64Value(v), back, err)
		}
	}
}

// TestU64Arithmetic compares the methods in Lua with Go on random operands.
func TestU64Arithmetic(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var source, want strings.Builder
	for range 300 {
		a, b, n := random.Uint64(), random.Uint64()>>random.UintN(64), random.UintN(64)
		fmt.Fprintf(&source, "do local a, b = u64'%d', u64'%#x' print(a+b, a-b, a*b, a/b:bor(1), a%%b:bor(1), a<b, "+
			"a:band(b), a:bor(b), a:bxor(b), a:shl(%d), a:shr(%d)) end\n", a, b, n, n)
		fmt.Fprintf(&want, "%v\t%v\t%v\t%v\t%v\t%t\t%v\t%v\t%v\t%v\t%v\n", api.U64Value(a+b), api.U64Value(a-b),
			api.U64Value(a*b), api.U64Value(a/(b|1)), api.U64Value(a%(b|1)), a < b,
			api.U64Value(a&b), api.U64Value(a|b), api.U64Value(a^b), api.U64Value(a<<n), api.U64Value(a>>n))
	}
	got, err := run(t, source.String())
	if err != nil || got+"\n" != want.String() {
		t.Errorf("%v\n got %s\nwant %s", err, got, want.String())
	}
}
