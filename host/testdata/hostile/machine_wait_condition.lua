--! budget=200000
--! machine_wait_condition.lua:2: stopped with machine virt at 100.000 ns: the budget of 200000 instructions is used up
local m = hw.machine("virt", { cpus = 2 }) local a = m:lines(1):addr(0)
m:run(0, function(cpu) cpu:wait(a, function(v) while true do end end) end)
