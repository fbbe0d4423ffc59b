package bits_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/hwscript/hwscript/hardware/bits"
)

func ExampleField() {
	const CPUNumber bits.Field = 0x7 << 5 // [7:5]
	w := CPUNumber.Put(0xffff, 2)
	fmt.Printf("%#x %d %v\n", w, CPUNumber.Get(w), CPUNumber.Is(w))
	// Output: 0xff5f 2 true
}

// Every field of every width and position must give back what fits into it and leave the other bits alone.
func TestFieldRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for hi := 0; hi < 64; hi++ {
		for lo := 0; lo <= hi; lo++ {
			f := bits.Field(^uint64(0) >> (63 - hi) &^ (1<<lo - 1))
			if f.Shift() != lo || f.Width() != hi-lo+1 {
				t.Fatalf("[%d:%d]: shift %d, width %d", hi, lo, f.Shift(), f.Width())
			}
			w, v := rng.Uint64(), rng.Uint64()
			got := f.Put(w, v)
			if f.Get(got) != v&f.Max() {
				t.Fatalf("[%d:%d]: Get(Put(%#x)) = %#x", hi, lo, v, f.Get(got))
			}
			if (got^w)&^uint64(f) != 0 {
				t.Fatalf("[%d:%d]: Put touched other bits: %#x -> %#x", hi, lo, w, got)
			}
			if f.Is(got) != (f.Get(got) != 0) {
				t.Fatalf("[%d:%d]: Is disagrees with Get", hi, lo)
			}
		}
	}
}

var table = bits.Table{
	{Name: "DEV_CTLR", Addr: 0, Count: 1, Stride: 4, Fields: []bits.FieldInfo{
		{Name: "RWP", Mask: 1 << 31},
		{Name: "Mode", Mask: 3 << 4, Values: []bits.ValueInfo{{Name: "Fast", Value: 2}}},
		{Name: "Num", Mask: 0xf},
	}},
	{Name: "DEV_EL1", Where: bits.InSystem, Addr: 0x20, Count: 1, Stride: 4},
	{Name: "DEV_ENABLE", Addr: 0x100, Count: 4, Stride: 4},
	{Name: "SYS_EL1", Where: bits.InSystem, Addr: 0xc660, Count: 1},
}

func TestTable(t *testing.T) {
	for _, c := range []struct {
		name string
		v    uint64
		want string
		ok   bool
	}{
		{"DEV_CTLR", 0x8000002b, "RWP Mode=Fast Num=0xb", true},
		{"DEV_CTLR", 0x13, "Mode=1 Num=3", true},
		{"DEV_CTLR", 0x100, "res=0x100", true},
		{"DEV_CTLR", 0, "", true},
		{"DEV_ENABLE3", 5, "", true},
		{"DEV_ENABLE4", 5, "", false},
		{"DEV_NONE", 5, "", false},
	} {
		if got, ok := table.Decode(c.name, c.v); got != c.want || ok != c.ok {
			t.Errorf("Decode(%s, %#x) = %q, %v, want %q, %v", c.name, c.v, got, ok, c.want, c.ok)
		}
	}
	for off, want := range map[uint64]string{
		0: "DEV_CTLR", 4: "", 0x20: "", 0xff: "", 0x100: "DEV_ENABLE0", 0x108: "DEV_ENABLE2", 0x10f: "DEV_ENABLE3", 0x110: "",
	} {
		if got, ok := table.At("DEV", off); got != want || ok != (want != "") {
			t.Errorf("At(DEV, 0x%x) = %q, %v", off, got, ok)
		}
	}
	if got, _ := table.Sys(0xc660); got != "SYS_EL1" {
		t.Errorf("Sys(0xc660) = %q", got)
	}
}

func TestHex(t *testing.T) {
	for v, want := range map[uint64]string{
		0: "0x0000_0000", 0x8c02: "0x0000_8c02", 0x1_0100_0131: "0x1_0100_0131", 1 << 63: "0x8000_0000_0000_0000",
	} {
		if got := bits.Hex(v); got != want {
			t.Errorf("Hex(%#x) = %s, want %s", v, got, want)
		}
	}
}
