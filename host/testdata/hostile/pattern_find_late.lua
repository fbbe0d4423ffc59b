--! timeout=100ms
--! pattern_find_late.lua:1: stopped: context deadline exceeded
return string.find(string.rep("a", 300), string.rep("a*", 20) .. "b")
