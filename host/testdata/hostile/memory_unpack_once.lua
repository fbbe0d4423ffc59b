--! memory=16MiB
--! memory_unpack_once.lua:1: stopped: the memory limit of 16 MiB is reached
assert(select("#", unpack({}, 1, 1200000)) == 1200000)
