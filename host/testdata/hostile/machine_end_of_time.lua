--! timeout=60s
--! machine_end_of_time.lua:2: simulated time ends at 9007199254740.992 ns, after two and a half hours; CPU0 goes beyond
local m = hw.machine("virt", { cpus = 2 })
m:run(0, function(cpu) while true do pcall(cpu.exec, cpu, 1e9) end end)
