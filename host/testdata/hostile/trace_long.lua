--! budget=100000
--! trace_long.lua:2: stopped with machine virt at 249960.000 ns: the budget of 100000 instructions is used up
local m = hw.machine("virt", { cpus = 2 })
m:trace(function() m:run(0, function(cpu) while true do cpu:isb() end end) end)
