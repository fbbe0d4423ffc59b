--! memory=48MiB
--! explore_memory.lua:4: stopped with explore.run: a: stopped after 0 executions: the memory limit of 48 MiB is reached
explore.run { name = "a", machine = hw.machine("virt", { cpus = 2 }), program = function(m)
	m:spawn(1, function(cpu)
		local t = {}
		while true do t[#t + 1] = ("x"):rep(65536) .. #t end
	end) end }
