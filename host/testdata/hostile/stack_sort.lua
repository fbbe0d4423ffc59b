--! budget=200000
--! stack_sort.lua:1: stack overflow
local function f() table.sort({1, 2}, f) return true end
f()
