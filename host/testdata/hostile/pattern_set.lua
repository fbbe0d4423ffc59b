--! budget=200000
--! pattern_set.lua:1: stopped: the budget of 200000 instructions is used up
return string.find(string.rep("x", 100000), "[" .. string.rep("a", 100000) .. "]")
