package host

import (
	"context"
	"errors"
	"runtime/debug"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// run is one call of Run or Eval. Its context may end from any goroutine.
type run struct {
	ctx     context.Context
	stopped atomic.Bool
	grace   atomic.Int64 // instructions that programs may still execute when it is stopped
	limit   *LimitError  // the limit that has stopped it; nil: its context has
	spent   bool         // the limit is the budget's
	place   string       // where simulated time was stopped; see StoppedAt
}

// programGrace is how many instructions programs beside the main script get when a run is cancelled, to reach a point
// where the simulation parks them, so that it can go on later. One that has not got there by then ends with an error.
// It is no time, because what becomes of a program must not depend on how busy the machine is.
const programGrace = 100_000

// stop makes the run end. One that is overdue gets no grace.
func (r *run) stop() {
	if errors.Is(r.ctx.Err(), context.Canceled) {
		r.grace.Store(programGrace)
	}
	r.stopped.Store(true)
}

// end makes the run end because a limit is reached: at once, as programs have used up their share too.
func (r *run) end(limit *LimitError) {
	if r.limit == nil && !r.stopped.Load() {
		r.limit = limit
	}
	r.grace.Store(0)
	r.stopped.Store(true)
}

// retract lets a run go on that only its budget has ended.
func (r *run) retract() {
	if !r.spent {
		return
	}
	r.spent, r.limit, r.place = false, nil, ""
	r.stopped.Store(false)
	if r.ctx.Err() != nil {
		r.stop() // it may have ended meanwhile
	}
}

// cause says why the run was stopped.
func (r *run) cause() error {
	if r.limit != nil {
		return r.limit
	}
	return context.Cause(r.ctx)
}

// scope is the context.Context of one Lua thread and the coroutines made on it. The virtual machine asks Done before
// each instruction and raises an error if the channel is closed. Since it asks again at the next instruction, no pcall
// holds up the end: that is how scripts are stopped, by cancellation, limits, Kill, and by a Go panic on its way up.
//
// Done answers nil, not an open channel, while all is well: receiving from nil is the cheapest of all.
type scope struct {
	host    *Host
	thread  *Thread     // nil: the main thread
	running *lua.LState // the part of the stack on top; nil: nothing runs
	levels  []level     // of protection, outermost first
	nested  int         // frames below running, rounded up; see maxNested
	aborted bool
	cause   any // of aborted: *InternalError, an Unwinder, or killed
}

// Unwinder is a panic value that ends a thread on purpose: it passes through Lua code as through Go code, cannot be
// caught by pcall, and comes out of Thread.Call as the same panic.
type Unwinder interface{ Unwind() }

// killed is the cause of a scope that was ended by Kill.
type killed struct{ err error }

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

var errAborted = errors.New("the thread is being ended")

// Done implements context.Context.
func (s *scope) Done() <-chan struct{} {
	if s.aborted || s.stopping() {
		return closed
	}
	return nil
}

// countedScope is the context where runs have limits: it counts the instructions, each of which calls Done once. It is
// a type of its own because counting costs some percent.
type countedScope struct{ *scope }

// Done implements context.Context.
func (s *countedScope) Done() <-chan struct{} {
	if s.aborted || s.stopping() {
		return closed
	}
	if s.charge(1); s.stopping() {
		return closed
	}
	return nil
}

// context returns the scope as the context for its Lua threads.
func (s *scope) context() context.Context {
	if s.host.opts.Limits.limited() {
		return &countedScope{s}
	}
	return s
}

// scopeOf returns the scope of the thread that runs on L.
func scopeOf(L *lua.LState) *scope {
	if s, ok := L.Context().(*scope); ok {
		return s
	}
	return L.Context().(*countedScope).scope
}

// stopping reports whether the thread is to end because its run does. On a program's thread, asking costs grace.
func (s *scope) stopping() bool {
	r := s.host.run
	if !r.stopped.Load() {
		return false
	}
	return s.thread == nil || r.grace.Add(-1) < 0
}

// Err implements context.Context.
func (s *scope) Err() error {
	switch {
	case s.aborted:
		return errAborted
	case s.stopping():
		return s.host.run.cause()
	}
	return nil
}

// Deadline implements context.Context.
func (s *scope) Deadline() (time.Time, bool) { return s.host.run.ctx.Deadline() }

// Value implements context.Context.
func (s *scope) Value(key any) any { return s.host.run.ctx.Value(key) }

// Abort implements api.Scope. It runs while the panic is on its way, so the stack shows where it came from.
func (s *scope) Abort(cause any) {
	if s.aborted {
		return
	}
	s.aborted = true
	switch cause.(type) {
	case Unwinder, *InternalError, killed:
		s.cause = cause
	default:
		s.cause = &InternalError{Value: cause, Stack: debug.Stack()}
	}
}

// Boundary implements api.Scope.
func (s *scope) Boundary() {
	if s.thread != nil && s.thread.Sync != nil {
		s.thread.Sync()
	}
}

// reset makes the scope ready for the next program.
func (s *scope) reset() { s.aborted, s.cause = false, nil }

// outcome turns the error with which a thread came back to its top into the error of its program. It panics with an
// Unwinder, whose way leads further up; so does it with an InternalError if panics is set.
func (s *scope) outcome(err error, panics bool) error {
	if s.aborted {
		switch cause := s.cause.(type) {
		case killed:
			return cause.err
		case *InternalError:
			if panics {
				panic(cause)
			}
			return cause
		default:
			panic(cause)
		}
	}
	return err
}
