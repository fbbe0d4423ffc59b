package host

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// The coroutine functions are the library's, made safe. The library
//   - gives a coroutine a context of its own, which ours does not reach: here it ends with the thread that resumes it;
//   - goes on, when pcall or another Go function stands between a yield and its resume, as if nothing had been yielded,
//     and crashes later: here that raises an error;
//   - loses the results of a Go function that is a coroutine's body, and crashes after a yield in a tail call: here
//     Lua functions, stand in between;
//   - resumes a coroutine that is active already, and runs in circles;
//   - recurses in Go for each coroutine that resumes another, until the Go stack ends the process: here that is the
//     same error as recursion in Lua.

const helperChunk = "[lua]"

// compileHelper makes the prototype of a Lua function that is made by calling source with a function.
func compileHelper(source string) *lua.FunctionProto {
	chunk, err := parse.Parse(strings.NewReader(source), helperChunk)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	proto, err := lua.Compile(chunk, helperChunk)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return proto
}

var (
	bodyHelper  = compileHelper(`local f = ... return function(...) return f(...) end`)
	yieldHelper = compileHelper(`local yield = ...
		local function pass(...) return ... end
		return function(...) return pass(yield(...)) end`)
)

// wrapInLua returns the Lua function that helper makes around fn.
func wrapInLua(L *lua.LState, helper *lua.FunctionProto, fn lua.LValue) lua.LValue {
	L.Push(L.NewFunctionFromProto(helper))
	L.Push(fn)
	L.Call(1, 1)
	wrapped := L.Get(-1)
	L.Pop(1)
	return wrapped
}

// libraryCoroutines holds the library's functions, which are plain Go functions and the same for every state.
var libraryCoroutines = func() map[string]lua.LGFunction {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer L.Close()
	L.Push(L.NewFunction(lua.OpenCoroutine))
	L.Call(0, 1)
	functions := map[string]lua.LGFunction{}
	L.Get(-1).(*lua.LTable).ForEach(func(name, fn lua.LValue) {
		functions[name.String()] = fn.(*lua.LFunction).GFunction
	})
	return functions
}()

func coroutineCreate(L *lua.LState) int {
	if fn := L.CheckFunction(1); fn.IsG {
		L.Replace(1, wrapInLua(L, bodyHelper, fn))
	}
	return libraryCoroutines["create"](L)
}

// maxNested bounds the frames of the Lua stacks that wait for one another on one Go stack, of which a frame takes up to
// 1 KB. Each stack counts as minFrames at least, so that there are no more than 256: Lua 5.1 has 200.
const (
	maxNested = 1 << 14
	minFrames = 1 << 6
)

func coroutineResume(L *lua.LState) int {
	co := L.CheckThread(1)
	s := scopeOf(L)
	frames := framesAtMost(L)
	if co.Parent != nil || s.nested+frames > maxNested {
		message := "cannot resume a coroutine that is active"
		if co.Parent == nil {
			message = "stack overflow: too many coroutines inside one another"
		}
		L.Push(lua.LFalse)
		L.Push(lua.LString(message))
		return 2
	}
	co.SetContext(L.Context())
	co.G = L.G // which stack of coroutines it is on: see NewThread
	outer := L.G.CurrentThread
	s.running, s.nested = co, s.nested+frames
	n := libraryCoroutines["resume"](L)
	s.running, s.nested = L, s.nested-frames
	L.G.CurrentThread = outer // the library takes L for a coroutine
	if n >= 2 && L.Get(-n) == lua.LFalse {
		if s.Err() != nil {
			L.Error(L.Get(-1), 0) // it is not for the script
		}
		if text, ok := L.Get(-1).(lua.LString); ok {
			L.Pop(1)
			L.Push(lua.LString(coroutineError(co, string(text))))
		}
	}
	return n
}

// framesAtMost returns the number of frames on the stack of L, rounded up to a power of two, minFrames or more.
func framesAtMost(L *lua.LState) int {
	for n := minFrames; ; n *= 2 {
		if _, more := L.GetStack(n); !more {
			return n
		}
	}
}

// coroutineError words the error message with which a coroutine ended. The virtual machine's own panics have no place;
// what called the function that failed is still on the stack.
func coroutineError(co *lua.LState, text string) string {
	if strings.HasPrefix(text, "runtime error: ") || text == "lua callstack overflow" {
		return placeAt(co, 0) + virtualMachineError(text)
	}
	return withoutAddresses(strings.TrimPrefix(text, helperChunk+":1: "))
}

func coroutineWrap(L *lua.LState) int {
	coroutineCreate(L)
	co := L.Get(-1)
	L.Push(L.NewClosure(func(L *lua.LState) int {
		L.Insert(co, 1)
		n := coroutineResume(L)
		if n >= 1 && L.Get(-n) == lua.LFalse {
			L.Error(L.Get(-n+1), 0)
		}
		return n - 1
	}, co)) // as an upvalue, Sharing sees it
	return 1
}

// coroutineRunning returns the coroutine that runs, nothing in the main program.
func coroutineRunning(L *lua.LState) int {
	if L.G.CurrentThread == L.G.MainThread {
		L.Push(lua.LNil)
	} else {
		L.Push(L.G.CurrentThread)
	}
	return 1
}

// coroutineStatus is Lua's.
func coroutineStatus(L *lua.LState) int {
	co, status := L.CheckThread(1), "suspended"
	switch {
	case co.Dead:
		status = "dead"
	case co == L.G.CurrentThread:
		status = "running"
	case co.Parent != nil:
		status = "normal"
	}
	L.Push(lua.LString(status))
	return 1
}

// coroutineYield is called by a Lua function made from yieldHelper.
func coroutineYield(L *lua.LState) int {
	const caller = 3 // of the helper
	if L.G.CurrentThread == L.G.MainThread {
		L.Error(lua.LString("coroutine.yield: there is no coroutine to leave"), caller)
	}
	for level := 1; ; level++ {
		frame, ok := L.GetStack(level)
		if !ok {
			break
		}
		if _, err := L.GetInfo("S", frame, nil); err != nil || frame.Source == "" {
			L.Error(lua.LString("coroutine.yield: cannot yield inside pcall, sort, gsub or another function written in Go"),
				caller)
		}
	}
	return libraryCoroutines["yield"](L)
}
