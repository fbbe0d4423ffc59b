--! budget=200000
--! loop_gsub.lua:1: stopped: the budget of 200000 instructions is used up
string.gsub("a", "a", function() while true do end end)
