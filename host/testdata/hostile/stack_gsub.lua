--! budget=200000
--! stack_gsub.lua:1: stack overflow
local function f() return (string.gsub("x", "x", f)) end
f()
