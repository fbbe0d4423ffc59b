package mem

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// bufferEntries is the number of stores that a CPU can have outstanding. Each has a channel of its own, used again by
// the store so many later: the identity of a store in different orders of the same execution.
const bufferEntries = 64

// view is one CPU's side of the memory.
type view struct {
	viewState
	buffer   []entry // not yet drained, in program order
	channels [bufferEntries]sim.Channel
	outer    [bufferEntries]sim.Channel
	sink     DeviceSink
}

// viewState is what an execution changes.
type viewState struct {
	floor   int32 // loads read what was current at or after this step
	loaded  int32 // latest satisfaction of a load so far
	drained int32 // latest arrival of an own write
	system  int32 // the step of the last read of a system register
	synced  int32 // latest satisfaction of a load that an ISB orders: its source of a control or address dependency

	fence      int32 // loads wait for the stores up to this number ...
	fenced     int32 // ... and then have at least this floor
	storeFence int32 // stores drain after the stores up to this number
	releases   int32 // number of the latest store-release
	released   int32 // latest arrival of a store-release
	count      int32 // stores so far
	beyond     int32 // stores that have not passed the outer point

	last     int32 // satisfaction of the last load
	depend   int32 // satisfaction on which the next access depends, 0 if none
	address  int32 // the same for its address alone
	spun     int32 // how often the last load was repeated, with nothing in between
	lastRead readFrom

	waiting bool
	wait    Access
}

// readFrom says which write a load has read.
type readFrom struct {
	location, index int32
}

// An entry is a store that has not drained.
type entry struct {
	number      int32 // among the stores of the CPU, from 1
	location    int32 // toDevice if it goes to a device
	mask, value uint64
	fence       int32 // drains after the stores up to this number
	depends     int32 // satisfaction of the load that its address or data depends on
	release     bool
	atomic      bool
	posted      bool
	drains      sim.Event
	addr        uint64 // of a device's register
	size        uint8
	device      sim.Object
}

const toDevice = int32(-1)

// A DeviceSink receives stores to devices when they drain.
type DeviceSink interface {
	DrainDevice(addr uint64, size uint8, v uint64)
}

// SetSink connects the CPU whose device stores drain.
func (x *Explored) SetSink(cpu int, s DeviceSink) { x.views[cpu].sink = s }

// AccessKind is the kind of a step that may have to wait for the memory.
type AccessKind uint8

// The kinds.
const (
	LoadAccess AccessKind = iota
	WaitAccess            // a load that waits for a value
	SpinAccess            // a load that has been repeated in vain
	StoreAccess
	AtomicAccess
	CompleteAccess // the end of a DSB
	DeviceAccess   // a load from a device
)

// An Access is a step that a CPU is about to make.
type Access struct {
	Kind    AccessKind
	Addr    uint64
	Size    uint8
	Order   bus.Order
	Fence   bus.Fence
	Pred    func(v uint64) bool // of a WaitAccess
	Atomic  bus.AtomicOp        // of an AtomicAccess, and its operands
	Value   uint64
	Compare uint64
	Device  sim.Object // of a DeviceAccess
}

// Blocked reports whether the step has to wait. Once it answers false it does so until the CPU makes a step.
func (x *Explored) Blocked(cpu int, a *Access) bool {
	v := &x.views[cpu]
	switch a.Kind {
	case CompleteAccess:
		return v.incomplete(a.Fence)
	case SpinAccess:
		return x.Spins(cpu, a)
	}
	if len(v.buffer) == 0 {
		return a.Kind == WaitAccess && !x.satisfiable(cpu, a) || a.Kind == AtomicAccess && x.taken(cpu, a)
	}
	switch oldest := v.buffer[0].number; {
	case a.Kind == StoreAccess:
		return v.count-oldest >= bufferEntries-1
	case oldest <= v.fence:
		return true
	case a.Kind == DeviceAccess:
		return v.newestTo(a.Device) != nil
	case a.Kind == AtomicAccess:
		return x.atomicBlocked(cpu, a)
	case a.Order == bus.Acquire && x.spec.Without&AcquireAwaitsReleases == 0 && v.hasRelease():
		return true
	}
	if e := x.forwarder(v, a.Addr); e != nil {
		_, shift, mask := field(a.Addr, a.Size)
		if e.mask&(mask<<shift) != mask<<shift || e.atomic && a.Order.Acquires() {
			return true // bytes of several stores, or an acquire of an atomic's own write: from memory only
		}
	}
	return a.Kind == WaitAccess && !x.satisfiable(cpu, a)
}

