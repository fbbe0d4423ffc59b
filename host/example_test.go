package host_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// A program embeds the host in ten lines.
func Example() {
	h, err := host.New(host.Options{Stdout: os.Stdout})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	if err := h.Run(context.Background(), "hello.lua", `print("hello", 6 * 7)`); err != nil {
		fmt.Println(err)
	}
	// Output: hello	42
}

// A module of one's own is a descriptor; the argument checks and their messages come from it.
func ExampleNew_module() {
	greet := &api.Module{Name: "greet", Doc: "Greetings.", Funcs: []api.Func{{
		Name: "times", Doc: "Greets several times.",
		Params: []api.Param{
			api.P("name", api.String(), "whom to greet"),
			api.Opt("count", api.Int(1, 3), "1", "how many times"),
		},
		Returns: []api.Param{api.P("text", api.String(), "the greetings")},
		Example: `greet.times("Ada", 2)`,
		Fn: func(L *lua.LState) int {
			text := ""
			for range api.OptIntAt(L, 2, 1) {
				text += "[hello " + api.StringAt(L, 1) + "]"
			}
			L.Push(lua.LString(text))
			return 1
		},
	}}}
	h, err := host.New(host.Options{Modules: []*api.Module{greet}, Stdout: os.Stdout})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	fmt.Println(h.Run(context.Background(), "greet.lua", `
		local greet = require "greet"
		print(greet.times("Ada", 2))
		greet.times("Ada", 4)`))
	// Output:
	// [hello Ada][hello Ada]
	// greet.lua:4: greet.times: argument 2 "count": expected integer in 1..3, got 4
}

// A context ends a script, whatever it is doing.
func ExampleHost_Run_context() {
	h, err := host.New(host.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	err = h.Run(ctx, "endless.lua", `while true do pcall(error) end`)
	fmt.Println(errors.Is(err, context.DeadlineExceeded), err)
	// Output: true endless.lua:1: stopped: context deadline exceeded
}

// What a script prints goes to any io.Writer.
func ExampleHost_Run_output() {
	var out bytes.Buffer
	h, err := host.New(host.Options{Stdout: &out})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	if err := h.Run(context.Background(), "lines.lua", `for i = 1, 3 do print(i, i * i) end`); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%q\n", out.String())
	// Output: "1\t1\n2\t4\n3\t9\n"
}

// Scripts that are not trusted get limits, and a context with a deadline. The host can be used again afterwards.
func ExampleLimits() {
	h, err := host.New(host.Options{Limits: host.Limits{Instructions: 100_000, Memory: 256 << 20}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err = h.Run(ctx, "endless.lua", "while true do\n  pcall(error)\nend")
	var limit *host.LimitError
	fmt.Println(errors.As(err, &limit), err)
	err = h.Run(ctx, "pattern.lua", `return string.rep("a", 1000):find(string.rep("a-", 20) .. "b")`)
	fmt.Println(err)
	fmt.Println(h.Run(ctx, "next.lua", `return 6 * 7`))
	// Output:
	// true endless.lua:2: stopped: the budget of 100000 instructions is used up
	// pattern.lua:1: stopped: the budget of 100000 instructions is used up
	// <nil>
}

// Hosts share nothing, so each goroutine has its own. Random numbers depend on the seed alone.
func ExampleNew_parallel() {
	results := make([]float64, 4)
	var wait sync.WaitGroup
	for i := range results {
		wait.Go(func() {
			h, err := host.New(host.Options{Seed: uint64(i % 2)})
			if err != nil {
				return
			}
			defer h.Close()
			values, err := h.Eval(context.Background(), "dice", `math.random(6) + math.random(6)`)
			if err == nil {
				results[i] = float64(values[0].(lua.LNumber))
			}
		})
	}
	wait.Wait()
	fmt.Println(results[0] == results[2], results[1] == results[3])
	// Output: true true
}

// The values of an expression, or those that a script returns, are Lua values; each kind has a Go type.
func ExampleHost_Eval_values() {
	h, err := host.New(host.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	values, err := h.Eval(context.Background(), "results.lua", `
		local times = {}
		for i = 1, 3 do times[i] = i * 1.5 end
		return "ipi", 96, true, times, nil`)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range values {
		switch v := v.(type) {
		case lua.LString:
			fmt.Println("string", string(v))
		case lua.LNumber:
			fmt.Println("number", float64(v))
		case lua.LBool:
			fmt.Println("boolean", bool(v))
		case *lua.LTable:
			sum := 0.0
			for i := 1; i <= v.Len(); i++ {
				sum += float64(v.RawGetInt(i).(lua.LNumber))
			}
			fmt.Println("table with the sum", sum)
		case *lua.LNilType:
			fmt.Println("nil")
		}
	}
	// Output:
	// string ipi
	// number 96
	// boolean true
	// table with the sum 9
	// nil
}

// Results of a script come back as Lua values.
func ExampleHost_Eval() {
	h, err := host.New(host.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	values, err := h.Eval(context.Background(), "input", `{cpus = 4, name = "virt"}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	table := values[0].(*lua.LTable)
	fmt.Println(table.RawGetString("name"), table.RawGetString("cpus"), api.Inspect(table))
	// Output: virt 4 {cpus = 4, name = "virt"}
}
