package cpu

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// An Abort is an access that faults: the architecture's exception is made of it.
type Abort struct {
	CPU   int
	Addr  uint64
	Size  uint8
	Write bool
	Fault bus.Fault
	At    sim.Time
}

func (a *Abort) Error() string {
	switch a.Fault {
	case bus.Misaligned:
		return fmt.Sprintf("CPU%d: access of %d bytes at 0x%x is not aligned", a.CPU, a.Size, a.Addr)
	case bus.Refused:
		return fmt.Sprintf("CPU%d: atomic access to the device at 0x%x: expected memory", a.CPU, a.Addr)
	}
	return fmt.Sprintf("CPU%d: no memory and no device at 0x%x", a.CPU, a.Addr)
}

// Check reports the abort that a load, a store (bus.Write) or an atomic (bus.ReadModify) would take, nil if it would
// not. Programs from outside (a script's) ask before they access; the kernel paths only use addresses that they were
// given.
func (c *CPU) Check(addr uint64, size uint8, op bus.Op) *Abort {
	_, _, fault := c.locate(addr, size, op)
	if fault == bus.NoFault {
		return nil
	}
	return &Abort{CPU: c.ID, Addr: addr, Size: size, Write: op != bus.Read, Fault: fault, At: c.proc.Now()}
}

// Abort tells the architecture of a fault that an access of the program takes, as Check has found it.
func (c *CPU) Abort(a *Abort) {
	if c.ports.Arch != nil {
		c.ports.Arch.Abort(a)
	}
}

// locate translates an address and finds the device that it is in, nil for RAM, or says what is wrong with an access.
func (c *CPU) locate(addr uint64, size uint8, op bus.Op) (uint64, *bus.Region, bus.Fault) {
	if !aligned(addr, size) {
		return 0, nil, bus.Misaligned
	}
	if t := c.ports.Translation; t != nil {
		var fault bus.Fault
		if addr, fault = t.Translate(addr, op != bus.Read); fault != bus.NoFault {
			return 0, nil, fault
		}
	}
	if c.ports.Memory.Contains(addr, uint64(size)) {
		return addr, nil, bus.NoFault
	}
	region := c.ports.Devices.Find(bus.Addr(addr))
	switch {
	case region == nil:
		return 0, nil, bus.Unmapped
	case op != bus.Read && op != bus.Write:
		return 0, nil, bus.Refused
	}
	return addr, region, bus.NoFault
}

// mustLocate is locate for an access that does not abort.
func (c *CPU) mustLocate(addr uint64, size uint8, op bus.Op) (uint64, *bus.Region) {
	physical, region, fault := c.locate(addr, size, op)
	if fault != bus.NoFault {
		panic("BUG: " + c.Check(addr, size, op).Error())
	}
	return physical, region
}

// direct reports whether an access needs no look at what locate looks at: nearly all are to RAM, aligned, and
// physical. RAM begins and ends at multiples of every size.
func (c *CPU) direct(addr uint64, size uint8) bool {
	return addr-c.ramBase < c.ramSize && aligned(addr, size)
}

// aligned reports whether an address is a multiple of a size, which is a power of two.
func aligned(addr uint64, size uint8) bool { return addr&uint64(size-1) == 0 }

// Load reads size bytes (1, 2, 4 or 8).
func (c *CPU) Load(addr uint64, size uint8, order bus.Order) uint64 {
	p, t := c.proc, &c.timed
	now := p.Now()
	if !p.Free() || !c.direct(addr, size) || t.floor(order) > now {
		return c.loadAttended(addr, size, order)
	}
	p.Go()
	if l := t.memory.Line(addr); l != nil {
		if l.Own(c.ID, now) {
			v, version := l.Get(addr, size)
			c.hit(version)
			return v
		}
		if v, version, hit := l.Hit(c.ID, addr, size, now); hit {
			c.hit(version)
			return v
		}
	}
	v, out := t.memory.Read(c.ID, addr, size, now)
	c.loaded(out, now)
	return v
}

// hit counts a load from the own cache and charges it.
func (c *CPU) hit(version uint32) {
	c.stats.Loads++
	c.seen = version
	c.stall(CacheHit, c.timed.memory.HitTime())
}

// loadAttended is Load in a step that is not quick, and of what is not RAM.
func (c *CPU) loadAttended(addr uint64, size uint8, order bus.Order) uint64 {
	if !c.direct(addr, size) {
		var region *bus.Region
		if addr, region = c.mustLocate(addr, size, bus.Read); region != nil {
			return c.deviceLoad(region, addr, size, order)
		}
	}
	return c.loadRAM(addr, size, order)
}

