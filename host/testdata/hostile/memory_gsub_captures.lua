--! memory=128MiB
--! memory_gsub_captures.lua:2: stopped: the memory limit of 128 MiB is reached
local s = string.rep("x", 2^20)
return (s:gsub(".+", string.rep("%0", 1000)))
