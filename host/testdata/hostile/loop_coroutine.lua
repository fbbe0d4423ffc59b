--! budget=1000000
--! loop_coroutine.lua:1: stopped: the budget of 1000000 instructions is used up
local co = coroutine.wrap(function() while true do pcall(function() while true do end end) end end)
co()
