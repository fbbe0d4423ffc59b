--! timeout=60s
--! machine_irq_error.lua:3: x (in the program of CPU1 at 330.000 ns)
local n, m = 0, hw.machine("virt", { cpus = 2 })
m:spawn(0, function(cpu) cpu:msr("ICC_SGI1R_EL1", u64"0x3000002") end)
m:cpu(1):on_irq(function(cpu) n = n + 1; error(n == 1 and "x" or "taken again") end)
m:run()
