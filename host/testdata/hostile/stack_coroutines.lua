--! memory=256MiB
--! stack_coroutines.lua:1: stack overflow: too many coroutines inside one another
local function f() return coroutine.wrap(f)() end
f()
