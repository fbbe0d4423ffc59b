--! memory=32MiB
--! memory_coroutines.lua:2: stopped: the memory limit of 32 MiB is reached
local t = {}
while true do t[#t + 1] = coroutine.create(print) end
