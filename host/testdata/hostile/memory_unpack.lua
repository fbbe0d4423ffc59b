--! budget=200000
--! memory_unpack.lua:1: registry overflow
return unpack({}, 1, 1e9)
