--! memory=128MiB
--! memory_sparse_rawset.lua:1: stopped: the memory limit of 128 MiB is reached
rawset({}, 67108863, 1)
