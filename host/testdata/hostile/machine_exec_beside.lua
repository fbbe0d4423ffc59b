--! budget=100000
--! ok
local m = hw.machine("virt", { cpus = 2 })
m:spawn(1, function(cpu) while true do cpu:exec(100) end end)
for i = 1, 10 do m:run(0, function(cpu) cpu:exec(10); cpu:smp_call_function_single(1) end) end
