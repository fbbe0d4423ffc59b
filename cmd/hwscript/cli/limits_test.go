package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hwscript/hwscript/host"
)

// TestLimits ends programs of CPUs by each of the limits, and expects one line that says where.
func TestLimits(t *testing.T) {
	const program = `local m = require("hw").machine("virt", { jitter = false })
m:run(0, function(cpu)
  local all = {}
  while true do pcall(function() all[#all + 1] = {} end) end
end)
`
	path := filepath.Join(t.TempDir(), "program.lua")
	if err := os.WriteFile(path, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ flag, want string }{
		{"--budget=1000", ":4: stopped with machine virt at 0.000 ns: the budget of 1000 instructions is used up\n"},
		{"--timeout=20ms", ": the time limit of 20ms is over\n"},
		{"--max-memory=64M", ":4: stopped with machine virt at 0.000 ns: the memory limit of 64 MiB is reached\n"},
	} {
		status, stdout, stderr := command(strings.NewReader(""), "run", c.flag, path)
		oneLine := strings.Count(stderr, "\n") == 1
		if status != statusFailed || stdout != "" || !oneLine || !strings.HasPrefix(stderr, path) ||
			!strings.HasSuffix(stderr, c.want) {
			t.Errorf("%s: status %d, output %q, error %q", c.flag, status, stdout, stderr)
		}
	}
}

// TestLimitsOfExplorations ends a program that is explored: the line is where it stood, the words say what was covered,
// however many hosts share the exploration.
func TestLimitsOfExplorations(t *testing.T) {
	const program = `local m = require("hw").machine "virt"
require("explore").run { name = "endless", machine = m, program = function() m:spawn(0, function(cpu)
    local all = {}
    while true do pcall(function() all[#all + 1] = {} end) end
  end) end }
`
	path := filepath.Join(t.TempDir(), "program.lua")
	if err := os.WriteFile(path, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ flag, want string }{
		{"--budget=1000", "the budget of 1000 instructions is used up"},
		{"--max-memory=64M", "the memory limit of 64 MiB is reached"},
	} {
		for _, jobs := range []string{"1", "2"} {
			want := path + ":4: stopped with explore.run: endless: stopped after 0 executions: " + c.want + "\n"
			status, stdout, stderr := command(strings.NewReader(""), "run", "-j", jobs, c.flag, path)
			if status != statusFailed || stdout != "" || stderr != want {
				t.Errorf("%s -j %s: status %d, output %q, error %q, want %q", c.flag, jobs, status, stdout, stderr, want)
			}
		}
	}
}

// TestInterruptionSaysHowFar: what a signal ends is told with what a limit would be told with.
func TestInterruptionSaysHowFar(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	stopped := &host.StoppedError{
		File: "a.lua", Line: 3, Place: "explore.run: x: stopped after 5 executions", Err: context.Canceled,
	}
	text, status := (&app{ctx: ctx}).interruption(stopped)
	if want := "interrupted at a.lua:3, explore.run: x: stopped after 5 executions"; text != want || status != 130 {
		t.Errorf("%q, status %d, want %q", text, status, want)
	}
}

// TestLimitsKeepResults expects limits that are not reached to change nothing.
func TestLimitsKeepResults(t *testing.T) {
	args := []string{"run", "-e",
		`hw.machine("virt"):run(0, function(cpu) cpu:smp_call_function_single(1) return cpu:now() .. "" end)`}
	status, want, stderr := command(strings.NewReader(""), args...)
	if status != statusDone {
		t.Fatal(stderr)
	}
	args = append(args, "--budget", "100000", "--timeout", "1h", "--max-memory", "8GiB")
	if status, got, stderr := command(strings.NewReader(""), args...); status != statusDone || got != want {
		t.Errorf("status %d, printed %q, want %q: %s", status, got, want, stderr)
	}
}

func TestSize(t *testing.T) {
	for _, c := range []struct {
		text string
		want size // -1: refused
	}{
		{"0", 0}, {"4096", 4096}, {"64K", 64 << 10}, {"512M", 512 << 20}, {"512MB", 512 << 20}, {"4GiB", 4 << 30},
		{"1T", 1 << 40}, {"", -1}, {"M", -1}, {"5KM", -1}, {"-1", -1}, {"1.5G", -1}, {"9000000T", -1}, {"1 M", -1},
	} {
		got := size(-1)
		if err := got.Set(c.text); (err != nil) != (c.want < 0) || got != c.want {
			t.Errorf("%q: %d %v, want %d", c.text, got, err, c.want)
		}
	}
}
