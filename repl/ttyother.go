//go:build !unix

package repl

import "os"

// columns returns the width of the terminal at standard output, 0 if it is not known.
func columns() int { return 0 }

// lockFile does nothing: without locks, two sessions that start at once may shorten the history twice.
func lockFile(*os.File) {}

// typedAt reads what is typed at a terminal.
type typedAt struct{ *os.File }
