package api

import (
	lua "github.com/yuin/gopher-lua"
)

// runtime is what this package keeps for one Lua state.
type runtime struct {
	bound   map[*lua.LFunction]*bound
	classes map[*Class]*lua.LTable // metatables
	locals  map[any]any
	thrown  thrown

	following *following // nil mostly
}

const registryKey = "hwscript"

// Attach prepares a Lua state for the installation of modules. It is called once for a state, by package host.
func Attach(L *lua.LState) {
	ud := L.NewUserData()
	rt := &runtime{
		bound:   map[*lua.LFunction]*bound{},
		classes: map[*Class]*lua.LTable{},
		locals:  map[any]any{},
	}
	ud.Value = rt
	L.G.Registry.RawSetString(registryKey, ud)
	L.SetMetatable(U64Value(0), rt.metatable(L, U64Class))
}

func runtimeOf(L *lua.LState) *runtime {
	ud, ok := L.G.Registry.RawGetString(registryKey).(*lua.LUserData)
	if !ok {
		panic("BUG: api.Attach was not called for this Lua state")
	}
	return ud.Value.(*runtime)
}

// Local is a value that a module keeps for each Lua state. The zero Local is ready; declare it as a package variable.
type Local[T any] struct{ _ byte } // not empty, so that two variables have two addresses

// Get returns the state's value and whether it was set.
func (l *Local[T]) Get(L *lua.LState) (T, bool) {
	v, ok := runtimeOf(L).locals[l].(T)
	return v, ok
}

// Set stores the state's value.
func (l *Local[T]) Set(L *lua.LState, v T) { runtimeOf(L).locals[l] = v }

// NewModule makes the table of module m. It is read-only, and reading a name that does not exist is an error.
func NewModule(L *lua.LState, m *Module) *lua.LTable {
	rt := runtimeOf(L)
	uniqueNames(m.Name, m.Funcs, m.Fields)
	module := L.NewTable()
	members := L.CreateTable(0, len(m.Funcs)+len(m.Fields))
	for i := range m.Funcs {
		f := &m.Funcs[i]
		members.RawSetString(f.Name, rt.bind(L, f, m.Name+".", nil, module))
	}
	for i := range m.Fields {
		f := &m.Fields[i]
		L.Push(L.NewFunction(f.Get))
		L.Push(module)
		L.Call(1, 1)
		members.RawSetString(f.Name, L.Get(-1))
		L.Pop(1)
	}
	miss := L.NewTable()
	miss.RawSetString("__index", L.NewFunction(func(L *lua.LState) int {
		key := keyText(L.Get(2))
		L.RaiseError("module %s has no %q%s", m.Name, key, didYouMean(key, memberNames(m.Funcs, m.Fields)))
		return 0
	}))
	members.Metatable = miss

	mt := L.NewTable()
	mt.RawSetString("__index", members)
	mt.RawSetString("__newindex", L.NewFunction(func(L *lua.LState) int {
		L.RaiseError("module %s is read-only", m.Name)
		return 0
	}))
	mt.RawSetString("__metatable", lua.LString(m.Name))
	if m.Call != nil {
		call := rt.bind(L, m.Call, "", nil, nil)
		mt.RawSetString("__call", L.NewFunction(func(L *lua.LState) int {
			L.Remove(1) // the module itself
			return call.GFunction(L)
		}))
	}
	mt.Metatable = mark(m)
	module.Metatable = mt
	return module
}

// mark makes the value that a metatable carries in place of a metatable of its own to say what it belongs to. Scripts
// cannot forge it: they cannot make userdata, and get at no metatable of ours.
func mark(of any) *lua.LUserData { return &lua.LUserData{Value: of, Metatable: lua.LNil} }

// markOf returns what mark was given for the metatable mt, or nil.
func markOf(mt lua.LValue) any {
	if table, ok := mt.(*lua.LTable); ok {
		if ud, ok := table.Metatable.(*lua.LUserData); ok {
			return ud.Value
		}
	}
	return nil
}

