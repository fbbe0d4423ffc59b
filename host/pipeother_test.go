//go:build !unix

package host_test

import "testing"

// makePipe makes a named pipe, and reports whether there are such.
func makePipe(*testing.T, string) bool { return false }