// incomplete reports whether a completing fence still has to wait. The own buffer counts as complete for the
// non-shareable domain, and loads are complete since they block.
func (v *view) incomplete(f bus.Fence) bool {
	if f.Before&bus.Store == 0 || f.Domain == bus.NonShareable {
		return false
	}
	return len(v.buffer) != 0 || f.Domain > bus.InnerShareable && v.beyond != 0
}

func (v *view) hasRelease() bool {
	for i := range v.buffer {
		if v.buffer[i].release && v.buffer[i].number <= v.releases {
			return true
		}
	}
	return false
}

// newestTo is the newest entry for a device.
func (v *view) newestTo(device sim.Object) *entry {
	for i := len(v.buffer) - 1; i >= 0; i-- {
		if e := &v.buffer[i]; e.location == toDevice && e.device == device {
			return e
		}
	}
	return nil
}

// forwarder is the newest own entry of a location that gives some of an access's bytes.
func (x *Explored) forwarder(v *view, addr uint64) *entry {
	word := addr &^ 7
	for i := len(v.buffer) - 1; i >= 0; i-- {
		if e := &v.buffer[i]; e.location >= 0 && x.locations[e.location].addr == word {
			return e
		}
	}
	return nil
}

// atomicBlocked: an atomic is performed when its write could drain at once.
func (x *Explored) atomicBlocked(cpu int, a *Access) bool {
	v := &x.views[cpu]
	switch {
	case a.Order.Releases() && x.spec.Without&ReleaseDrainsLast == 0, !x.rules.reorders:
		return true // the buffer is not empty
	case a.Order == bus.Acquire && v.hasRelease(), v.buffer[0].number <= v.storeFence:
		return true
	case x.forwarder(v, a.Addr) != nil:
		return true
	}
	return x.taken(cpu, a)
}

// taken reports whether another CPU's buffered atomic is to write the location first.
func (x *Explored) taken(cpu int, a *Access) bool {
	l := &x.locations[x.find(a.Addr)]
	if l.owner == noOwner {
		return false
	}
	_, shift, mask := field(a.Addr, a.Size)
	old := l.newest() >> shift & mask
	updated, writes := a.Atomic.Apply(old, a.Value&mask, a.Compare&mask)
	return writes && l.keeps(cpu, mask<<shift, updated&mask<<shift)
}

func (l *location) newest() uint64 { return l.writes[len(l.writes)-1].value }

// keeps reports whether another CPU's atomic, which has read the location and is to write it, keeps a write out. What
// it has read must be what stands there when it writes; a write of that very value makes no difference to it.
func (l *location) keeps(cpu int, mask, value uint64) bool {
	return l.owner != noOwner && l.owner != int16(cpu) && l.newest()&mask != value
}

// Await makes the memory wake the CPU when the step is no longer blocked.
func (x *Explored) Await(cpu int, a *Access) {
	v := &x.views[cpu]
	v.waiting, v.wait = true, *a
	x.waiters++
	if a.Kind == AtomicAccess && x.taken(cpu, a) {
		x.engine.Touch(LocationObject(a.Addr), true) // it would have come before the other atomic, too
	}
}

// EndAwait ends Await, whether the CPU was woken or not.
func (x *Explored) EndAwait(cpu int) {
	if v := &x.views[cpu]; v.waiting {
		v.waiting = false
		x.waiters--
	}
}

// wakeUnblocked wakes the CPUs whose steps are no longer blocked.
func (x *Explored) wakeUnblocked() {
	if x.waiters == 0 {
		return
	}
	for cpu := range x.views {
		v := &x.views[cpu]
		if v.waiting && !x.Blocked(cpu, &v.wait) {
			x.EndAwait(cpu)
			x.memory.wake(cpu, x.engine.Now())
		}
	}
}
