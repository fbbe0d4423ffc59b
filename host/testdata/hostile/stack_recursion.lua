--! budget=200000
--! stack_recursion.lua:1: stack overflow
local function f() return 1 + f() end
f()
