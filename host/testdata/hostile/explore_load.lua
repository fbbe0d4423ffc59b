--! budget=500
--! explore_load.lua:3: stopped with explore.run: a: stopped after 0 executions: the budget of 500 instructions is used up
explore.run { name = "a", machine = hw.machine("virt", { cpus = 2 }), program = function(m)
	local a = m:lines(1):addr(0)
	m:spawn(0, function(cpu) while true do pcall(cpu.load, cpu, a) end end)
	m:spawn(1, function(cpu) while true do cpu:store(a, 1) end end) end }
