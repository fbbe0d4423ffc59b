--! budget=200000
--! device_loop.lua:2: stopped with machine virt at 100.000 ns: the budget of 200000 instructions is used up
local m = hw.machine("virt", { cpus = 2 })
local d = m:device { name = "d", base = u64"0x70000000", size = 4096, read = function(off) while true do pcall(error) end end }
m:run(0, function(cpu) cpu:load(d:addr(0), nil, 4) end)
