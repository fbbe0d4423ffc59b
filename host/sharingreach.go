package host

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// reach is the Lua state that functions can get at: variables, globals, tables and coroutines. Not in it are objects of
// modules, whose methods are the modules' concern, and modules, which nobody can change.
type reach struct {
	host   *Host
	nodes  []node // in the order in which they are found, which the shape of the state decides
	index  map[any]int
	done   map[*lua.LFunction]bool
	direct []*lua.LFunction // called by their names: variables, globals, and so on from them
	others []pending        // everything else, to be looked into when direct is empty
	stores bool             // some function may change something
}

// node is a piece of state. What: *lua.Upvalue, globalName, *lua.LTable, *lua.LState.
type node struct {
	what any
	from int    // the node that leads to it, -1 for none
	name string // of a variable
	read, assigned,
	seen place // where functions that are called by name read and assign it; any function
	stored bool // some function assigns it
}

type globalName string

// place is a line of a source text, the zero value none.
type place struct {
	file string
	line int
}

func (p place) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

type pending struct {
	value lua.LValue
	from  int
}

func (h *Host) newReach() *reach {
	return &reach{host: h, index: map[any]int{}, done: map[*lua.LFunction]bool{}}
}

// function adds what a function reaches.
func (r *reach) function(fn *lua.LFunction) {
	r.direct = append(r.direct, fn)
	r.value(r.host.globals.RawGetString("string"), -1) // every string leads there
	r.run()
}

// thread adds what the frames of a thread hold, in all parts of its stack and in the coroutines under way, but for the
// arguments of the function of a module that is being called.
func (r *reach) thread(t *Thread) {
	r.stack(t.state.G.CurrentThread)
	for _, v := range t.scope.levels {
		r.stack(v.state)
		r.stack(v.parent)
	}
	r.run()
}

// stack adds the frames of a coroutine and of those that wait for it.
func (r *reach) stack(co *lua.LState) {
	for ; co != nil; co = co.Parent {
		r.frames(co)
	}
}

func (r *reach) run() {
	for len(r.direct) > 0 || len(r.others) > 0 {
		if n := len(r.direct); n > 0 {
			fn := r.direct[n-1]
			r.direct = r.direct[:n-1]
			r.code(fn, true)
			continue
		}
		next := r.others[len(r.others)-1]
		r.others = r.others[:len(r.others)-1]
		r.inside(next)
	}
}

// add returns the node of a piece of state, and whether it is new.
func (r *reach) add(what any, from int) (int, bool) {
	if i, ok := r.index[what]; ok {
		return i, false
	}
	r.index[what] = len(r.nodes)
	r.nodes = append(r.nodes, node{what: what, from: from})
	return len(r.nodes) - 1, true
}

// code looks into a function, whose variables and globals count as used if it is called by name.
func (r *reach) code(fn *lua.LFunction, direct bool) {
	if r.done[fn] {
		return
	}
	r.done[fn] = true
	if fn.IsG {
		r.goFunction(fn)
		return
	}
	u := r.host.usesOf(fn.Proto)
	r.stores = r.stores || u.stores
	for i, uv := range fn.Upvalues {
		n, _ := r.add(uv, -1)
		r.nodes[n].name = fn.Proto.DbgUpvalues[i]
		r.use(n, u.variables[i], fn.Proto.SourceName, uv.Value(), direct)
	}
	for i := range u.globals {
		g := &u.globals[i]
		n, _ := r.add(globalName(g.name), -1)
		r.use(n, g.codeUse, fn.Proto.SourceName, r.host.globals.RawGetString(g.name), direct)
	}
}

// use marks a node as used by a function, and goes on to its value.
func (r *reach) use(n int, u codeUse, file string, value lua.LValue, direct bool) {
	v := &r.nodes[n]
	v.seen = place{file, max(u.read, u.assigned)}
	v.stored = v.stored || u.assigned > 0
	if direct && u.read > 0 && v.read.line == 0 {
		v.read = place{file, u.read}
	}
	if direct && u.assigned > 0 && v.assigned.line == 0 {
		v.assigned = place{file, u.assigned}
	}
	if fn, ok := value.(*lua.LFunction); ok && direct {
		r.direct = append(r.direct, fn)
		return
	}
	r.value(value, n)
}