// loadPhysical is Load at a physical address in RAM.
func (c *CPU) loadPhysical(addr uint64, size uint8, order bus.Order) uint64 {
	if c.direct(addr, size) {
		return c.Load(addr, size, order)
	}
	return c.loadRAM(addr, size, order)
}

// loadRAM is the rest of Load, at a physical address in RAM.
func (c *CPU) loadRAM(addr uint64, size uint8, order bus.Order) uint64 {
	v, out := c.memory.Load(addr, size, order)
	if c.tracing() {
		c.traceLoad(addr, order, v, out)
	}
	c.loaded(out, c.proc.Now())
	return v
}

// loaded counts a load and stalls until it is done.
func (c *CPU) loaded(out mem.Outcome, now sim.Time) {
	c.stats.Loads++
	c.seen = out.Version
	c.charge(out, now)
}

func (c *CPU) traceLoad(addr uint64, order bus.Order, v uint64, out mem.Outcome) {
	c.trace("load%s %s -> 0x%x%s", ordered(order), c.symbol(addr), v, c.travelled(out))
}

// transferKinds is what a wait for a line counts as, by where it comes from.
var transferKinds = [mem.Distances]Cost{
	mem.Cluster: Transfer, mem.Die: Transfer, mem.CrossDie: TransferDies, mem.CrossNode: TransferSockets,
	mem.SystemCache: TransferMemory, mem.DRAM: TransferMemory,
}

// charge stalls until the access is done.
func (c *CPU) charge(out mem.Outcome, now sim.Time) {
	kind := CacheHit
	if out.Distance != mem.Own {
		kind = transferKinds[out.Distance]
		c.stats.Transfers[out.Distance]++
	}
	c.stall(kind, out.Done-now)
}

// Store writes size bytes (1, 2, 4 or 8).
func (c *CPU) Store(addr uint64, size uint8, v uint64, order bus.Order) {
	p, t := c.proc, &c.timed
	if !p.Free() || !c.direct(addr, size) || !t.hasRoom() {
		c.storeAttended(addr, size, v, order)
		return
	}
	p.Go()
	now := p.Now()
	if l := t.memory.Line(addr); l != nil && order == bus.Plain && t.lets(now) {
		if l.Own(c.ID, now) {
			l.Put(addr, size, v)
			t.drained = max(t.drained, now)
			c.hitStore()
			return
		}
		if l.Join(c.ID, addr, size, v, now) {
			c.hitStore()
			return
		}
	}
	c.stored(t.issue(addr, size, v, order))
}

// hitStore counts a store that needs no line, and charges its issue.
func (c *CPU) hitStore() {
	c.stats.Stores++
	c.stall(CacheHit, c.spec.StoreIssue)
}

// storeAttended is Store in a step that is not quick, and to what is not RAM.
func (c *CPU) storeAttended(addr uint64, size uint8, v uint64, order bus.Order) {
	if !c.direct(addr, size) {
		var region *bus.Region
		if addr, region = c.mustLocate(addr, size, bus.Write); region != nil {
			c.deviceStore(region, addr, size, v, order)
			return
		}
	}
	out := c.memory.Store(addr, size, v, order)
	if c.tracing() {
		c.trace("store%s %s <- 0x%x%s", ordered(order), c.symbol(addr), v, c.travelled(out))
	}
	c.stored(out)
}

// stored counts a store and charges its issue.
func (c *CPU) stored(out mem.Outcome) {
	c.stats.Stores++
	if out.Distance != mem.Own {
		c.stats.Transfers[out.Distance]++
	}
	c.stall(CacheHit, c.spec.StoreIssue)
}

// Atomic is a read-modify-write in one step; it answers the old value.
func (c *CPU) Atomic(addr uint64, size uint8, op bus.AtomicOp, v, compare uint64, order bus.Order) uint64 {
	if now := c.proc.Now(); c.direct(addr, size) && c.quick() {
		old, out := c.timed.modify(addr, size, op, v, compare, order)
		c.stats.Atomics++
		c.charge(out, now)
		return old
	}
	return c.atomicAttended(addr, size, op, v, compare, order)
}

