package bindings_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/hwscript/hwscript/bindings"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

// stopper runs inputs on a host. They stop themselves: stop() in them does what Ctrl-C does, and returns when the host
// knows of it, so that where they are stopped does not depend on how long anything takes.
type stopper struct {
	t      *testing.T
	host   *host.Host
	cancel context.CancelFunc
	notes  strings.Builder
}

func newStopper(t *testing.T) *stopper {
	t.Helper()
	s := &bindings.Session{Report: &result.Report{}, Interactive: true}
	st := &stopper{t: t}
	h, err := bindings.NewHost(s, host.Options{Preload: true, Stdout: io.Discard, Stderr: &st.notes})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	st.host = h
	h.State().SetGlobal("stop", h.State().NewFunction(func(*lua.LState) int {
		st.cancel()
		for !h.Stopped() {
			runtime.Gosched()
		}
		return 0
	}))
	return st
}

func (s *stopper) eval(code string) string {
	s.t.Helper()
	values, err := s.host.Eval(context.Background(), "test", code)
	if err != nil {
		s.t.Fatalf("%s: %v", code, err)
	}
	return api.Inspect(values...)
}

// stop runs code that stops itself, and returns the error.
func (s *stopper) stop(code string) *host.StoppedError {
	s.t.Helper()
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	defer s.cancel()
	_, err := s.host.Eval(ctx, "test", code)
	var stopped *host.StoppedError
	if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) {
		s.t.Fatalf("%s: %v", code, err)
	}
	return stopped
}

// noted checks what was said since the last time.
func (s *stopper) noted(want string) {
	s.t.Helper()
	if got := s.notes.String(); got != want {
		s.t.Errorf("said %q, want %q", got, want)
	}
	s.notes.Reset()
}

func TestStoppedRunGoesOn(t *testing.T) {
	for name, body := range map[string]string{
		"accesses that hit":  `cpu:load(a)`,
		"work":               `cpu:exec(1)`,
		"interrupts":         `cpu:smp_call_function_single(1)`,
		"inside pcall":       `pcall(function() cpu:store(a, i) end)`,
		"inside a coroutine": `coroutine.wrap(function() cpu:store(a, i) end)()`,
		"printing":           `print(i)`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newStopper(t)
			s.eval(`m = hw.machine("virt", { cpus = 2 }); a = m:lines(1):addr(0); n = 0`)
			stopped := s.stop(`m:run(0, function(cpu)
				for i = 1, 200 do
					if i == 100 then stop() end
					` + body + `
					n = i
				end
				return "done"
			end)`)
			if !strings.HasPrefix(stopped.Place, "machine virt at ") {
				t.Errorf("place %q", stopped.Place)
			}
			if got := s.eval(`n`); got != "99" {
				t.Errorf("stopped after %s rounds, not before the step that follows", got)
			}
			if got := s.eval(`m:cpu(0)`); !strings.HasPrefix(got, "CPU 0 of virt: runs") && !strings.Contains(got, "waits") {
				t.Errorf("CPU 0 is %q", got)
			}
			if got := s.eval(`m:continue()`) + s.eval(`n`); got != `"done"200` {
				t.Errorf("goes on to %q", got)
			}
			if got := s.eval(`m:continue()`); got != "" {
				t.Errorf("goes on once more to %q", got)
			}
		})
	}
}

// TestInterruptWhileStopped: an interrupt that comes while a program is parked, by a register that the user writes, is
// taken before the program's next step.
func TestInterruptWhileStopped(t *testing.T) {
	s := newStopper(t)
	s.eval(`m = hw.machine("virt", { cpus = 2 }); log = {}
		m:cpu(0):on_irq(function(cpu) log[#log + 1] = "irq"; cpu:msr("ICC_EOIR1_EL1", cpu:mrs("ICC_IAR1_EL1")) end)`)
	s.stop(`m:run(0, function(cpu) stop() cpu:exec(1) log[#log + 1] = "step" cpu:exec(1) log[#log + 1] = "end" end)`)
	s.eval(`m.gicr[0].GICR_ISPENDR0 = 1`)
	s.eval(`m:continue()`)
	if got := s.eval(`table.concat(log, " ")`); got != `"irq step end"` {
		t.Errorf("got %s", got)
	}
}

