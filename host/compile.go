package host

import (
	"fmt"
	"io"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// compile makes a function of a source text. The error is a *SyntaxError.
func (h *Host) compile(name, source string) (*lua.LFunction, error) {
	return h.compileWith(name, source, func([]ast.Stmt) {})
}

// compileWith is compile with a change to the syntax tree.
func (h *Host) compileWith(name, source string, change func([]ast.Stmt)) (*lua.LFunction, error) {
	return h.compileFrom(strings.NewReader(withoutShebang(source)), name, source, change)
}

// compileIn is compile for a script that runs on L. It ends with the run, and has its share of the limits.
func (h *Host) compileIn(L *lua.LState, name, source string) (*lua.LFunction, error) {
	s := scopeOf(L)
	r := &chargedReader{scope: s, text: strings.NewReader(withoutShebang(source))}
	fn, err := h.compileFrom(r, name, source, func([]ast.Stmt) {})
	s.poll(L)
	return fn, err
}

// withoutShebang hides the first line of an executable script, as the lua command does.
func withoutShebang(source string) string {
	if strings.HasPrefix(source, "#!") {
		return "--" + source
	}
	return source
}

// compileFrom is the common part of the above. text is what is compiled, source what it is in messages.
func (h *Host) compileFrom(text io.Reader, name, source string, change func([]ast.Stmt)) (*lua.LFunction, error) {
	if name == "" {
		name = "?" // an empty name is how the virtual machine marks Go functions
	}
	chunk, err := parse.Parse(text, name)
	if err != nil {
		return nil, syntaxError(name, source, err)
	}
	c := checker{name: name, limited: h.opts.Limits.limited()}
	if err := c.check(chunk); err != nil {
		return nil, err
	}
	change(chunk)
	proto, err := compileTree(name, chunk)
	if err != nil {
		return nil, syntaxError(name, source, err)
	}
	if c.limited {
		c.link(proto, h.concat, h.index)
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

// chargedReader gives a source text to the parser in pieces and charges them. The parser cannot be interrupted, and its
// stack takes hundreds of bytes for each bracket that is open; when the run is to end, the text ends for it.
type chargedReader struct {
	scope *scope
	text  *strings.Reader
}

// Read implements io.Reader.
func (r *chargedReader) Read(p []byte) (int, error) {
	const instructionsPerByte = 8 // about the time that the parser and compiler take
	n, err := r.text.Read(p)
	r.scope.charge(n * instructionsPerByte)
	if r.scope.Err() != nil {
		return 0, io.EOF
	}
	r.scope.host.checkMemory(0)
	return n, err
}
