--! budget=50000
--! loop_nested_calls.lua:1: stopped: the budget of 50000 instructions is used up
local function f() while true do pcall(go.nested, f) end end go.thread(f)
