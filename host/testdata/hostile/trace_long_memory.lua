--! memory=32MiB
--! trace_long_memory.lua:2: stopped with machine virt at some time: the memory limit of 32 MiB is reached
local m = hw.machine("virt", { cpus = 2 })
m:trace(function() m:run(0, function(cpu) while true do cpu:isb() end end) end)
