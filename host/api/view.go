package api

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"

	lua "github.com/yuin/gopher-lua"
	luar "layeh.com/gopher-luar"
)

// View shows values of the Go struct T to scripts, read-only, through gopher-luar.
//
// It is for small plain structs such as specifications and statistics. gopher-luar by itself turns a uint64 into a
// float64, lets scripts write, answers nil for a misspelt field, prints addresses, and iterates over Go maps in random
// order. A view therefore replaces the metatables' entry points, and NewView refuses what it could not show faithfully.
//
// Fields appear in snake_case, or under the name in their `lua` tag; `lua:"-"` hides one. A uint64 appears as a u64, an
// integer of at most 32 bits whose type has a String method (an enumeration) as its text. Methods without arguments
// can be called.
type View[T any] struct{ root *viewType }

// NewView describes T. It panics, at start-up, if T holds a map, channel, function, pointer or interface, or if an
// exported method of T or of a struct in it takes arguments or returns an error and is not among hidden.
func NewView[T any](hidden ...string) *View[T] {
	b := viewBuilder{hidden: map[string]bool{}, types: map[reflect.Type]*viewType{}}
	for _, name := range hidden {
		b.hidden[name] = true
	}
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("BUG: api.NewView[%v]: not a struct", t))
	}
	return &View[T]{b.add(t, t.String())}
}

// New makes the object that shows v as it is now.
func (w *View[T]) New(L *lua.LState, v T) lua.LValue {
	w.root.install(L)
	return luar.New(L, v)
}

// Names lists what scripts can read from the view.
func (w *View[T]) Names() []string { return w.root.names }

// viewType is a struct, slice or array type that a view can come across.
type viewType struct {
	typ     reflect.Type
	members []*viewType    // types of fields or elements
	fields  map[string]int // structs: field number by Lua name
	methods map[string]int // structs: method number by Lua name
	names   []string       // of fields, in order of declaration, then methods
	class   *Class         // structs of a view that Describe was called for: its descriptor
}

// name is what messages call the type.
func (vt *viewType) name() string {
	if vt.class != nil {
		return vt.class.Name
	}
	if name := vt.typ.Name(); name != "" {
		return name
	}
	return vt.typ.String()
}

type viewBuilder struct {
	hidden map[string]bool
	types  map[reflect.Type]*viewType
}

// add returns the description of t, nil for a plain value. path says where t stands, for messages.
func (b *viewBuilder) add(t reflect.Type, path string) *viewType {
	if vt := b.types[t]; vt != nil {
		return vt
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Slice, reflect.Array:
	case reflect.Map, reflect.Chan, reflect.Func, reflect.Pointer, reflect.Interface, reflect.UnsafePointer,
		reflect.Uintptr, reflect.Complex64, reflect.Complex128:
		panic(fmt.Sprintf("BUG: api.NewView: %s is a %s, which a view cannot show", path, t.Kind()))
	default:
		return nil
	}
	vt := &viewType{typ: t}
	b.types[t] = vt
	if t.Kind() != reflect.Struct {
		if elem := b.add(t.Elem(), path+"[]"); elem != nil {
			vt.members = append(vt.members, elem)
		}
		return vt
	}
	vt.fields, vt.methods = map[string]int{}, map[string]int{}
	for i := range t.NumField() {
		f := t.Field(i)
		name := luaFieldName(f)
		if name == "" {
			continue
		}
		if _, twice := vt.fields[name]; twice {
			panic(fmt.Sprintf("BUG: api.NewView: %s has two fields named %q in Lua", path, name))
		}
		vt.fields[name] = i
		vt.names = append(vt.names, name)
		if member := b.add(f.Type, path+"."+f.Name); member != nil {
			vt.members = append(vt.members, member)
		}
	}
	b.addMethods(vt, path)
	return vt
}

func (b *viewBuilder) addMethods(vt *viewType, path string) {
	for i := range vt.typ.NumMethod() {
		m := vt.typ.Method(i)
		if b.hidden[m.Name] || m.Name == "String" { // String is what tostring uses
			continue
		}
		sig := m.Type // with the receiver
		errType := reflect.TypeFor[error]()
		for o := range sig.NumOut() {
			if sig.Out(o).Implements(errType) {
				panic(fmt.Sprintf("BUG: api.NewView: %s.%s returns an error; hide the method", path, m.Name))
			}
			b.add(sig.Out(o), path+"."+m.Name+"()")
		}
		if sig.NumIn() != 1 {
			panic(fmt.Sprintf("BUG: api.NewView: %s.%s takes arguments; hide the method", path, m.Name))
		}
		name := snakeCase(m.Name)
		vt.methods[name] = i
		vt.names = append(vt.names, name)
	}
}

// luaFieldName returns the name of f in Lua, "" if it is not to be seen.
func luaFieldName(f reflect.StructField) string {
	switch tag := f.Tag.Get("lua"); {
	case !f.IsExported() || tag == "-":
		return ""
	case tag != "":
		return tag
	}
	return snakeCase(f.Name)
}

