--! budget=50000
--! explore_handler.lua:2: stopped with explore.run: a: stopped after 0 executions: the budget of 50000 instructions is used up
explore.run { name = "a", machine = hw.machine("virt", { cpus = 2 }), program = function(m)
	m:cpu(1):on_irq(function(cpu) while true do pcall(error) end end)
	m:spawn(0, function(cpu) cpu:msr("ICC_SGI1R_EL1", 0x3000002) end)
	m:spawn(1, function(cpu) cpu:wfi() end) end }
