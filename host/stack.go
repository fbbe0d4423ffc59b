package host

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// The functions in this file look at the stack of a thread, of which each level of protection has a part: see
// protect.go. They look at no more than maxLook functions from an end, since the virtual machine counts from the top
// each time.
const maxLook = 256

// active is a function on the stack.
type active struct {
	*lua.Debug
	fn   *lua.LFunction
	tail bool // it stands for one that has ended in a call
}

// frameAt returns the function at a level of one part of the stack.
func frameAt(L *lua.LState, level int) (active, bool) {
	info, ok := L.GetStack(level)
	if !ok {
		return active{}, false
	}
	f := active{Debug: info}
	fn, err := L.GetInfo("nSlf", info, nil)
	if err != nil {
		return active{}, false
	}
	f.fn = fn.(*lua.LFunction)
	if f.What == "main" { // the bottom, which the library returns for what has ended in a call, too
		_, f.tail = L.GetStack(level + 1)
	}
	return f, true
}

// hidden reports whether a function is one of ours that scripts do not know of.
func (h *Host) hidden(f active) bool {
	return !f.tail && (f.fn == h.guard || f.fn == h.pass || f.LineDefined == ofPlaceHolder)
}

// parts returns the parts of the stack from L down to its bottom, which is that of the thread or a coroutine.
func (s *scope) parts(L *lua.LState) []*lua.LState {
	parts := []*lua.LState{L}
	for _, v := range slices.Backward(s.levels) {
		if v.state == parts[len(parts)-1] && v.parent != nil {
			parts = append(parts, v.parent)
		}
	}
	return parts
}

// placeAt returns "file:line: " of the function at a level of the stack, "" if that is no Lua function.
func placeAt(L *lua.LState, level int) string {
	s, looked := scopeOf(L), 0
	for _, part := range s.parts(L) {
		for i := 0; looked < maxLook; i, looked = i+1, looked+1 {
			f, ok := frameAt(part, i)
			if !ok {
				break
			}
			if s.host.hidden(f) {
				continue
			}
			if level > 0 {
				level--
				continue
			}
			if f.Source == "" || f.tail {
				return ""
			}
			return fmt.Sprintf("%s:%d: ", f.Source, f.CurrentLine)
		}
	}
	return ""
}

// placeOf returns the place of the innermost Lua function of a part of the stack.
func placeOf(L *lua.LState) sourceLine {
	for i := range maxLook {
		f, ok := frameAt(L, i)
		if !ok {
			break
		}
		if f.Source != "" && f.Source != helperChunk && !f.tail {
			return sourceLine{f.Source, f.CurrentLine}
		}
	}
	return sourceLine{}
}

// traceback lists the Lua functions that are active, from L down: both ends, if there are many. What it charges does
// not depend on the stack, which a part of a run has more of where it is done ahead of its turn.
func (s *scope) traceback(L *lua.LState) string {
	s.charge(maxLook)
	parts := s.parts(L)
	lines, looked := []string(nil), 0
	for _, part := range parts {
		for i := 0; ; i++ {
			f, ok := frameAt(part, i)
			if !ok {
				break
			}
			if looked++; looked > maxLook || len(lines) > traceFirst+traceLast {
				lines = append(lines[:min(len(lines), traceFirst)], "...")
				return strings.Join(append(lines, s.lastLines(parts)...), "\n")
			}
			lines = s.appendLine(lines, part, i, f)
		}
	}
	return shortTrace(lines)
}

// lastLines returns the end of a traceback.
func (s *scope) lastLines(parts []*lua.LState) []string {
	var lines []string
	looked := 0
	for _, part := range slices.Backward(parts) {
		size := framesAtMost(part)
		size = sort.Search(size, func(i int) bool {
			_, more := part.GetStack(i)
			return !more
		})
		for i := size - 1; i >= 0; i-- {
			if looked++; looked > maxLook || len(lines) == traceLast {
				break
			}
			f, _ := frameAt(part, i)
			lines = s.appendLine(lines, part, i, f)
		}
	}
	slices.Reverse(lines)
	return lines
}

// appendLine appends the line of a traceback for the function at a level of a part of the stack, if it shows.
func (s *scope) appendLine(lines []string, part *lua.LState, level int, f active) []string {
	switch {
	case f.tail:
		return append(lines, "(tailcall): ?")
	case s.host.hidden(f) || f.Source == "" || f.Source == helperChunk:
		return lines
	}
	name := "function " + f.Name
	if !strings.HasPrefix(f.Name, "<") && !strings.HasPrefix(f.Name, "(") {
		name = "function '" + f.Name + "'"
	}
	caller, _ := frameAt(part, level+1)
	switch {
	case f.What == "main":
		name = "coroutine"
	case caller.fn == s.host.guard && !caller.tail && part == s.levels[0].state:
		name = "main chunk"
	}
	return append(lines, fmt.Sprintf("%s:%d: in %s", f.Source, f.CurrentLine, name))
}
