package mem

import "github.com/hwscript/hwscript/hardware/sim"

// A Dependency says how the next access depends on the last load.
type Dependency uint8

// The dependencies.
const (
	AddressDependency Dependency = iota
	DataDependency
	ControlDependency
)

// LocationObject names a memory location to the engine's tracer.
func LocationObject(addr uint64) sim.Object { return 1<<63 | sim.Object(addr>>3) }
