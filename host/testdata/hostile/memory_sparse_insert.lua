--! memory=128MiB
--! memory_sparse_insert.lua:1: stopped: the memory limit of 128 MiB is reached
table.insert({}, 67108863, 1)
