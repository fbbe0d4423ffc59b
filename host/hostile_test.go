package host_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hwscript/hwscript/bindings"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

// hostile is a script of testdata/hostile. Its first line gives the limits, its second what must come of it.
type hostile struct {
	name, source, outcome string
	limits                host.Limits
	timeout               time.Duration // of the context; 0: none
}

func readHostile(t testing.TB, path string) hostile {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitN(string(text), "\n", 3)
	c := hostile{name: filepath.Base(path)}
	c.source = lines[2]
	c.outcome = strings.TrimPrefix(lines[1], "--! ")
	for _, limit := range strings.Fields(strings.TrimPrefix(lines[0], "--!")) {
		name, value, _ := strings.Cut(limit, "=")
		switch name {
		case "budget":
			c.limits.Instructions, err = strconv.ParseInt(value, 10, 64)
		case "memory":
			c.limits.Memory, err = strconv.ParseInt(strings.TrimSuffix(value, "MiB"), 10, 64)
			c.limits.Memory <<= 20
		case "timeout":
			c.timeout, err = time.ParseDuration(value)
		default:
			err = fmt.Errorf("no limit %q", name)
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	return c
}

// run runs the script and returns its outcome, and how long it took.
func (c hostile) run(t testing.TB, limits host.Limits, timeout time.Duration) (string, time.Duration) {
	t.Helper()
	var out bytes.Buffer
	h, err := bindings.NewHost(&bindings.Session{Report: &result.Report{}}, host.Options{
		Modules: []*api.Module{goModule}, Preload: true, Stdout: &out, Stderr: &out, Limits: limits,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	ctx := context.Background()
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	start := time.Now()
	err = h.Run(ctx, c.name, c.source)
	took := time.Since(start)
	var internal *host.InternalError
	if errors.As(err, &internal) {
		t.Errorf("%s: %v\n%s", c.name, err, internal.Stack)
	}
	if values, err := h.Eval(context.Background(), "after", "6 * 7"); err != nil || values[0].String() != "42" {
		t.Errorf("%s: the host is not usable afterwards: %v %v", c.name, values, err)
	}
	if err == nil {
		return "ok", took
	}
	return when.ReplaceAllString(err.Error(), "at some time$1"), took
}

// when is where in simulated time a machine was stopped, which depends on the memory in use.
var when = regexp.MustCompile(`at [0-9.]+ ns(: the memory)`)

// TestHostile runs scripts that mean harm. Each must end as it says, and the host be usable afterwards. A second run is
// under a deadline instead of its budget, which may find the script anywhere. It shows how long a script can hold the
// deadline up; times are logged only, because they are the machine's.
func TestHostile(t *testing.T) {
	paths, err := filepath.Glob("testdata/hostile/*.lua")
	if err != nil || len(paths) < 30 {
		t.Fatalf("found %d scripts: %v", len(paths), err)
	}
	const deadline = 10 * time.Millisecond
	for _, path := range paths {
		c := readHostile(t, path)
		t.Run(strings.TrimSuffix(c.name, ".lua"), func(t *testing.T) {
			outcome, took := c.run(t, c.limits, c.timeout)
			if outcome != c.outcome {
				t.Errorf("%s ended with\n%s\nwant\n%s", path, outcome, c.outcome)
			}
			late := host.Limits{Memory: max(c.limits.Memory, 32<<20)}
			_, second := c.run(t, late, deadline)
			t.Logf("%7.1f ms, with a deadline of %v %7.1f ms: %s", ms(took), deadline, ms(second), outcome)
		})
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