// changes reports whether a function in Go may change something that outlives its call.
func (h *Host) changes(fn *lua.LFunction) bool {
	effect := h.effectOf[fn]
	return effect == changing || effect == loading || len(fn.Upvalues) > 0
}

// goFunction looks into a function in Go: what it keeps is in its upvalues.
func (r *reach) goFunction(fn *lua.LFunction) {
	r.stores = r.stores || r.host.changes(fn)
	for _, uv := range fn.Upvalues {
		n, _ := r.add(uv, -1)
		r.nodes[n].name, r.nodes[n].stored = "of an iterator or coroutine", true
		r.value(uv.Value(), n)
	}
	switch r.host.effectOf[fn] {
	case requiring:
		for _, file := range slices.Sorted(maps.Keys(r.host.loaded)) {
			r.value(r.host.loaded[file], -1)
		}
	case loading:
		r.value(r.host.globals, -1)
	}
}

// value puts a value aside that holds state.
func (r *reach) value(v lua.LValue, from int) {
	switch v.(type) {
	case *lua.LFunction, *lua.LTable, *lua.LState:
		r.others = append(r.others, pending{v, from})
	}
}

// inside looks into a value.
func (r *reach) inside(p pending) {
	switch v := p.value.(type) {
	case *lua.LFunction:
		r.code(v, false)
	case *lua.LTable:
		n, isNew := r.add(v, p.from)
		if !isNew || api.ModuleOf(v) != nil {
			return
		}
		r.value(v.Metatable, n)
		if v == r.host.globals {
			for _, name := range r.host.globalNames() {
				r.add(globalName(name), n)
			}
		}
		for k, e := v.Next(lua.LNil); k != lua.LNil; k, e = v.Next(k) {
			r.value(k, n)
			r.value(e, n)
		}
	case *lua.LState:
		if _, isNew := r.add(v, p.from); isNew {
			r.stores = true
			r.frames(v)
		}
	}
}

// frames puts the functions and values of a coroutine's frames aside.
func (r *reach) frames(co *lua.LState) {
	eachFrame(co, func(fn *lua.LFunction, _ int, held []lua.LValue) {
		r.value(fn, -1)
		for _, v := range held {
			r.value(v, -1)
		}
	})
}

// eachFrame visits the frames of a coroutine that run Lua code, with what their variables and temporary values hold.
// The outermost may come twice.
func eachFrame(co *lua.LState, visit func(fn *lua.LFunction, line int, held []lua.LValue)) {
	for level := -1; ; level++ { // -1 is the outermost, also before the coroutine has begun
		frame, ok := co.GetStack(level)
		if !ok && level >= 0 {
			return
		}
		if !ok {
			continue
		}
		v, err := co.GetInfo("lf", frame, lua.LNil)
		fn, _ := v.(*lua.LFunction)
		if err != nil || fn == nil || fn.IsG {
			continue
		}
		var held []lua.LValue
		for i := 1; ; i++ {
			name, v := co.GetLocal(frame, i)
			if name == "" {
				break
			}
			held = append(held, v)
		}
		visit(fn, frame.CurrentLine, held)
	}
}

// describe names a piece of state.
func (r *reach) describe(i int) string {
	n := &r.nodes[i]
	switch what := n.what.(type) {
	case *lua.Upvalue:
		if n.seen.line == 0 {
			return "the state " + n.name
		}
		return fmt.Sprintf("variable %q", n.name)
	case globalName:
		return fmt.Sprintf("global %q", string(what))
	case *lua.LState:
		return "a coroutine" + r.origin(n)
	default:
		return "a table" + r.origin(n)
	}
}

// origin says where a table or coroutine was found.
func (r *reach) origin(n *node) string {
	inside := ""
	for n.from >= 0 {
		from := &r.nodes[n.from]
		if _, isTable := from.what.(*lua.LTable); !isTable {
			return " " + inside + "in " + r.describe(n.from)
		}
		inside = "inside the table "
		n = from
	}
	return ""
}
