package mem

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Model is what explored memory lets CPUs see of one another's accesses.
type Model uint8

// The models.
const (
	Arm Model = iota // multi-copy-atomic Armv8 without load buffering
	TSO              // stores drain in order, loads read the newest write
	SC               // one access after another
)

// rules are what a model allows.
type rules struct {
	name     string
	buffers  bool // stores drain in steps of their own
	reorders bool // ... out of order, the writes of atomics among them
	lags     bool // loads may read what is no longer the newest write
}

var models = [...]rules{
	Arm: {name: "arm", buffers: true, reorders: true, lags: true},
	TSO: {name: "tso", buffers: true},
	SC:  {name: "sc"},
}

// String is the model's name in scripts.
func (m Model) String() string { return models[m].name }

// Models are the names of all models.
func Models() []string {
	names := make([]string, len(models))
	for i := range models {
		names[i] = models[i].name
	}
	return names
}

// A Rule is one rule of the model that can be left out, to show that an exploration would notice.
type Rule uint8

// The rules.
const (
	ReleaseDrainsLast     Rule = 1 << iota // a store-release drains after all older stores
	SameLocationInOrder                    // stores to one location drain in program order
	AcquireAwaitsReleases                  // LDAR, unlike LDAPR, waits for the CPU's own store-releases
	ExclusiveCanFail                       // STXR fails when another write came
	InterruptSeesPresent                   // taking an interrupt raises the floor
)

// ExploredSpec describes explored memory.
type ExploredSpec struct {
	Model Model
	// BufferedAtomics makes the write of an atomic complete like a store's: all that the architecture promises before
	// a system register write. Otherwise an atomic acts on memory at once, as known cores do.
	BufferedAtomics bool
	// OuterMasters makes each store pass its outer point in a step of its own. Without masters beyond the inner
	// shareable domain nobody can tell.
	OuterMasters bool
	// Without are the rules left out.
	Without Rule
}

// Explored is memory as every order of accesses that the model allows makes it. A location is an aligned 8-byte word.
// It keeps its writes in the order in which they arrived, each with the step of its arrival: steps count arrivals.
// See "Explored memory" in the package comment.
type Explored struct {
	spec      ExploredSpec
	rules     rules
	engine    *sim.Engine
	memory    *Memory
	clock     int32 // arrivals so far
	locations []location
	index     map[uint64]int32 // of locations, by address
	touched   []int32          // locations that this execution has changed or read
	views     []view
	waiters   int // views that wait
	choices   []int32
	names     func(addr uint64) string
}

// location is a word with its history.
type location struct {
	addr    uint64
	writes  []write // writes[0] is the initial value
	seen    []int32 // by CPU: index of the newest write that it has read or written
	touched bool
	owner   int16 // the CPU whose buffered atomic writes next, noOwner if none
	outer   int32 // index of the newest write that has passed the outer point
}

const noOwner = int16(-1)

// write is a value of a whole location.
type write struct {
	value uint64
	at    int32  // the step of its arrival
	event uint64 // the engine's step that made it arrive
	cpu   int16
}

// NewExplored makes the memory explored: from now on, CPUs that use it read and write histories. The initial values
// are what the memory holds.
func (m *Memory) NewExplored(spec ExploredSpec, engine *sim.Engine) *Explored {
	x := &Explored{
		spec: spec, rules: models[spec.Model], engine: engine, memory: m, index: map[uint64]int32{},
		views: make([]view, len(m.places)),
	}
	for i := range x.views {
		v := &x.views[i]
		v.buffer = make([]entry, 0, bufferEntries)
		for n := range v.channels {
			engine.Register(&v.channels[n], fmt.Sprintf("CPU%d store %d", i, n))
			if spec.OuterMasters {
				engine.Register(&v.outer[n], fmt.Sprintf("CPU%d store %d, outer", i, n))
			}
		}
	}
	m.explored = x
	return x
}

// BuffersStores reports whether stores drain in steps of their own; otherwise each is performed at once.
func (x *Explored) BuffersStores() bool { return x.rules.buffers }

