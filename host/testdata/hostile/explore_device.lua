--! budget=200000
--! explore_device.lua:3: stopped with explore.run: a: stopped after 0 executions: the budget of 200000 instructions is used up
explore.run { name = "a", machine = hw.machine("virt", { cpus = 2 }), program = function(m)
	local d = m:device { name = "d", base = u64"0x70000000", size = 4096,
		read = function(off) while true do pcall(error) end end }
	m:spawn(0, function(cpu) cpu:load(d:addr(0), nil, 4) end) end }