// snakeCase turns RWPDelay into rwp_delay.
func snakeCase(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 {
			afterLower := !unicode.IsUpper(runes[i-1])
			beforeLower := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if afterLower || beforeLower {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// install customises the metatables that gopher-luar uses in this state for the type and its members.
func (vt *viewType) install(L *lua.LState) {
	mt := luar.MT(L, reflect.Zero(vt.typ).Interface()).LTable
	if markOf(mt) == any(vt) {
		return
	}
	mt.Metatable = mark(vt)
	for _, name := range []string{"__call", "__eq", "__add", "methods", "fields"} {
		mt.RawSetString(name, lua.LNil)
	}
	methods := L.NewTable()
	if c := vt.class; c != nil {
		rt := runtimeOf(L)
		for i := range c.Funcs {
			methods.RawSetString(c.Funcs[i].Name, rt.bind(L, &c.Funcs[i], c.Name+":", c, nil))
		}
		for i := range c.Ops {
			mt.RawSetString(c.Ops[i].Name, rt.bind(L, &c.Ops[i], c.Name+" ", nil, nil))
		}
	}
	mt.RawSetString("__index", L.NewFunction(func(L *lua.LState) int {
		if fn := methods.RawGet(L.Get(2)); fn != lua.LNil {
			L.Push(fn)
			return 1
		}
		return vt.index(L)
	}))
	mt.RawSetString("__newindex", L.NewFunction(func(L *lua.LState) int {
		L.RaiseError("%s is read-only", vt.name())
		return 0
	}))
	mt.RawSetString("__tostring", L.NewFunction(objectString))
	mt.RawSetString("__metatable", lua.LString(vt.name()))
	for _, member := range vt.members {
		member.install(L)
	}
}

// index is __index. Positions: object, key.
func (vt *viewType) index(L *lua.LState) int {
	defer guard(L)
	ref := reflect.ValueOf(Object[any](L, 1))
	if vt.typ.Kind() != reflect.Struct {
		index := Int(1, int64(ref.Len()))
		if ref.Len() == 0 || !index.fits(L.Get(2)) {
			L.RaiseError("%s: expected index in 1..%d, got %s", vt.name(), ref.Len(), describe(L.Get(2)))
		}
		pushReflected(L, ref.Index(IntAt(L, 2)-1))
		return 1
	}
	name := keyText(L.Get(2))
	if i, ok := vt.fields[name]; ok {
		pushReflected(L, ref.Field(i))
		return 1
	}
	i, ok := vt.methods[name]
	if !ok {
		names := vt.names
		if vt.class != nil {
			names = memberNames(vt.class.Funcs, vt.class.Fields)
		}
		L.RaiseError("%s has no field %q%s", vt.name(), name, didYouMean(name, names))
	}
	L.Push(L.NewFunction(func(L *lua.LState) int {
		defer guard(L)
		results := ref.Method(i).Call(nil)
		for _, r := range results {
			pushReflected(L, r)
		}
		return len(results)
	}))
	return 1
}

// pushReflected pushes v as gopher-luar converts it, but for the integers that this would change silently.
func pushReflected(L *lua.LState, v reflect.Value) {
	switch kind := v.Kind(); {
	case isEnumeration(v):
		L.Push(lua.LString(v.Interface().(fmt.Stringer).String()))
	case kind == reflect.Uint64:
		PushU64(L, v.Uint())
	case kind == reflect.Uint && v.Uint() > maxExact, v.CanInt() && (v.Int() > maxExact || v.Int() < -maxExact):
		L.RaiseError("%v is beyond the exact range of Lua numbers", v)
	default:
		L.Push(luar.New(L, v.Interface()))
	}
}

func isEnumeration(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		_, ok := v.Interface().(fmt.Stringer)
		return ok
	}
	return false
}

// text formats a view for tostring.
func (vt *viewType) text(v any) string {
	var b strings.Builder
	vt.write(&b, reflect.ValueOf(v))
	return b.String()
}

func (vt *viewType) write(b *strings.Builder, v reflect.Value) {
	if s, ok := v.Interface().(fmt.Stringer); ok {
		b.WriteString(s.String())
		return
	}
	b.WriteByte('{')
	if vt.typ.Kind() != reflect.Struct {
		for i := range v.Len() {
			if i > 0 {
				b.WriteString(", ")
			}
			vt.writeMember(b, v.Index(i))
		}
	}
	for i, name := range vt.names {
		field, ok := vt.fields[name]
		if !ok {
			continue
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name + " = ")
		vt.writeMember(b, v.Field(field))
	}
	b.WriteByte('}')
}

func (vt *viewType) writeMember(b *strings.Builder, v reflect.Value) {
	for _, m := range vt.members {
		if m.typ == v.Type() {
			m.write(b, v)
			return
		}
	}
	switch {
	case isEnumeration(v):
		fmt.Fprintf(b, "%q", v.Interface())
	case v.Kind() == reflect.Uint64:
		b.WriteString(U64Value(v.Uint()).String())
	case v.Kind() == reflect.String:
		fmt.Fprintf(b, "%q", v.String())
	case v.CanInt():
		fmt.Fprintf(b, "%d", v.Int())
	default:
		fmt.Fprintf(b, "%v", v.Interface())
	}
}
