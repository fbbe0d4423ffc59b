--! budget=200000
--! pattern_match.lua:1: stopped: the budget of 200000 instructions is used up
return string.match(string.rep("x", 5000), ".-.-.-b")
