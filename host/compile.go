package host

import (
	"context"
	"fmt"
	"io"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// compile makes a function of a source text. The error is a *SyntaxError, or a *StoppedError if ctx has ended or the
// memory is full.
func (h *Host) compile(ctx context.Context, name, source string) (*lua.LFunction, error) {
	return h.compileWith(ctx, name, source, func([]ast.Stmt) {})
}

// byteOrderMark is what some editors put before a text in UTF-8. It means nothing.
const byteOrderMark = "\ufeff"

// compileWith is compile with a change to the syntax tree.
func (h *Host) compileWith(ctx context.Context, name, source string, change func([]ast.Stmt)) (*lua.LFunction, error) {
	source = strings.TrimPrefix(source, byteOrderMark)
	const small = 1 << 16 // what may free memory must be compiled even if it is full
	read := 0
	r := &sourceReader{text: strings.NewReader(source), check: func(n int) error {
		if err := context.Cause(ctx); err != nil {
			return &StoppedError{File: name, Line: 1, Err: err}
		}
		if read += n; read > small {
			if full := h.memoryFull(0); full != nil {
				return &StoppedError{File: name, Line: 1, Err: full}
			}
		}
		return nil
	}}
	_, bounded := ctx.Deadline()
	return h.compileFrom(r, name, source, bounded || h.opts.Limits.limited(), change)
}

// compileIn is compile for a script that runs on L: it ends with the run, and is charged to it.
func (h *Host) compileIn(L *lua.LState, name, source string) (*lua.LFunction, error) {
	const instructionsPerByte = 8 // about the time that the parser and the compiler take
	source = strings.TrimPrefix(source, byteOrderMark)
	s := scopeOf(L)
	r := &sourceReader{text: strings.NewReader(source), check: func(n int) error {
		s.charge(n * instructionsPerByte)
		h.checkMemory(0)
		return s.Err()
	}}
	fn, err := h.compileFrom(r, name, source, true, func([]ast.Stmt) {})
	s.poll(L)
	return fn, err
}

// sourceReader gives a source text to the parser in pieces. The parser cannot be interrupted, and its stack takes
// hundreds of bytes for each bracket that is open; so when check objects, the text ends.
type sourceReader struct {
	text  *strings.Reader
	check func(n int) error // before the next n bytes
	err   error
}

// Read implements io.Reader.
func (r *sourceReader) Read(p []byte) (int, error) {
	n, err := r.text.Read(p)
	if r.err = r.check(n); r.err != nil {
		return 0, io.EOF
	}
	return n, err
}

// compileFrom is the common part of the above. If it is bounded, it does not take long for a text that is long.
func (h *Host) compileFrom(
	r *sourceReader, name, source string, bounded bool, change func([]ast.Stmt),
) (*lua.LFunction, error) {
	if name == "" {
		name = "?" // an empty name is how the virtual machine marks Go functions
	}
	var text io.Reader = r
	if strings.HasPrefix(source, "#!") {
		text = io.MultiReader(strings.NewReader("--"), r) // as the lua command does for executable scripts
	}
	chunk, err := parse.Parse(text, name)
	if r.err != nil {
		return nil, r.err
	}
	if err != nil {
		return nil, syntaxError(name, source, err)
	}
	c := checker{name: name, limited: h.opts.Limits.limited(), bounded: bounded}
	if err := c.check(chunk); err != nil {
		return nil, err
	}
	change(chunk)
	proto, err := compileTree(name, chunk)
	if err != nil {
		return nil, syntaxError(name, source, err)
	}
	c.link(proto, &h.helpers)
	if n := len(proto.DbgSourcePositions); n > 0 {
		proto.DbgSourcePositions[n-1] = max(c.lastLine, 1) // of the return at its end, which the compiler puts beyond it
	}
	h.chunks[name] = true
	return h.state.NewFunctionFromProto(proto), nil
}

// compileTree is lua.Compile, where a source text that makes the compiler panic is an error of that text.
func compileTree(name string, chunk []ast.Stmt) (proto *lua.FunctionProto, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &lua.CompileError{Line: 1, Message: fmt.Sprintf("the Lua compiler failed: %v", v)}
		}
	}()
	return lua.Compile(chunk, name)
}
