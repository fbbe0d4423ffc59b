--! memory=32MiB
--! print_long.lua:2: stopped: the memory limit of 32 MiB is reached
local s = string.rep("x", 2^22)
print(s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s, s)
