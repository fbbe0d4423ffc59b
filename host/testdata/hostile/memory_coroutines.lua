--! memory=128MiB
--! memory_coroutines.lua:2: stopped: the memory limit of 128 MiB is reached
local t = {}
while true do t[#t + 1] = coroutine.create(print) end
