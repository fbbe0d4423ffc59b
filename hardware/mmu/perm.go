package mmu

import "strings"

// Perm is a set of accesses that are permitted.
type Perm uint8

// The accesses.
const (
	ReadPrivileged Perm = 1 << iota
	WritePrivileged
	ExecutePrivileged
	ReadUnprivileged
	WriteUnprivileged
	ExecuteUnprivileged

	Everything   = 1<<iota - 1
	Reads        = ReadPrivileged | ReadUnprivileged
	Writes       = WritePrivileged | WriteUnprivileged
	Executes     = ExecutePrivileged | ExecuteUnprivileged
	Unprivileged = ReadUnprivileged | WriteUnprivileged | ExecuteUnprivileged
)

// An Access is what is wanted of a translation.
type Access struct {
	Write, Execute, Privileged bool
}

// Needs is the permission that the access needs.
func (a Access) Needs() Perm {
	p := ReadUnprivileged
	switch {
	case a.Write:
		p = WriteUnprivileged
	case a.Execute:
		p = ExecuteUnprivileged
	}
	if a.Privileged {
		p /= ReadUnprivileged / ReadPrivileged
	}
	return p
}

// String is the set as "rwx" privileged, a slash, "rwx" unprivileged.
func (p Perm) String() string {
	var b strings.Builder
	for i, letter := range "rwxrwx" {
		if i == 3 {
			b.WriteByte('/')
		}
		if p>>i&1 == 0 {
			letter = '-'
		}
		b.WriteRune(letter)
	}
	return b.String()
}
