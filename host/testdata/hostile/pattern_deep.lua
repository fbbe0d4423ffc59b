--! budget=200000
--! pattern_deep.lua:1: pattern too complex
return string.find(string.rep("a", 1000), string.rep("a?", 1000))
