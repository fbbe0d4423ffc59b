package api

import (
	"context"
	"fmt"

	lua "github.com/yuin/gopher-lua"
)

// Scope is the context of a Lua thread, as package host makes it.
type Scope interface {
	context.Context

	// Abort ends the thread: it raises at each further instruction until the thread's top, so that no pcall can
	// hold it up. There cause comes out again, whole.
	Abort(cause any)

	// Boundary is called before an effect that is visible outside the thread, such as printing.
	Boundary()

	// Spend charges n instructions for the work of a Go function on L, and raises an error if the run is to end.
	Spend(L *lua.LState, n int)
}

// Spend charges the run for the work of the function that calls it: an instruction for what takes about as long. What
// may take more than some ms calls it again and again, since it also raises the error that ends the run.
func Spend(L *lua.LState, n int) {
	if s, ok := L.Context().(Scope); ok {
		s.Spend(L, n)
	}
}

// Boundary makes the calling thread's effects so far precede what the caller is about to show. Functions whose effect
// is not ordered by the simulated memory (print, check) call it first.
func Boundary(L *lua.LState) {
	if s, ok := L.Context().(Scope); ok {
		s.Boundary()
	}
}

// bound is a described function as it stands in one Lua state.
type bound struct {
	fn       lua.LGFunction
	params   []Param
	self     *Class // of a method; nil for a function
	required int
	variadic bool
	owner    string      // "hw." or "Machine:"
	module   *lua.LTable // the module table, to recognise a colon written for a dot
	desc     *Func
}

// bind makes the Lua function of f. Errors call it owner+f.Name.
func (rt *runtime) bind(L *lua.LState, f *Func, owner string, self *Class, module *lua.LTable) *lua.LFunction {
	f.validate(owner)
	b := &bound{fn: f.Fn, params: f.Params, self: self, owner: owner, module: module, desc: f}
	for i := range f.Params {
		switch {
		case f.Params[i].Variadic:
			b.variadic = true
		case !f.Params[i].Optional:
			b.required = i + 1
		}
	}
	call := b.call
	if self != nil {
		call = b.callMethod
	}
	fn := L.NewFunction(call)
	rt.bound[fn] = b
	if rt.following != nil {
		rt.following.wrap(fn, f.Flow)
	}
	return fn
}

// call runs the function with its arguments checked.
func (b *bound) call(L *lua.LState) int {
	defer guard(L)
	b.checkArgs(L, 0)
	return b.fn(L)
}

// callMethod runs the method with its object and arguments checked.
func (b *bound) callMethod(L *lua.LState) int {
	defer guard(L)
	if ClassOf(L.Get(1)) != b.self {
		b.wrongSelf(L)
	}
	b.checkArgs(L, 1)
	return b.fn(L)
}

// checkArgs raises an error unless the arguments above stack position base fit the parameters.
func (b *bound) checkArgs(L *lua.LState, base int) {
	n := L.GetTop() - base
	if n > len(b.params) && !b.variadic {
		b.tooMany(L, n, base)
	}
	for i := range b.params {
		p := &b.params[i]
		if p.Variadic {
			b.checkRest(L, p, i, base)
			return
		}
		v := L.Get(base + i + 1)
		if p.Type.fits(v) && !p.Type.deep() {
			continue
		}
		if _, absent := v.(*lua.LNilType); absent && p.Optional {
			continue
		}
		if complaint := p.Type.check(L, v, ""); complaint != "" {
			b.wrongArg(L, i, base, complaint)
		}
	}
}

func (b *bound) checkRest(L *lua.LState, p *Param, i, base int) {
	for ; base+i < L.GetTop(); i++ {
		if p.Optional && L.Get(base+i+1) == lua.LNil {
			continue
		}
		if complaint := p.Type.check(L, L.Get(base+i+1), ""); complaint != "" {
			b.wrongArg(L, i, base, complaint)
		}
	}
}

func (b *bound) name() string { return b.owner + b.desc.Name }

// param returns the description of argument i, counted from 0.
func (b *bound) param(i int) *Param {
	if i >= len(b.params) {
		return &b.params[len(b.params)-1] // variadic
	}
	return &b.params[i]
}

func (b *bound) wrongArg(L *lua.LState, i, base int, complaint string) {
	if base == 0 && b.module != nil && L.Get(1) == lua.LValue(b.module) {
		L.RaiseError("%s: called with a colon; write %s(...)", b.name(), b.name())
	}
	L.RaiseError("%s: argument %d %q: %s", b.name(), i+1, b.param(i).Name, complaint)
}

func (b *bound) tooMany(L *lua.LState, n, base int) {
	if base == 0 && b.module != nil && L.Get(1) == lua.LValue(b.module) {
		L.RaiseError("%s: called with a colon; write %s(...)", b.name(), b.name())
	}
	L.RaiseError("%s: expected at most %s, got %d", b.name(), plural(len(b.params), "argument"), n)
}

func (b *bound) wrongSelf(L *lua.LState) {
	L.RaiseError("%s: called with a dot; write object:%s(...), with a colon, on a %s (got %s)",
		b.name(), b.desc.Name, b.self.Name, describe(L.Get(1)))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// callStackOverflow is what the virtual machine panics with, instead of raising, when a thread with a growing call
// stack reaches its limit. A function that calls back into Lua sees it pass.
const callStackOverflow = "lua callstack overflow"

// guard keeps Lua's pcall from hiding a Go panic: it aborts the thread before the panic goes on. Lua errors just pass.
func guard(L *lua.LState) {
	v := recover()
	if v == nil {
		return
	}
	if _, raised := v.(*lua.ApiError); !raised && v != callStackOverflow {
		if s, ok := L.Context().(Scope); ok {
			s.Abort(v)
		}
	}
	panic(v)
}
