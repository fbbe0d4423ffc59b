package host

import (
	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// Thread is a Lua thread for a program beside the main script, such as that of a simulated CPU. It shares the host's
// globals. A Go coroutine may block inside a function that the program calls; other threads run meanwhile, one at a
// time. Make one when the program first runs, and Release it for reuse: making it costs some 30 KB.
type Thread struct {
	// Sync, if set, is called before the program's effects outside the simulation (print, check), to bring about what
	// has to come before.
	Sync func()

	// Draw, if set, is called before the program uses the random numbers that all programs have in common. It may
	// raise an error.
	Draw func(L *lua.LState)

	// Owner is for the module that made the thread; host leaves it alone.
	Owner any

	host  *Host
	state *lua.LState
	scope *scope
	depth int // of Calls on this thread
}

// maxNestedCalls bounds the calls under way on one thread. A GICv3 can have 128 preemption levels; whoever nests deeper
// does so without end.
const maxNestedCalls = 128

// nestedTooDeep raises the error for a handler that would be one too many.
func nestedTooDeep(L *lua.LState) int {
	api.Errorf(L, "handlers are nested %d deep: each one is interrupted by the next before it returns", maxNestedCalls)
	return 0
}

// NewThread returns a thread that is in no one's use.
func (h *Host) NewThread() *Thread {
	if n := len(h.free); n > 0 {
		t := h.free[n-1]
		h.free = h.free[:n-1]
		return t
	}
	state, _ := h.state.NewThread()
	// The thread gets its own notion of the current and the main thread: the library keeps them for one stack of
	// coroutines, while here several are under way at once.
	g := *h.state.G
	g.MainThread, g.CurrentThread = state, state
	state.G = &g
	t := &Thread{host: h, state: state}
	t.scope = &scope{host: h, thread: t}
	state.SetContext(t.scope.context())
	return t
}

// Release gives the thread back for reuse. No Call may be under way on it.
func (t *Thread) Release() {
	if t.depth != 0 {
		panic("BUG: a Lua thread was released while its program runs")
	}
	t.Sync, t.Draw, t.Owner = nil, nil, nil
	t.state.SetTop(0)
	t.host.free = append(t.host.free, t)
}

// ThreadOf returns the thread whose program, or a coroutine of it, runs on L; nil on the main thread.
func ThreadOf(L *lua.LState) *Thread {
	return scopeOf(L).thread
}

// State returns the thread's Lua state, to make values for arguments.
func (t *Thread) State() *lua.LState { return t.state }

// Call runs fn on the thread and returns its results. The error is a *ScriptError with the thread's traceback, a
// *StoppedError, or what Kill was given. A Go panic in a function that the program called comes out of Call as a panic
// again, whatever pcalls lay between: an Unwinder as itself, any other value as *InternalError.
//
// Calls nest: while the program is blocked in a Go function, that function may Call a handler on the same thread. More
// than maxNestedCalls of them are an error.
func (t *Thread) Call(fn *lua.LFunction, args ...lua.LValue) ([]lua.LValue, error) {
	if t.host.state.IsClosed() {
		return nil, ErrClosed
	}
	t.depth++
	defer func() {
		if t.depth--; t.depth == 0 {
			t.scope.reset()
		}
	}()
	if t.depth > maxNestedCalls {
		fn = t.host.nested
	}
	values, err := protected(t.state, fn, args...)
	err = t.scope.outcome(t.host.ended(t.state, err), true)
	if err != nil {
		return nil, err
	}
	return values, nil
}

// Kill makes the program on the thread end at its next instruction, through all pcalls, and Call return err. Where it
// is blocked in a Go function, that function must return first. Without a program it does nothing.
func (t *Thread) Kill(err error) {
	if t.depth > 0 {
		t.scope.Abort(killed{err})
	}
}
