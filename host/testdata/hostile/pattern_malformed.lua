--! budget=200000
--! pattern_malformed.lua:1: malformed pattern (missing ']')
return string.find("x", "[%")
