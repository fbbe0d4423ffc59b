--! timeout=60s
--! machine_end_of_time_now.lua:6: simulated time ends at 9007199254740.992 ns, after two and a half hours; CPU1 goes beyond
local m = hw.machine("virt", { cpus = 2 })
m:spawn(1, function(cpu) while true do cpu:exec(1e9) end end)
while pcall(m.run, m, 0, function(cpu) cpu:exec(1e9); cpu:now(); m:now(); cpu:ktime() end) do end
print(m, m:now(), m:cpu(0), m:cpu(0):now())
m:cpu(0):dump()
m:run()
