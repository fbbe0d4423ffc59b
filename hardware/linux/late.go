package linux

import (
	"fmt"
	"slices"

	"github.com/hwscript/hwscript/hardware/mem"
)

// late is data that the kernel allocates when it is first used: addresses of lines. A machine that never uses it lays
// out the rest of its memory as if it did not exist.
type late struct {
	hotplug  []uint64 // cpu_hotplug_lock and what goes with it
	readers  []uint64 // cpu_hotplug_lock.read_count, by CPU
	nodes    []uint64 // mcs_nodes, by CPU
	pause    []uint64 // of the pause of remote CPUs: a lock, and two parts
	cfd      [][]csd  // cfd_data.csd, by the CPU that calls and its target
	cpumasks [][2]CPUMask
}

// clone copies what programs change.
func (l *late) clone() late {
	c := *l
	c.cfd = slices.Clone(l.cfd)
	for i := range c.cfd {
		c.cfd[i] = slices.Clone(l.cfd[i])
	}
	return c
}

// onFirst places everything on the first node.
func onFirst(int) int { return 0 }

// allocate gives a list of lines its addresses, if it has none.
func (k *Kernel) allocate(list *[]uint64, n int, node func(i int) int) error {
	if *list != nil {
		return nil
	}
	addrs := make([]uint64, n)
	for i := range addrs {
		var err error
		if addrs[i], err = k.platform.AllocateMemory(mem.LineSize, node(i)); err != nil {
			return fmt.Errorf("data of the kernel: %w", err)
		}
	}
	*list = addrs
	return nil
}

// lateSymbol names an address in late data, "" for any other.
func (k *Kernel) lateSymbol(addr uint64) string {
	l, offset := &k.late, addr%mem.LineSize
	for _, list := range []struct {
		addrs []uint64
		names map[uint64]string
		each  bool
	}{
		{l.hotplug, hotplugNames, false}, {l.readers, map[uint64]string{0: "cpu_hotplug_lock.read_count"}, true},
		{l.nodes, mcsNames, true},
	} {
		i := slices.Index(list.addrs, addr-offset)
		switch name := list.names[offset]; {
		case i < 0 || name == "":
		case list.each:
			return fmt.Sprintf("%s of cpu %d", name, i)
		default:
			return name
		}
	}
	if name := k.pauseSymbol(addr); name != "" {
		return name
	}
	for caller, csds := range l.cfd {
		for target := range csds {
			if name := cfdNames[offset]; csds[target].addr == addr-offset && name != "" {
				return fmt.Sprintf("%s of cpu %d for cpu %d", name, caller, target)
			}
		}
	}
	return ""
}

var cfdNames = csdNames("cfd_data.csd")
