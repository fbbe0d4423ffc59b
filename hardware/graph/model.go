package graph

import "slices"

// Class is what an event is to a memory model: a set of properties.
type Class uint32

// The properties. An atomic is two events, a read and a write; each carries what the instruction gives to its half.
const (
	Read        Class = 1 << iota // of memory or a device
	Write                         // the same
	Acquire                       // LDAR, and the read of an acquiring atomic
	AcquirePC                     // LDAPR
	Release                       // STLR, and the write of a releasing atomic
	Atomic                        // the write of a read-modify-write
	FullAtomic                    // the write of such an instruction that acquires and releases
	System                        // access to a system register: no memory access
	Device                        // access to a device: in program order for each device
	Early                         // the write of a device register that is acknowledged before it arrives: nGnRE
	Message                       // an interrupt or event on its way: in no order with others of its sender
	Taken                         // an interrupt is taken, a WFE wakes up: nothing behind it happens before
	Sampled                       // a system register is read
	Derived                       // the write of an atomic whose value is made of what is read
	Conditional                   // the write of an atomic that comes or not by what is read
	NoReturn                      // the read of an atomic whose result nobody gets: ST<OP>
	Single                        // both halves of an atomic that is one operation: whatever orders one orders the other
	Noted                         // access to what is no hardware: it orders nothing but others of its kind

	Everything Class = Noted - 1
)

// Access is a set of kinds of access, as fences order them.
type Access uint8

// The kinds, in the order of hardware/bus.
const (
	Load Access = 1 << iota
	Store
	DeviceInput
	DeviceOutput
)

// A Fence orders the accesses before it against those after it; if it completes, against all that comes after.
type Fence struct {
	Before, After Access
	Completes     bool
}

// Via is how the two ends of an edge are connected within a thread.
type Via uint8

// The connections.
const (
	Order          Via = iota // program order
	SameObject                // program order, to one location or device
	Repeated                  // program order, the same to one object: nobody could tell which was first
	Fenced                    // a fence between, which orders the kinds of both ends
	Completed                 // a completing fence between, which orders the kind of the first
	Address                   // the second's address comes from the first
	Data                      // the second's value comes from the first
	Control                   // a branch before the second depends on the first
	AddressBefore             // the address of an access before the second depends on the first: addr;po
	ControlSync               // Control into a context synchronization (ISB) before the second
	AddressSync               // AddressBefore into one
	AddressForward            // the second reads the own write whose address comes from the first
	DataForward               // the same for its value
	Halves                    // the read and the write of an atomic
	AtomicForward             // the second reads the write of the own atomic whose read is the first
	Forward                   // the second reads the own write that is the first
)

// An Edge orders every event of a class before those of another with which it is connected.
type Edge struct {
	Name     string
	From     Class // has one of these properties
	Via      Via
	To       Class // has one of these properties
	ToAll    Class // and all of these
	FromWith Class // the first has all of these, too
	FromNot  Class // and none of these
}

func (e *Edge) from(c Class) bool {
	return c&e.From != 0 && c&e.FromWith == e.FromWith && c&e.FromNot == 0
}
func (e *Edge) to(c Class) bool { return c&e.To != 0 && c&e.ToAll == e.ToAll }

// A Model says what is ordered within a thread. Between threads the order is the same for all: what is read is written
// before, the writes of a location in their order, and a read before the next write.
type Model struct {
	Name  string
	Edges []Edge
}

const (
	memory = Read | Write
	loads  = Read | Sampled
	own    = System | Sampled | Taken // what a thread does to its own registers
	sent   = System | Message
)

// Arm is multi-copy-atomic Armv8: herdtools7, aarch64.cat (Deacon), restricted to what the simulator has, with DSB,
// system registers and interrupts after Simner et al., "Relaxed exceptions in the Arm-A architecture". po-loc;[W]
// (lws) is in the order of a location's writes and in from-reads, which are taken within threads, too.
var Arm = Model{Name: "arm", Edges: []Edge{
	{Name: "addr", From: loads, Via: Address, To: Everything},
	{Name: "data", From: loads, Via: Data, To: Write | Device},
	{Name: "ctrl;[W]", From: loads, Via: Control, To: Write},
	{Name: "addr;po;[W]", From: loads, Via: AddressBefore, To: Write},
	{Name: "ctrl;[ISB];po;[R]", From: loads, Via: ControlSync, To: Read},
	{Name: "addr;po;[ISB];po;[R]", From: loads, Via: AddressSync, To: Read},
	{Name: "addr;rfi", From: loads, Via: AddressForward, To: Read},
	{Name: "data;rfi", From: loads, Via: DataForward, To: Read},
	{Name: "rmw", From: Everything, Via: Halves, To: Everything},
	{Name: "rmw;rfi;[A|Q]", From: Read, Via: AtomicForward, To: Acquire | AcquirePC},
	{Name: "[A|Q];po", From: Acquire | AcquirePC, Via: Order, To: memory},
	{Name: "po;[L]", From: memory, FromNot: Early, Via: Order, To: Write, ToAll: Release},
	{Name: "[L];po;[A]", From: Release, Via: Order, To: Acquire},
	{Name: "[A];amo;[L];po", From: FullAtomic, Via: Order, To: memory},
	{Name: "[R];dmb;[R]", From: Read, Via: Fenced, To: Read},
	{Name: "[R];dmb;[W]", From: Read, Via: Fenced, To: Write},
	{Name: "[W];dmb;[R]", From: Write, FromNot: Early, Via: Fenced, To: Read},
	{Name: "[W];dmb;[W]", From: Write, FromNot: Early, Via: Fenced, To: Write},
	{Name: "[R];dsb;po", From: Read, Via: Completed, To: Everything},
	{Name: "[W];dsb;po", From: Write, FromNot: Early, Via: Completed, To: Everything},
	{Name: "[MRS];dsb;po", From: Sampled, Via: Completed, To: Everything},
	{Name: "ctrl;[MSR]", From: loads, Via: Control, To: sent},
	{Name: "data;[MSR]", From: loads, Via: Data, To: sent},
	{Name: "addr;po;[MSR]", From: loads, Via: AddressBefore, To: sent},
	{Name: "ctrl;[device]", From: loads, Via: Control, To: Device},
	{Name: "addr;po;[device]", From: loads, Via: AddressBefore, To: Device},
	{Name: "one device", From: Device, Via: SameObject, To: Device},
	{Name: "own registers", From: own, Via: SameObject, To: own},
	{Name: "one message", From: Message, Via: Repeated, To: Message},
	{Name: "[take];po", From: Taken, Via: Order, To: Everything},
	{Name: "ctrl;[take]", From: loads, Via: Control, To: Taken},
	{Name: "addr;po;[take]", From: loads, Via: AddressBefore, To: Taken},
}}

