--! budget=200000
--! loop_nested_calls.lua:1: stopped: the budget of 200000 instructions is used up
local function f() while true do pcall(go.nested, f) end end go.thread(f)
