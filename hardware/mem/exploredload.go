package mem

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// A Dependency says how the next access depends on the last load.
type Dependency uint8

// The dependencies, as in the Arm memory model (DDI 0487, B2.3).
const (
	AddressDependency Dependency = iota
	DataDependency
	ControlDependency
)

// Depend declares that what the CPU does next depends on its last load: the address of the next access, the data of the
// next store, or whether the following accesses happen at all. Programs in Go and Lua do not show their dependencies
// otherwise.
func (x *Explored) Depend(cpu int, d Dependency) {
	v := &x.views[cpu]
	if d == ControlDependency {
		v.synced = max(v.synced, v.last)
		return
	}
	v.depend = max(v.depend, v.last)
	if d == AddressDependency {
		v.address = max(v.address, v.last)
	}
}

// depended ends the dependencies of the access that the CPU has made. An ISB orders what follows it after the source of
// an address dependency of an access before it.
func (v *view) depended() {
	v.synced = max(v.synced, v.address)
	v.depend, v.address = 0, 0
}

// floorOf is the step at or after which what a load reads was current.
func (x *Explored) floorOf(v *view, a *Access) int32 {
	floor := max(v.floor, v.depend)
	if len(v.buffer) == 0 || v.buffer[0].number > v.fence {
		floor = max(floor, v.fenced)
	}
	if a.Order == bus.Acquire && x.spec.Without&AcquireAwaitsReleases == 0 {
		floor = max(floor, v.released)
	}
	return floor
}

// satisfiable reports whether a wait can read a value that it waits for.
func (x *Explored) satisfiable(cpu int, a *Access) bool {
	v := &x.views[cpu]
	_, shift, mask := field(a.Addr, a.Size)
	if e := x.forwarder(v, a.Addr); e != nil {
		return a.Pred(e.value >> shift & mask)
	}
	l := &x.locations[x.find(a.Addr)]
	floor := x.floorOf(v, a)
	for i := len(l.writes) - 1; i >= x.oldest(l, cpu); i-- {
		if i < len(l.writes)-1 && l.writes[i+1].at <= floor {
			return false
		}
		if a.Pred(l.writes[i].value >> shift & mask) {
			return true
		}
	}
	return false
}

// oldest is the index of the oldest write that the CPU may read as far as its view of the location goes.
func (x *Explored) oldest(l *location, cpu int) int {
	if !x.rules.lags {
		return len(l.writes) - 1
	}
	return int(l.seen[cpu])
}

// Load is a load that is not blocked, in the CPU's present step. The second result numbers the write that was read, for
// an exclusive monitor; it is negative for the own store buffer.
func (x *Explored) Load(cpu int, a *Access) (uint64, int32) {
	v := &x.views[cpu]
	i := x.find(a.Addr)
	l := &x.locations[i]
	_, shift, mask := field(a.Addr, a.Size)
	floor := x.floorOf(v, a)
	v.floor = max(v.floor, v.fenced) // what the last full fence waits for has drained
	x.engine.Touch(LocationObject(l.addr), false)
	if e := x.forwarder(v, a.Addr); e != nil {
		x.satisfy(v, a, max(floor, e.depends))
		v.lastRead = readFrom{}
		return e.value >> shift & mask, -1
	}
	w := x.chooseWrite(l, cpu, a, floor)
	l.seen[cpu] = w
	x.satisfy(v, a, max(floor, l.writes[w].at))
	if read := (readFrom{i, w}); read != v.lastRead {
		v.lastRead, v.spun = read, 0
	} else {
		v.spun++
	}
	return l.writes[w].value >> shift & mask, w
}

// satisfy notes when a load was satisfied.
func (x *Explored) satisfy(v *view, a *Access, at int32) {
	v.last, v.loaded = at, max(v.loaded, at)
	v.depended()
	if a.Order.Acquires() {
		v.floor = max(v.floor, at)
	}
}

// chooseWrite picks the write that a load reads: one that is not older than the newest that the CPU has seen, and that
// was still current at or after the floor.
//
// An old value whose successor's arrival could as well come after the load is left out: the explorer makes the load
// before that arrival, too, and it reads the same there.
func (x *Explored) chooseWrite(l *location, cpu int, a *Access, floor int32) int32 {
	newest, oldest := len(l.writes)-1, x.oldest(l, cpu)
	if newest == oldest {
		return int32(newest)
	}
	x.choices = x.choices[:0]
	for pass := 0; pass < 2 && len(x.choices) == 0; pass++ {
		for i := newest; i >= oldest; i-- {
			if i < newest && l.writes[i+1].at <= floor {
				break
			}
			if a.Kind == WaitAccess {
				_, shift, mask := field(a.Addr, a.Size)
				if !a.Pred(l.writes[i].value >> shift & mask) {
					continue
				}
			}
			if i == newest || pass > 0 || x.engine.Before(l.writes[i+1].event) {
				x.choices = append(x.choices, int32(i))
			}
		}
	}
	return x.choices[x.engine.Choose(sim.ChooseValue, len(x.choices))]
}

// Spins reports whether a load would repeat the last one and read the same write again: a loop that waits. spinLimit
// repetitions are a program's own business.
func (x *Explored) Spins(cpu int, a *Access) bool {
	v := &x.views[cpu]
	if v.spun < spinLimit {
		return false
	}
	i := x.find(a.Addr)
	return v.lastRead == readFrom{i, int32(len(x.locations[i].writes) - 1)}
}

const spinLimit = 2

// Break tells the memory that the CPU has done something else since its last load.
func (x *Explored) Break(cpu int) { x.views[cpu].spun, x.views[cpu].lastRead = 0, readFrom{} }

// Synchronize is ISB: what follows is ordered after the loads that decide whether it is executed.
func (x *Explored) Synchronize(cpu int) {
	v := &x.views[cpu]
	v.floor = max(v.floor, v.synced)
}
