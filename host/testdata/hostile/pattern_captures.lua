--! budget=200000
--! pattern_captures.lua:1: too many captures
return string.find("x", string.rep("()", 100))
