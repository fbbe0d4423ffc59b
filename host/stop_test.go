package host_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// TestCancel stops scripts that catch every error.
func TestCancel(t *testing.T) {
	for _, source := range []string{
		`while true do end`,
		`while true do pcall(function() while true do end end) end`,
		`while true do local co = coroutine.wrap(function() while true do end end) pcall(co) end`,
		`go.thread(function() while true do pcall(function() while true do end end) end end)`,
		`go.thread(function() coroutine.wrap(function() while true do pcall(error) end end)() end)`,
		`local co = coroutine.create(function() while true do end end) go.thread(function() coroutine.resume(co) end)`,
		`xpcall(function() while true do end end, function() while true do end end)`,
	} {
		var out bytes.Buffer
		h := newHost(t, &out)
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(5*time.Millisecond, cancel)
		err := h.Run(ctx, "test.lua", source)
		var stopped *host.StoppedError
		if !errors.Is(err, context.Canceled) || !errors.As(err, &stopped) || host.ExitCode(err) != 130 {
			t.Errorf("%s: ended with %v", source, err)
		}
		if err := h.Run(context.Background(), "test.lua", `print "usable"`); err != nil || out.String() != "usable\n" {
			t.Errorf("after %s: %q %v", source, out.String(), err)
		}
		if err := h.Run(ctx, "test.lua", `print "again"`); !errors.Is(err, context.Canceled) {
			t.Errorf("a context that is done already let the script run: %v", err)
		}
	}
}

// TestGrace expects a program on a thread to end a number of instructions after its run is stopped, not a time.
func TestGrace(t *testing.T) {
	var ends [2]string
	for i := range ends {
		var out bytes.Buffer
		h := newHost(t, &out)
		ctx, cancel := context.WithCancel(context.Background())
		h.State().SetGlobal("stop", h.State().NewFunction(func(*lua.LState) int {
			cancel()
			for !h.Stopped() {
				runtime.Gosched()
			}
			return 0
		}))
		err := h.Run(ctx, "test.lua", `
			n, sorted = 0, {}
			for i = 1, 100 do sorted[i] = i end
			go.thread(function() stop() while true do pcall(table.sort, sorted) n = n + 1 end end)`)
		var stopped *host.StoppedError
		if !errors.As(err, &stopped) || stopped.Line != 4 {
			t.Errorf("ended with %v", err)
		}
		if err := h.Run(context.Background(), "test.lua", `print(n)`); err != nil {
			t.Error(err)
		}
		ends[i] = strings.TrimSpace(out.String())
	}
	// A round sorts 100 elements: some hundred comparisons, each of which counts.
	if n, err := strconv.Atoi(ends[0]); err != nil || n < 200 || n > 5000 || ends[1] != ends[0] {
		t.Errorf("the program goes on for %s rounds, then for %s", ends[0], ends[1])
	}
}

// TestGoPanics expects a bug in a bound function to end the script whatever pcalls stand in between.
func TestGoPanics(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`go.bug()`, "BUG: the cache line has two owners"},
		{`pcall(go.bug) print "survived"`, "BUG: the cache line has two owners"},
		{`while true do pcall(go.bug) end`, "BUG: the cache line has two owners"},
		{`pcall(go.crash)`, "BUG: runtime error: index out of range [0] with length 0"},
		{`pcall(go.thread, function() while true do pcall(go.bug) end end)`, "BUG: the cache line has two owners"},
		{`go.thread(function() local co = coroutine.wrap(go.bug) while true do pcall(co) end end)`,
			"BUG: the cache line has two owners"},
		{`go.call(function() pcall(go.bug) end)`, "BUG: the cache line has two owners"},
	} {
		var out bytes.Buffer
		h := newHost(t, &out)
		err := h.Run(context.Background(), "test.lua", c.source)
		var internal *host.InternalError
		if !errors.As(err, &internal) || err.Error() != c.want || host.ExitCode(err) != 3 || out.Len() > 0 {
			t.Errorf("%s\n got %v, printed %q\nwant %s", c.source, err, out.String(), c.want)
			continue
		}
		if !bytes.Contains(internal.Stack, []byte("host_test.go")) {
			t.Errorf("%s: the stack does not show where the panic came from:\n%s", c.source, internal.Stack)
		}
	}
}

// TestUnwind expects an Unwinder to pass through Lua as through Go.
func TestUnwind(t *testing.T) {
	for _, source := range []string{
		`return function() go.unwind() end`,
		`return function() while true do pcall(go.unwind) end end`,
		`return function() while true do coroutine.resume(coroutine.create(go.unwind)) end end`,
		`return function() go.call(function() pcall(go.unwind) end) end`,
		`return go.unwind`,
	} {
		var out bytes.Buffer
		h := newHost(t, &out)
		thread := h.NewThread()
		got := func() (v any) {
			defer func() { v = recover() }()
			_, err := thread.Call(evalFunction(t, h, source))
			return err
		}()
		if got != any(unwinding{"machine dropped"}) {
			t.Errorf("%s: came out as %v", source, got)
		}
		values, err := thread.Call(evalFunction(t, h, `return function() return 1 end`))
		if err != nil || len(values) != 1 {
			t.Errorf("the thread is not usable afterwards: %v %v", values, err)
		}
		thread.Release()
		if h.NewThread() != thread {
			t.Error("a released thread is not reused")
		}
	}
}

