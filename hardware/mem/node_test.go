package mem

import (
	"fmt"
	"testing"
)

// Memory remembers on which node each line was allocated, until it is freed.
func TestNodes(t *testing.T) {
	m, err := New(Spec{Base: 0x4000_0000, Size: 2 << 20, Places: make([]Place, 1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	nodes := func(addrs []uint64) (list []int) {
		for _, a := range addrs {
			list = append(list, m.Node(a), m.Node(a+2*LineSize-1))
		}
		return list
	}
	alloc := func(wanted ...int) (addrs []uint64) {
		for _, node := range wanted {
			a, err := m.AllocOn(2*LineSize, node)
			if err != nil {
				t.Fatal(err)
			}
			addrs = append(addrs, a)
		}
		return addrs
	}
	kept := alloc(0, 2, 2)
	mark := m.Allocated()
	freed := alloc(1, 0, 3, 0)
	if got := fmt.Sprint(nodes(kept), nodes(freed)); got != "[0 0 2 2 2 2] [1 1 0 0 3 3 0 0]" {
		t.Errorf("nodes %s", got)
	}
	m.Free(mark)
	if got := fmt.Sprint(nodes(kept), nodes(freed)); got != "[0 0 2 2 2 2] [0 0 0 0 0 0 0 0]" {
		t.Errorf("nodes %s after Free", got)
	}
	if again := alloc(0, 5); m.Node(again[0]) != 0 || m.Node(again[1]) != 5 {
		t.Errorf("allocated again: %v", nodes(again))
	}
	if _, err := m.AllocOn(4<<20, 1); err == nil || m.Node(m.Allocated()) != 0 {
		t.Errorf("too much: %v", err)
	}
}
