--! budget=1000000
--! pattern_set.lua:1: stopped: the budget of 1000000 instructions is used up
return string.find(string.rep("x", 100000), "[" .. string.rep("a", 100000) .. "]")
