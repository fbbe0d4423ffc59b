package host_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"testing"
	"time"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// engine is a toy simulation: its programs run on Go coroutines, by turns, and block in step. It stands for a machine
// and shows what a module has to do with threads.
type engine struct {
	programs []*program
}

type program struct {
	yield func(struct{}) bool
	next  func() (struct{}, bool)
	stop  func()
	err   error
}

// step blocks the calling program for one turn. A false answer means that the engine is being torn down.
func (p *program) step() {
	if !p.yield(struct{}{}) {
		panic(unwinding{"torn down"})
	}
}

func (e *engine) spawn(h *host.Host, fn *lua.LFunction, id int) {
	p := &program{}
	p.next, p.stop = iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if v := recover(); v != nil && v != any(unwinding{"torn down"}) {
				panic(v)
			}
		}()
		p.yield = yield
		thread := h.NewThread()
		thread.Owner = p
		_, p.err = thread.Call(fn, lua.LNumber(id))
		thread.Release()
	})
	e.programs = append(e.programs, p)
}

// run gives turns until all programs have ended, then tears down what is left after an error.
func (e *engine) run() error {
	defer func() {
		for _, p := range e.programs {
			p.stop()
		}
	}()
	for running := true; running; {
		running = false
		for _, p := range e.programs {
			if _, more := p.next(); more {
				running = true
			} else if p.err != nil {
				return p.err
			}
		}
	}
	return nil
}

var engineModule = &api.Module{Name: "engine", Funcs: []api.Func{
	{Name: "run", Params: []api.Param{api.Rest("fn", api.Function(), "programs")}, Fn: func(L *lua.LState) int {
		var e engine
		for i := 1; i <= L.GetTop(); i++ {
			e.spawn(host.Of(L), api.FunctionAt(L, i), i)
		}
		if err := e.run(); err != nil {
			api.Raise(L, err)
		}
		return 0
	}},
	{Name: "step", Fn: func(L *lua.LState) int {
		host.ThreadOf(L).Owner.(*program).step()
		return 0
	}},
	{Name: "bug", Fn: func(L *lua.LState) int { panic("BUG: inside a program") }},
}}

// TestPrograms runs programs that block inside pcall, coroutines, iterators and sort functions.
func TestPrograms(t *testing.T) {
	for _, c := range []struct{ source, want, err string }{
		{source: `local function p(id) for i = 1, 2 do print(id, i) engine.step() end end engine.run(p, p)`,
			want: "1\t1\n2\t1\n1\t2\n2\t2\n"},
		{source: `local function p(id) pcall(function() engine.step() error "x" end) print(id) end engine.run(p, p)`,
			want: "1\n2\n"},
		{source: `
			local function p(id)
				local co = coroutine.wrap(function() for i = 1, 3 do engine.step() coroutine.yield(i * id) end end)
				for _ = 1, 3 do engine.step() print(co()) engine.step() end
				print(coroutine.running() ~= nil)
			end
			engine.run(p, p)`, want: "1\n2\n2\n4\n3\n6\nfalse\nfalse\n"},
		{source: `
			local function p(id)
				local t = {3, 1, 2}
				table.sort(t, function(a, b) engine.step() return a < b end)
				print(id, (table.concat(t):gsub("2", function() engine.step() return "two" end)))
			end
			engine.run(p, p)`, want: "1\t1two3\n2\t1two3\n"},
		{source: `
			local function forever() while true do pcall(engine.step) end end
			engine.run(forever, function() engine.step() error "stop all" end, forever)`, err: "test.lua:3: stop all"},
		{source: `
			local function forever() while true do coroutine.wrap(function() pcall(engine.step) end)() end end
			pcall(engine.run, forever, function() engine.step() pcall(engine.bug) end)`, err: "BUG: inside a program"},
	} {
		var out bytes.Buffer
		h, err := host.New(host.Options{Modules: []*api.Module{engineModule}, Preload: true, Stdout: &out})
		if err != nil {
			t.Fatal(err)
		}
		before := runtime.NumGoroutine()
		err = h.Run(context.Background(), "test.lua", c.source)
		if text := fmt.Sprint(err); out.String() != c.want || (c.err == "") != (err == nil) || err != nil && text != c.err {
			t.Errorf("%s\n got %q %v\nwant %q %s", c.source, out.String(), err, c.want, c.err)
		}
		var internal *host.InternalError
		if errors.As(err, &internal) && !bytes.Contains(internal.Stack, []byte("pull_test.go")) {
			t.Errorf("the stack does not show the program:\n%s", internal.Stack)
		}
		if left := goroutinesLeft(before); left > 0 {
			t.Errorf("%s: %d goroutines are left", c.source, left)
		}
		h.Close()
	}
}

// goroutinesLeft is how many more goroutines there are than before. One that has ended may still be counted for a
// moment, and one of an earlier test may end meanwhile.
func goroutinesLeft(before int) int {
	for range 60_000 {
		if runtime.NumGoroutine() <= before {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return runtime.NumGoroutine() - before
}
