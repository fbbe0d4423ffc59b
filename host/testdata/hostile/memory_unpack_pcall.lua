--! budget=2000000
--! memory_unpack_pcall.lua:1: registry overflow
local ok, text = pcall(unpack, {}, 1, 1e9) error(text, 0)
