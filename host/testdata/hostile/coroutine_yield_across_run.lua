--! budget=200000
--! coroutine_yield_across_run.lua:2: coroutine.yield: there is no coroutine to leave (in the program of CPU0 at 0.000 ns)
local m = hw.machine("virt", { cpus = 2 })
coroutine.wrap(function() m:run(0, function(cpu) coroutine.yield() end) end)()
