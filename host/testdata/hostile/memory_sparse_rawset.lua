--! memory=32MiB
--! memory_sparse_rawset.lua:1: stopped: the memory limit of 32 MiB is reached
rawset({}, 67108863, 1)
