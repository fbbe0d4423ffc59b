package cpu

import (
	"fmt"

	"github.com/hwscript/hwscript/hardware/bits"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Spec holds what one kind of CPU costs.
type Spec struct {
	Clock       sim.Freq
	StoreBuffer int // entries; a store finds room or waits for the oldest entry to drain

	StoreIssue      sim.Time // a store, until the next instruction
	OrderingFence   sim.Time
	CompletingFence sim.Time // with nothing outstanding, whatever its domain
	Synchronize     sim.Time // a context synchronization
	SysRegRead      sim.Time
	SysRegWrite     sim.Time

	// Of the register whose writes send interrupts: a write, and the interval at which writes are accepted one after
	// another.
	IPIRegister           bits.SysReg
	IPIIssue, IPIInterval sim.Time

	// Own are system registers that only the CPU's own accesses change and show, 0 for none.
	Own [2]bits.SysReg

	TLBIIssue   sim.Time // a broadcast invalidation of a TLB entry, until the next instruction
	TLBI        sim.Time // until it is complete everywhere, which a completing fence waits for
	DeviceRead  sim.Time // round trip to a device's register
	DeviceWrite sim.Time // one way

	WakeUp          sim.Time // from the interrupt input to the first instruction
	ExceptionEntry  sim.Time // taking an interrupt, until the kernel's handler runs
	ExceptionReturn sim.Time

	Outer Outer // what the fences of wide domains wait for
}

// Validate names the first field that cannot be.
func (s *Spec) Validate() error {
	if s.Clock == 0 {
		return fmt.Errorf("clock 0 Hz: expected at least 1 Hz")
	}
	if s.StoreBuffer < 1 {
		return fmt.Errorf("store buffer of %d entries: expected at least 1", s.StoreBuffer)
	}
	for _, l := range [...]struct {
		name string
		t    sim.Time
	}{
		{"store issue", s.StoreIssue}, {"ordering fence", s.OrderingFence}, {"completing fence", s.CompletingFence},
		{"synchronization", s.Synchronize}, {"system register read", s.SysRegRead},
		{"system register write", s.SysRegWrite}, {"write that sends interrupts", s.IPIIssue},
		{"interval of such writes", s.IPIInterval}, {"TLB invalidation", s.TLBIIssue}, {"TLB completion", s.TLBI},
		{"device read", s.DeviceRead},
		{"device write", s.DeviceWrite}, {"wake-up", s.WakeUp}, {"exception entry", s.ExceptionEntry},
		{"exception return", s.ExceptionReturn},
	} {
		if l.t < 0 {
			return fmt.Errorf("%s of %s: expected 0 or more", l.name, l.t)
		}
	}
	return s.Outer.validate()
}

// Cost is a kind of spent time. Together the kinds are all of a program's time, to the picosecond.
type Cost uint8

// The kinds.
const (
	Software        Cost = iota // straight-line work
	CacheHit                    // loads and stores in the CPU's own cache
	Transfer                    // waiting for a line: from a CPU of the die, or for room in the store buffer
	TransferDies                // ... from another die
	TransferSockets             // ... from another socket
	TransferMemory              // ... from memory, or the cache before it
	Barrier                     // fences and what they wait for
	SysReg                      // system register accesses
	DeviceTime                  // device register accesses
	Exception                   // wake-up, exception entry and return
	Waiting                     // in a wait

	Costs = 11
)

// String is the kind's name in reports.
func (c Cost) String() string {
	return [...]string{
		"software", "cache hits", "line transfers", "lines across dies", "lines across sockets",
		"lines from memory", "barriers", "system registers", "device registers", "exceptions",
		"waiting",
	}[c]
}

// Spent is a CPU's time by kind.
type Spent [Costs]sim.Time

// Sub is what was spent since an earlier snapshot.
func (s Spent) Sub(earlier Spent) Spent {
	for i := range s {
		s[i] -= earlier[i]
	}
	return s
}

// Add is both together.
func (s Spent) Add(more Spent) Spent {
	for i := range s {
		s[i] += more[i]
	}
	return s
}

// Total is the time of all kinds.
func (s Spent) Total() sim.Time {
	var t sim.Time
	for _, part := range s {
		t += part
	}
	return t
}

// Stats counts what a CPU did since it was built.
type Stats struct {
	Loads, Stores, Atomics uint64
	Transfers              [mem.Distances]uint64 // lines taken
	Fences                 uint64
	SysRegReads            uint64
	SysRegWrites           uint64
	DeviceReads            uint64
	DeviceWrites           uint64
	Interrupts             uint64
	Waits                  uint64 // times that a wait parked
}
