package mem

import (
	"fmt"
	mathbits "math/bits"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Store puts a store into the CPU's buffer, from which it drains in a step of its own; under SC it is performed.
func (x *Explored) Store(cpu int, addr uint64, size uint8, value uint64, order bus.Order) {
	v := &x.views[cpu]
	i := x.find(addr)
	_, shift, mask := field(addr, size)
	if !x.rules.buffers {
		v.count++
		x.arrive(cpu, v.count, i, mask<<shift, value&mask<<shift)
		x.wakeUnblocked()
		return
	}
	x.push(cpu, entry{
		location: i, mask: mask << shift, value: value & mask << shift, depends: v.depend, release: order.Releases(),
	})
	v.depended()
}

// StoreDevice puts a store to a device's register into the buffer. Stores of one CPU to one device stay in order.
func (x *Explored) StoreDevice(cpu int, addr uint64, size uint8, value uint64, device sim.Object) {
	x.push(cpu, entry{location: toDevice, addr: addr, size: size, value: value, device: device})
}

func (x *Explored) push(cpu int, e entry) {
	v := &x.views[cpu]
	v.count++
	e.number, e.fence = v.count, v.storeFence
	if e.release {
		v.releases = e.number
	}
	v.buffer = append(v.buffer, e)
	x.admit(cpu)
}

// admit posts the drain of every entry that may drain now.
func (x *Explored) admit(cpu int) {
	v := &x.views[cpu]
	for i := range v.buffer {
		if e := &v.buffer[i]; !e.posted && x.mayDrain(v, i, cpu) {
			e.posted = true
			ch := &v.channels[e.number%bufferEntries]
			e.drains = x.engine.Post(ch, x.engine.Now(), x, uint64(cpu)<<32|uint64(e.number))
		}
	}
}

// mayDrain: no older entry of the same location, none from before a fence that orders stores; a release drains last of
// all older entries.
func (x *Explored) mayDrain(v *view, i, cpu int) bool {
	e := &v.buffer[i]
	if e.location >= 0 {
		if l := &x.locations[e.location]; l.keeps(cpu, e.mask, e.value) {
			x.engine.Touch(LocationObject(l.addr), true) // it would have come before the other CPU's atomic, too
			return false
		}
	}
	if i == 0 {
		return true
	}
	if !x.rules.reorders || e.release && x.spec.Without&ReleaseDrainsLast == 0 || v.buffer[0].number <= e.fence {
		return false
	}
	for k := range v.buffer[:i] {
		older := &v.buffer[k]
		if older.location == e.location && older.device == e.device && x.spec.Without&SameLocationInOrder == 0 {
			return false
		}
	}
	return true
}

// outerPoint marks the event of a store that passes its outer point.
const outerPoint = 1 << 63

// Fire drains an entry, or lets it pass its outer point.
func (x *Explored) Fire(_ sim.Time, arg uint64) {
	cpu, number := int(arg&^outerPoint>>32), int32(arg)
	v := &x.views[cpu]
	x.engine.Touch(bufferObjects+sim.Object(cpu), true)
	if arg&outerPoint != 0 {
		x.passOuter(v, number)
		return
	}
	i := 0
	for v.buffer[i].number != number {
		i++
	}
	e := v.buffer[i]
	v.buffer = append(v.buffer[:i], v.buffer[i+1:]...)
	if x.engine.Tracing {
		x.traceDrain(cpu, &e)
	}
	if e.location == toDevice {
		v.sink.DrainDevice(e.addr, e.size, e.value)
	} else {
		x.drain(cpu, &e)
	}
	x.admit(cpu)
	x.wakeUnblocked()
}

func (x *Explored) drain(cpu int, e *entry) {
	v := &x.views[cpu]
	at := x.arrive(cpu, e.number, e.location, e.mask, e.value)
	if e.number <= v.fence {
		v.fenced = max(v.fenced, at)
	}
	if e.release {
		v.released = max(v.released, at)
	}
	if l := &x.locations[e.location]; e.atomic && l.owner == int16(cpu) {
		l.owner = noOwner
		for other := range x.views {
			if other != cpu {
				x.admit(other)
			}
		}
	}
}

// arrive makes a store of the CPU reach all CPUs, and answers when.
func (x *Explored) arrive(cpu int, number, location int32, mask, value uint64) int32 {
	v := &x.views[cpu]
	at := x.perform(cpu, location, mask, value)
	v.drained = max(v.drained, at)
	if x.spec.OuterMasters {
		v.beyond++
		arg := outerPoint | uint64(cpu)<<32 | uint64(uint32(location))
		x.engine.Post(&v.outer[number%bufferEntries], x.engine.Now(), x, arg)
	}
	return at
}

// passOuter makes one more write of a location visible beyond the inner shareable domain.
func (x *Explored) passOuter(v *view, location int32) {
	l := &x.locations[location]
	x.engine.Touch(LocationObject(l.addr), true)
	l.outer++
	v.beyond--
	x.wakeUnblocked()
}

// Atomic is a read-modify-write that is not blocked. It answers the old value.
func (x *Explored) Atomic(cpu int, a *Access) uint64 {
	v := &x.views[cpu]
	i := x.find(a.Addr)
	l := &x.locations[i]
	_, shift, mask := field(a.Addr, a.Size)
	x.engine.Touch(LocationObject(l.addr), true)
	newest := len(l.writes) - 1
	old := l.writes[newest].value >> shift & mask
	read, depends := max(x.floorOf(v, a), l.writes[newest].at), v.depend
	l.seen[cpu] = int32(newest)
	x.satisfy(v, a, read)
	if updated, writes := a.Atomic.Apply(old, a.Value&mask, a.Compare&mask); writes {
		x.atomicWrite(cpu, i, a.Order, entry{
			location: i, mask: mask << shift, value: updated & mask << shift, atomic: true,
			depends: max(depends, atomicDepends(a.Atomic, read)),
		})
		if a.Order == bus.AcquireRelease {
			x.fullBarrier(v)
		}
	}
	x.wakeUnblocked()
	return old
}

// atomicDepends: the data of a swap does not depend on what it read.
func atomicDepends(op bus.AtomicOp, read int32) int32 {
	if op == bus.Swap {
		return 0
	}
	return read
}

func (x *Explored) atomicWrite(cpu int, i int32, order bus.Order, e entry) {
	v := &x.views[cpu]
	if x.spec.BufferedAtomics && x.rules.reorders && x.locations[i].owner == noOwner {
		x.locations[i].owner = int16(cpu)
		x.withdraw(i)
		e.release = order.Releases()
		x.push(cpu, e)
		return
	}
	v.count++
	at := x.arrive(cpu, v.count, i, e.mask, e.value)
	if order.Releases() {
		v.released = max(v.released, at)
	}
}

// withdraw holds back the drains of a location that an atomic takes.
func (x *Explored) withdraw(location int32) {
	l := &x.locations[location]
	for cpu := range x.views {
		v := &x.views[cpu]
		for k := range v.buffer {
			if e := &v.buffer[k]; e.location == location && e.posted && l.keeps(cpu, e.mask, e.value) {
				x.engine.Cancel(e.drains)
				e.posted = false
			}
		}
	}
}

// Exclusive reports whether no other write of a location has come since the load that read the numbered write, or the
// CPU's own buffer if that is negative.
func (x *Explored) Exclusive(cpu int, addr uint64, read int32) bool {
	l := &x.locations[x.find(addr)]
	x.engine.Touch(LocationObject(l.addr), false)
	newest := len(l.writes) - 1
	if x.spec.Without&ExclusiveCanFail != 0 {
		return true
	}
	if int(read) == newest || read < 0 && l.writes[newest].cpu == int16(cpu) {
		return true
	}
	l.seen[cpu] = int32(newest) // a loop that tries again does not read the old value for ever
	return false
}

// fullBarrier orders what is before an atomic with acquire and release against what is after it. The atomic's own write
// is ordered against what is after only if it acts on memory at once: the published axioms, po;([A];amo;[L]);po, leave
// that open. What is before has drained, since the atomic releases.
func (x *Explored) fullBarrier(v *view) {
	v.floor = max(v.floor, v.loaded, v.drained)
}

// Fence orders the accesses before it against those after it, where it stands. A completing fence is no longer blocked
// then. What is ordered for this CPU alone is ordered for nobody who could tell.
func (x *Explored) Fence(cpu int, f bus.Fence) {
	v := &x.views[cpu]
	if f.Completion {
		v.floor = max(v.floor, v.system) // nothing behind a DSB happens before what is ahead of it is done
	}
	if f.Domain == bus.NonShareable {
		return
	}
	loads, stores := f.Before&bus.Load != 0, f.Before&bus.Store != 0
	if stores && f.After&bus.Store != 0 {
		v.storeFence = v.count
	}
	if f.After&bus.Load == 0 {
		return
	}
	if loads {
		v.floor = max(v.floor, v.loaded)
	}
	if stores {
		v.fence = v.count
		v.fenced = max(v.fenced, v.loaded, v.drained)
	}
}

func (x *Explored) traceDrain(cpu int, e *entry) {
	owner, now := fmt.Sprint("CPU", cpu), x.engine.Now()
	if e.location == toDevice {
		x.engine.Trace(now, owner+" stores", "0x%x <- 0x%x arrives at the device", e.addr, e.value)
		return
	}
	addr := x.locations[e.location].addr
	x.engine.About(LocationObject(addr), owner)
	x.engine.Trace(now, owner+" stores", "%s <- 0x%x drains", x.symbol(addr), e.value>>mathbits.TrailingZeros64(e.mask))
}

// SetSymbols makes traces name addresses.
func (x *Explored) SetSymbols(symbol func(addr uint64) string) { x.names = symbol }

func (x *Explored) symbol(addr uint64) string {
	if x.names != nil {
		if name := x.names(addr); name != "" {
			return name
		}
	}
	return fmt.Sprintf("0x%x", addr)
}
