--! budget=200000
--! pattern_gmatch.lua:1: stopped: the budget of 200000 instructions is used up
for w in string.gmatch(string.rep("x", 5000), "(.*)(.*)(.*)b") do end
