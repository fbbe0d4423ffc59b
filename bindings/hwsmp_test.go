package bindings

import (
	"strings"
	"testing"

	"github.com/hwscript/hwscript/host"
	"github.com/hwscript/hwscript/host/api"
	"github.com/hwscript/hwscript/host/result"
)

// outcomeOf is what a script returns, or its error.
func outcomeOf(t *testing.T, script string) string {
	t.Helper()
	h, err := NewHost(&Session{Report: &result.Report{}}, host.Options{Seed: 1, Preload: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	values, err := h.Eval(t.Context(), "input", script)
	if err != nil {
		return err.Error()
	}
	text := make([]string, len(values))
	for i, v := range values {
		text[i] = api.ToString(v)
	}
	return strings.Join(text, "\t")
}

// TestSMPPaths: the kernel's paths to many CPUs from Lua: whom they run on, and what they refuse by which words.
func TestSMPPaths(t *testing.T) {
	for _, row := range []struct{ name, script, want string }{
		{"on_each_cpu", `
local m = hw.machine("virt", { linux = { maxcpus = 3 } })
local sum = m:shared(0)
m:run(1, function(cpu) cpu:on_each_cpu(function(on) sum:add(10 ^ on:id()) end) end)
return sum:get()`, "111"},
		{"smp_call_function_many", `
local m = hw.machine("virt", { cpus = 5 })
local sum = m:shared(0)
m:run(1, function(cpu) cpu:smp_call_function_many({ 1, 2, 4 }, function(on) sum:add(10 ^ on:id()) end) end)
return sum:get()`, "10100"},
		{"hotplug", `
local m = hw.machine("virt")
m:run(0, function(cpu) cpu:cpu_down(2) end)
local down = #m.linux:cpus("online")
m:run(0, function(cpu) cpu:cpu_up(2) end)
return down, #m.linux:cpus("online")`, "3\t4"},
		{"stop", `
local m = hw.machine("virt")
m:run(1, function(cpu) cpu:smp_send_stop() end)
m:run()
return inspect(m.linux:cpus("online"))`, "{1}"},
		{"parked", `
local m = hw.machine("virt", { linux = { maxcpus = 3 } })
m:run(1, function(cpu) cpu:smp_send_stop(); cpu:ipi_send_mask(1, { 0 }) end)
m:run()
return tostring(m:cpu(0)):match(": (.*), at"), tostring(m:cpu(2)):match(": (.*), at"),
  tostring(m:cpu(3)):match(": (.*), at")`, "parked, kept awake by an interrupt that nobody takes	parked	off"},
		{"perf adds up", `
local m = hw.machine("virt")
local spent
local p = m:perf(0, function()
  m:run(0, function(cpu) local from = cpu:now(); cpu:on_each_cpu(); spent = cpu:now() - from end)
end)
local self = 0
for _, f in ipairs(p.functions) do self = self + f.self end
return self == p.total, p.ps.smp_call_function_many_cond == spent`, "true\ttrue"},
		{"last CPU", `hw.machine("virt", { cpus = 1 }):run(0, function(cpu) cpu:cpu_down(0) end)`,
			"CPU:cpu_down: CPU 0 is the last one online"},
		{"online already", `hw.machine("virt"):run(0, function(cpu) cpu:cpu_up(1) end)`,
			"CPU:cpu_up: CPU 1 is online already"},
		{"offline sender", `
local m = hw.machine("virt", { linux = { maxcpus = 2 } }); m:run(3, function(cpu) cpu:on_each_cpu() end)`,
			"CPU3 is off"},
		{"mask", `hw.machine("virt", { linux = { nr_cpus = 3 } }):run(0, function(cpu) cpu:ipi_send_mask(1, { 3 }) end)`,
			"CPUs from 0 to 2, which is below nr_cpu_ids, not 3"},
		{"per_aff0", `hw.machine("arm80", { per_aff0 = 3 })`, "per_aff0: expected a divisor of the 80 CPUs, got 3"},
		{"no NMIs", `hw.machine("virt"):run(0, function(cpu) cpu:pause_remote_cpus() end)`,
			"CPU:pause_remote_cpus: virt has no pseudo-NMIs"},
		{"no pause", `hw.machine("arm80"):run(0, function(cpu) cpu:resume_remote_cpus() end)`,
			"CPU:resume_remote_cpus: no CPU has called pause_remote_cpus"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := outcomeOf(t, row.script); !strings.Contains(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
