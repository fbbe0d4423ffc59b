--! budget=200000
--! loop_load.lua:1: stopped: the budget of 200000 instructions is used up
load(function() while true do end end)
