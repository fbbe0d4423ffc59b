--! budget=50000
--! machine_spawn_storm.lua:3: stopped: the budget of 50000 instructions is used up
local m = hw.machine("virt", { cpus = 64 })
while true do
	for i = 0, 63 do pcall(m.spawn, m, i, function(cpu) pcall(error) end) end
	m:run()
end
