--! memory=32MiB
--! memory_gsub.lua:2: stopped: the memory limit of 32 MiB is reached
local s = string.rep("x", 2^16)
return (s:gsub("x", s))
