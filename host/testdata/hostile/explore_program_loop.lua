--! budget=200000
--! explore_program_loop.lua:1: stopped with explore.run: a: stopped after 0 executions: the budget of 200000 instructions is used up
explore.run { name = "a", machine = hw.machine("virt", { cpus = 2 }), program = function(m) while true do end end }
