package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hwscript/hwscript/host"
)

// limits returns what the flags allow the script.
func (o *runOptions) limits() host.Limits {
	return host.Limits{
		Instructions: int64(min(o.budget, math.MaxInt64)),
		Memory:       int64(o.maxMemory),
	}
}

// limitTime returns a context that ends after a time, 0 being none. This limit is for whoever waits at the terminal:
// where it ends a script depends on the machine, so nothing that is to be repeatable has it.
func limitTime(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, timeout, &host.LimitError{
		Msg: fmt.Sprintf("the time limit of %v is over", timeout),
		Err: context.DeadlineExceeded,
	})
}

// size is the value of a flag: bytes, with K, M, G or T for powers of 1024.
type size int64

// String is part of pflag.Value. An empty text keeps a default of 0 out of the help.
func (s *size) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*s), 10)
}

var sizePattern = regexp.MustCompile(`^([0-9]+)([KMGT]?)(i?B)?$`)

// Set is part of pflag.Value.
func (s *size) Set(text string) error {
	m := sizePattern.FindStringSubmatch(text)
	if m == nil {
		return errors.New("expected a number of bytes, or of K, M, G or T")
	}
	shift := 0
	if m[2] != "" {
		shift = 10 * (1 + strings.Index("KMGT", m[2]))
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil || n > math.MaxInt64>>shift {
		return errors.New("more than there can be")
	}
	*s = size(n << shift)
	return nil
}

// Type is part of pflag.Value.
func (s *size) Type() string { return "size" }

// jobs is the value of a flag: the number of hosts that share a script's runs; 0: as many as there are cores.
type jobs int

// String is part of pflag.Value.
func (j *jobs) String() string {
	if *j == 0 {
		return ""
	}
	return strconv.Itoa(int(*j))
}

// maxJobs bounds the hosts of one script, each of which holds machines of its own.
const maxJobs = 1024

// Set is part of pflag.Value.
func (j *jobs) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxJobs {
		return fmt.Errorf("expected a number of hosts from 1 to %d", maxJobs)
	}
	*j = jobs(n)
	return nil
}

// Type is part of pflag.Value.
func (j *jobs) Type() string { return "jobs" }

// single reports whether what the script does is to be seen in its order: one host runs it.
func (o *runOptions) single() bool {
	return o.interactive || o.replay != "" || o.traceText != "" || o.folded != "" || o.timeline != ""
}
