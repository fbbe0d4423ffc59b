--! budget=200000
--! loop_sort.lua:1: stopped: the budget of 200000 instructions is used up
table.sort({1, 2, 3}, function() while true do end end)
