--! budget=200000
--! pattern_find.lua:1: stopped: the budget of 200000 instructions is used up
return string.find(string.rep("a", 40), string.rep("a?", 40) .. string.rep("a", 40))
