--! budget=200000
--! pattern_gsub.lua:1: stopped: the budget of 200000 instructions is used up
return string.gsub(string.rep("x", 5000), "(x*)(x*)y", "")
