--! budget=1000000
--! pattern_balance.lua:1: stopped: the budget of 1000000 instructions is used up
return string.gsub(string.rep("(", 100000), "%b()", "")
