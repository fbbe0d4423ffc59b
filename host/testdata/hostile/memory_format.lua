--! memory=32MiB
--! memory_format.lua:3: stopped: the memory limit of 32 MiB is reached
local s = string.rep("x", 2^20)
local all = {} for i = 1, 190 do all[i] = s end
return string.format(string.rep("%s", 190), unpack(all))
