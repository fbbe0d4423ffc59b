--! budget=100000
--! machine_exec.lua:2: stopped with machine virt at 12498.500 ns: the budget of 100000 instructions is used up
local m = hw.machine("virt", { cpus = 2 })
m:run(0, function(cpu) while true do cpu:exec(1) end end)
