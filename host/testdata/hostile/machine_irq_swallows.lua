--! budget=200000
--! machine_irq_swallows.lua:2: stopped with machine virt at 5174.000 ns: the budget of 200000 instructions is used up
local m = hw.machine("virt", { cpus = 2 })
m:cpu(1):on_irq(function(cpu) while true do xpcall(function() cpu:exec(1) end, function() while true do end end) end end)
m:run(0, function(cpu) cpu:msr("ICC_SGI1R_EL1", u64"0x3000002") while true do pcall(cpu.exec, cpu, 1) end end)
