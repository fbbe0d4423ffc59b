package host

import (
	"fmt"
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// The virtual machine makes a mistake when it raises an error: for each function on the stack, also those that go on
// because the error is caught above them, it ends the sharing of locals between closures. So what is called under
// protection runs on a stack of its own, all of which an error unwinds: a level. At its bottom is the guard, a Go
// function that sees the stack before it is gone.

// level is a stack on which something is called under protection.
type level struct {
	state  *lua.LState
	parent *lua.LState // the stack that it was called from; nil: it is the thread's own
	caught bool        // a script catches the error: nobody asks for a traceback
}

// protectedCall is the virtual machine's PCall with nargs arguments and all results: the function and its arguments are
// on top of the stack of L, and the results come in their place. Whatever is protected is called by this.
func (s *scope) protectedCall(L *lua.LState, nargs int, caught bool) error {
	if s.running == nil {
		L.Insert(s.host.guard, L.GetTop()-nargs)
		return s.callLevel(level{state: L}, nargs+1)
	}
	frames := framesAtMost(s.running)
	if s.nested+frames > maxNested {
		L.SetTop(L.GetTop() - nargs - 1)
		return s.overflow(L)
	}
	on := s.host.takeStack(L)
	on.Push(s.host.guard)
	if needsPlace(L.Get(-nargs - 1)) {
		s.host.pushPlaceHolder(on, L)
	}
	L.XMoveTo(on, nargs+1)
	s.nested += frames
	err := s.callLevel(level{on, s.running, caught}, on.GetTop()-1)
	s.nested -= frames
	if err == nil {
		on.XMoveTo(L, on.GetTop())
	}
	on.SetTop(0)
	s.host.stacks = append(s.host.stacks, on)
	return err
}

// callLevel calls what is on the stack of a level.
func (s *scope) callLevel(v level, nargs int) error {
	outer := s.running
	s.running, s.levels = v.state, append(s.levels, v)
	err := v.state.PCall(nargs, lua.MultRet, nil)
	s.running, s.levels = outer, s.levels[:len(s.levels)-1]
	return err
}

// takeStack returns an empty stack for what L calls.
func (h *Host) takeStack(L *lua.LState) *lua.LState {
	var on *lua.LState
	if n := len(h.stacks); n > 0 {
		on, h.stacks = h.stacks[n-1], h.stacks[:n-1]
	} else {
		const size = 1 << 13 // bytes, with its part of the Go stack
		h.checkMemory(size)
		options := h.state.Options
		h.state.Options = levelOptions
		on, _ = h.state.NewThread()
		on.Options, h.state.Options = options, options // those of coroutines
	}
	on.G = L.G
	on.SetContext(L.Context())
	return on
}

// guardCall is the guard: it calls the function that is its first argument with the others.
func guardCall(L *lua.LState) int {
	if err := catch(L); err != nil {
		endSharing(L)
		panic(err)
	}
	return L.GetTop()
}

// catch makes the guard's call and returns its error. Those of the virtual machine itself get a place as others have.
func catch(L *lua.LState) (raised *lua.ApiError) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		s := scopeOf(L)
		var ok bool
		if raised, ok = v.(*lua.ApiError); !ok {
			text := lua.LString(placeAt(L, 0) + virtualMachineError(fmt.Sprint(v)))
			raised = &lua.ApiError{Type: lua.ApiErrorRun, Object: text}
		}
		if raised.StackTrace == "" {
			raised.StackTrace = noTrace
			if !s.levels[len(s.levels)-1].caught {
				raised.StackTrace = s.traceback(L)
			}
		}
	}()
	L.Call(L.GetTop()-1, lua.MultRet)
	return nil
}

// noTrace keeps the virtual machine from writing a traceback of its own, in a time that grows with the square of the
// stack.
const noTrace = " "

// endSharing gives closures that have escaped from the functions on the stack of L, all of which end, their own
// variables. That is what the virtual machine does when it raises an error, but not when it panics.
func endSharing(L *lua.LState) {
	defer func() { _ = recover() }()
	L.Error(lua.LNil, 0)
}

// overflow is the error of a call under protection that is one too many.
func (s *scope) overflow(L *lua.LState) error {
	text := placeAt(L, 1) + "stack overflow: too many protected calls inside one another"
	return &lua.ApiError{Type: lua.ApiErrorRun, Object: lua.LString(text), StackTrace: s.traceback(L)}
}

// sourceLine is a line of a source text.
type sourceLine struct {
	source string
	line   int
}

// needsPlace reports whether an error that fn itself raises takes its place from the caller: Go functions have none,
// and helpers none to show.
func needsPlace(v lua.LValue) bool {
	fn, ok := v.(*lua.LFunction)
	return ok && (fn.IsG || fn.Proto.SourceName == helperChunk)
}

// placeHelper calls a function. No call in tail position may stand in it, hence pass, which returns its arguments.
var placeHelper = compileHelper(`return function(pass, f, ...) return pass(f(...)) end`).FunctionPrototypes[0]

// ofPlaceHolder is the line where place holders are defined, by which they are known.
const ofPlaceHolder = -1

// pushPlaceHolder pushes what calls the function and the arguments that are pushed next, and passes for being where L
// is.
func (h *Host) pushPlaceHolder(on, L *lua.LState) {
	const most = 1 << 10
	at := placeOf(L)
	if at.source == "" {
		return
	}
	fn := h.holders[at]
	if fn == nil {
		if len(h.holders) >= most {
			clear(h.holders)
		}
		proto := *placeHelper
		proto.SourceName, proto.LineDefined, proto.DbgCalls = at.source, ofPlaceHolder, nil
		proto.DbgSourcePositions = slices.Repeat([]int{at.line}, len(proto.Code))
		fn = h.state.NewFunctionFromProto(&proto)
		h.holders[at] = fn
	}
	on.Push(fn)
	on.Push(h.pass)
}

// pass returns its arguments.
func pass(L *lua.LState) int { return L.GetTop() }
