--! memory=32MiB
--! u64_keys.lua:1: stopped: the memory limit of 32 MiB is reached
local t = {} for i = 1, 1e9 do t[u64(i)] = i end
