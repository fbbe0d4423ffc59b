package repl

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
)

func TestInterrupts(t *testing.T) {
	now := time.Unix(1, 0)
	prompts, left := 0, 0
	k := &interrupts{
		now: func() time.Time { return now }, prompt: func() { prompts++ }, leave: func(status int) { left = status },
	}
	k.handle(os.Interrupt)
	if prompts != 1 || left != 0 {
		t.Errorf("at a prompt: %d prompts end, status %d", prompts, left)
	}
	// In an evaluation the first one ends that, however soon it comes after another.
	err := k.during(context.Background(), func(ctx context.Context) error {
		k.handle(os.Interrupt)
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) || left != 0 {
		t.Errorf("in an evaluation: %v, status %d", err, left)
	}
	// The second one ends the process, if it comes soon.
	k.during(context.Background(), func(context.Context) error {
		k.handle(os.Interrupt)
		now = now.Add(againWithin)
		k.handle(os.Interrupt)
		if left != 0 {
			t.Error("left after a long time")
		}
		now = now.Add(againWithin - 1)
		k.handle(os.Interrupt)
		return nil
	})
	if left != 130 {
		t.Errorf("status %d", left)
	}
	k.handle(syscall.SIGTERM)
	if left != 143 || prompts != 1 {
		t.Errorf("terminated: status %d, %d prompts end", left, prompts)
	}
}
