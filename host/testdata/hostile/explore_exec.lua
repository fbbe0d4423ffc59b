--! budget=200000
--! explore_exec.lua:2: stopped with explore.run: a: stopped after 0 executions: the budget of 200000 instructions is used up
explore.run { name = "a", machine = hw.machine("virt", { cpus = 2 }), program = function(m)
	m:spawn(0, function(cpu) while true do cpu:exec(1) end end) end }
