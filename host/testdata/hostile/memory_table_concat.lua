--! memory=32MiB
--! memory_table_concat.lua:3: stopped: the memory limit of 32 MiB is reached
local s = string.rep("x", 2^20)
local all = {} for i = 1, 1000 do all[i] = s end
return table.concat(all)
