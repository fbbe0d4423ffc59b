package host

import (
	"context"
	"errors"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// Input is what the user of an interactive session has entered, compiled.
type Input struct {
	Expression bool // a list of expressions that could not stand as a statement

	host *Host
	fn   *lua.LFunction
}

// Input compiles source, an expression or statements. The error is a *SyntaxError, or ErrClosed.
//
// A local of the outermost block would end with the input, which no one who types it means. It becomes a global
// instead, unless that would replace a library or module, such as in local hw = require "hw".
func (h *Host) Input(name, source string) (*Input, error) {
	if h.state.IsClosed() {
		return nil, ErrClosed
	}
	source = strings.TrimPrefix(source, byteOrderMark)
	if parses(name, "return "+source) {
		fn, err := h.compile(context.Background(), name, "return "+source)
		if err != nil {
			return nil, err
		}
		return &Input{Expression: !parses(name, source), host: h, fn: fn}, nil
	}
	fn, err := h.compileWith(context.Background(), name, source, h.localsToGlobals)
	if err == nil {
		return &Input{host: h, fn: fn}, nil
	}
	var expression *SyntaxError
	_, asExpression := h.compile(context.Background(), name, "return "+source)
	if errors.As(asExpression, &expression) && expression.Incomplete {
		return nil, asExpression // such as "1 +", which begins no statement
	}
	return nil, err
}

func parses(name, source string) bool {
	_, err := parse.Parse(strings.NewReader(source), name)
	return err == nil
}

// Run runs the input and returns the values of the expression, or those that the statements return.
func (in *Input) Run(ctx context.Context) ([]lua.LValue, error) { return in.host.call(ctx, in.fn) }

// localsToGlobals turns the local statements of the outermost block into assignments to globals.
func (h *Host) localsToGlobals(chunk []ast.Stmt) {
	for i, stmt := range chunk {
		local, ok := stmt.(*ast.LocalAssignStmt)
		if !ok || h.replacesPredefined(local.Names) {
			continue
		}
		assign := &ast.AssignStmt{Rhs: local.Exprs}
		assign.SetLine(local.Line())
		for _, name := range local.Names {
			h.declared[name] = true
			ident := &ast.IdentExpr{Value: name}
			ident.SetLine(local.Line())
			assign.Lhs = append(assign.Lhs, ident)
		}
		if len(assign.Rhs) == 0 {
			none := &ast.NilExpr{}
			none.SetLine(local.Line())
			assign.Rhs = []ast.Expr{none}
		}
		chunk[i] = assign
	}
}

func (h *Host) replacesPredefined(names []string) bool {
	for _, name := range names {
		if h.predefined[name] {
			return true
		}
	}
	return false
}

// Global returns the global variable of that name, nil (the Lua value) if there is none.
func (h *Host) Global(name string) lua.LValue { return h.globals.RawGetString(name) }

// GlobalNames returns the names of the global variables, unsorted.
func (h *Host) GlobalNames() []string { return h.globalNames() }

// Predefined reports whether a global was there from the start.
func (h *Host) Predefined(name string) bool { return h.predefined[name] }
