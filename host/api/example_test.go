package api_test

import (
	"context"
	"fmt"
	"os"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	lua "github.com/yuin/gopher-lua"
)

// counter is a Go type, and counterClass what scripts see of it.
type counter struct{ total int64 }

var counterClass = &api.Class{
	Name: "Counter", Doc: "Adds up.",
	Funcs: []api.Func{{
		Name: "add", Doc: "Adds to the total and returns it.",
		Params:  []api.Param{api.P("n", api.Int(1, 100), "what to add")},
		Returns: []api.Param{api.P("total", api.Count(0), "the sum so far")},
		Example: `counter:add(5)`,
		Fn: func(L *lua.LState) int {
			c := api.Object[*counter](L, 1)
			c.total += int64(api.IntAt(L, 2))
			api.PushInt(L, c.total)
			return 1
		},
	}},
}

// A class is a descriptor; objects of it are made around Go values.
func ExampleClass() {
	h, err := host.New(host.Options{Stdout: os.Stdout})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	h.State().SetGlobal("counter", counterClass.New(h.State(), &counter{}))
	for _, line := range []string{`counter:add(40) print(counter:add(2))`, `counter:add(0.5)`, `counter:addd(1)`} {
		if err := h.Run(context.Background(), "script.lua", line); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// 42
	// script.lua:1: Counter:add: argument 1 "n": expected integer in 1..100, got 0.5, which is not an integer
	// script.lua:1: Counter has no method or field "addd"; did you mean "add"?
}
