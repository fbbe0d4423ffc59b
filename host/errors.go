package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// ScriptError is a mistake in a script that ran.
type ScriptError = api.ScriptError

// What Run, Eval, Input, Thread.Call and Close return where they cannot be called.
var (
	ErrClosed = errors.New("host: it is closed")
	ErrBusy   = errors.New("host: a run is under way")
)

// UsageError is a mistake of the one who started the script, such as a parameter that it does not have.
type UsageError struct{ Msg string }

func (e *UsageError) Error() string { return e.Msg }

// StoppedError says where a script was when its context or a limit ended it. It wraps the cause of the context's end
// (context.Cause), or the *LimitError.
type StoppedError struct {
	File      string // "" if the place is not known
	Line      int
	Traceback string
	Place     string // where simulated time stands, in the words of StoppedAt; "" if no simulation was under way
	Err       error
}

func (e *StoppedError) Error() string {
	text := "stopped: " + e.Err.Error()
	if e.Place != "" {
		text = "stopped with " + e.Place + ": " + e.Err.Error()
	}
	if e.File == "" {
		return text
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, text)
}

// Unwrap returns why the script was ended.
func (e *StoppedError) Unwrap() error { return e.Err }

// FailedError says that a script ran to its end with failed checks or findings.
type FailedError struct{ Count int }

func (e *FailedError) Error() string {
	if e.Count == 1 {
		return "1 check failed"
	}
	return fmt.Sprintf("%d checks failed", e.Count)
}

// InternalError is a panic in Go code that a script called: a bug of this program, not of the script.
type InternalError struct {
	Value any    // what was given to panic
	Stack []byte // of the goroutine that panicked
}

func (e *InternalError) Error() string {
	text := fmt.Sprint(e.Value)
	if strings.HasPrefix(text, "BUG:") {
		return text
	}
	return "BUG: " + text
}

// ExitCode returns the exit status of a command whose script ended with err.
func ExitCode(err error) int {
	var usage *UsageError
	var internal *InternalError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &internal):
		return 3
	case errors.As(err, &usage):
		return 2
	case errors.Is(err, context.Canceled):
		return 130
	}
	return 1
}

// withoutAddresses removes addresses, which differ from run to run, from an error message: the virtual machine's own
// messages have them where a value has no text. The text may be long, and is then a script's.
func withoutAddresses(text string) string {
	const mark, hexDigits = ": 0x", "0123456789abcdef"
	if !strings.Contains(text, mark) {
		return text
	}
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, mark)
		out.WriteString(before)
		if !found {
			break
		}
		text = strings.TrimLeft(after, hexDigits)
		if len(text) == len(after) || !endsWithType(before) {
			out.WriteString(mark)
			text = after
		}
	}
	return out.String()
}

// endsWithType reports whether a text ends with the name of a type whose values have addresses.
func endsWithType(text string) bool {
	for _, name := range []string{"table", "function", "userdata", "thread", "channel"} {
		if strings.HasSuffix(text, name) {
			return true
		}
	}
	return false
}

// scriptError makes a ScriptError of the error with which L ended.
func (h *Host) scriptError(L *lua.LState, err error) error {
	var raised *lua.ApiError
	if !errors.As(err, &raised) {
		return err
	}
	e := &ScriptError{Traceback: strings.TrimSpace(raised.StackTrace)}
	switch text, isString := raised.Object.(lua.LString); {
	case isString:
		e.Err = api.Thrown(L, text)
		e.Msg = withoutAddresses(api.Clip(string(text), maxName+maxMessage))
		e.File, e.Line, e.Msg = h.splitPlace(e.Msg)
	default:
		e.Object, e.Err = raised.Object, api.Thrown(L, raised.Object)
		if e.Err == nil {
			e.Msg = errorObjectText(L, raised.Object)
		} else {
			e.File, e.Line, e.Msg = h.splitPlace(e.Err.Error())
		}
	}
	e.Msg = api.Clip(e.Msg, maxMessage)
	if e.File == "" {
		e.File, e.Line = h.innermostPlace(e.Traceback)
	}
	var inner *ScriptError
	if errors.As(e.Err, &inner) && inner.Traceback != "" {
		e.Traceback = joinTraces(inner.Traceback, e.Traceback)
	}
	return e
}

// virtualMachineError words a Go panic of the virtual machine itself; those of bound functions never come here.
func virtualMachineError(text string) string {
	if strings.Contains(text, "callstack overflow") {
		return "stack overflow"
	}
	if strings.Contains(text, "nil pointer") {
		// What is known to do this; coroutineYield finds the rest before it happens.
		return "a coroutine has yielded inside an iterator or metamethod, and cannot be resumed"
	}
	return "the Lua virtual machine failed: " + text
}

// Bounds of what an error shows of a script's own texts, which may have millions of characters.
const (
	maxMessage = 4000
	maxName    = 200 // of a source text, variable or module
)

// errorObjectText shows an error that is no string, by its __tostring if it has one.
func errorObjectText(L *lua.LState, v lua.LValue) string {
	if fn, ok := L.GetMetaField(v, "__tostring").(*lua.LFunction); ok && v.Type() == lua.LTTable {
		if values, err := protected(L, fn, v); err == nil && len(values) > 0 && values[0].Type() == lua.LTString {
			return values[0].String()
		}
	}
	return "error object: " + api.Inspect(v)
}

// splitPlace separates "file:line: " of a source that this host compiled from the rest of a message.
func (h *Host) splitPlace(text string) (file string, line int, msg string) {
	const longest = 4096 // bytes of a file name
	for i := 1; i < min(len(text), longest); i++ {
		if text[i] != ':' || !h.chunks[text[:i]] {
			continue
		}
		digits := len(text[i+1:]) - len(strings.TrimLeft(text[i+1:], "0123456789"))
		line, err := strconv.Atoi(text[i+1 : i+1+digits])
		if msg, ok := strings.CutPrefix(text[i+1+digits:], ": "); ok && err == nil {
			return text[:i], line, msg
		}
	}
	return "", 0, text
}

// How many lines of a long traceback are kept from each end, as the lua command does.
const traceFirst, traceLast = 10, 11

// shortTrace keeps both ends of a long traceback.
func shortTrace(lines []string) string {
	if len(lines) > traceFirst+traceLast {
		lines = append(append(slices.Clone(lines[:traceFirst]), "..."), lines[len(lines)-traceLast:]...)
	}
	return strings.Join(lines, "\n")
}

// joinTraces puts the traceback of a program before that of the script that has driven it.
func joinTraces(inner, outer string) string {
	return shortTrace(strings.Split(strings.Trim(inner+"\n"+outer, "\n"), "\n"))
}

// innermostPlace reads the place from the first line of a traceback.
func (h *Host) innermostPlace(trace string) (file string, line int) {
	first, _, _ := strings.Cut(trace, "\n")
	file, line, _ = h.splitPlace(first)
	return file, line
}