// Reset forgets an execution: every location has its initial value, every store buffer is empty.
// Precondition: the engine was rewound.
func (x *Explored) Reset() {
	for _, i := range x.touched {
		l := &x.locations[i]
		l.writes, l.touched, l.owner, l.outer = l.writes[:1], false, noOwner, 0
		clear(l.seen)
	}
	x.touched, x.clock, x.waiters = x.touched[:0], 0, 0
	for i := range x.views {
		v := &x.views[i]
		v.viewState, v.buffer = viewState{}, v.buffer[:0]
	}
}

// find is the number of a location.
func (x *Explored) find(addr uint64) int32 {
	word := addr &^ 7
	i, ok := x.index[word]
	if !ok {
		i = int32(len(x.locations))
		x.index[word] = i
		x.locations = append(x.locations, location{
			addr: word, owner: noOwner, seen: make([]int32, len(x.views)),
			writes: append(make([]write, 0, 8), write{value: x.memory.peekTimed(word, 8), cpu: noOwner}),
		})
	}
	if l := &x.locations[i]; !l.touched {
		l.touched = true
		x.touched = append(x.touched, i)
	}
	return i
}

// The seam's names: a location's address, and beyond all addresses the clock and the CPUs' store buffers.
const (
	locationObjects sim.Object = 1 << 63
	clockObject     sim.Object = 1<<63 | 1<<62
	bufferObjects   sim.Object = 1<<63 | 1<<62 | 1
)

// LocationObject names a memory location to the seam.
func LocationObject(addr uint64) sim.Object { return locationObjects | sim.Object(addr>>3) }

// perform makes a write arrive. Any two arrivals depend on each other, since loads look back in time over all
// locations.
func (x *Explored) perform(cpu int, i int32, mask, value uint64) int32 {
	l := &x.locations[i]
	x.engine.Touch(clockObject, true)
	x.engine.Touch(LocationObject(l.addr), true)
	x.clock++
	value |= l.writes[len(l.writes)-1].value &^ mask
	l.writes = append(l.writes, write{value: value, at: x.clock, event: x.engine.Fired(), cpu: int16(cpu)})
	l.seen[cpu] = int32(len(l.writes) - 1)
	if !x.spec.OuterMasters {
		l.outer = int32(len(l.writes) - 1)
	}
	return x.clock
}

// Peek is the newest value, without a step.
func (x *Explored) Peek(addr uint64, size uint8) uint64 {
	l := &x.locations[x.find(addr)]
	_, shift, mask := field(addr, size)
	return l.writes[len(l.writes)-1].value >> shift & mask
}

// Poke changes the newest value, without a step.
func (x *Explored) Poke(addr uint64, size uint8, v uint64) {
	l := &x.locations[x.find(addr)]
	_, shift, mask := field(addr, size)
	newest := &l.writes[len(l.writes)-1]
	newest.value = newest.value&^(mask<<shift) | v&mask<<shift
}

// ReadMaster is what a device reads that is not a CPU: the newest write that has passed its point.
func (x *Explored) ReadMaster(addr uint64, size uint8, domain bus.Domain) uint64 {
	l := &x.locations[x.find(addr)]
	x.engine.Touch(LocationObject(l.addr), false)
	_, shift, mask := field(addr, size)
	i := int32(len(l.writes) - 1)
	if domain > bus.InnerShareable {
		i = l.outer
	}
	return l.writes[i].value >> shift & mask
}

// ReadSystem is a CPU reading a system register, such as ICC_IAR1_EL1. What it reads may tell of other CPUs; loads
// behind a later DSB are not satisfied before.
func (x *Explored) ReadSystem(cpu int) {
	x.engine.Touch(clockObject, false)
	x.views[cpu].system = x.clock
}

// Enter is a CPU taking an interrupt: from now on it sees the present.
func (x *Explored) Enter(cpu int) {
	if x.spec.Without&InterruptSeesPresent != 0 {
		return
	}
	x.engine.Touch(clockObject, false)
	x.views[cpu].floor = x.clock
}
