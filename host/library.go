package host

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// newRandom makes a host's own generator. The library's is one for the whole process, and seeded differently each time.
func newRandom(seed uint64) *rand.Rand {
	const stream = 0x6877736372697074 // "hwscript"; any constant keeps it apart from other users of the same seed
	return rand.New(rand.NewPCG(seed, stream))
}

// draw is before the generator is used, which all programs have in common.
func (h *Host) draw(L *lua.LState) {
	if t := ThreadOf(L); t != nil && t.Draw != nil {
		t.Draw(L)
	}
}

func (h *Host) mathRandom(L *lua.LState) int {
	h.draw(L)
	switch L.GetTop() {
	case 0:
		L.Push(lua.LNumber(h.random.Float64()))
	case 1:
		api.PushInt(L, h.randomBetween(L, 1, exactAt(L, 1)))
	default:
		api.PushInt(L, h.randomBetween(L, exactAt(L, 1), exactAt(L, 2)))
	}
	return 1
}

func (h *Host) randomBetween(L *lua.LState, lo, hi int64) int64 {
	if lo > hi || lo < -maxExact || hi > maxExact {
		L.RaiseError("math.random: there is no exact integer in %d..%d", lo, hi)
	}
	return lo + h.random.Int64N(hi-lo+1)
}

func (h *Host) mathRandomSeed(L *lua.LState) int {
	h.draw(L)
	h.random = newRandom(uint64(exactAt(L, 1)))
	return 0
}

// stringFormat is Lua's. Unlike the library's, which passes its format to fmt.Sprintf, it knows u64 objects, does not
// truncate fractions, and prints no addresses.
func stringFormat(L *lua.LState) int {
	format := stringAt(L, 1)
	out := newText(L)
	arg := 1
	for {
		text, rest, found := strings.Cut(format, "%")
		out.add(text)
		if !found {
			break
		}
		if strings.HasPrefix(rest, "%") {
			out.add("%")
			format = rest[1:]
			continue
		}
		end := strings.IndexFunc(rest, func(c rune) bool { return !strings.ContainsRune("-+ #0123456789.", c) })
		const longest = 12 // flags, and two digits each of width and precision as in Lua, with room
		if end < 0 || end > longest {
			L.RaiseError("string.format: %q is not a conversion", "%"+api.Clip(rest, longest))
		}
		arg++
		if arg > L.GetTop() {
			L.RaiseError("string.format: argument %d: expected a value for %q, got nothing", arg, "%"+rest[:end+1])
		}
		out.add(formatValue(L, arg, "%"+rest[:end], rest[end]))
		format = rest[end+1:]
	}
	L.Push(lua.LString(out.join()))
	return 1
}

// formatValue formats argument n by the conversion verb with the flags, width and precision of spec.
func formatValue(L *lua.LState, n int, spec string, verb byte) string {
	checkWidths(L, spec)
	v := L.Get(n)
	switch verb {
	case 'd', 'i':
		if x, ok := v.(api.U64Value); ok {
			return fmt.Sprintf(spec+"d", uint64(x))
		}
		return fmt.Sprintf(spec+"d", formatInteger(L, n))
	case 'u', 'x', 'X', 'o':
		x := formatUnsigned(L, n)
		if verb == 'u' {
			verb = 'd'
		}
		return fmt.Sprintf(spec+string(verb), x)
	case 'c':
		return string([]byte{byte(formatInteger(L, n))})
	case 'e', 'E', 'f', 'g', 'G':
		if x, ok := v.(api.U64Value); ok {
			return fmt.Sprintf(spec+string(verb), float64(x))
		}
		return formatFloat(spec, verb, float64(L.CheckNumber(n)))
	case 's':
		text := plainString(L, v)
		if spec == "%" {
			return text
		}
		return fmt.Sprintf(spec+"s", text)
	case 'q':
		text := stringAt(L, n)
		scopeOf(L).grow(L, len(text), len(text))
		return quote(text)
	}
	L.RaiseError("string.format: %q is not a conversion", spec+string(verb))
	return ""
}

// checkWidths refuses widths that would make a small script fill the memory; the limit is Lua's.
func checkWidths(L *lua.LState, spec string) {
	for _, number := range strings.FieldsFunc(spec, func(c rune) bool { return c < '0' || c > '9' }) {
		if n, err := strconv.Atoi(number); err != nil || n > 99 {
			L.RaiseError("string.format: the width or precision in %q is above 99", spec)
		}
	}
}

// formatFloat is fmt's but for %g without a precision, which is 6 in C and in Lua.
func formatFloat(spec string, verb byte, x float64) string {
	if (verb == 'g' || verb == 'G') && !strings.Contains(spec, ".") {
		spec += ".6"
	}
	return fmt.Sprintf(spec+string(verb), x)
}

func formatInteger(L *lua.LState, n int) int64 {
	x := L.CheckNumber(n)
	const limit = 1 << 63
	if x < -limit || x >= limit || x != lua.LNumber(int64(x)) {
		L.RaiseError("string.format: argument %d: expected integer, got %s", n, x)
	}
	return int64(x)
}

// formatUnsigned reads argument n as 64 bits; a negative number shows its two's complement, as in C.
func formatUnsigned(L *lua.LState, n int) uint64 {
	if x, ok := api.ToU64(L.Get(n)); ok {
		return x
	}
	const half, whole = 1 << 63, 1 << 64
	if x, ok := L.Get(n).(lua.LNumber); ok && x >= half && x < whole {
		return uint64(x)
	}
	return uint64(formatInteger(L, n))
}

// quote writes a string so that Lua reads it back.
func quote(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, c := range []byte(s) {
		switch c {
		case '"', '\\', '\n':
			out.WriteByte('\\')
			out.WriteByte(c)
		case '\r':
			out.WriteString(`\r`)
		case 0:
			out.WriteString(`\000`)
		default:
			out.WriteByte(c)
		}
	}
	out.WriteByte('"')
	return out.String()
}