// atomicAttended is Atomic in a step that is not quick.
func (c *CPU) atomicAttended(addr uint64, size uint8, op bus.AtomicOp, v, compare uint64, order bus.Order) uint64 {
	if !c.direct(addr, size) {
		addr, _ = c.mustLocate(addr, size, bus.ReadModify)
	}
	a := RMW{Addr: addr, Size: size, Op: op, V: v, Compare: compare, Order: order}
	c.memory.Reserve(a)
	c.stats.Atomics++
	old, out := c.memory.Modify(a)
	if c.tracing() {
		c.trace("%s%s %s, 0x%x -> 0x%x%s", op, ordered(order), c.symbol(addr), v, old,
			c.travelled(out))
	}
	c.charge(out, c.proc.Now())
	return old
}

// monitor is the local exclusive monitor: the line of the last load-exclusive at the version that it read.
type monitor struct {
	line    uint64
	version uint32
	set     bool
}

// LoadExclusive is a load that sets the exclusive monitor.
func (c *CPU) LoadExclusive(addr uint64, size uint8, order bus.Order) uint64 {
	v, line := c.Load(addr, size, order), addr
	if !c.direct(addr, size) {
		line, _ = c.mustLocate(addr, size, bus.ReadModify)
	}
	c.monitor.line, c.monitor.version, c.monitor.set = line/mem.LineSize, c.seen, true
	c.memory.Monitor()
	return v
}

// ClearExclusive clears the exclusive monitor.
func (c *CPU) ClearExclusive() { c.monitor.set = false }

// StoreExclusive stores and answers true unless the line was written since the LoadExclusive. It may also fail without
// a cause, which it does in an execution graph only.
func (c *CPU) StoreExclusive(addr uint64, size uint8, v uint64, order bus.Order) bool {
	if !c.direct(addr, size) {
		addr, _ = c.mustLocate(addr, size, bus.ReadModify)
	}
	a := RMW{Addr: addr, Size: size, Op: bus.Swap, V: v, Order: order}
	c.memory.Reserve(a)
	held := c.monitor.set && c.monitor.line == addr/mem.LineSize
	c.monitor.set = false
	stored, out := c.memory.StoreExclusive(a, held, c.monitor.version)
	if stored {
		c.stats.Atomics++
	}
	if c.tracing() {
		c.trace("store exclusive%s %s <- 0x%x: %s%s", ordered(order), c.symbol(addr), v,
			choose(stored, "done", "failed"), c.travelled(out))
	}
	c.charge(out, c.proc.Now())
	return stored
}

func ordered(o bus.Order) string {
	if o == bus.Plain {
		return ""
	}
	return " " + o.String()
}

// travelled says how long an access takes to be done, a store to drain, and where its line came from: by which home, if
// that is on another die than the CPU.
func (c *CPU) travelled(out mem.Outcome) string {
	now := c.proc.Now()
	switch {
	case out.Merged:
		return ", joins the store before it"
	case out.Distance == mem.Own && out.Done <= now+sim.Nanosecond:
		return ""
	}
	home := ""
	if out.Distance != mem.Own && int(out.Home) != c.ports.Memory.NodeOf(c.ID) {
		home = fmt.Sprintf(", home node %d", out.Home)
	}
	return fmt.Sprintf(", %s ns (%s%s)", (out.Done - now).Nanoseconds(), out.Distance, home)
}

// Push stores to n lines of a stack, one store to each. Nobody else looks at them, so that it is a step only as far as
// an interrupt that has come before it is taken before it; explored, it is nothing, as work is.
func (c *CPU) Push(addr uint64, lines int) {
	if c.graph != nil || lines == 0 {
		return
	}
	if !c.quick() && !c.apart() {
		c.stepAttended()
	}
	done := 0
	if t, now := &c.timed, c.proc.Now(); t.hasRoom() && t.lets(now) && !c.tracing() {
		each := c.spec.StoreIssue
		if done = t.memory.PutOwn(c.ID, addr, lines, now, each); done > 0 {
			all := each * sim.Time(done)
			t.drained = max(t.drained, now+all-each)
			c.stats.Stores += uint64(done)
			c.stall(CacheHit, all)
		}
	}
	for i := done; i < lines; i++ {
		addr := addr + uint64(i)*mem.LineSize
		out := c.timed.push(addr)
		c.stats.Stores++
		if c.tracing() {
			c.proc.Sync() // records are in the order of their times
			c.trace("push to %s%s", c.symbol(addr), c.travelled(out))
		}
		c.stall(CacheHit, c.spec.StoreIssue)
	}
}
