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

// String is the fence by its sets, as RISC-V writes it: "fence rw,w".
func (f Fence) String() string { return "fence " + f.Before.String() + "," + f.After.String() }

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
