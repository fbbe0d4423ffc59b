package host

import (
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// Bounds of a source text, for the sake of the compiler.
const (
	// maxDepth is how deeply the nodes of a syntax tree may be nested. The compiler recurses, and the end of the Go
	// stack is the end of the process; for sums and functions inside one another its time grows with the square.
	maxDepth = 1000

	// maxCallee is the longest name by which a function may be called: each line of a traceback contains one.
	maxCallee = 200

	// maxLookups bounds the time in which the compiler searches constants, where a run has limits: it compares each
	// with all the others of the function.
	maxLookups = 1 << 26
)

// checker walks through a syntax tree. It refuses integer literals from 2^53 on, which the virtual machine would round,
// and trees with which the compiler could not cope.
//
// Where a run has limits, it also rewrites what may take much memory in a single instruction, and so between two
// readings of the memory in use:
//
//	a .. b .. c    becomes    concat(a, b, c)
//	t[k] = v       becomes    t[index(k)] = v
//
// concat is checkedConcat: a string that is doubled thirty times takes a gigabyte. index is checkedIndex: the virtual
// machine fills arrays up to the key that is set. Scripts can neither see nor replace the two. They are constants of
// the compiled functions, put by link in the place of string constants that are longer than any in the source text.
//
// The walk is by reflection, since the syntax tree has no visitor and forty types of node.
type checker struct {
	name    string
	limited bool

	depth     int
	line      int // of the innermost node that has one
	lookups   int
	constants map[string]bool // of the innermost function; nil if not limited
	longest   int             // string literal
	concats   []*ast.StringExpr
	indexes   []*ast.StringExpr
}

// check checks and rewrites the tree of a source text.
func (c *checker) check(chunk []ast.Stmt) error {
	if c.limited {
		c.constants = map[string]bool{}
	}
	if err := c.walk(reflect.ValueOf(chunk)); err != nil {
		return err
	}
	for _, e := range c.concats {
		e.Value = c.marker('c')
	}
	for _, e := range c.indexes {
		e.Value = c.marker('i')
	}
	return nil
}

// marker returns the string constant in whose place a function is put.
func (c *checker) marker(letter byte) string { return strings.Repeat(string(letter), c.longest+1) }

// link puts the checked functions into the constants of a compiled function and of those inside it.
func (c *checker) link(proto *lua.FunctionProto, concat, index *lua.LFunction) {
	for i, constant := range proto.Constants {
		switch constant {
		case lua.LString(c.marker('c')):
			proto.Constants[i] = concat
		case lua.LString(c.marker('i')):
			proto.Constants[i] = index
		}
	}
	for _, inner := range proto.FunctionPrototypes {
		c.link(inner, concat, index)
	}
}

func (c *checker) walk(node reflect.Value) error {
	switch node.Kind() {
	case reflect.Interface:
		if node.IsNil() {
			return nil
		}
		if concat, ok := node.Interface().(*ast.StringConcatOpExpr); ok && c.limited {
			node.Set(reflect.ValueOf(c.concat(concat)))
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
	case *ast.Field:
		n.Key = c.index(n.Key)
	case *ast.FunctionExpr:
		if c.limited {
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
	if !c.limited {
		return nil
	}
	c.constants[text] = true
	c.lookups += len(c.constants)
	if c.lookups > maxLookups {
		return c.errorf("too many constants")
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

// concat returns the call that takes the place of a concatenation.
func (c *checker) concat(e *ast.StringConcatOpExpr) ast.Expr {
	operands := []ast.Expr{e.Lhs}
	for {
		right, ok := e.Rhs.(*ast.StringConcatOpExpr)
		if !ok {
			break
		}
		operands = append(operands, right.Lhs)
		e = right
	}
	return c.call(&c.concats, e.Line(), append(operands, e.Rhs))
}

// index returns the call that takes the place of the key of an assignment; keys that are harmless stay.
func (c *checker) index(key ast.Expr) ast.Expr {
	if key == nil || !c.limited {
		return key
	}
	switch k := key.(type) {
	case *ast.StringExpr:
		return key
	case *ast.NumberExpr:
		const small = 4 // digits
		if len(k.Value) <= small && integerLiteral.MatchString(k.Value) {
			return key
		}
	}
	return c.call(&c.indexes, key.Line(), []ast.Expr{key})
}

// call makes a call of a checked function, which is entered into markers.
func (c *checker) call(markers *[]*ast.StringExpr, line int, args []ast.Expr) ast.Expr {
	// As in an operator, each operand is one value, and so is the result.
	switch last := args[len(args)-1].(type) {
	case *ast.FuncCallExpr:
		last.AdjustRet = true
	case *ast.Comma3Expr:
		last.AdjustRet = true
	}
	marker := &ast.StringExpr{}
	marker.SetLine(line)
	*markers = append(*markers, marker)
	call := &ast.FuncCallExpr{Func: marker, Args: args, AdjustRet: true}
	call.SetLine(line)
	call.SetLastLine(line)
	return call
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
	text := clip(n.Value, longest)
	return c.errorf("%s is beyond 2^53, where Lua numbers stop being exact; write u64%q", text, text)
}

// checkedConcat is the operator .. for two or more operands.
func checkedConcat(L *lua.LState) int {
	right := L.Get(-1)
	for n := L.GetTop() - 1; n > 0; {
		left := L.Get(n)
		if !lua.LVCanConvToString(left) || !lua.LVCanConvToString(right) {
			right = concatObjects(L, left, right)
			n--
			continue
		}
		first, length := n, len(lua.LVAsString(right))
		for ; first > 0 && lua.LVCanConvToString(L.Get(first)); first-- {
			length += len(lua.LVAsString(L.Get(first)))
		}
		scopeOf(L).grow(L, length, length)
		var text strings.Builder
		text.Grow(length)
		for i := first + 1; i <= n; i++ {
			text.WriteString(lua.LVAsString(L.Get(i)))
		}
		text.WriteString(lua.LVAsString(right))
		right, n = lua.LString(text.String()), first
	}
	L.Push(right)
	return 1
}

// concatObjects concatenates values of which one at least is no string, by its metamethod.
func concatObjects(L *lua.LState, left, right lua.LValue) lua.LValue {
	op := L.GetMetaField(left, "__concat")
	if op == lua.LNil {
		op = L.GetMetaField(right, "__concat")
	}
	if op.Type() != lua.LTFunction {
		L.RaiseError("cannot perform concat operation between %v and %v", left.Type(), right.Type())
	}
	L.Push(op)
	L.Push(left)
	L.Push(right)
	L.Call(2, 1)
	v := L.Get(-1)
	L.Pop(1)
	return v
}

// checkedIndex returns its argument, the key of an assignment.
func checkedIndex(L *lua.LState) int {
	scopeOf(L).index(L, L.Get(1))
	L.SetTop(1)
	return 1
}
