--! budget=200000
--! machine_irq_error_again.lua:3: stopped with machine virt at 15280.000 ns: the budget of 200000 instructions is used up
local m = hw.machine("virt", { cpus = 2 })
m:spawn(0, function(cpu) cpu:msr("ICC_SGI1R_EL1", u64"0x3000002") end)
m:cpu(1):on_irq(function(cpu) error "x" end)
while true do pcall(m.run, m) end
