--! budget=20000
--! machine_many_dropped.lua:1: stopped: the budget of 20000 instructions is used up
while true do local m = hw.machine("virt", { cpus = 8 }) m:spawn(0, function(cpu) cpu:wfi() end) pcall(m.run, m) end
