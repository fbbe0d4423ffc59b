--! budget=200000
--! loop_coroutine.lua:1: stopped: the budget of 200000 instructions is used up
local co = coroutine.wrap(function() while true do pcall(function() while true do end end) end end)
co()
