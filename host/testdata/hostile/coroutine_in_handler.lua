--! budget=200000
--! coroutine_in_handler.lua:3: stopped with machine virt at 5885.000 ns: the budget of 200000 instructions is used up
local m = hw.machine("virt", { cpus = 2 })
m:cpu(1):on_irq(function(cpu)
	local co = coroutine.wrap(function() while true do cpu:exec(1) coroutine.yield() end end)
	while true do co() end
end)
m:run(0, function(cpu) cpu:msr("ICC_SGI1R_EL1", u64"0x3000002") cpu:exec(100000) while true do end end)
