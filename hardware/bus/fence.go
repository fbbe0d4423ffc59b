package bus

import "strings"

// Access is a set of kinds of memory access, as fences order them.
type Access uint8

// The kinds of access. Arm's barriers know loads and stores; RISC-V's FENCE tells memory from devices.
const (
	Load Access = 1 << iota
	Store
	DeviceInput
	DeviceOutput

	// AnyAccess is every kind.
	AnyAccess = Load | Store | DeviceInput | DeviceOutput
)

// Domain is the set of observers for which a fence holds (Arm ARM DDI 0487, B2.3, shareability).
type Domain uint8

// The shareability domains, from the smallest.
const (
	NonShareable   Domain = iota // this PE alone
	InnerShareable               // all PEs under one operating system
	OuterShareable
	FullSystem
)

// A Fence orders the accesses before it against those after it. With Completion everything behind it waits,
// system-register writes included, until the accesses before it are complete for all observers of its domain.
type Fence struct {
	Before, After Access
	Domain        Domain
	Completion    bool
}

// Arm's types of barrier: which accesses it waits for, and which wait for it.
const (
	fenceAll = iota
	fenceLoads
	fenceStores
)

func armFence(domain Domain, kind int, completion bool) Fence {
	f := Fence{Before: AnyAccess, After: AnyAccess, Domain: domain, Completion: completion}
	switch kind {
	case fenceLoads:
		f.Before = Load | DeviceInput
	case fenceStores:
		f.Before = Store | DeviceOutput
		f.After = f.Before
	}
	return f
}

// armOptions are the limitations of DMB and DSB in the order of their CRm encodings 1 to 15 (DDI 0487, C6.2, DMB).
var armOptions = [...]struct {
	name   string
	domain Domain
	kind   int
}{
	{"oshld", OuterShareable, fenceLoads}, {"oshst", OuterShareable, fenceStores}, {"osh", OuterShareable, fenceAll},
	{"nshld", NonShareable, fenceLoads}, {"nshst", NonShareable, fenceStores}, {"nsh", NonShareable, fenceAll},
	{"ishld", InnerShareable, fenceLoads}, {"ishst", InnerShareable, fenceStores}, {"ish", InnerShareable, fenceAll},
	{"ld", FullSystem, fenceLoads}, {"st", FullSystem, fenceStores}, {"sy", FullSystem, fenceAll},
}

// ArmOptions are the names that DMB and DSB take: "ishst", "sy", ...
func ArmOptions() []string {
	names := make([]string, len(armOptions))
	for i, o := range armOptions {
		names[i] = o.name
	}
	return names
}

// DMB is Arm's data memory barrier with the given option; false if there is no such option.
func DMB(option string) (Fence, bool) { return armBarrier(option, false) }

// DSB is Arm's data synchronization barrier with the given option; false if there is no such option.
func DSB(option string) (Fence, bool) { return armBarrier(option, true) }

func armBarrier(option string, completion bool) (Fence, bool) {
	for _, o := range armOptions {
		if o.name == option {
			return armFence(o.domain, o.kind, completion), true
		}
	}
	return Fence{}, false
}

// The barriers that the kernel paths use. The other forms come from [DMB] and [DSB].
var (
	DMBISH   = armFence(InnerShareable, fenceAll, false)
	DMBISHST = armFence(InnerShareable, fenceStores, false)
	DSBISHST = armFence(InnerShareable, fenceStores, true)
	DSBST    = armFence(FullSystem, fenceStores, true)
	DSBSY    = armFence(FullSystem, fenceAll, true)
)

// String is the instruction: "dsb ishst", "dmb sy"; for a fence that Arm does not have, RISC-V's "fence rw,w".
func (f Fence) String() string {
	for _, o := range armOptions {
		switch f {
		case armFence(o.domain, o.kind, false):
			return "dmb " + o.name
		case armFence(o.domain, o.kind, true):
			return "dsb " + o.name
		}
	}
	return "fence " + f.Before.String() + "," + f.After.String()
}

// String is the set in the letters of RISC-V's FENCE: i, o, r, w.
func (a Access) String() string {
	var s strings.Builder
	for _, l := range [...]struct {
		kind   Access
		letter byte
	}{{DeviceInput, 'i'}, {DeviceOutput, 'o'}, {Load, 'r'}, {Store, 'w'}} {
		if a&l.kind != 0 {
			s.WriteByte(l.letter)
		}
	}
	return s.String()
}

// Order is the ordering that an access carries itself.
type Order uint8

// The orders of loads and stores.
const (
	Plain          Order = iota
	Acquire              // LDAR: after it, everything; waits for own releases (RCsc)
	AcquirePC            // LDAPR: after it, everything (RCpc)
	Release              // STLR: after everything
	AcquireRelease       // an atomic with both, such as CASAL
)

// String is the suffix in traces.
func (o Order) String() string {
	return [...]string{"", "acquire", "acquirePC", "release", "acquire release"}[o]
}

// Acquires reports whether later accesses wait for an access of this order.
func (o Order) Acquires() bool { return o == Acquire || o == AcquirePC || o == AcquireRelease }

// Releases reports whether an access of this order waits for earlier accesses.
func (o Order) Releases() bool { return o == Release || o == AcquireRelease }
