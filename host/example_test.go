package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
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
