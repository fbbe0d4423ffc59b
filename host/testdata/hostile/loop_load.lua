--! budget=1000000
--! loop_load.lua:1: stopped: the budget of 1000000 instructions is used up
load(function() while true do end end)