// TSO is a store buffer that drains in order and forwards: loads in order, and an atomic or a fence waits until it is
// empty. As with WRMSR to an x2APIC, a write of a system register waits for a completing fence only.
var TSO = Model{Name: "tso", Edges: []Edge{
	{Name: "[R];po", From: loads | Taken, Via: Order, To: Everything},
	{Name: "po;[W]", From: memory, Via: Order, To: Write},
	{Name: "[W];fence;[R]", From: Write, Via: Fenced, To: Read},
	{Name: "dsb;po", From: Everything, Via: Completed, To: Everything},
	{Name: "[atomic];po", From: Write, FromWith: Atomic, Via: Order, To: Everything},
	{Name: "one device", From: Device, Via: SameObject, To: Device},
	{Name: "own registers", From: own, Via: SameObject, To: own},
	{Name: "one message", From: Message, Via: Repeated, To: Message},
	{Name: "rmw", From: Everything, Via: Halves, To: Everything},
}}

// RVWMO is RISC-V's: The RISC-V Instruction Set Manual, Volume I, RVWMO, preserved program order rules 1 to 13, under
// their numbers. Rule 1 is in the order of a location's writes and in from-reads, which are taken within threads, too;
// rule 2 follows from them: of two loads that read different writes, with no own store between, the second reads a
// write of another thread that is later than what the first reads. An AMO is Single, and of LR and SC each has what its
// own suffix gives. It says nothing of devices, system registers and interrupts, and what depends on the status of an
// SC is ordered by nothing, which allows more.
var RVWMO = Model{Name: "rvwmo", Edges: []Edge{
	{Name: "3: [AMO|SC];rfi;[R]", From: Write, FromWith: Atomic, Via: Forward, To: Read},
	{Name: "4: [R];fence;[R]", From: Read, Via: Fenced, To: Read},
	{Name: "4: [R];fence;[W]", From: Read, Via: Fenced, To: Write},
	{Name: "4: [W];fence;[R]", From: Write, Via: Fenced, To: Read},
	{Name: "4: [W];fence;[W]", From: Write, Via: Fenced, To: Write},
	{Name: "5: [aq];po", From: Acquire, Via: Order, To: memory},
	{Name: "6: po;[rl]", From: memory, Via: Order, To: Release},
	{Name: "7: [aq|rl];po;[aq|rl]", From: Acquire | Release, Via: Order, To: Acquire | Release},
	{Name: "8: rmw", From: Read, Via: Halves, To: Write},
	{Name: "9: addr", From: Read, Via: Address, To: memory},
	{Name: "10: data", From: Read, Via: Data, To: Write},
	{Name: "11: ctrl;[W]", From: Read, Via: Control, To: Write},
	{Name: "12: addr;rfi", From: Read, Via: AddressForward, To: Read},
	{Name: "12: data;rfi", From: Read, Via: DataForward, To: Read},
	{Name: "13: addr;po;[W]", From: Read, Via: AddressBefore, To: Write},
}}

// Performed is the model with atomics that act on memory at once, as those of known cores do: what they write comes
// before all that follows. That is more than the architecture promises.
func (m *Model) Performed() *Model {
	p := Model{Name: m.Name + ", atomics performed", Edges: slices.Clone(m.Edges)}
	p.Edges = append(p.Edges, Edge{
		Name: "[atomic];po", From: Write, FromWith: Atomic, Via: Order, To: Everything,
	})
	return &p
}

// SC is one access after another.
var SC = Model{Name: "sc", Edges: []Edge{
	{Name: "po", From: Everything | Noted, Via: Order, To: Everything | Noted},
}}
