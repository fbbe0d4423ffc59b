--! budget=200000
--! pattern_balance.lua:1: stopped: the budget of 200000 instructions is used up
return string.gsub(string.rep("(", 100000), "%b()", "")
