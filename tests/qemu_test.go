package tests

import (
	"errors"
	"os/exec"
	"regexp"
	"testing"
)

// TestQEMUGuest: the guest that the README compares the simulator with makes its calls, where QEMU and a compiler for
// it are installed. How long they take is not tested.
func TestQEMUGuest(t *testing.T) {
	out, err := exec.Command("qemu/guest.sh", "20", "3").CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 77 {
		t.Skip(string(out))
	}
	if want := regexp.MustCompile(`^57 calls, [0-9]+ ns/call\r?\n$`); err != nil || !want.Match(out) {
		t.Errorf("%v:\n%s", err, out)
	}
}
