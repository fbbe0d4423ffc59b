package graph

import "fmt"

// String is the kind of operation and what it accesses.
func (n *node) String() string {
	return fmt.Sprintf("%v (class %#x, value %#x)", n.kind, n.class, n.value)
}

// String is the same for an operation that is wanted.
func (r *request) String() string {
	return fmt.Sprintf("%v at %#x (class %#x, value %#x)", r.kind, r.at, r.class, r.value)
}

// String is the kind's name.
func (k kind) String() string {
	return [...]string{
		"read", "write", "update", "half", "fence", "synchronize", "point", "take", "failed store-exclusive",
		"clear monitor", "end",
	}[k]
}
