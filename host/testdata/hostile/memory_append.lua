--! memory=128MiB
--! memory_append.lua:2: stopped: the memory limit of 128 MiB is reached
local t = {}
while true do t[#t + 1] = {} end