// classOf returns the class of an object, nil if it has none.
func classOf(ud *lua.LUserData) *Class {
	c, _ := markOf(ud.Metatable).(*Class)
	return c
}

// ClassOf returns the descriptor of an object, nil if v is none.
func ClassOf(v lua.LValue) *Class {
	switch v := v.(type) {
	case *lua.LUserData:
		return classOf(v)
	case U64Value:
		return U64Class
	}
	return nil
}

// ModuleOf returns the descriptor of a module's table, nil if v is none.
func ModuleOf(v lua.LValue) *Module {
	if table, ok := v.(*lua.LTable); ok {
		m, _ := markOf(table.Metatable).(*Module)
		return m
	}
	return nil
}

// FuncOf returns the descriptor of a function as it stands in the state, and what stands before its name: "hw." or
// "Machine:". It returns nil for a function that has none.
func FuncOf(L *lua.LState, fn *lua.LFunction) (f *Func, owner string) {
	if b := runtimeOf(L).bound[fn]; b != nil {
		return b.desc, b.owner
	}
	return nil, ""
}

// NewGlobal makes the Lua function of one that is to be global.
func NewGlobal(L *lua.LState, f *Func) *lua.LFunction { return runtimeOf(L).bind(L, f, "", nil, nil) }

// New makes an object of the class around v. Keep it where the same object is handed out often.
func (c *Class) New(L *lua.LState, v any) *lua.LUserData {
	mt := runtimeOf(L).metatable(L, c)
	ud := &lua.LUserData{Value: v, Env: L.Env, Metatable: mt}
	if len(c.Fields) > 0 && c.plain() {
		ud.Metatable = c.withConstants(L, ud, mt)
	}
	return ud
}

// plain reports whether the virtual machine can find all members without calling Go.
func (c *Class) plain() bool {
	for i := range c.Fields {
		if !c.Fields[i].Constant {
			return false
		}
	}
	return c.Index == nil
}

// withConstants makes the metatable of one object: the class's, with the values of the constants among the methods. The
// methods are copied, since the virtual machine looks a name up in each table on the way to the one that has it.
func (c *Class) withConstants(L *lua.LState, ud *lua.LUserData, class *lua.LTable) *lua.LTable {
	own, all := L.CreateTable(0, 8), L.CreateTable(0, len(c.Fields)+len(c.Funcs))
	class.ForEach(own.RawSet)
	own.Metatable = class.Metatable
	methods := class.RawGetString("__index").(*lua.LTable)
	methods.ForEach(all.RawSet)
	all.Metatable = methods.Metatable
	for i := range c.Fields {
		f := &c.Fields[i]
		L.Push(L.NewFunction(f.Get))
		L.Push(ud)
		L.Call(1, 1)
		all.RawSetString(f.Name, L.Get(-1))
		L.Pop(1)
	}
	own.RawSetString("__index", all)
	return own
}

// metatable returns the class's metatable in this state, made on first use.
func (rt *runtime) metatable(L *lua.LState, c *Class) *lua.LTable {
	if mt := rt.classes[c]; mt != nil {
		return mt
	}
	uniqueNames(c.Name, c.Funcs, c.Fields)
	mt := L.CreateTable(0, 8)
	rt.classes[c] = mt
	mt.Metatable = mark(c)
	mt.RawSetString("__metatable", lua.LString(c.Name))

	m := &members{class: c, methods: L.CreateTable(0, len(c.Funcs))}
	for i := range c.Funcs {
		f := &c.Funcs[i]
		m.methods.RawSetString(f.Name, rt.bind(L, f, c.Name+":", c, nil))
	}
	mt.RawSetString("__newindex", L.NewFunction(m.set))
	m.fields = make(map[string]*Field, len(c.Fields))
	for i := range c.Fields {
		m.fields[c.Fields[i].Name] = &c.Fields[i]
	}
	if c.plain() {
		// The virtual machine finds methods in a plain table without calling Go; only a miss reaches a function.
		miss := L.NewTable()
		miss.RawSetString("__index", L.NewFunction(m.miss))
		m.methods.Metatable = miss
		mt.RawSetString("__index", m.methods)
	} else {
		mt.RawSetString("__index", L.NewFunction(m.get))
	}
	for i := range c.Ops {
		op := &c.Ops[i]
		mt.RawSetString(op.Name, rt.bind(L, op, c.Name+" ", nil, nil))
	}
	mt.RawSetString("__tostring", L.NewFunction(objectString))
	return mt
}

