package linux

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/cpu"
	"github.com/hwscript/hwscript/hardware/mem"
)

// Lock-less lists, include/linux/llist.h and lib/llist.c: a head is the address of the first node, and a node begins
// with that of the next, 0 at the end.
const llistNext = 0

// readOnce and writeOnce are READ_ONCE and WRITE_ONCE of 8 bytes.
func readOnce(c *cpu.CPU, addr uint64) uint64 { return c.Load(addr, 8, bus.Plain) }

func writeOnce(c *cpu.CPU, addr, v uint64) { c.Store(addr, 8, v, bus.Plain) }

// llistAdd is llist_add: it pushes a node and answers whether the list was empty.
func (k *Kernel) llistAdd(c *cpu.CPU, node, head uint64) bool {
	first := readOnce(c, head)
	loaded := c.Loaded()
	for {
		c.Depend(mem.DataDependency)
		writeOnce(c, node+llistNext, first)
		c.Delay(k.cost.llistAdd)
		c.Depend(mem.DataDependency)
		old := k.Arch.Cmpxchg(c, head, first, node)
		c.Branch(loaded)
		loaded = c.Loaded()
		c.Branch(loaded)
		if old == first {
			return first == 0
		}
		first = old
	}
}

// llistDelAll is llist_del_all: it takes the whole list.
func (k *Kernel) llistDelAll(c *cpu.CPU, head uint64) uint64 { return k.Arch.Xchg(c, head, 0) }

// llistReverseOrder is llist_reverse_order.
func (k *Kernel) llistReverseOrder(c *cpu.CPU, head uint64) uint64 {
	reversed := uint64(0)
	c.Branch(c.Loaded())
	for head != 0 {
		c.Depend(mem.AddressDependency)
		next := readOnce(c, head+llistNext)
		c.Branch(c.Loaded())
		writeOnce(c, head+llistNext, reversed)
		reversed, head = head, next
	}
	return reversed
}
