package host

import (
	"sort"

	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// tableConcat joins strings, numbers and u64s. The library's pushes all of them onto the Lua stack first.
func tableConcat(L *lua.LState) int {
	table := L.CheckTable(1)
	sep := optStringAt(L, 2, "")
	first, last := optIntAt(L, 3, 1), optIntAt(L, 4, table.Len())
	text := newText(L)
	for i := first; i <= last; i++ {
		v := table.RawGetInt(i)
		if _, isU64 := api.ToU64(v); !isU64 && !lua.LVCanConvToString(v) {
			L.RaiseError("table.concat: entry %d is a %s, not a string or number", i, v.Type())
		}
		text.scope.charge(1)
		text.add(api.ToString(v))
		if i == last {
			break
		}
		text.add(sep)
	}
	L.Push(lua.LString(text.join()))
	return 1
}

// ownTable returns the table at position 1, which the caller is going to change: modules cannot be.
func ownTable(L *lua.LState) *lua.LTable {
	table := L.CheckTable(1)
	if m := api.ModuleOf(table); m != nil {
		L.RaiseError("module %s is read-only", m.Name)
	}
	return table
}

// tableInsert is Lua's.
func tableInsert(L *lua.LState) int {
	table := ownTable(L)
	switch L.GetTop() {
	case 2:
		table.Append(L.Get(2))
	case 3:
		position := intAt(L, 2)
		if position == maxPosition || position == -maxPosition {
			L.ArgError(2, "the position is out of bounds")
		}
		s := scopeOf(L)
		s.index(L, lua.LNumber(position))
		s.Spend(L, max(0, table.Len()-position)/workPerInstruction)
		table.Insert(position, L.Get(3))
	default:
		L.RaiseError("table.insert: expected 2 or 3 arguments, got %d", L.GetTop())
	}
	return 0
}

// rawSet is Lua's.
func rawSet(L *lua.LState) int {
	table, key := ownTable(L), L.CheckAny(2)
	scopeOf(L).index(L, key)
	L.RawSet(table, key, L.CheckAny(3))
	L.SetTop(1)
	return 1
}

// tableSort is Lua's. It sorts a copy, so that an order function that raises an error, or changes the table, leaves a
// whole table behind.
func tableSort(L *lua.LState) int {
	table := L.CheckTable(1)
	s := &sorter{L: L, scope: scopeOf(L)}
	if L.GetTop() > 1 && L.Get(2) != lua.LNil {
		s.less = L.CheckFunction(2)
	}
	n := table.Len()
	const slot = 16 // bytes
	s.scope.grow(L, slot*n, slot*n)
	s.values = make([]lua.LValue, n)
	for i := range s.values {
		s.values[i] = table.RawGetInt(i + 1)
	}
	sort.Sort(s)
	for i, v := range s.values {
		table.RawSetInt(i+1, v)
	}
	return 0
}

// sorter is a sort.Interface that spends an instruction for each comparison.
type sorter struct {
	L      *lua.LState
	scope  *scope
	less   *lua.LFunction // nil: the operator <
	values []lua.LValue
}

func (s *sorter) Len() int      { return len(s.values) }
func (s *sorter) Swap(i, j int) { s.values[i], s.values[j] = s.values[j], s.values[i] }

func (s *sorter) Less(i, j int) bool {
	s.scope.Spend(s.L, 1)
	if s.less == nil {
		return s.L.LessThan(s.values[i], s.values[j])
	}
	s.L.Push(s.less)
	s.L.Push(s.values[i])
	s.L.Push(s.values[j])
	s.L.Call(2, 1)
	result := lua.LVAsBool(s.L.Get(-1))
	s.L.Pop(1)
	return result
}
