--! memory=128MiB
--! memory_sparse_constructor.lua:1: stopped: the memory limit of 128 MiB is reached
local t = {[67108863] = 1}