func evalFunction(t testing.TB, h *host.Host, source string) *lua.LFunction {
	t.Helper()
	values, err := h.Eval(context.Background(), "test.lua", source)
	if err != nil {
		t.Fatal(err)
	}
	return values[0].(*lua.LFunction)
}

func TestKill(t *testing.T) {
	var out bytes.Buffer
	h := newHost(t, &out)
	deadlock := errors.New("all CPUs wait")
	thread := h.NewThread()
	thread.Kill(errors.New("idle threads have nothing to kill"))
	stop := &api.Module{Name: "stop", Funcs: []api.Func{{Name: "now", Fn: func(*lua.LState) int {
		thread.Kill(deadlock)
		return 0
	}}}}
	h.State().SetGlobal("stop", api.NewModule(h.State(), stop))
	_, err := thread.Call(evalFunction(t, h, `function() while true do pcall(stop.now) end end`))
	if err != deadlock {
		t.Errorf("the program ended with %v", err)
	}
}

// TestSync expects print on a thread to bring its simulation up to date first.
func TestSync(t *testing.T) {
	var out bytes.Buffer
	h := newHost(t, &out)
	thread := h.NewThread()
	thread.Sync = func() { out.WriteString("synced ") }
	if _, err := thread.Call(evalFunction(t, h, `function() coroutine.wrap(print)("a") print "b" end`)); err != nil {
		t.Fatal(err)
	}
	if out.String() != "synced a\nsynced b\n" {
		t.Errorf("got %q", out.String())
	}
}

// TestReleasedThread expects a thread that is used again to know nothing of its last program.
func TestReleasedThread(t *testing.T) {
	var out bytes.Buffer
	h := newHost(t, &out)
	thread := h.NewThread()
	thread.Owner = "the last"
	thread.Sync = func() { out.WriteString("synced ") }
	thread.Release()
	if h.NewThread() != thread || thread.Owner != nil {
		t.Errorf("another thread, or its owner is %v", thread.Owner)
	}
	if _, err := thread.Call(evalFunction(t, h, `function() print "b" end`)); err != nil || out.String() != "b\n" {
		t.Errorf("printed %q, %v", out.String(), err)
	}
}

func TestFailures(t *testing.T) {
	var out bytes.Buffer
	h := newHost(t, &out)
	err := h.Run(context.Background(), "test.lua", `go.fail() go.fail() print "on"`)
	var failed *host.FailedError
	if !errors.As(err, &failed) || failed.Count != 2 || out.String() != "it failed\nit failed\non\n" {
		t.Errorf("got %v, printed %q", err, out.String())
	}
	if err := h.Run(context.Background(), "test.lua", `print "on"`); err != nil {
		t.Errorf("failures are carried into the next run: %v", err)
	}
}

// brokenPipe fails like the standard output of `hwscript ... | head`.
type brokenPipe struct{ writes int }

func (b *brokenPipe) Write([]byte) (int, error) {
	b.writes++
	return 0, errPipe
}

var errPipe = errors.New("broken pipe")

func TestOutputFails(t *testing.T) {
	pipe := &brokenPipe{}
	h, err := host.New(host.Options{Stdout: pipe})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	err = h.Run(context.Background(), "test.lua", `while true do pcall(print, "x") end`)
	if !errors.Is(err, errPipe) || pipe.writes != 1 {
		t.Errorf("ended with %v after %d writes", err, pipe.writes)
	}
}

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0}, {&host.ScriptError{}, 1}, {&host.SyntaxError{}, 1}, {&host.FailedError{Count: 1}, 1},
		{fmt.Errorf("x: %w", &host.UsageError{}), 2}, {&host.ScriptError{Err: &host.UsageError{}}, 2},
		{&host.InternalError{Value: 1}, 3}, {&host.StoppedError{Err: context.Canceled}, 130},
		{&host.StoppedError{Err: context.DeadlineExceeded}, 1},
	} {
		if got := host.ExitCode(c.err); got != c.want {
			t.Errorf("%T: %d, want %d", c.err, got, c.want)
		}
	}
}

func TestModuleNames(t *testing.T) {
	for _, names := range [][]string{{"a", "a"}, {"math"}, {"print"}} {
		var modules []*api.Module
		for _, name := range names {
			modules = append(modules, &api.Module{Name: name})
		}
		if _, err := host.New(host.Options{Modules: modules}); err == nil {
			t.Errorf("modules %v were accepted", names)
		}
	}
}

const mixedScript = `
local t = {}
for i = 1, 200 do t[#t + 1] = math.random(1000) end
table.sort(t)
local co = coroutine.wrap(function() for i = 1, 100 do coroutine.yield(i) end return 0 end)
for i = 1, 50 do t[#t + 1] = go.thread(function(x) return x + co() end) end
for k, v in pairs(math) do t[#t + 1] = k end
print(table.concat(t, " "), math.random(), {}, pcall(error, t))`

// TestParallel runs several hosts at once; each prints the same, run after run.
func TestParallel(t *testing.T) {
	const hosts = 8
	outs := make([]bytes.Buffer, hosts)
	var wait sync.WaitGroup
	for i := range outs {
		h := newHost(t, &outs[i])
		wait.Go(func() {
			if err := h.Run(context.Background(), "test.lua", mixedScript); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for i := range outs {
		if outs[i].Len() == 0 || outs[i].String() != outs[0].String() {
			t.Fatalf("host %d printed\n%s\nhost 0\n%s", i, outs[i].String(), outs[0].String())
		}
	}
}
