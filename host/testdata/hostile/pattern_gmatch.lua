--! budget=1000000
--! pattern_gmatch.lua:1: stopped: the budget of 1000000 instructions is used up
for w in string.gmatch(string.rep("x", 5000), "(.*)(.*)(.*)b") do end
