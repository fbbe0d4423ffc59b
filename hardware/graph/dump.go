package graph

import "fmt"

// String is the kind of operation and its value.
func (n *node) String() string {
	return fmt.Sprintf("%v of %#x", n.kind, n.value)
}

// String is an operation that is wanted: the kind, where, and what is written.
func (r *request) String() string {
	switch {
	case r.size == 0:
		return r.kind.String()
	case r.kind != opWrite:
		return fmt.Sprintf("%v at %#x", r.kind, r.at)
	}
	return fmt.Sprintf("%v at %#x of %#x", r.kind, r.at, r.value)
}

// String is the kind's name.
func (k kind) String() string {
	return [...]string{
		"read", "write", "update", "half", "fence", "synchronize", "point", "take", "failed store-exclusive",
		"clear monitor", "end",
	}[k]
}
