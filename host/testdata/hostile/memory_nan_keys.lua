--! memory=128MiB
--! memory_nan_keys.lua:2: stopped: the memory limit of 128 MiB is reached
local t = {}
while true do t[0/0] = 1 end
