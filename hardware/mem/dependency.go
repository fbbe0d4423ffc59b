package mem

// A Dependency says how the next access depends on the last load.
type Dependency uint8

// The dependencies.
const (
	AddressDependency Dependency = iota
	DataDependency
	ControlDependency
)
