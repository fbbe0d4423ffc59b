package cpu

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/mem"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Memory is what is shared as one CPU reaches it: it says when an access happens, what it reads, and when it is done. A
// method that stands for a step announces it, takes what interrupts are pending, and performs it; the CPU counts it,
// traces it and charges its time. Time passes between two accesses only.
type Memory interface {
	// Load reads size bytes in a step.
	Load(addr uint64, size uint8, order bus.Order) (uint64, mem.Outcome)
	// Store issues a store in a step; the outcome says when it drains.
	Store(addr uint64, size uint8, v uint64, order bus.Order) mem.Outcome
	// Reserve begins the step of a read-modify-write, and Modify ends it with the old value.
	Reserve(a RMW)
	Modify(a RMW) (uint64, mem.Outcome)
	// Monitor says that the last load was exclusive. StoreExclusive ends the step of a store-exclusive: it stores if the
	// monitor was held and the line is as the load-exclusive left it, which answered this version.
	Monitor()
	StoreExclusive(a RMW, held bool, version uint32) (bool, mem.Outcome)
	// MonitorCleared reports whether somebody else's write has cleared the exclusive monitor, which is set: an event.
	MonitorCleared() bool
	// Clean writes a line back in a step, and with discard takes it out of all caches.
	Clean(addr uint64, discard bool) mem.Outcome
	// Fence orders accesses where it stands. For a completing one it answers when those before it are complete.
	Fence(f bus.Fence) sim.Time
	// Synchronize is a context synchronization in a step.
	Synchronize()
	// Wait loads until the value satisfies pred; false if the timeout passed first.
	Wait(addr uint64, size uint8, order bus.Order, pred func(v uint64) bool, timeout sim.Time) (uint64, bool)
	// StoreDevice sends a write to a register in a step, and answers when it arrives.
	StoreDevice(r *bus.Region, addr uint64, size uint8, v uint64, order bus.Order) sim.Time
	// LoadDevice reads a register in a step: it waits for the CPU's own earlier writes to the device.
	LoadDevice(r *bus.Region, addr uint64, size uint8, order bus.Order) uint64
	// ReachSystem begins the step of an access to a system register.
	ReachSystem()
	// Interrupted says that the CPU takes an interrupt, which ends the wait that it may be in.
	Interrupted()
	// Depend declares that what follows depends on the last load.
	Depend(d mem.Dependency)
}

// RMW is a read-modify-write in one step.
type RMW struct {
	Addr       uint64
	V, Compare uint64
	Size       uint8
	Op         bus.AtomicOp
	Order      bus.Order
}

// Translation turns the addresses of a CPU's accesses into physical ones.
type Translation interface {
	Translate(addr uint64, write bool) (physical uint64, fault bus.Fault)
}
