--! memory=32MiB
--! memory_gsub_captures.lua:2: stopped: the memory limit of 32 MiB is reached
local s = string.rep("x", 2^20)
return (s:gsub(".+", string.rep("%0", 1000)))
