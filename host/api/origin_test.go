package api

import (
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// TestOriginLayout: a u64 with sources is the u64 to everybody but Origins, and stays it when the list is full, the run
// is over, and when other values are made.
func TestOriginLayout(t *testing.T) {
	var o Origins
	kept := map[lua.LValue]uint64{}
	var values []lua.LValue
	const count = 5 * originsOfList
	for i := range uint64(count) {
		v := o.Value(i<<40|i, Sources{1 << (i % 64), i})
		values = append(values, v)
		kept[v] = i
	}
	for i, v := range values {
		n := uint64(i)
		plain := lua.LValue(U64Value(n<<40 | n))
		u, ok := v.(U64Value)
		if !ok || v != plain || uint64(u) != n<<40|n || kept[plain] != n || v.Type() != lua.LTUserData {
			t.Fatalf("value %d is %v", i, v)
		}
		if got := o.Of(v); got != (Sources{1 << (n % 64), n}) {
			t.Fatalf("value %d comes from %v", i, got)
		}
		if got := o.Of(plain); !got.Empty() {
			t.Fatalf("an equal value comes from %v", got)
		}
	}
	o.Begin()
	last := o.Value(7, Sources{2, 0})
	for i, v := range values {
		if !o.Of(v).Empty() {
			t.Fatalf("value %d of the last run comes from %v", i, o.Of(v))
		}
	}
	if o.Of(last) != (Sources{2, 0}) || !o.Of(o.Value(7, Sources{})).Empty() || !o.Of(lua.LNumber(7)).Empty() {
		t.Error("the first value of a run")
	}
	if n := testing.AllocsPerRun(10*originsOfList, func() { last = o.Value(1<<40, Sources{1, 0}) }); n > 0.1 {
		t.Errorf("%v allocations a value", n)
	}
}
