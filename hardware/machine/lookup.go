package machine

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// A Lookup is an access of a device to memory, as [Machine.WatchLookups] shows it.
type Lookup struct {
	At     sim.Time // when it began
	Took   sim.Time
	Master string
	Op     bus.Op
	Addr   uint64
	Len    uint8
	Hint   bus.Cacheability // of the outer cache, which the system cache is
	Served bus.Served
	By     string // who had put the line where it was found, "" for memory
}

// WatchLookups shows each access of a device to memory to a function; nil shows them to nobody.
func (m *Machine) WatchLookups(see func(l Lookup)) { m.lookups = see }

// A masterPort is the way of a device to memory, on which its accesses can be watched.
type masterPort struct {
	m      *Machine
	port   *mem.Port
	master *bus.Master
}

// masterPort connects a device to memory.
func (m *Machine) masterPort(name string, place mem.Place) *masterPort {
	p := &masterPort{m: m, master: &bus.Master{Name: name}}
	p.port = m.Memory.NewPort(p.master, place, &m.Devices)
	return p
}

// Transact is bus.Target.
func (p *masterPort) Transact(t *bus.Transaction) bus.Answer {
	t.Master = p.master
	if p.m.lookups == nil {
		return p.port.Transact(t)
	}
	cached, holders := p.m.Memory.SystemCached(uint64(t.Addr)), p.m.Memory.Holders(uint64(t.Addr))
	a := p.port.Transact(t)
	by := ""
	switch {
	case a.Served == bus.BySystemCache:
		by = cached
	case a.Served == bus.ByCache && len(holders) > 0:
		by = fmt.Sprintf("CPU%d", holders[0])
	}
	p.m.lookups(Lookup{
		At: t.At, Took: a.Done - t.At, Master: p.master.Name, Op: t.Op, Addr: uint64(t.Addr), Len: t.Len,
		Hint: t.Attr.Outer, Served: a.Served, By: by,
	})
	return a
}

// Evict takes the lines of an area out of all caches, and writes back what is dirty: what makes room for other data
// would do, here for no reason and in no program's time, at a moment.
func (m *Machine) Evict(addr, size uint64, now sim.Time) {
	for at := addr &^ (mem.LineSize - 1); at < addr+size; at += mem.LineSize {
		m.Memory.Clean(0, at, true, now, 0)
	}
}
