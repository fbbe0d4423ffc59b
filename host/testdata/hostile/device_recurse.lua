--! budget=200000
--! device_recurse.lua:2: stack overflow (in the read of d+0x0000 at 50.000 ns) (in the program of CPU0 at 100.000 ns)
local m = hw.machine("virt", { cpus = 2 })
local function f() return 1 + f() end
local d = m:device { name = "d", base = u64"0x70000000", size = 4096, read = function(off) return f() end }
m:run(0, function(cpu) cpu:load(d:addr(0), nil, 4) end)
