//go:build unix

package repl

import (
	"os"
	"syscall"
	"unsafe"
)

// columns returns the width of the terminal at standard output, 0 if it is not known.
func columns() int {
	var size struct{ rows, columns, xpixels, ypixels uint16 }
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(syscall.Stdout), syscall.TIOCGWINSZ,
		uintptr(unsafe.Pointer(&size)))
	if errno != 0 {
		return 0
	}
	return int(size.columns)
}

// lockFile waits until no other process holds the lock on the file, and takes it. Closing the file gives it up.
func lockFile(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }
