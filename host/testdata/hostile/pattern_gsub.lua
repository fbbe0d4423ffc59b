--! budget=1000000
--! pattern_gsub.lua:1: stopped: the budget of 1000000 instructions is used up
return string.gsub(string.rep("x", 5000), "(x*)(x*)y", "")
