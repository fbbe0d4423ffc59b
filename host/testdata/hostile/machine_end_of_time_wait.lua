--! timeout=60s
--! machine_end_of_time_wait.lua:3: simulated time ends at 9007199254740.992 ns, after two and a half hours; CPU0 timer goes beyond
local m = hw.machine("virt", { cpus = 2 })
local a = m:lines(1):addr(0)
m:run(0, function(cpu) while true do cpu:wait(a, 1, 1e9) end end)
