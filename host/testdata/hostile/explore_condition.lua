--! budget=50000
--! explore_condition.lua:3: stopped with explore.run: a: stopped after 0 executions: the budget of 50000 instructions is used up
explore.run { name = "a", machine = hw.machine("virt", { cpus = 2 }), program = function(m)
	local a = m:lines(1):addr(0)
	m:spawn(0, function(cpu) cpu:wait(a, function(v) while true do pcall(error) end end) end) end }
