package bindings

import "testing"

// TestCosts: a script sets costs of the kernel's code and latencies by name, and reads both with their ranges.
func TestCosts(t *testing.T) {
	output(t, `
		local function call(changes)
			local m = hw.machine("virt", changes)
			return m, m:run(0, function(cpu)
				cpu:smp_call_function_single(1)
				local start = cpu:now()
				cpu:smp_call_function_single(1)
				return cpu:now() - start
			end)
		end
		local function named(list, name)
			for i = 1, #list do
				if list[i].name == name then return list[i] end
			end
		end
		local m, before = call { jitter = false }
		local entry = named(m.spec.costs, "irq_entry")
		check.eq(entry.low, 55); check.eq(entry.typical, 110); check.eq(entry.high, 220); check.eq(entry.origin, "assumed")
		local changed, after = call { jitter = false, linux = { costs = { irq_entry = 210 } } }
		check.eq(after - before, 50000, "100 cycles of 500 ps more")
		entry = named(changed.spec.costs, "irq_entry")
		check.eq(entry.low, 210); check.eq(entry.high, 210); check.eq(entry.origin, "given")
		check.eq(changed.linux.costs.irq_entry, 210)
		local dsb = named(m.spec.latencies, "dsb")
		check.eq(dsb.low_ps, 10000); check.eq(dsb.typical_ps, 20000); check.eq(dsb.high_ps, 40000)
		check.eq(dsb.varies, false)
		dsb = named(hw.machine("virt", { latency = { dsb = { 10, 12, 20 } } }).spec.latencies, "dsb")
		check.eq(dsb.low_ps, 10000); check.eq(dsb.typical_ps, 12000); check.eq(dsb.origin, "given")
		check.eq(dsb.varies, true)
		local function cost(costs) return function() hw.machine("virt", { linux = { costs = costs } }) end end
		check.fails(cost { irq_entri = 1 }, 'did you mean "irq_entry"')
		check.fails(cost { irq_entry = -1 }, "0..1000000")`)
}
