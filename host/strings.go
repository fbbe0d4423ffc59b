package host

import (
	"slices"
	"strings"

	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// The string functions are Lua 5.1's. The library's have no bound on what they build, cannot be interrupted in a
// pattern match that takes minutes, and differ in details: case follows Unicode, gsub's time grows with the square.

func stringRep(L *lua.LState) int {
	text, times := stringAt(L, 1), L.CheckNumber(2)
	if text == "" || !(times >= 1) {
		L.Push(lua.LString(""))
		return 1
	}
	if times > lua.LNumber(maxString/len(text)) {
		L.RaiseError("string.rep: the string would be longer than %s", bytesText(maxString))
	}
	n := int(times)
	scopeOf(L).grow(L, n*len(text), n*len(text))
	L.Push(lua.LString(strings.Repeat(text, n)))
	return 1
}

func stringChar(L *lua.LState) int {
	text := make([]byte, L.GetTop())
	for i := range text {
		c := intAt(L, i+1)
		if c != int(byte(c)) {
			L.ArgError(i+1, "expected a character code in 0..255, got "+api.ToString(L.Get(i+1)))
		}
		text[i] = byte(c)
	}
	L.Push(lua.LString(text))
	return 1
}

func stringReverse(L *lua.LState) int {
	text := stringAt(L, 1)
	scopeOf(L).grow(L, len(text), len(text))
	reversed := []byte(text)
	slices.Reverse(reversed)
	L.Push(lua.LString(reversed))
	return 1
}

func stringLower(L *lua.LState) int { return changeCase(L, 'A', 'Z') }

func stringUpper(L *lua.LState) int { return changeCase(L, 'a', 'z') }

// changeCase changes the case of the letters from first to last.
func changeCase(L *lua.LState, first, last byte) int {
	text := stringAt(L, 1)
	scopeOf(L).grow(L, len(text), len(text))
	changed := []byte(text)
	for i, c := range changed {
		if first <= c && c <= last {
			changed[i] = c ^ ('a' - 'A')
		}
	}
	L.Push(lua.LString(changed))
	return 1
}

// stringFind is string.find(s, pattern[, init[, plain]]).
func stringFind(L *lua.LState) int {
	text, pattern, init := stringAt(L, 1), stringAt(L, 2), startAt(L)
	if lua.LVAsBool(L.Get(4)) || !strings.ContainsAny(pattern, "^$*+?.([%-") {
		scopeOf(L).Spend(L, (len(text)-init)/workPerInstruction)
		at := strings.Index(text[init:], pattern)
		if at < 0 {
			L.Push(lua.LNil)
			return 1
		}
		L.Push(lua.LNumber(init + at + 1))
		L.Push(lua.LNumber(init + at + len(pattern)))
		return 2
	}
	m := newMatcher(L, text, pattern)
	defer m.finish()
	start, end := m.search(init)
	if start < 0 {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(lua.LNumber(start + 1))
	L.Push(lua.LNumber(end))
	return 2 + m.pushCaptures()
}

// stringMatch is string.match(s, pattern[, init]).
func stringMatch(L *lua.LState) int {
	m := newMatcher(L, stringAt(L, 1), stringAt(L, 2))
	defer m.finish()
	start, end := m.search(startAt(L))
	if start < 0 {
		L.Push(lua.LNil)
		return 1
	}
	return m.pushMatch(start, end)
}

// startAt returns argument 3, where a search begins, counted from 0 and within argument 1.
func startAt(L *lua.LState) int {
	length, init := len(stringAt(L, 1)), optIntAt(L, 3, 1)
	if init < 0 {
		init += length + 1
	}
	return min(max(init-1, 0), length)
}

// stringGmatch is string.gmatch(s, pattern).
func stringGmatch(L *lua.LState) int {
	text, pattern := stringAt(L, 1), stringAt(L, 2)
	if strings.HasPrefix(pattern, "^") {
		pattern = "%" + pattern // has no special meaning here
	}
	var position *lua.Upvalue // where to go on: as an upvalue, Sharing sees it
	iterator := L.NewClosure(func(L *lua.LState) int {
		m := newMatcher(L, text, pattern)
		defer m.finish()
		start, end := m.search(int(position.Value().(lua.LNumber)))
		if start < 0 {
			position.SetValue(lua.LNumber(len(text) + 1))
			L.Push(lua.LNil)
			return 1
		}
		position.SetValue(lua.LNumber(end))
		if end == start {
			position.SetValue(lua.LNumber(end + 1))
		}
		return m.pushMatch(start, end)
	}, lua.LNumber(0))
	position = iterator.Upvalues[0]
	L.Push(iterator)
	return 1
}

// stringGsub is string.gsub(s, pattern, replacement[, n]).
func stringGsub(L *lua.LState) int {
	text, pattern := stringAt(L, 1), stringAt(L, 2)
	L.CheckTypes(3, lua.LTNumber, lua.LTString, lua.LTTable, lua.LTFunction)
	most := optIntAt(L, 4, len(text)+1)
	m := newMatcher(L, text, pattern)
	defer m.finish()
	out := newText(L)
	count, done := 0, 0 // done: how much of the text is in out
	for at := 0; count < most && at <= len(text); {
		end := m.matchAt(at)
		if end >= 0 {
			count++
			out.add(text[done:at])
			out.add(m.replacement(L.Get(3), at, end))
			done = end
		}
		at = max(at+1, end)
		if m.anchored {
			break
		}
	}
	if count > 0 {
		out.add(text[done:])
		text = out.join()
	}
	L.Push(lua.LString(text))
	L.Push(lua.LNumber(count))
	return 2
}

// replacement returns what takes the place of a match.
func (m *matcher) replacement(by lua.LValue, start, end int) string {
	L := m.L
	var value lua.LValue
	switch by := by.(type) {
	case *lua.LTable:
		value = L.GetTable(by, m.capture(0, start, end))
	case *lua.LFunction:
		L.Push(by)
		n := m.pushMatch(start, end)
		L.Call(n, 1)
		value = L.Get(-1)
		L.Pop(1)
	default:
		return m.expand(api.ToString(by), start, end)
	}
	switch {
	case lua.LVIsFalse(value):
		value = lua.LString(m.text[start:end])
	case !lua.LVCanConvToString(value):
		L.RaiseError("string.gsub: a %s cannot take the place of a match", value.Type())
	}
	return api.ToString(value)
}

// expand replaces %0 to %9 in the replacement by captures, and % before another character by nothing.
func (m *matcher) expand(by string, start, end int) string {
	if !strings.Contains(by, "%") {
		return by
	}
	out := newText(m.L)
	for {
		before, rest, found := strings.Cut(by, "%")
		out.add(before)
		if !found {
			return out.join()
		}
		if rest == "" {
			rest = "%" // at the end it stands for itself
		}
		switch c := rest[0]; {
		case c == '0':
			out.add(m.text[start:end])
		case isDigit(c):
			out.add(api.ToString(m.capture(int(c-'1'), start, end)))
		default:
			out.add(rest[:1])
		}
		by = rest[1:]
	}
}
