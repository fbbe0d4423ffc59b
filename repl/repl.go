// Package repl is the interactive session: read an expression or statements, evaluate them, print the values.
//
// On a terminal it edits lines by way of liner; anything else is read without prompts and escape sequences, so that
// input can come from a pipe or file, and ends at the first error. Read repl.go first, then session.go (what happens to
// an input), interact.go (the loop on a terminal), terminal.go and paste.go (what stands between it and liner), and
// complete.go with infer.go (what Tab knows).
package repl

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
)

// Options say what a session works on.
type Options struct {
	// Host makes the host of the session, and again after :reset. Closing it is the caller's business.
	Host func() (*host.Host, error)

	// Start, if set, is what happens before the first input, and again after :reset, such as running a script. Its error
	// is printed as that of an input; without a terminal it ends the session.
	Start func(ctx context.Context, h *host.Host) error

	// Bound, if set, makes the context of each input from that of the session.
	Bound func(context.Context) (context.Context, context.CancelFunc)

	In       io.Reader
	Out      io.Writer // values, and on a terminal errors too
	Terminal bool      // In and Out are the terminal at standard input and output
	History  string    // the file that keeps inputs; "": none

	// Exit ends the process when an evaluation does not end after Ctrl-C, and Ctrl-C is pressed again. nil: os.Exit.
	Exit func(status int)
}

// ErrLeft is the error of a session that was left by Ctrl-C. It is a context.Canceled.
var ErrLeft = leftError{}

type leftError struct{}

func (leftError) Error() string { return "left by Ctrl-C" }
func (leftError) Unwrap() error { return context.Canceled }

// Run reads the input until its end. On a terminal it prints errors and goes on; otherwise it returns the first one,
// but for failed checks: they do not stop the reading and are returned at the end.
func Run(ctx context.Context, o Options) error {
	s := &session{o: o, now: time.Now, width: func() int { return api.DefaultWidth }}
	if o.Exit == nil {
		s.o.Exit = os.Exit
	}
	if o.Bound == nil {
		s.o.Bound = context.WithCancel
	}
	if o.Terminal {
		return s.interact(ctx)
	}
	return s.read(ctx)
}

// read is a session without a terminal.
func (s *session) read(ctx context.Context) error {
	const longestLine = 1 << 24
	lines := bufio.NewScanner(s.o.In)
	lines.Buffer(nil, longestLine)
	var failures failureCount
	if err := failures.but(s.begin(ctx)); err != nil {
		return err
	}
	var unit strings.Builder
	var incomplete error
	for number, first := 1, 1; lines.Scan(); number++ {
		unit.WriteString(lines.Text())
		unit.WriteByte('\n')
		err := s.enter(ctx, input{name: "stdin", line: first, text: unit.String()})
		if incomplete = asIncomplete(err); incomplete != nil {
			continue
		}
		if errors.Is(err, errQuit) {
			break
		}
		if err := failures.but(err); err != nil {
			return err
		}
		unit.Reset()
		first = number + 1
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if incomplete != nil {
		return incomplete
	}
	return failures.err()
}

// failureCount counts failed checks, after which a session goes on.
type failureCount int

// but returns err unless it stands for failed checks, which it counts.
func (c *failureCount) but(err error) error {
	var failed *host.FailedError
	if errors.As(err, &failed) {
		*c += failureCount(failed.Count)
		return nil
	}
	return err
}

func (c failureCount) err() error {
	if c == 0 {
		return nil
	}
	return &host.FailedError{Count: int(c)}
}

// asIncomplete returns err if it says that further lines could complete the input.
func asIncomplete(err error) error {
	var syntax *host.SyntaxError
	if errors.As(err, &syntax) && syntax.Incomplete {
		return err
	}
	return nil
}
