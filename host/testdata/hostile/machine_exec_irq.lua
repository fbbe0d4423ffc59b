--! budget=100000
--! machine_exec_irq.lua:3: enough (in the program of CPU1 at 310.000 ns)
local m = hw.machine("virt", { cpus = 2 })
m:spawn(1, function(cpu) while true do cpu:exec(100) end end)
m:cpu(1):on_irq(function(cpu) error "enough" end)
m:run(0, function(cpu) cpu:msr("ICC_SGI1R_EL1", u64"0x3000002"); while true do cpu:exec(1) end end)
