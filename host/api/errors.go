package api

import (
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"
)

// ScriptError is a mistake in a script, with its place.
type ScriptError struct {
	File      string // "" if the place is not known
	Line      int
	Msg       string
	Traceback string // of the Lua functions active at the error, innermost first; may be empty
	Err       error  // the Go error that was raised by Raise, if any

	// Object is what the script raised if that is no string, such as a table; otherwise nil.
	Object lua.LValue
}

func (e *ScriptError) Error() string {
	if e.File == "" {
		return e.Msg
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
}

// Unwrap returns the Go error that the script error came from, if any.
func (e *ScriptError) Unwrap() error { return e.Err }

// Errorf raises a Lua error at the script's current line.
func Errorf(L *lua.LState, format string, args ...any) {
	L.RaiseError("%s", fmt.Sprintf(format, args...))
}

// ArgErrorf raises the error for the argument at stack position n of the described function that is running:
//
//	function: argument 1 "cpu": expected CPU in 0..95, got 96
//
// expected says what the argument should have been.
func ArgErrorf(L *lua.LState, n int, expected string, args ...any) {
	text := fmt.Sprintf(expected, args...)
	b := running(L)
	if b == nil {
		L.RaiseError("argument %d: expected %s, got %s", n, text, describe(L.Get(n)))
		return
	}
	base := 0
	if b.self != nil {
		base = 1
	}
	b.wrongArg(L, n-1-base, base, fmt.Sprintf("expected %s, got %s", text, describe(L.Get(n))))
}

// UnknownArg raises the error for a word at stack position n that is none of candidates.
func UnknownArg(L *lua.LState, n int, what string, candidates []string) {
	word := keyText(L.Get(n))
	b := running(L)
	if b == nil {
		L.RaiseError("no %s %q%s", what, word, didYouMean(word, candidates))
		return
	}
	base := 0
	if b.self != nil {
		base = 1
	}
	b.wrongArg(L, n-1-base, base, fmt.Sprintf("no %s %q%s", what, word, didYouMean(word, candidates)))
}

// running returns the described function at the top of the stack.
func running(L *lua.LState) *bound {
	frame, ok := L.GetStack(0)
	if !ok {
		return nil
	}
	fn, err := L.GetInfo("f", frame, nil)
	if err != nil {
		return nil
	}
	f, _ := fn.(*lua.LFunction)
	return runtimeOf(L).bound[f]
}

// thrown remembers the Go error behind the Lua error raised last.
type thrown struct {
	value lua.LValue
	err   error
}

// Raise raises err as a Lua error, whose text is err's. It is found again by errors.As in the error of the run, unless
// the script catches it. The script's current line goes before the text, unless err comes from a script and so has a
// place already. What a script has raised that is no string is raised again as it is.
func Raise(L *lua.LState, err error) {
	text := err.Error()
	var script *ScriptError
	var value lua.LValue
	switch {
	case !errors.As(err, &script):
		if place := Place(L); place != "" {
			text = place + " " + text
		}
	case script.Object != nil:
		value = script.Object
	}
	if value == nil {
		value = lua.LString(text)
	}
	runtimeOf(L).thrown = thrown{value, err}
	L.Error(value, 0)
}

// Place returns the "file:line:" of the innermost Lua function, "" if none is active.
func Place(L *lua.LState) string {
	for level := 0; ; level++ {
		frame, ok := L.GetStack(level)
		if !ok {
			return ""
		}
		if _, err := L.GetInfo("S", frame, nil); err != nil {
			return ""
		}
		if frame.Source != "" {
			return L.Where(level)
		}
	}
}

// Thrown returns the Go error that Raise was given if value is what it raised last, otherwise nil.
func Thrown(L *lua.LState, value lua.LValue) error {
	if t := runtimeOf(L).thrown; t.err != nil && t.value == value {
		return t.err
	}
	return nil
}
