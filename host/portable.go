package host

import (
	"math"

	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// Go leaves open what the conversion of a float64 to an integer that cannot hold it gives, and processors differ: so do
// the library's functions, and its text of 2^63. The functions below do not.

// maxPosition bounds the integers that functions of the library get, which may have 32 bits. Nothing has as many
// characters, entries or arguments.
const maxPosition = math.MaxInt32

// intAt returns the number at stack position n without its fraction, at most maxPosition and at least -maxPosition.
func intAt(L *lua.LState, n int) int {
	x := float64(L.CheckNumber(n))
	if math.IsNaN(x) {
		L.ArgError(n, "the number is NaN")
	}
	return int(max(-maxPosition, min(x, maxPosition)))
}

// optIntAt is intAt with a default for an absent argument.
func optIntAt(L *lua.LState, n, def int) int {
	if L.Get(n) == lua.LNil {
		return def
	}
	return intAt(L, n)
}

// exactAt returns the integer at stack position n, which must be exact as a number.
func exactAt(L *lua.LState, n int) int64 {
	x := L.CheckNumber(n)
	if !(x >= -maxExact && x <= maxExact) {
		L.ArgError(n, "expected a number from -2^53 to 2^53, got "+api.ToString(x))
	}
	return int64(x)
}

// stringAt returns the string, or the text of the number, at stack position n.
func stringAt(L *lua.LState, n int) string {
	if x, ok := L.Get(n).(lua.LNumber); ok {
		return api.ToString(x)
	}
	return L.CheckString(n)
}

// optStringAt is stringAt with a default for an absent argument.
func optStringAt(L *lua.LState, n int, def string) string {
	if L.Get(n) == lua.LNil {
		return def
	}
	return stringAt(L, n)
}

// portable is a function of the library that takes integers at some positions and a string at one, 0 for none.
func portable(fn lua.LValue, text int, integers ...int) lua.LGFunction {
	library := fn.(*lua.LFunction).GFunction
	return func(L *lua.LState) int {
		if text > 0 {
			L.Replace(text, lua.LString(stringAt(L, text)))
		}
		for _, n := range integers {
			if L.Get(n).Type() == lua.LTNumber {
				L.Replace(n, lua.LNumber(intAt(L, n)))
			}
		}
		return library(L)
	}
}

// unpack is the library's. It makes room on the stack for all values first, or fails: the library does as each value
// comes, so that the stack is copied again and again.
func unpack(library lua.LGFunction) lua.LGFunction {
	return func(L *lua.LState) int {
		const slot = 16 // bytes
		n := int64(optIntAt(L, 3, L.CheckTable(1).Len())) - int64(optIntAt(L, 2, 1)) + 1
		if n <= levelRegistrySize {
			return library(L)
		}
		top := L.GetTop()
		if n <= mainRegistryMax {
			scopeOf(L).Spend(L, int(n))
			scopeOf(L).host.checkMemory(n * slot)
		}
		L.SetTop(top + int(min(n, mainRegistryMax+1)))
		L.SetTop(top)
		return library(L)
	}
}
