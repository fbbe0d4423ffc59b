package bindings_test

import (
	"context"
	"fmt"
	"os"

	"github.com/hwscript/hwscript/bindings"
	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/result"
)

// A program simulates a machine in ten lines.
func ExampleNewHost() {
	h, err := bindings.NewHost(&bindings.Session{Report: &result.Report{}}, host.Options{Stdout: os.Stdout, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	if err := h.Run(context.Background(), "ipi.lua", `
		local m = require("hw").machine("virt", { jitter = false, linux = { ipi_barrier = "dsb_ishst" } })
		m:run(0, function(cpu) cpu:smp_call_function_single(1) end)
		print("one IPI took " .. m:now() / 1000 .. " ns")`); err != nil {
		fmt.Println(err)
	}
	// Output: one IPI took 1081 ns
}

// The results of a script are in the session's report; a mistake has its place.
func ExampleSession() {
	report := &result.Report{}
	h, err := bindings.NewHost(&bindings.Session{Report: report}, host.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Close()
	err = h.Run(context.Background(), "compare.lua", `
		local hw, bench = require "hw", require "bench"
		local function machine(barrier)
		  return function() return hw.machine("virt", { jitter = false, linux = { ipi_barrier = barrier } }) end
		end
		bench.compare {
		  name = "call", unit = "ps", runs = 1, { "dsb", machine "dsb_ishst" }, { "none", machine "none" },
		  body = function(m)
		    m:run(0, function(cpu) cpu:smp_call_function_single(1) end)
		    return m:now()
		  end,
		}
		hw.machin "virt"`)
	for _, r := range report.Results {
		fmt.Println(r.Name, r.Case, r.Values, r.Unit)
	}
	fmt.Println(err)
	// Output:
	// call dsb [1081000] ps
	// call none [969500] ps
	// compare.lua:13: module hw has no "machin"; did you mean "machine"?
}
