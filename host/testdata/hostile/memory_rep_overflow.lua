--! memory=32MiB
--! memory_rep_overflow.lua:1: string.rep: the string would be longer than 256 MiB
local s = string.rep("xx", 2^62)
