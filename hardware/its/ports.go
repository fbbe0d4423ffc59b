package its

import (
	"github.com/hwscript/hwscript/hardware/bus"
	"github.com/hwscript/hwscript/hardware/sim"
)

// Redistributors are the redistributors as the ITS reaches them. They are counted as GICR_TYPER.Processor_Number counts
// them; every method acts at the engine's present time, returns at once and allocates nothing. What was handed to one
// redistributor it does in order.
type Redistributors interface {
	// SetLPI and ClearLPI change whether an LPI is pending. IHI 0069, 5.3: INT, CLEAR, DISCARD, and a message.
	SetLPI(rd int, intid uint32)
	ClearLPI(rd int, intid uint32)
	// InvalidateLPI makes the redistributor read an LPI's configuration again, InvalidateAllLPIs that of all: INV, INVALL.
	InvalidateLPI(rd int, intid uint32)
	InvalidateAllLPIs(rd int)
	// MoveLPI takes an LPI's pending state away from one redistributor and gives it to another: MOVI. MoveAllLPIs does so
	// with all: MOVALL. They are done when the other one has got it.
	MoveLPI(from, to int, intid uint32)
	MoveAllLPIs(from, to int)
	// SyncLPIs calls h.Fire(now, arg) when all that was handed to a redistributor before is done.
	SyncLPIs(rd int, h sim.Handler, arg uint64)
}

// Latency says how long the ITS's own work takes. The n-th of each kind counts from 0.
type Latency interface {
	// Command is from the arrival of a command that was fetched to its first access.
	Command(n uint64) sim.Time
	// Translate is from the arrival of a message to its first access.
	Translate(n uint64) sim.Time
	// HandOver is the way of the n-th message between the ITS and a redistributor, in either direction.
	HandOver(rd int, n uint64) sim.Time
}

// Ports is what an ITS is connected to.
type Ports struct {
	Master         *bus.Master // its name in transactions
	Memory         bus.Target  // each access is one transaction, made when the one before it has been answered
	Redistributors Redistributors
	Latency        Latency
}
