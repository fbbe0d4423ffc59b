--! memory=32MiB
--! memory_rep.lua:2: stopped: the memory limit of 32 MiB is reached
local t = {}
while true do t[#t + 1] = string.rep("x", 2^20) end
