package host

import (
	"strings"

	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// The virtual machine asks no metamethod when it compares a u64 with a number by == or ~=: they would differ always,
// without a word. So
//
//	a == b         becomes    equal(a, b)
//	a ~= b         becomes    not equal(a, b)
//
// but where one operand is plainly neither, such as a string or nil. That costs some 80 ns, as much as the call of a
// module's function: BenchmarkScript/equal against equalplain.
//
// A string that is doubled thirty times takes a gigabyte in as many instructions, between two readings of the memory in
// use; and the text of a number depends on the processor (see portable.go). So
//
//	a .. b .. c    becomes    concat(a, b, c)
//
// What a table has at a u64 is decided by the u64, which an exploration must see, and the virtual machine looks it up
// by itself. Where a run has limits, the key of an assignment is looked at too: arrays are filled up to it. So
//
//	t[k]           becomes    t[key(k)]
//	t[k] = v       becomes    t[key(k)] = v, and t[index(k)] = v with limits
//
// but where k is plainly neither a u64 nor a large number.
//
// Scripts can neither see nor replace these functions. They are constants of the compiled functions, put by link in the
// place of string constants that are longer than any in the source text.
type helper int

const (
	helperEqual helper = iota
	helperConcat
	helperIndex
	helperKey
	helperCount
)

var helperFunctions = [helperCount]lua.LGFunction{
	helperEqual: equal, helperConcat: concatenate, helperIndex: checkIndex,
	helperKey: passKey,
}

// helperCall is a call that the checker has made: the constant in whose place the helper will be put.
type helperCall struct {
	callee *ast.StringExpr
	helper helper
}

// marker returns the string constant in whose place a helper is put.
func (c *checker) marker(f helper) string { return strings.Repeat(string('a'+rune(f)), c.longest+1) }

// link puts the helpers into the constants of a compiled function and of those inside it.
func (c *checker) link(proto *lua.FunctionProto, helpers *[helperCount]*lua.LFunction) {
	if len(c.calls) == 0 {
		return
	}
	for i, constant := range proto.Constants {
		for f, fn := range helpers {
			if constant == lua.LString(c.marker(helper(f))) {
				proto.Constants[i] = fn
			}
		}
	}
	for _, inner := range proto.FunctionPrototypes {
		c.link(inner, helpers)
	}
}

// rewrite returns what takes the place of an expression, which is the expression itself mostly.
func (c *checker) rewrite(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.StringConcatOpExpr:
		return c.concat(e)
	case *ast.RelationalOpExpr:
		if comparable(e.Lhs) && comparable(e.Rhs) {
			return c.equality(e)
		}
	}
	return e
}

// equality returns what takes the place of a comparison.
func (c *checker) equality(e *ast.RelationalOpExpr) ast.Expr {
	switch e.Operator {
	case "==":
		return c.call(helperEqual, e.Line(), []ast.Expr{e.Lhs, e.Rhs})
	case "~=":
		not := &ast.UnaryNotOpExpr{Expr: c.call(helperEqual, e.Line(), []ast.Expr{e.Lhs, e.Rhs})}
		not.SetLine(e.Line())
		return not
	}
	return e
}

// comparable reports whether the value of an expression may be a u64 or a number.
func comparable(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.StringExpr, *ast.NilExpr, *ast.TrueExpr, *ast.FalseExpr, *ast.TableExpr, *ast.FunctionExpr,
		*ast.UnaryNotOpExpr, *ast.RelationalOpExpr:
		return false
	case *ast.LogicalOpExpr:
		return comparable(e.Rhs) || e.Operator == "or" && comparable(e.Lhs)
	}
	return true
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
	return c.call(helperConcat, e.Line(), append(operands, e.Rhs))
}

// index returns the call that takes the place of the key of an assignment; keys that are harmless stay.
func (c *checker) index(key ast.Expr) ast.Expr {
	if key == nil || !c.limited {
		return c.key(key)
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
	return c.call(helperIndex, key.Line(), []ast.Expr{key})
}

// key returns the call that takes the place of a key; those that are no u64 stay, and those that have been replaced.
func (c *checker) key(key ast.Expr) ast.Expr {
	switch k := key.(type) {
	case nil, *ast.NumberExpr, *ast.UnaryLenOpExpr:
		return key
	case *ast.FuncCallExpr:
		if _, replaced := k.Func.(*ast.StringExpr); replaced {
			return key
		}
	}
	if !comparable(key) {
		return key
	}
	return c.call(helperKey, key.Line(), []ast.Expr{key})
}

// call makes a call of a helper.
func (c *checker) call(f helper, line int, args []ast.Expr) ast.Expr {
	// As in an operator, each operand is one value, and so is the result.
	switch last := args[len(args)-1].(type) {
	case *ast.FuncCallExpr:
		last.AdjustRet = true
	case *ast.Comma3Expr:
		last.AdjustRet = true
	}
	callee := &ast.StringExpr{}
	callee.SetLine(line)
	c.calls = append(c.calls, helperCall{callee, f})
	call := &ast.FuncCallExpr{Func: callee, Args: args, AdjustRet: true}
	call.SetLine(line)
	call.SetLastLine(line)
	return call
}

// equal is the operator ==.
func equal(L *lua.LState) int {
	a, b := L.Get(1), L.Get(2)
	_, u64Left := a.(api.U64Value)
	_, u64Right := b.(api.U64Value)
	_, numberLeft := a.(lua.LNumber)
	_, numberRight := b.(lua.LNumber)
	if u64Left && numberRight || u64Right && numberLeft {
		L.Push(lua.LBool(api.EqualU64(L, a, b)))
		return 1
	}
	L.Push(lua.LBool(L.Equal(a, b)))
	return 1
}

// concatenate is the operator .. for two or more operands.
func concatenate(L *lua.LState) int {
	right := L.Get(-1)
	for n := L.GetTop() - 1; n > 0; {
		left := L.Get(n)
		if !lua.LVCanConvToString(left) || !lua.LVCanConvToString(right) {
			right = concatObjects(L, left, right)
			n--
			continue
		}
		first, length := n, len(api.ToString(right))
		for ; first > 0 && lua.LVCanConvToString(L.Get(first)); first-- {
			length += len(api.ToString(L.Get(first)))
		}
		scopeOf(L).grow(L, length, length)
		var text strings.Builder
		text.Grow(length)
		for i := first + 1; i <= n; i++ {
			text.WriteString(api.ToString(L.Get(i)))
		}
		text.WriteString(api.ToString(right))
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

// passKey returns its argument, the key of a table, of which a follower is told.
func passKey(L *lua.LState) int {
	L.SetTop(1)
	return 1
}

// checkIndex returns its argument, the key of an assignment.
func checkIndex(L *lua.LState) int {
	scopeOf(L).index(L, L.Get(1))
	L.SetTop(1)
	return 1
}
