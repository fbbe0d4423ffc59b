package host

import (
	"context"
	"errors"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Run runs source as a script. name is what errors call it, usually its file name.
//
// The error is one of *SyntaxError, *ScriptError, *UsageError (wrapped), *FailedError, *StoppedError, which wraps the
// cause of ctx or a *LimitError, and *InternalError; or the error with which writing to Stdout failed; or ErrClosed, or
// ErrBusy if it is called by what a run calls.
func (h *Host) Run(ctx context.Context, name, source string) error {
	if err := h.idle(); err != nil {
		return err
	}
	fn, err := h.compile(ctx, name, source)
	if err != nil {
		return err
	}
	_, err = h.call(ctx, fn)
	return err
}

// Eval runs source, an expression or a chunk, and returns the values of the expression or of the chunk's return.
func (h *Host) Eval(ctx context.Context, name, source string) ([]lua.LValue, error) {
	if err := h.idle(); err != nil {
		return nil, err
	}
	source = strings.TrimPrefix(source, byteOrderMark)
	fn, err := h.compile(ctx, name, "return "+source)
	if err != nil {
		var expression *SyntaxError
		incomplete := errors.As(err, &expression) && expression.Incomplete
		fn, err = h.compile(ctx, name, source)
		if err != nil && incomplete {
			err = expression // such as "1 +", which begins no statement
		}
	}
	if err != nil {
		return nil, err
	}
	return h.call(ctx, fn)
}

// idle returns nil if a run can begin.
func (h *Host) idle() error {
	switch {
	case h.state.IsClosed():
		return ErrClosed
	case h.busy:
		return ErrBusy
	}
	return nil
}

// call runs fn on the main thread.
func (h *Host) call(ctx context.Context, fn *lua.LFunction) ([]lua.LValue, error) {
	if err := h.idle(); err != nil {
		return nil, err
	}
	h.busy = true
	defer func() { h.busy = false }()
	r := &run{ctx: ctx}
	h.run = r
	h.failures, h.loading = 0, nil
	h.meter.start(h.opts.Limits)
	defer h.main.reset()
	if ctx.Err() != nil {
		r.stop() // AfterFunc would say so too late
	}
	defer context.AfterFunc(ctx, r.stop)()

	values, err := protected(h.state, fn)
	err = h.main.outcome(h.ended(h.state, err), false)
	switch {
	case err != nil:
		return nil, err
	case h.failures > 0:
		return values, &FailedError{h.failures}
	}
	return values, nil
}

// protected calls fn and returns its results. The stack of L is afterwards as before.
func protected(L *lua.LState, fn *lua.LFunction, args ...lua.LValue) ([]lua.LValue, error) {
	top := L.GetTop()
	L.Push(fn)
	for _, arg := range args {
		L.Push(arg)
	}
	err := scopeOf(L).protectedCall(L, len(args), false)
	if err != nil {
		L.SetTop(top)
		return nil, err
	}
	var values []lua.LValue
	for i := top + 1; i <= L.GetTop(); i++ {
		values = append(values, L.Get(i))
	}
	L.SetTop(top)
	return values, nil
}

// Try calls fn on L from a module's function and returns its error, worded as that of a run, instead of letting it
// pass. The end of the whole script still cannot be held up: see scope.
func (h *Host) Try(L *lua.LState, fn *lua.LFunction, args ...lua.LValue) ([]lua.LValue, error) {
	values, err := protected(L, fn, args...)
	return values, h.ended(L, err)
}

// ended words the error with which a call on L came back.
func (h *Host) ended(L *lua.LState, err error) error {
	if err == nil {
		return nil
	}
	err = h.scriptError(L, err)
	var script *ScriptError
	if h.run.stopped.Load() && errors.As(err, &script) {
		stopped := &StoppedError{script.File, script.Line, script.Traceback, h.run.place, h.run.cause()}
		var inner *StoppedError // of a program that the script was driving
		if errors.As(script.Err, &inner) {
			stopped.File, stopped.Line = inner.File, inner.Line
			stopped.Traceback = joinTraces(inner.Traceback, script.Traceback)
		}
		return stopped
	}
	return err
}
