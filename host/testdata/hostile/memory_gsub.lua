--! memory=128MiB
--! memory_gsub.lua:2: stopped: the memory limit of 128 MiB is reached
local s = string.rep("x", 2^16)
return (s:gsub("x", s))
