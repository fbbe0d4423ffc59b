--! budget=1000000
--! loop_sort.lua:1: stopped: the budget of 1000000 instructions is used up
table.sort({1, 2, 3}, function() while true do end end)