func objectString(L *lua.LState) int {
	L.Push(lua.LString(ToString(L.Get(1))))
	return 1
}

// members resolves the members of objects of one class in one state.
type members struct {
	class   *Class
	methods *lua.LTable
	fields  map[string]*Field
}

// get is __index for a class that has more than methods. Positions: object, key.
func (m *members) get(L *lua.LState) int {
	defer guard(L)
	key := L.Get(2)
	if name, ok := key.(lua.LString); ok {
		if fn := m.methods.RawGetString(string(name)); fn != lua.LNil {
			L.Push(fn)
			return 1
		}
		if f := m.fields[string(name)]; f != nil {
			return f.Get(L)
		}
	}
	if x := m.class.Index; x != nil {
		if complaint := x.Key.check(L, key, ""); complaint == "" {
			if n := x.Get(L); n > 0 {
				return n
			}
		} else if key.Type() != lua.LTString {
			L.RaiseError("%s: index: %s", m.class.Name, complaint)
		}
	}
	return m.miss(L)
}

// miss raises the error for a name that objects of the class do not have. Position 1 is the object, or the methods
// table where the virtual machine came by it.
func (m *members) miss(L *lua.LState) int {
	key := keyText(L.Get(2))
	L.RaiseError("%s has no method or field %q%s", m.class.Name, key, didYouMean(key, m.names(L.Get(1))))
	return 0
}

// names lists what a script may write after the dot or in brackets.
func (m *members) names(object lua.LValue) []string {
	names := memberNames(m.class.Funcs, m.class.Fields)
	if x := m.class.Index; x != nil && x.Names != nil {
		if ud, ok := object.(*lua.LUserData); ok {
			names = append(names, x.Names(ud.Value)...)
		}
	}
	return names
}

// set is __newindex. Positions: object, key, value.
func (m *members) set(L *lua.LState) int {
	defer guard(L)
	key, value := L.Get(2), L.Get(3)
	name := m.class.Name
	if f := m.fields[keyText(key)]; f != nil {
		if f.Set == nil {
			L.RaiseError("%s.%s is read-only", name, f.Name)
		}
		if complaint := f.Type.check(L, value, ""); complaint != "" {
			L.RaiseError("%s.%s: %s", name, f.Name, complaint)
		}
		L.Remove(2)
		return f.Set(L)
	}
	if m.methods.RawGet(key) != lua.LNil {
		L.RaiseError("%s:%s is a method and cannot be replaced", name, keyText(key))
	}
	x := m.class.Index
	if x == nil || x.Key.check(L, key, "") != "" {
		return m.miss(L)
	}
	if x.Set == nil {
		L.RaiseError("%s%s is read-only", name, keyAccess(key))
	}
	if complaint := x.Value.check(L, value, ""); complaint != "" {
		L.RaiseError("%s%s: %s", name, keyAccess(key), complaint)
	}
	return x.Set(L)
}

// keyAccess writes the access to a key: ".GICD_CTLR", "[3]".
func keyAccess(key lua.LValue) string {
	if s, ok := key.(lua.LString); ok && isName(string(s)) && len(s) <= maxName {
		return "." + string(s)
	}
	return "[" + describe(key) + "]"
}
