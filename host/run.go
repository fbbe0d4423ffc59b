package host

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// Run runs source as a script. name is what errors call it, usually its file name.
//
// The error is one of *SyntaxError, *ScriptError, *UsageError (wrapped), *FailedError, *StoppedError, which wraps the
// error of ctx, and *InternalError; or the error with which writing to Stdout failed.
func (h *Host) Run(ctx context.Context, name, source string) error {
	fn, err := h.compile(name, source)
	if err != nil {
		return err
	}
	_, err = h.call(ctx, fn)
	return err
}

// Eval runs source, an expression or a chunk, and returns the values of the expression or of the chunk's return.
func (h *Host) Eval(ctx context.Context, name, source string) ([]lua.LValue, error) {
	fn, err := h.compile(name, "return "+source)
	if err != nil {
		var expression *SyntaxError
		errors.As(err, &expression)
		fn, err = h.compile(name, source)
		if err != nil && expression.Incomplete {
			err = expression // such as "1 +", which begins no statement
		}
	}
	if err != nil {
		return nil, err
	}
	return h.call(ctx, fn)
}

// call runs fn on the main thread.
func (h *Host) call(ctx context.Context, fn *lua.LFunction) ([]lua.LValue, error) {
	r := &run{ctx: ctx}
	h.run = r
	if ctx.Err() != nil {
		r.stop() // AfterFunc would say so too late
	}
	defer context.AfterFunc(ctx, r.stop)()
	h.main.reset()
	h.failures, h.loading = 0, nil

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
	err := L.PCall(len(args), lua.MultRet, nil)
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
		stopped := &StoppedError{script.File, script.Line, script.Traceback, h.run.place, h.run.ctx.Err()}
		var inner *StoppedError // of a program that the script was driving
		if errors.As(script.Err, &inner) {
			stopped.File, stopped.Line = inner.File, inner.Line
			stopped.Traceback = strings.Trim(inner.Traceback+"\n"+script.Traceback, "\n")
		}
		return stopped
	}
	return err
}

// compile makes a function of a source text. The error is a *SyntaxError.
func (h *Host) compile(name, source string) (*lua.LFunction, error) {
	return h.compileWith(name, source, func([]ast.Stmt) {})
}

// compileWith is compile with a change to the syntax tree.
func (h *Host) compileWith(name, source string, change func([]ast.Stmt)) (*lua.LFunction, error) {
	if name == "" {
		name = "?" // an empty name is how the virtual machine marks Go functions
	}
	if strings.HasPrefix(source, "#!") {
		source = "--" + source // as the lua command does for executable scripts
	}
	chunk, err := parse.Parse(strings.NewReader(source), name)
	if err != nil {
		return nil, syntaxError(name, source, err)
	}
	if err := checkLiterals(name, reflect.ValueOf(chunk)); err != nil {
		return nil, err
	}
	change(chunk)
	proto, err := lua.Compile(chunk, name)
	if err != nil {
		return nil, syntaxError(name, source, err)
	}
	h.chunks[name] = true
	return h.state.NewFunctionFromProto(proto), nil
}

var integerLiteral = regexp.MustCompile(`^(0[xX][0-9a-fA-F]+|[0-9]+)$`)

// checkLiterals refuses integer literals from 2^53 on below node: the virtual machine would round them, and read the
// largest as NaN. The walk is by reflection, since the syntax tree has no visitor and forty types of node.
func checkLiterals(name string, node reflect.Value) error {
	switch node.Kind() {
	case reflect.Interface, reflect.Pointer:
		if node.IsNil() {
			return nil
		}
		if n, ok := node.Interface().(*ast.NumberExpr); ok {
			return checkLiteral(name, n)
		}
		return checkLiterals(name, node.Elem())
	case reflect.Slice:
		for i := range node.Len() {
			if err := checkLiterals(name, node.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range node.NumField() {
			if !node.Type().Field(i).IsExported() {
				continue
			}
			if err := checkLiterals(name, node.Field(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkLiteral(name string, n *ast.NumberExpr) error {
	if !integerLiteral.MatchString(n.Value) {
		return nil
	}
	base, digits := 10, n.Value
	if strings.HasPrefix(strings.ToLower(digits), "0x") {
		base, digits = 16, digits[2:]
	}
	v, ok := new(big.Int).SetString(digits, base)
	if ok && v.BitLen() <= 53 {
		return nil
	}
	msg := fmt.Sprintf("%s is beyond 2^53, where Lua numbers stop being exact; write u64%q", n.Value, n.Value)
	return &SyntaxError{File: name, Line: n.Line(), Msg: msg}
}
