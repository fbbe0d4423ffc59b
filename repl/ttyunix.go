//go:build unix

package repl

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
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

// typedAt reads what is typed at a terminal. It waits outside of read: one that has begun while the terminal gave
// single keys loses a Ctrl-D that is pressed when it gives lines, as it does where liner cannot edit.
type typedAt struct{ *os.File }

func (t typedAt) Read(p []byte) (int, error) {
	fds := []unix.PollFd{{Fd: int32(t.Fd()), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(fds, -1); err != unix.EINTR {
			return t.File.Read(p)
		}
	}
}
