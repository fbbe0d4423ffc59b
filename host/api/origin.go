package api

import (
	"unsafe"

	lua "github.com/yuin/gopher-lua"
)

// Sources name what a value was made of, a bit each: loads, to whoever follows them.
type Sources [2]uint64

// Or is the union.
func (s Sources) Or(t Sources) Sources { return Sources{s[0] | t[0], s[1] | t[1]} }

// Empty reports whether nothing is in the set.
func (s Sources) Empty() bool { return s == Sources{} }

// Origins are the u64 values of one run of a program that know their sources.
//
// To the virtual machine such a value is a U64Value as any other, equal to those of the same bits, also as a key. What
// tells it apart is where its bits lie: an interface refers to its value, here to an element of a list. That is how the
// compiler has laid interfaces out since Go 1.4; TestOriginLayout holds it to that.
type Origins struct {
	lists [][]origin // of this run; no element is used twice, since values may outlive the run
	used  int        // of the last list
	first int        // of the first list: what was used before this run
}

// origin is a value with its sources.
// Invariant: it does not change once a value refers to it.
type origin struct {
	bits U64Value
	from Sources
}

const originsOfList = 64

// Begin begins a run: values of earlier ones have no sources any more.
func (o *Origins) Begin() {
	if n := len(o.lists); n > 1 {
		o.lists = append(o.lists[:0], o.lists[n-1])
	}
	o.first = o.used
}

// Value is a u64 that comes from sources.
func (o *Origins) Value(v uint64, from Sources) lua.LValue {
	if from.Empty() {
		return U64Value(v)
	}
	if n := len(o.lists); n == 0 || o.used == len(o.lists[n-1]) {
		o.lists = append(o.lists, make([]origin, originsOfList))
		o.used = 0
		if n == 0 {
			o.first = 0
		}
	}
	at := &o.lists[len(o.lists)-1][o.used]
	o.used++
	*at = origin{U64Value(v), from}
	value := lua.LValue(U64Value(0))
	(*words)(unsafe.Pointer(&value)).data = unsafe.Pointer(&at.bits)
	return value
}

// words are an interface that is not empty.
type words struct{ table, data unsafe.Pointer }

// Of are the sources of a value, none if it is no u64.
func (o *Origins) Of(v lua.LValue) Sources {
	if _, ok := v.(U64Value); !ok {
		return Sources{}
	}
	at := uintptr((*words)(unsafe.Pointer(&v)).data)
	for i, list := range o.lists {
		offset := at - uintptr(unsafe.Pointer(&list[0]))
		if n := int(offset / unsafe.Sizeof(origin{})); offset < uintptr(len(list))*unsafe.Sizeof(origin{}) {
			if i == 0 && n < o.first || i == len(o.lists)-1 && n >= o.used {
				return Sources{}
			}
			return list[n].from
		}
	}
	return Sources{}
}

// arguments are the sources of what a function is called with.
func (o *Origins) arguments(L *lua.LState, flow Flow) (from Sources) {
	var seen map[*lua.LTable]bool
	for i := 1; i <= L.GetTop(); i++ {
		switch v := L.Get(i).(type) {
		case U64Value:
			from = from.Or(o.Of(L.Get(i)))
		case *lua.LTable:
			if flow == Decides && ModuleOf(v) == nil {
				if seen == nil {
					seen = map[*lua.LTable]bool{}
				}
				from = from.Or(o.inside(v, seen))
			}
		}
	}
	return from
}

func (o *Origins) inside(t *lua.LTable, seen map[*lua.LTable]bool) (from Sources) {
	if seen[t] {
		return from
	}
	seen[t] = true
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		from = from.Or(o.Of(k)).Or(o.Of(v))
		if inner, ok := v.(*lua.LTable); ok {
			from = from.Or(o.inside(inner, seen))
		}
	}
	return from
}

// A Flow is what a function does with what it is given, as far as its sources go.
type Flow uint8

// The flows.
const (
	Decides  Flow = iota // what it answers or does is decided by it, tables looked into
	Selects              // the same, by the arguments themselves
	Computes             // its u64 results are made of it
	Passes               // it hands it on, does not look at it, or knows itself what depends on what
)

// A Follower is told where the values of programs go.
type Follower interface {
	// Origins are the values of the program that runs on L, nil outside of programs.
	Origins(L *lua.LState) *Origins
	// Decide says that what follows depends on sources, or, if it is no decision, that they must be known.
	Decide(L *lua.LState, from Sources, decision bool)
}

// following is how the functions of a Lua state are made to tell a Follower: others stand in their place, so that it
// costs nothing at other times.
type following struct {
	follower Follower
	plain    []plainFunction
}

type plainFunction struct {
	at *lua.LFunction
	fn lua.LGFunction
}

// Follow makes all functions of modules and classes, and some others, tell a follower what becomes of their arguments.
func Follow(L *lua.LState, to Follower, others map[*lua.LFunction]Flow) (end func()) {
	rt := runtimeOf(L)
	f := &following{follower: to}
	for fn, b := range rt.bound {
		f.wrap(fn, b.desc.Flow)
	}
	for fn, flow := range others {
		if rt.bound[fn] == nil {
			f.wrap(fn, flow)
		}
	}
	rt.following = f
	return func() {
		rt.following = nil
		for _, p := range f.plain {
			p.at.GFunction = p.fn
		}
	}
}

func (f *following) wrap(fn *lua.LFunction, flow Flow) {
	call, to := fn.GFunction, f.follower
	if flow == Passes {
		return
	}
	f.plain = append(f.plain, plainFunction{fn, call})
	fn.GFunction = func(L *lua.LState) int {
		defer guard(L) // the program may be given up where it stands
		o := to.Origins(L)
		if o == nil {
			return call(L)
		}
		from := o.arguments(L, flow)
		if from.Empty() {
			return call(L)
		}
		if flow != Computes {
			decide(L, to, from)
			return call(L)
		}
		n := call(L)
		for i := range n {
			if v, ok := L.Get(-1 - i).(U64Value); ok {
				L.Replace(-1-i, o.Value(uint64(v), from))
			}
		}
		return n
	}
}

// decide tells a follower of a decision. What ends the thread there passes through Lua.
func decide(L *lua.LState, to Follower, from Sources) {
	defer guard(L)
	to.Decide(L, from, true)
}

// mustKnow makes a function stand until what it looks at is known, without anything depending on it.
func mustKnow(L *lua.LState, n int) {
	if f := runtimeOf(L).following; f != nil {
		if o := f.follower.Origins(L); o != nil {
			f.follower.Decide(L, o.Of(L.Get(n)), false)
		}
	}
}
