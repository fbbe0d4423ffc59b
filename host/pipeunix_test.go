//go:build unix

package host_test

import (
	"syscall"
	"testing"
)

// makePipe makes a named pipe, and reports whether there are such.
func makePipe(t *testing.T, path string) bool {
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return true
}
