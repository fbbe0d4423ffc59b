--! budget=1000000
--! pattern_find.lua:1: stopped: the budget of 1000000 instructions is used up
return string.find(string.rep("a", 40), string.rep("a?", 40) .. string.rep("a", 40))
