--! budget=50000
--! explore_check_loop.lua:2: stopped with explore.run: a: stopped after 0 executions: the budget of 50000 instructions is used up
explore.run { name = "a", machine = hw.machine("virt", { cpus = 2 }), program = function(m) end,
	check = function(m) while true do pcall(error) end end }
