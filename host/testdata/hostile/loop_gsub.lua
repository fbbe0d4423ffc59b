--! budget=1000000
--! loop_gsub.lua:1: stopped: the budget of 1000000 instructions is used up
string.gsub("a", "a", function() while true do end end)
