--! memory=32MiB
--! memory_sparse_insert.lua:1: stopped: the memory limit of 32 MiB is reached
table.insert({}, 67108863, 1)
