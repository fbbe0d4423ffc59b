package api

import (
	"fmt"
	"math"

	lua "github.com/yuin/gopher-lua"
)

// The functions below read an argument by stack position. The descriptor has checked it, so they convert only; with a
// type that the descriptor does not promise they panic, which is a bug of the caller.

// IntAt returns the integer at position n. Where int has 32 bits, greater ones become the greatest.
func IntAt(L *lua.LState, n int) int { return toInt(L.Get(n).(lua.LNumber)) }

func toInt(n lua.LNumber) int { return int(max(math.MinInt, min(int64(n), math.MaxInt))) }

// OptIntAt returns the integer at position n, def if it is absent.
func OptIntAt(L *lua.LState, n, def int) int {
	if v, ok := L.Get(n).(lua.LNumber); ok {
		return toInt(v)
	}
	return def
}

// NumberAt returns the number at position n.
func NumberAt(L *lua.LState, n int) float64 { return float64(L.Get(n).(lua.LNumber)) }

// StringAt returns the string at position n.
func StringAt(L *lua.LState, n int) string { return string(L.Get(n).(lua.LString)) }

// OptStringAt returns the string at position n, def if it is absent.
func OptStringAt(L *lua.LState, n int, def string) string {
	if v, ok := L.Get(n).(lua.LString); ok {
		return string(v)
	}
	return def
}

// BoolAt reports whether the value at position n is neither false nor nil.
func BoolAt(L *lua.LState, n int) bool { return lua.LVAsBool(L.Get(n)) }

// FunctionAt returns the Lua function at position n, nil if it is absent.
func FunctionAt(L *lua.LState, n int) *lua.LFunction {
	f, _ := L.Get(n).(*lua.LFunction)
	return f
}

// TableAt returns the table at position n, nil if it is absent.
func TableAt(L *lua.LState, n int) *lua.LTable {
	t, _ := L.Get(n).(*lua.LTable)
	return t
}

// Object returns the Go value of the object at position n.
func Object[T any](L *lua.LState, n int) T { return L.Get(n).(*lua.LUserData).Value.(T) }

// OptObject returns the Go value of the object at position n, and whether there is one.
func OptObject[T any](L *lua.LState, n int) (T, bool) {
	if ud, ok := L.Get(n).(*lua.LUserData); ok {
		v, ok := ud.Value.(T)
		return v, ok
	}
	var none T
	return none, false
}

// smallNumbers holds the integers 0 to 1023 as Lua values: making a Lua value of any other number allocates 8 bytes.
var smallNumbers = func() (table [1024]lua.LValue) {
	for i := range table {
		table[i] = lua.LNumber(i)
	}
	return table
}()

// PushInt pushes an integer, which must be exact as a Lua number.
func PushInt(L *lua.LState, v int64) { L.Push(exactInt(v)) }

func exactInt(v int64) lua.LValue {
	if uint64(v) < uint64(len(smallNumbers)) {
		return smallNumbers[v]
	}
	mustBeExact(v)
	return lua.LNumber(v)
}

func mustBeExact(v int64) {
	if v > maxExact || v < -maxExact {
		panic(fmt.Sprintf("BUG: %d as a Lua number, which cannot hold it exactly", v))
	}
}

// Word is one word of an enumeration and what it stands for.
type Word[T any] struct {
	Text  string
	Value T
}

// Words is an enumeration of strings, each standing for a Go value.
type Words[T any] []Word[T]

// Type is the parameter type that takes the enumeration's words.
func (w Words[T]) Type() Type {
	texts := make([]string, len(w))
	for i := range w {
		texts[i] = w[i].Text
	}
	return Enum(texts...)
}

// Lookup returns what word stands for.
func (w Words[T]) Lookup(word string) (T, bool) {
	for i := range w {
		if w[i].Text == word {
			return w[i].Value, true
		}
	}
	var none T
	return none, false
}

// At returns what the word at position n stands for.
func (w Words[T]) At(L *lua.LState, n int) T {
	v, ok := w.Lookup(StringAt(L, n))
	if !ok {
		panic(fmt.Sprintf("BUG: position %d is not of the enumeration's type", n))
	}
	return v
}
