--! budget=200000
--! machine_wait_condition_error.lua:2: attempt to compare userdata with table (in the program of CPU0 at 100.000 ns)
local m = hw.machine("virt", { cpus = 2 }) local a = m:lines(1):addr(0)
m:run(0, function(cpu) cpu:wait(a, function(v) return v < {} end) end)