// TestNewRunAfterAStop: where the user does not go on with a stopped program, its CPU runs the next one.
func TestNewRunAfterAStop(t *testing.T) {
	for name, body := range map[string]string{
		"work":            `cpu:exec(1)`,
		"caught":          `pcall(cpu.store, cpu, a, 1)`,
		"on a coroutine":  `coroutine.wrap(function() cpu:store(a, 1) end)()`,
		"an IPI's caller": `cpu:smp_call_function_single(1, nil, true)`,
		"a handler":       `cpu:smp_call_function_single(0, function() while true do cpu:exec(1) end end)`,
		"another's IPI":   `cpu:smp_call_function_single(1, function(cpu) for i = 1, 50 do cpu:exec(1) end end)`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newStopper(t)
			s.eval(`m = hw.machine("virt", { cpus = 2 }); a = m:lines(1):addr(0)
				function endless(cpu) for i = 1, 1e9 do if i == 1 then stop() end ` + body + ` end end`)
			for range 3 {
				s.stop(`m:run(0, endless)`)
				if got := s.eval(`m:run(0, function(cpu)
					cpu:smp_call_function_single(1, function(cpu) cpu:store(a, 7) end) return cpu:load(a) end)`); got != "0x7" {
					t.Errorf("the next run returns %s", got)
				}
				s.noted("note: the stopped program of CPU0 is given up for the new one\n")
			}
			s.stop(`m:spawn(1, function(cpu) stop() end) m:run()`)
			s.eval(`m:spawn(0, function(cpu) cpu:store(a, 9) end) m:run()`)
			s.noted("")
			if got := s.eval(`m:run(1, function(cpu) cpu:exec(1000) return cpu:load(a) end)`); got != "0x9" {
				t.Errorf("what was spawned wrote %s", got)
			}
		})
	}
}

// TestStoppingChangesNothing expects a run that was stopped and went on to be the same as one that was not.
func TestStoppingChangesNothing(t *testing.T) {
	const setup = `m = hw.machine("virt", { cpus = 4 }); a = m:lines(1):addr(0)
m:spawn(1, function(cpu) for i = 1, 2e3 do cpu:fetch_add(a, 1); cpu:exec(7) end end)
stop_at = 0
function program(cpu)
  for i = 1, 1e3 do
    if i == stop_at then stop() end
    cpu:fetch_add(a, 1); cpu:smp_call_function_single(2)
  end
  return cpu:now(), cpu:load(a)
end`
	plain := newStopper(t)
	plain.eval(setup)
	want := plain.eval(`m:run(0, program)`)
	for _, stopAt := range []string{"1", "2", "317", "1000"} {
		s := newStopper(t)
		s.eval(setup)
		s.stop(`stop_at = ` + stopAt + ` m:run(0, program)`)
		if got := s.eval(`m:continue()`); got != want {
			t.Errorf("stopped at round %s: got %s, want %s", stopAt, got, want)
		}
	}
}

func TestProgramWithoutAccessesIsEnded(t *testing.T) {
	s := newStopper(t)
	s.eval(`m = hw.machine("virt", { cpus = 2 })`)
	stopped := s.stop("m:run(0, function(cpu)\nstop() while true do pcall(function() end) end end)")
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
	if stopped := s.stop("stop() while true do end"); stopped.Place != "" {
		t.Errorf("place %q", stopped.Place)
	}
	// A script that catches the error of the run cannot go on either.
	s.stop(`while true do pcall(function() m:run(0, function(cpu) while true do stop() cpu:exec(1) end end) end) end`)
	if got := s.eval(`m:cpu(0)`); !strings.HasPrefix(got, "CPU 0 of virt: runs") {
		t.Errorf("CPU 0 is %q", got)
	}
	s.stop(`m:continue()`)
}

// TestStoppedExploration stops explorations inside an execution, whose steps the search is about to repeat or whose
// program would never end.
func TestStoppedExploration(t *testing.T) {
	for _, body := range []string{
		`while true do tick() end`,
		`while true do tick() cpu:exec(1) end`,
		`while true do tick() cpu:load(a) end`,
		`while true do tick() pcall(cpu.load, cpu, a) end`,
		`while true do tick() cpu:store(a, 1) end`,
		`for i = 1, 5 do tick() cpu:store(a, i) end`,
	} {
		for _, at := range []string{"1", "3", "40", "100"} {
			if testing.Short() && len(at) > 2 {
				continue
			}
			s := newStopper(t)
			var n lua.LNumber
			s.host.State().SetGlobal("tick", s.host.State().NewFunction(func(L *lua.LState) int {
				if n++; n.String() == at {
					s.cancel()
					for !s.host.Stopped() {
						runtime.Gosched()
					}
				}
				return 0
			}))
			s.stop(`explore.run { name = "endless", machine = hw.machine("virt", { cpus = 2 }), program = function(m)
				local a = m:lines(1):addr(0)
				m:spawn(0, function(cpu) for i = 1, 6 do cpu:load(a) end end)
				m:spawn(1, function(cpu) ` + body + ` end) end } while true do end`)
		}
	}
}

// TestStoppedExplorationSaysHowFar: an exploration that is stopped says what it has covered.
func TestStoppedExplorationSaysHowFar(t *testing.T) {
	s := newStopper(t)
	stopped := s.stop(`explore.run { name = "x", machine = hw.machine("virt", { cpus = 4 }), check = function() stop() end,
			program = function(m)
				local a = m:lines(1):addr(0)
				for c = 0, 3 do m:spawn(c, function(cpu) for i = 1, 4 do cpu:store(a, c) cpu:load(a) end end) end
			end }`)
	if !strings.HasPrefix(stopped.Place, "explore.run: x: stopped after ") {
		t.Errorf("place %q", stopped.Place)
	}
}
