package host

import (
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"strings"

	"github.com/hwscript/hwscript/host/api"
	"github.com/yuin/gopher-lua/ast"
)

// Bounds of a source text, for the sake of the compiler.
const (
	// maxDepth is how deeply the nodes of a syntax tree may be nested. The compiler recurses, and the end of the Go
	// stack is the end of the process; for sums and functions inside one another its time grows with the square.
	maxDepth = 1000

	// maxCallee is the longest name by which a function may be called: each line of a traceback contains one.
	maxCallee = 200

	// maxLookups bounds the time in which the compiler searches constants: it compares each with all the others of
	// the function. That is some 100 ms, and more than 5,000 constants.
	maxLookups = 1 << 24
)

// checker walks through a syntax tree. It refuses integer literals from 2^53 on, which the virtual machine would round,
// and trees with which the compiler could not cope; and it rewrites what means something else to the virtual machine
// than it should: see rewrite.go.
//
// The walk is by reflection, since the syntax tree has no visitor and forty types of node.
type checker struct {
	name    string
	limited bool // the run has limits
	bounded bool // constants are counted

	depth     int
	line      int // of the innermost node that has one
	lastLine  int // of all nodes
	lookups   int
	constants map[string]bool // of the innermost function; nil if not bounded
	longest   int             // string literal
	calls     []helperCall
}

// check checks and rewrites the tree of a source text.
func (c *checker) check(chunk []ast.Stmt) error {
	if c.bounded {
		c.constants = map[string]bool{}
	}
	if err := c.walk(reflect.ValueOf(chunk)); err != nil {
		return err
	}
	for _, call := range c.calls {
		call.callee.Value = c.marker(call.helper)
	}
	return nil
}

func (c *checker) walk(node reflect.Value) error {
	switch node.Kind() {
	case reflect.Interface:
		if node.IsNil() {
			return nil
		}
		if expr, ok := node.Interface().(ast.Expr); ok {
			node.Set(reflect.ValueOf(c.rewrite(expr)))
		}
		return c.walk(node.Elem())
	case reflect.Pointer:
		if node.IsNil() {
			return nil
		}
		return c.node(node)
	case reflect.Slice:
		for i := range node.Len() {
			if err := c.walk(node.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range node.NumField() {
			if !node.Type().Field(i).IsExported() {
				continue
			}
			if err := c.walk(node.Field(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// node checks one node and those below it.
func (c *checker) node(node reflect.Value) error {
	if p, ok := node.Interface().(ast.PositionHolder); ok && p.Line() > 0 {
		c.line = p.Line()
		c.lastLine = max(c.lastLine, p.Line(), p.LastLine())
	}
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > maxDepth {
		return c.errorf("nested more than %d levels deep", maxDepth)
	}
	switch n := node.Interface().(type) {
	case *ast.NumberExpr:
		return c.number(n)
	case *ast.StringExpr:
		c.longest = max(c.longest, len(n.Value))
		return c.constant(n.Value)
	case *ast.IdentExpr:
		return c.constant(n.Value)
	case *ast.FuncCallExpr:
		if len(callee(n)) > maxCallee {
			return c.errorf("a function is called by a name of more than %d characters", maxCallee)
		}
	case *ast.AssignStmt:
		for _, variable := range n.Lhs {
			if v, ok := variable.(*ast.AttrGetExpr); ok {
				v.Key = c.index(v.Key)
			}
		}
	case *ast.AttrGetExpr:
		n.Key = c.key(n.Key)
	case *ast.Field:
		n.Key = c.index(n.Key)
	case *ast.FunctionExpr:
		if c.bounded {
			outer := c.constants
			c.constants = map[string]bool{}
			defer func() { c.constants = outer }()
		}
	}
	return c.walk(node.Elem())
}

func (c *checker) errorf(format string, args ...any) error {
	return &SyntaxError{File: c.name, Line: max(c.line, 1), Msg: fmt.Sprintf(format, args...)}
}

// constant counts a constant of the innermost function. Variables count too; some of them are global.
func (c *checker) constant(text string) error {
	if !c.bounded {
		return nil
	}
	c.constants[text] = true
	c.lookups += len(c.constants)
	if c.lookups > maxLookups {
		return c.errorf("too many constants in one function")
	}
	return nil
}

// callee returns the name by which a function is called, "" if it has none.
func callee(call *ast.FuncCallExpr) string {
	switch f := call.Func.(type) {
	case *ast.IdentExpr:
		return f.Value
	case *ast.AttrGetExpr:
		if key, ok := f.Key.(*ast.StringExpr); ok {
			return key.Value
		}
	}
	return call.Method
}

var integerLiteral = regexp.MustCompile(`^(0[xX][0-9a-fA-F]+|[0-9]+)$`)

// number refuses an integer literal that Lua numbers do not hold.
func (c *checker) number(n *ast.NumberExpr) error {
	if err := c.constant(n.Value); err != nil || !integerLiteral.MatchString(n.Value) {
		return err
	}
	base, digits := 10, n.Value
	if strings.HasPrefix(strings.ToLower(digits), "0x") {
		base, digits = 16, digits[2:]
	}
	const longest = 100 // digits, of which some may be leading zeros
	v, ok := new(big.Int).SetString(digits[:min(len(digits), longest)], base)
	if ok && v.BitLen() <= 53 && len(digits) <= longest {
		return nil
	}
	text := api.Clip(n.Value, longest)
	return c.errorf("%s is beyond 2^53, where Lua numbers stop being exact; write u64%q", text, text)
}
