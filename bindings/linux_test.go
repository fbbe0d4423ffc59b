package bindings

import "testing"

// TestKernelPathIsRestored replaces gic_ipi_send_mask by a function that sends nothing slowly, and gives the kernel's
// own back: the IPI takes as long as on a machine where nothing was replaced.
func TestKernelPathIsRestored(t *testing.T) {
	h := newInspected(t)
	if err := h.Run(t.Context(), "input", `
		local function ipi(m)
			return m:run(0, function(cpu) cpu:smp_call_function_single(1); return cpu:now() end)
		end
		local calls = 0
		local function replace(m)
			m.linux.gic_ipi_send_mask = function(cpu, mask, intid)
				calls = calls + 1
				cpu:exec(1000)
				cpu:msr("ICC_SGI1R_EL1", mask:target_list(1) + intid * 2^24)
			end
		end
		local untouched, replaced, restored = hw.machine "virt", hw.machine "virt", hw.machine "virt"
		replace(replaced)
		replace(restored)
		check.eq(type(restored.linux.gic_ipi_send_mask), "function")
		restored.linux.gic_ipi_send_mask = nil
		check.eq(restored.linux.gic_ipi_send_mask, nil)
		local time = ipi(untouched)
		check.ok(ipi(replaced) > time)
		check.eq(calls, 1)
		check.eq(ipi(restored), time)
		check.eq(calls, 1)`); err != nil {
		t.Error(err)
	}
}

// TestErrorObjectSurvivesARun raises a table in a CPU's program.
func TestErrorObjectSurvivesARun(t *testing.T) {
	h := newInspected(t)
	const raise = `
		local object = setmetatable({ code = 7 }, { __tostring = function(e) return "code " .. e.code end })
		local m = hw.machine "virt"
		local function program(cpu)
			cpu:exec(10)
			error(object)
		end
	`
	if err := h.Run(t.Context(), "input", raise+`
		local ok, e = pcall(m.run, m, 0, program)
		check.eq(ok, false)
		check.ok(rawequal(e, object))
		check.eq(tostring(e), "code 7")
		m:spawn(1, function(cpu) cpu:smp_call_function_single(2, program) end)
		ok, e = pcall(m.run, m)
		check.ok(rawequal(e, object))`); err != nil {
		t.Error(err)
	}
	err := h.Run(t.Context(), "input", raise+"m:run(0, program)")
	if want := "input:6: code 7 (in the program of CPU0 at 5.000 ns)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
