--! timeout=60s
--! machine_irq_nested.lua:3: handlers are nested 128 deep: each one is interrupted by the next before it returns (in the program of CPU1 at 1610.000 ns)
local m = hw.machine("virt", { cpus = 2 })
m:spawn(0, function(cpu) cpu:msr("ICC_SGI1R_EL1", u64"0x3000002") end)
m:cpu(1):on_irq(function(cpu) cpu:mask_irq(false) end)
m:run()
