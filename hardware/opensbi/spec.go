package opensbi

import "fmt"

// HartCheck is which hart ids of a call's mask are refused.
type HartCheck uint8

// The checks.
const (
	CheckHarts   HartCheck = iota // ids that there are not: invalid parameter (from version 1.7 on)
	CheckRunning                  // also those that do not run, which keeps all from being fenced (until 110f2851)
	CheckNothing                  // none: they are left out
)

// Spec is what one build of the firmware does.
type Spec struct {
	RangeLimit uint64 // a fence of more bytes becomes one of everything; 4096 by default, 0 on FU540 and FU740
	Queue      int    // entries of each hart's queue; 0: as many as there are harts
	Check      HartCheck

	WholeIgnoresASID bool // a fence of one whole address space fences all (until a140a4e8)
	ClearsByIndex    bool // MSIP is cleared by the hart's index, not its id (until cae230c9)

	MSWI       uint64 // the base of the MSIP registers
	ECall, IPI int64  // cycles of work of a call, and of an interrupt, beside their accesses
}

// Validate names the first field that cannot be.
func (s *Spec) Validate(harts int) error {
	if harts < 1 || harts > maxHarts {
		return fmt.Errorf("%d harts: expected 1 to %d", harts, maxHarts)
	}
	if s.Queue < 0 || s.Queue > 1024 {
		return fmt.Errorf("queue of %d entries: expected 0 to 1024", s.Queue)
	}
	if s.ECall < 0 || s.IPI < 0 {
		return fmt.Errorf("work of %d and %d cycles: expected 0 or more", s.ECall, s.IPI)
	}
	return nil
}
