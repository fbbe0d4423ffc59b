package bindings_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hwscript/hwscript/bindings"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

// stopper runs inputs on a host, and stops them.
type stopper struct {
	t    *testing.T
	host *host.Host
}

func newStopper(t *testing.T) *stopper {
	t.Helper()
	s := &bindings.Session{Report: &result.Report{}, Interactive: true}
	h, err := bindings.NewHost(s, host.Options{Preload: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return &stopper{t, h}
}

func (s *stopper) eval(code string) string {
	s.t.Helper()
	values, err := s.host.Eval(context.Background(), "test", code)
	if err != nil {
		s.t.Fatalf("%s: %v", code, err)
	}
	return api.Inspect(values...)
}

// stop runs code, stops it after a moment, and returns the error. It has to come within 100 ms; loaded test machines
// get more.
func (s *stopper) stop(code string) *host.StoppedError {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var asked time.Time
	timer := time.AfterFunc(5*time.Millisecond, func() { asked = time.Now(); cancel() })
	defer timer.Stop()
	_, err := s.host.Eval(ctx, "test", code)
	took := time.Since(asked)
	var stopped *host.StoppedError
	if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) {
		s.t.Fatalf("%s: %v", code, err)
	}
	if took > time.Second {
		s.t.Errorf("%s: stopped after %v", code, took)
	}
	return stopped
}

func TestStoppedRunGoesOn(t *testing.T) {
	for name, program := range map[string]string{
		"accesses that hit":  `for i = 1, 1e6 do cpu:load(a); n = i end`,
		"work without end":   `for i = 1, 1e6 do cpu:exec(1) n = i end`,
		"interrupts":         `for i = 1, 1e5 do cpu:smp_call_function_single(1); n = i end`,
		"inside pcall":       `for i = 1, 3e5 do pcall(function() cpu:store(a, i) n = i end) end`,
		"inside a coroutine": `coroutine.wrap(function() for i = 1, 6e5 do cpu:store(a, i) n = i end end)()`,
		"printing":           `for i = 1, 6e5 do print(i) n = i end`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newStopper(t)
			s.eval(`m = hw.machine("virt", { cpus = 2 }); a = m:lines(1):addr(0); n = 0`)
			stopped := s.stop(`m:run(0, function(cpu) ` + program + ` return "done" end)`)
			if !strings.HasPrefix(stopped.Place, "machine virt at ") {
				t.Errorf("place %q", stopped.Place)
			}
			before := s.eval(`n`)
			if before == "0" {
				t.Skip("stopped before it had begun")
			}
			if got := s.eval(`m:cpu(0)`); !strings.HasPrefix(got, "CPU 0 of virt: runs") && !strings.Contains(got, "waits") {
				t.Errorf("CPU 0 is %q", got)
			}
			if got := s.eval(`m:continue()`); got != `"done"` {
				t.Errorf("goes on to %q from %s", got, before)
			}
			if got := s.eval(`m:continue()`); got != "" {
				t.Errorf("goes on once more to %q", got)
			}
		})
	}
}

// TestStoppingChangesNothing expects a run that was stopped and went on to be the same as one that was not.
func TestStoppingChangesNothing(t *testing.T) {
	const setup = `m = hw.machine("virt", { cpus = 4 }); a = m:lines(1):addr(0)
m:spawn(1, function(cpu) for i = 1, 1e5 do cpu:fetch_add(a, 1); cpu:exec(7) end end)
function program(cpu)
  for i = 1, 5e4 do cpu:fetch_add(a, 1); cpu:smp_call_function_single(2) end
  return cpu:now(), cpu:load(a)
end`
	plain := newStopper(t)
	plain.eval(setup)
	want := plain.eval(`m:run(0, program)`)
	s := newStopper(t)
	s.eval(setup)
	s.stop(`m:run(0, program)`)
	if got := s.eval(`m:continue()`); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestProgramWithoutAccessesIsEnded(t *testing.T) {
	s := newStopper(t)
	s.eval(`m = hw.machine("virt", { cpus = 2 })`)
	stopped := s.stop("m:run(0, function(cpu)\nwhile true do pcall(function() end) end end)")
	if stopped.Line != 2 || !strings.HasPrefix(stopped.Place, "machine virt at ") {
		t.Errorf("got %+v", stopped)
	}
	if got := s.eval(`m:cpu(0)`); !strings.Contains(got, "idle") {
		t.Errorf("CPU 0 is %q", got)
	}
	if got := s.eval(`m:run(0, function(cpu) return cpu:id() end)`); got != "0" {
		t.Errorf("the CPU answers %q", got)
	}
}

func TestStoppedScriptLeavesTheMachine(t *testing.T) {
	s := newStopper(t)
	s.eval(`m = hw.machine("virt", { cpus = 2 })`)
	if stopped := s.stop("while true do end"); stopped.Place != "" {
		t.Errorf("place %q", stopped.Place)
	}
	// A script that catches the error of the run cannot go on either.
	s.stop(`while true do pcall(function() m:run(0, function(cpu) while true do cpu:exec(1) end end) end) end`)
	if got := s.eval(`m:cpu(0)`); !strings.HasPrefix(got, "CPU 0 of virt: runs") {
		t.Errorf("CPU 0 is %q", got)
	}
	s.stop(`m:continue()`)
}
