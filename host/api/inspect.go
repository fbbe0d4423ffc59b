package api

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// ToString returns the text of v as tostring gives it where no __tostring is involved that is written in Lua.
// It never contains an address: those differ from run to run.
func ToString(v lua.LValue) string {
	switch v := v.(type) {
	case *lua.LTable:
		if m, ok := markOf(v.Metatable).(*Module); ok {
			return "module " + m.Name
		}
		return "table"
	case *lua.LUserData:
		return objectText(v)
	case lua.LNumber:
		return numberText(v)
	case lua.LString, lua.LBool, *lua.LNilType, U64Value:
		return v.String()
	}
	return v.Type().String()
}

func objectText(ud *lua.LUserData) string {
	c := classOf(ud)
	switch {
	case c == nil:
		return "userdata"
	case c.String == nil:
		return "[" + c.Name + "]"
	}
	return c.String(ud.Value)
}

// numberText is the text of a number on every processor. The library converts numbers to int64 to find the integers
// among them; where that saturates, 2^63 seems to be one.
func numberText(n lua.LNumber) string {
	if n >= 1<<63 {
		return fmt.Sprint(float64(n))
	}
	return n.String()
}

// describe names a value in an error message.
func describe(v lua.LValue) string {
	switch v := v.(type) {
	case *lua.LNilType:
		return "nil"
	case lua.LString:
		const long = 60
		if len(v) > long {
			return strconv.Quote(string(v[:long])) + "..."
		}
		return strconv.Quote(string(v))
	case lua.LNumber:
		if math.IsInf(float64(v), 0) || math.IsNaN(float64(v)) {
			return "the number " + v.String()
		}
		return numberText(v)
	case *lua.LTable:
		if m, ok := markOf(v.Metatable).(*Module); ok {
			return "module " + m.Name
		}
	case U64Value:
		return "u64 " + v.String()
	case *lua.LUserData:
		if c := classOf(v); c != nil {
			return c.Name
		}
	}
	return ToString(v)
}

// keyText returns a key as a script would name it, at most maxName bytes of it.
func keyText(k lua.LValue) string {
	if s, ok := k.(lua.LString); ok {
		return Clip(string(s), maxName)
	}
	return ToString(k)
}

// maxName is how much an error shows of a script's own names, which may have millions of characters.
const maxName = 200

// Clip shortens a text to some n bytes.
func Clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "..."
}

func sortKeys(keys []lua.LValue) {
	rank := func(k lua.LValue) int {
		switch k.Type() {
		case lua.LTNumber:
			return 0
		case lua.LTString:
			return 1
		}
		return 2
	}
	sort.SliceStable(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		if ra, rb := rank(a), rank(b); ra != rb {
			return ra < rb
		}
		if x, ok := a.(lua.LNumber); ok {
			return x < b.(lua.LNumber)
		}
		return ToString(a) < ToString(b)
	})
}
