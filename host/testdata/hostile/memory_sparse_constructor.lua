--! memory=32MiB
--! memory_sparse_constructor.lua:1: stopped: the memory limit of 32 MiB is reached
local t = {[67108863] = 1}
