package api

import (
	"fmt"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// U64Value is a u64 as a Lua value.
//
// Lua numbers are float64: beyond 2^53 they lose bits without a word, and a literal from 2^63 on is even NaN. Register
// values, addresses and page-table entries are therefore u64 objects.
//
// To the virtual machine it is userdata, whose metatable it looks up by type. Since it is a value and no pointer, two
// that are equal are the same value: also to ==, rawequal, and as the keys of tables.
type U64Value uint64

// Type implements lua.LValue.
func (v U64Value) Type() lua.LValueType { return lua.LTUserData }

// String formats v as tostring does: hexadecimal, with an underscore every 16 bits.
func (v U64Value) String() string {
	digits := strconv.FormatUint(uint64(v), 16)
	var b strings.Builder
	b.WriteString("0x")
	for i, d := range []byte(digits) {
		if left := len(digits) - i; i > 0 && left%4 == 0 {
			b.WriteByte('_')
		}
		b.WriteByte(d)
	}
	return b.String()
}

// ParseU64 reads a hexadecimal ("0x"), binary ("0b") or decimal number. Digits may be grouped by underscores.
func ParseU64(text string) (uint64, error) {
	digits, base := text, 10
	switch {
	case strings.HasPrefix(text, "0x"), strings.HasPrefix(text, "0X"):
		digits, base = text[2:], 16
	case strings.HasPrefix(text, "0b"), strings.HasPrefix(text, "0B"):
		digits, base = text[2:], 2
	}
	if strings.HasPrefix(digits, "_") || strings.HasSuffix(digits, "_") || strings.Contains(digits, "__") {
		return 0, fmt.Errorf("%q has an underscore that separates no digits", text)
	}
	v, err := strconv.ParseUint(strings.ReplaceAll(digits, "_", ""), base, 64)
	if err != nil {
		if ne, ok := err.(*strconv.NumError); ok && ne.Err == strconv.ErrRange {
			return 0, fmt.Errorf("%q does not fit in 64 bits", text)
		}
		return 0, fmt.Errorf("%q is not a hexadecimal (0x), binary (0b) or decimal number", text)
	}
	return v, nil
}

// PushU64 pushes v as a u64 object. It allocates; values that are below 2^53 by nature (counts, times, ids) are better
// pushed by PushInt.
func PushU64(L *lua.LState, v uint64) { L.Push(U64Value(v)) }

// U64At returns the 64-bit value at stack position n, which the descriptor has checked.
func U64At(L *lua.LState, n int) uint64 { return mustU64(L.Get(n)) }

// OptU64At returns the 64-bit value at stack position n, def if it is absent.
func OptU64At(L *lua.LState, n int, def uint64) uint64 {
	if v := L.Get(n); v != lua.LNil {
		return mustU64(v)
	}
	return def
}

// ToU64 returns the 64-bit value that v stands for: a u64 object or an integer from 0 to 2^53-1.
func ToU64(v lua.LValue) (uint64, bool) {
	t := U64()
	if !t.fits(v) {
		return 0, false
	}
	return mustU64(v), true
}

func mustU64(v lua.LValue) uint64 {
	if n, ok := v.(lua.LNumber); ok {
		return uint64(n)
	}
	return uint64(v.(U64Value))
}

// EqualU64 compares a u64 with a number. It raises an error for a number that is no exact integer from 0 on: whether
// that is equal is not known, or it never is, which nobody means to ask.
func EqualU64(L *lua.LState, a, b lua.LValue) bool {
	number, u64 := a, b
	if v, ok := a.(U64Value); ok {
		number, u64 = b, v
	}
	t := U64()
	if !t.fits(number) {
		L.RaiseError("comparison of u64 %s with a number: %s", u64, t.mismatch(number))
	}
	return mustU64(a) == mustU64(b)
}

// U64Class describes u64 objects. Every state has it; module u64 makes objects of it.
var U64Class = &Class{
	Name: "u64",
	Doc: "A 64-bit unsigned integer. Arithmetic wraps around at 2^64. Operators take u64 objects and exact integers; " +
		"== and ~= compare them with numbers too, at the cost of a function call (80 ns); < and <= take u64 objects only. " +
		"Equal u64s are one key of a table, which is not that of the number.",
	Funcs: []Func{
		u64Method("band", "Bitwise and.", func(a, b uint64) uint64 { return a & b }),
		u64Method("bor", "Bitwise or.", func(a, b uint64) uint64 { return a | b }),
		u64Method("bxor", "Bitwise exclusive or.", func(a, b uint64) uint64 { return a ^ b }),
		u64Method("add", "Sum, modulo 2^64.", func(a, b uint64) uint64 { return a + b }),
		u64Method("sub", "Difference, modulo 2^64.", func(a, b uint64) uint64 { return a - b }),
		u64Method("mul", "Product, modulo 2^64.", func(a, b uint64) uint64 { return a * b }),
		{
			Name: "bnot", Doc: "Bitwise complement.", Returns: []Param{P("value", U64(), "the complement")},
			Example: `u64"0xff":bnot()`, Fn: u64Bnot, Flow: Computes,
		},
		u64Shift("shl", "Shifts towards the high bits; zeros come in.", func(v uint64, n int) uint64 { return v << n }),
		u64Shift("shr", "Shifts towards the low bits; zeros come in.", func(v uint64, n int) uint64 { return v >> n }),
		{
			Name: "bits", Doc: "Extracts the field of bits hi down to lo.",
			Params: []Param{
				P("hi", Int(0, 63), "highest bit of the field"),
				Opt("lo", Int(0, 63), "hi", "lowest bit of the field"),
			},
			Returns: []Param{P("value", U64(), "the field, moved to bit 0")},
			Example: `u64"0x1234":bits(11, 8)`, Fn: u64Bits, Flow: Computes,
		},
		{
			Name: "eq", Doc: "Compares with a u64 or a number.",
			Params:  []Param{P("other", U64(), "value to compare with")},
			Returns: []Param{P("equal", Bool(), "whether both are the same value")},
			Example: `u64"0x10":eq(16)`, Fn: u64Eq,
		},
		{
			Name: "tohex", Doc: "Formats as plain hexadecimal digits.",
			Params:  []Param{Opt("digits", Int(1, 16), "as many as needed", "least number of digits; zeros fill up")},
			Returns: []Param{P("text", String(), "lower-case digits without 0x")},
			Example: `u64"0xff":tohex(4)`, Fn: u64Tohex,
		},
		{
			Name: "tostring", Doc: "Formats as tostring does: hexadecimal with an underscore every 16 bits.",
			Returns: []Param{P("text", String(), "such as 0xffff_8000_0000_0000")},
			Example: `u64"0xff":tostring()`, Fn: u64Tostring,
		},
		{
			Name: "tonumber", Doc: "Converts to a Lua number; from 2^53 on, where numbers are inexact, an error.",
			Returns: []Param{P("number", Count(0), "the same value")},
			Example: `u64"0xff":tonumber()`, Fn: u64Tonumber,
		},
	},
	Ops: []Func{
		u64Operator("__add", func(a, b uint64) uint64 { return a + b }),
		u64Operator("__sub", func(a, b uint64) uint64 { return a - b }),
		u64Operator("__mul", func(a, b uint64) uint64 { return a * b }),
		u64Division("__div", func(a, b uint64) uint64 { return a / b }),
		u64Division("__mod", func(a, b uint64) uint64 { return a % b }),
		u64Comparison("__lt", func(a, b uint64) bool { return a < b }),
		u64Comparison("__le", func(a, b uint64) bool { return a <= b }),
		{
			Name: "__concat", Doc: "Joins the texts of both operands.",
			Params:  []Param{P("a", Any(), "left operand"), P("b", Any(), "right operand")},
			Returns: []Param{P("text", String(), "both texts")},
			Example: `"at " .. u64"0x10"`, Fn: u64Concat,
		},
	},
	String: func(v any) string { return v.(U64Value).String() },
}

func u64Method(name, doc string, f func(a, b uint64) uint64) Func {
	return Func{
		Name: name, Doc: doc,
		Params:  []Param{P("other", U64(), "second operand")},
		Returns: []Param{P("value", U64(), "the result")},
		Example: fmt.Sprintf(`u64"0xf0":%s(0x3c)`, name),
		Flow:    Computes,
		Fn: func(L *lua.LState) int {
			PushU64(L, f(U64At(L, 1), U64At(L, 2)))
			return 1
		},
	}
}

func u64Shift(name, doc string, f func(v uint64, n int) uint64) Func {
	return Func{
		Name: name, Doc: doc,
		Params:  []Param{P("count", Int(0, 64), "by how many bits")},
		Returns: []Param{P("value", U64(), "the result")},
		Example: fmt.Sprintf(`u64"0xf0":%s(4)`, name),
		Flow:    Computes,
		Fn: func(L *lua.LState) int {
			PushU64(L, f(U64At(L, 1), IntAt(L, 2)))
			return 1
		},
	}
}

var operatorSigns = map[string]string{
	"__add": "+", "__sub": "-", "__mul": "*", "__div": "/", "__mod": "%", "__eq": "==", "__lt": "<", "__le": "<=",
}

func u64Operands() []Param {
	return []Param{P("a", U64(), "left operand"), P("b", U64(), "right operand")}
}

func u64Operator(name string, f func(a, b uint64) uint64) Func {
	return Func{
		Name: name, Doc: "a " + operatorSigns[name] + " b, modulo 2^64.",
		Params: u64Operands(), Returns: []Param{P("value", U64(), "the result")},
		Example: fmt.Sprintf(`u64"0xf0" %s 2`, operatorSigns[name]),
		Flow:    Computes,
		Fn: func(L *lua.LState) int {
			PushU64(L, f(U64At(L, 1), U64At(L, 2)))
			return 1
		},
	}
}

func u64Division(name string, f func(a, b uint64) uint64) Func {
	op := u64Operator(name, f)
	op.Doc = "a " + operatorSigns[name] + " b for unsigned integers; the quotient is rounded down."
	divide := op.Fn
	op.Fn = func(L *lua.LState) int {
		mustKnow(L, 2)
		if U64At(L, 2) == 0 {
			Errorf(L, "u64 division by zero")
		}
		return divide(L)
	}
	return op
}

func u64Comparison(name string, f func(a, b uint64) bool) Func {
	return Func{
		Name: name, Doc: "a " + operatorSigns[name] + " b for two u64 objects.",
		Params: u64Operands(), Returns: []Param{P("holds", Bool(), "whether it holds")},
		Example: fmt.Sprintf(`u64"1" %s u64"2"`, operatorSigns[name]),
		Fn: func(L *lua.LState) int {
			L.Push(lua.LBool(f(U64At(L, 1), U64At(L, 2))))
			return 1
		},
	}
}

func u64Bnot(L *lua.LState) int {
	PushU64(L, ^U64At(L, 1))
	return 1
}

func u64Bits(L *lua.LState) int {
	hi := IntAt(L, 2)
	lo := OptIntAt(L, 3, hi)
	if lo > hi {
		ArgErrorf(L, 3, "bit in 0..%d, not above hi", hi)
	}
	PushU64(L, U64At(L, 1)<<(63-hi)>>(63-hi+lo))
	return 1
}

func u64Eq(L *lua.LState) int {
	L.Push(lua.LBool(U64At(L, 1) == U64At(L, 2)))
	return 1
}

func u64Tohex(L *lua.LState) int {
	L.Push(lua.LString(fmt.Sprintf("%0*x", OptIntAt(L, 2, 1), U64At(L, 1))))
	return 1
}

func u64Tostring(L *lua.LState) int {
	L.Push(lua.LString(U64Value(U64At(L, 1)).String()))
	return 1
}

func u64Tonumber(L *lua.LState) int {
	v := U64At(L, 1)
	if v >= maxExact {
		Errorf(L, "u64:tonumber: %s is beyond the exact range of Lua numbers, 0..2^53-1", U64Value(v))
	}
	PushInt(L, int64(v))
	return 1
}

func u64Concat(L *lua.LState) int {
	L.Push(lua.LString(ToString(L.Get(1)) + ToString(L.Get(2))))
	return 1
}
